// Exponentials, logarithms, hyperbolic functions and powers of real floating-point numbers.

// Exponentials, with exp(x) = 2^k exp(r) and |r| <= log(2) / 2.

// x - k log(2), and its rounding error. H and L: log(2), H so short that k H is exact.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T without_log2_$T(R_$T x, R_$T k, R_$T *lost) {
    R_$T head = FMA(k, C_$T(-$H), x), r = FMA(k, C_$T(-$L), head);
    *lost = FMA(k, C_$T(-$L), head - r);
    return r;
}

// k, r, and what r loses, of a number of moderate size. N: 1 / log(2). Z: added to a number, it leaves it
// rounded to an integer in the last bits.
//: for T N Z in f32 0x1.715476p0 0x1.8p23  f64 0x1.71547652b82fep0 0x1.8p52
FN R_$T reduced_$T(R_$T x, R_$I *k, R_$T *lost) {
    R_$T shifted = FMA(x, C_$T($N), C_$T($Z));
    *k = AS_$I(AS_$U(shifted) - AS_$U(C_$T($Z)));
    return without_log2_$T(x, shifted - C_$T($Z), lost);
}

// 2^k of an integer in the exponent's range.
//: for T P in f32 24  f64 53
FN R_$T exp2_whole_$T(R_$I k) {
    return AS_$T(AS_$U(C_$T(1)) + (AS_$U(k) << C_$U($P - 1)));
}

// x 2^k for x near 1, in two steps: so it rounds once where it is subnormal.
FN R_$T times_exp2_$T(R_$T x, R_$I k) {
    R_$I first = k >> C_$I(1);
    return x * exp2_whole_$T(first) * exp2_whole_$T(AS_$I(AS_$U(k) - AS_$U(first)));
}

// exp(x) / 2^less. E: beyond it exp is infinite or 0.
//: for T E in f32 105  f64 746
FN R_$T exp_over_$T(R_$T x, R_$I less) {
    R_$I k;
    R_$T lost, near = WHERE_$T(LT(x, C_$T(-$E)), C_$T(-$E), WHERE_$T(GT(x, C_$T($E)), C_$T($E), x));
    R_$T r = reduced_$T(near, &k, &lost);
    return times_exp2_$T(C_$T(1) + FMA(r * r, exp_tail_$T(r), r), k - less);
}

FN R_$T exp_$T(R_$T x) { return exp_over_$T(x, C_$I(0)); }

// (exp(x) - 1) / 2^less, as 2^k (1 - 2^-k + (exp(r) - 1)). B: below -B exp(x) - 1 is -1; from k = B on 2^-k is
// too small to count.
//: for T E B in f32 105 30  f64 746 60
FN R_$T expm1_over_$T(R_$T x, R_$I less) {
    R_$I k;
    R_$T lost, near = WHERE_$T(LT(x, C_$T(-$B)), C_$T(-$B), WHERE_$T(GT(x, C_$T($E)), C_$T($E), x));
    R_$T r = reduced_$T(near, &k, &lost);
    R_$T head = C_$T(1) - exp2_whole_$T(-WHERE_$I(GT(k, C_$I($B)), C_$I($B), k));
    return times_exp2_$T((head + r) + FMA(r * r, exp_tail_$T(r), lost), k - less);
}

//: for T in f32 f64
FN R_$T expm1_$T(R_$T x) { return COPYSIGN(expm1_over_$T(x, C_$I(0)), x); }

// With m = exp(|x|) - 1, sinh(x) is (m + m / (m + 1)) / 2; m / 2 does not overflow before the result does.
//: for T in f32 f64
FN R_$T sinh_$T(R_$T x) {
    R_$T size = expm1_over_$T(ABS(x), C_$I(1)), m = size + size;
    R_$T small = size / (m + C_$T(1));
    return COPYSIGN(size + WHERE_$T(LT(m, INF_$T), small, C_$T(0)), x);
}

FN R_$T cosh_$T(R_$T x) {
    R_$T size = exp_over_$T(ABS(x), C_$I(1));
    return size + C_$T(0.25) / size;
}

// With m = exp(2|x|) - 1, tanh(x) is m / (m + 2). From |x| = 22 on it is 1.
FN R_$T tanh_$T(R_$T x) {
    R_$T size = ABS(x);
    R_$T m = expm1_over_$T(WHERE_$T(GT(size, C_$T(22)), C_$T(44), size + size), C_$I(0));
    return COPYSIGN(m / (m + C_$T(2)), x);
}

// Logarithms of a = 2^k m, 1/2 <= m^2 < 2.

// k and m of a positive finite number that is not subnormal. P: bits of a significand, B: those of sqrt(1/2).
//: for T P B in f32 24 0x3f3504f3  f64 53 0x3fe6a09e667f3bcd
FN R_$T split_normal_$T(R_$T a, R_$T *k) {
    R_$U bits = AS_$U(a);
    R_$I exponent = AS_$I(bits - C_$U($B)) >> C_$I($P - 1);
    *k = TO_$T(exponent);
    return AS_$T(bits - (AS_$U(exponent) << C_$U($P - 1)));
}

// k and m of a positive finite number. P: bits of a significand.
//: for T P in f32 24  f64 53
FN R_$T split_$T(R_$T a, R_$T *k) {
    R_b8 tiny = LT(a, C_$T(0x1p-100));
    R_$T m = split_normal_$T(WHERE_$T(tiny, a * (C_$T(0x1p$P) * C_$T(0x1p$P)), a), k);
    *k = *k - WHERE_$T(tiny, C_$T(2 * $P), C_$T(0));
    return m;
}

// log(1 + f) - f + f^2 / 2 ...
//: for T in f32
FN R_f32 log_rest_f32(R_f32 f) { return f * f * f * log_tail_f32(f); }

// ... where division costs less than a longer polynomial: with s = f / (2 + f), log(1 + f) is 2 atanh(s) =
// 2 s (1 + s^2 (1/3 + s^2 (1/5 + ...))), so this is s (f^2 / 2 + 2 s^2 (1/3 + ...)).
//: for T in f64
FN R_f64 log_rest_f64(R_f64 f) {
    R_f64 s = f / (C_f64(2) + f), w = s * s;
    R_f64 series = FMA(w, atanh_tail_f64(w), C_f64(0.33333333333333333333));
    return s * FMA(w + w, series, f * f * C_f64(0.5));
}

// k log(2) + log(1 + f + more), where more is below the last digit of 1 + f. H and L as above.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T log_of_$T(R_$T k, R_$T f, R_$T more) {
    R_$T rest = log_rest_$T(f) + FMA(k, C_$T($L), FMA(-f, more, more));
    return FMA(k, C_$T($H), f - FMA(f * f, C_$T(0.5), -rest));
}

// The logarithm y of a where that is a positive finite number.
//: for T in f32 f64
FN R_$T or_special_$T(R_$T a, R_$T y) {
    R_$T not_positive = WHERE_$T(EQ(a, C_$T(0)), -INF_$T, NAN_$T);
    return WHERE_$T(GT(a, C_$T(0)), WHERE_$T(LT(a, INF_$T), y, a), not_positive);
}

FN R_$T log_$T(R_$T a) {
    R_$T k, m = split_$T(a, &k);
    return or_special_$T(a, log_of_$T(k, m - C_$T(1), C_$T(0)));
}

// 1 + a = u + lost = 2^k (m + more). Where k is 0, a itself has all digits; where it is large, more is nothing.
FN R_$T log1p_$T(R_$T a) {
    R_$T one = C_$T(1), u = one + a, part = u - a;
    R_$T lost = (one - part) + (a - (u - part));
    R_$T k, m = split_$T(u, &k);
    R_b8 near = EQ(k, C_$T(0));
    R_$T shrink = AS_$T(AS_$U(one) + AS_$U(m) - AS_$U(u));
    R_$T more = WHERE_$T(near | GT(k, C_$T(60)), C_$T(0), lost * shrink);
    return COPYSIGN(or_special_$T(u, log_of_$T(k, WHERE_$T(near, a, m - one), more)), a);
}

FN R_$T log2_$T(R_$T a) {
    R_$T tail, y = log2_pair_$T(a, &tail);
    return or_special_$T(a, y + tail);
}

// H and L: log10(2).
//: for T H L in f32 0x1.344136p-2 -0x1.ec10cp-27  f64 0x1.34413509f79ffp-2 -0x1.9dc1da994fd21p-59
FN R_$T log10_$T(R_$T a) {
    R_$T tail, y = log2_pair_$T(a, &tail);
    return or_special_$T(a, FMA(y, C_$T($H), FMA(y, C_$T($L), tail * C_$T($H))));
}

// B: from there on 1 does not count against the square.
//: for T B in f32 0x1p60  f64 0x1p500
FN R_$T asinh_$T(R_$T x) {
    R_$T a = ABS(x);
    R_b8 large = GT(a, C_$T($B));
    R_$T more = a * a / (C_$T(1) + SQRT(FMA(a, a, C_$T(1))));
    R_$T y = log1p_$T(a + WHERE_$T(large, C_$T(0), more));
    return COPYSIGN(y + WHERE_$T(large, C_$T(0.69314718055994530942), C_$T(0)), x);
}

FN R_$T acosh_$T(R_$T x) {
    R_$T t = x - C_$T(1);
    R_b8 large = GT(x, C_$T($B));
    R_$T y = log1p_$T(t + WHERE_$T(large, C_$T(0), SQRT(FMA(t, t, t + t))));
    y = y + WHERE_$T(large, C_$T(0.69314718055994530942), C_$T(0));
    return WHERE_$T(LT(x, C_$T(1)), NAN_$T, y);
}

//: for T in f32 f64
FN R_$T atanh_$T(R_$T x) {
    R_$T a = ABS(x);
    return COPYSIGN(C_$T(0.5) * log1p_$T((a + a) / (C_$T(1) - a)), x);
}

//: for T in f32 f64
// log(exp(a) + exp(b)), from the larger so that nothing overflows; exp needs what the difference loses.
FN R_$T logaddexp_$T(R_$T a, R_$T b) {
    R_$T high = maximum_$T(a, b), low = minimum_$T(a, b), difference = low - high;
    R_$T away = difference - low;
    R_$T lost = (low - (difference - away)) - (high + away);
    R_$T small = exp_$T(difference);
    small = FMA(small, WHERE_$T(LT(ABS(difference), INF_$T), lost, C_$T(0)), small);
    return WHERE_$T(EQ(a, b), a + C_$T(0.69314718055994530942), high + log1p_$T(small));
}

// Power, as 2^(b * log2|a|) with the logarithm in two registers, from 2 atanh(s) as in log_rest_f64.

// s in two registers.
//: for T in f32 f64
FN R_$T slope_$T(R_$T m, R_$T *tail) {
    R_$T n = m - C_$T(1), d = m + C_$T(1), inverse = C_$T(1) / d, s = n * inverse;
    *tail = (FMA(-s, d, n) - s * (m - (d - C_$T(1)))) * inverse;
    return s;
}

// k + 2 / log(2) (u + u2); H and L: 2 / log(2).
//: for T H L in f32 0x1.715476p1 0x1.4ae0cp-25  f64 0x1.71547652b82fep1 0x1.777d0ffda0d24p-55
FN R_$T to_base_2_$T(R_$T k, R_$T u, R_$T u2, R_$T *tail) {
    R_$T g = u * C_$T($H), g2 = FMA(u, C_$T($H), -g) + (u * C_$T($L) + u2 * C_$T($H));
    R_$T result = k + g;
    *tail = (k - result) + g + g2;
    return result;
}

// log2(a) of a positive finite number.
//: for T in f32 f64
FN R_$T log2_pair_$T(R_$T a, R_$T *tail) {
    R_$T k, s2, m = split_$T(a, &k), s = slope_$T(m, &s2);
    return log2_of_slope_$T(k, s, s2, tail);
}

// k + 2 / log(2) atanh(s + s2), to 2^-32 ...
//: for T in f32
FN R_f32 log2_of_slope_f32(R_f32 k, R_f32 s, R_f32 s2, R_f32 *tail) {
    R_f32 w = s * s;
    R_f32 p = FMA(w, atanh_tail_f32(w), C_f32(0x1.555556p-2)), t = w * p, u = s * t, h = s + u;
    R_f32 t2 = FMA(FMA(s, s, -w), p, FMA(w, p, -t));
    R_f32 u2 = FMA(w, s2, FMA(s, t2, FMA(s, t, -u)));
    return to_base_2_f32(k, h, (s - h) + u + (s2 + u2), tail);
}

// ... and to 2^-65, which takes the second term in two registers, too.
//: for T in f64
FN R_f64 log2_of_slope_f64(R_f64 k, R_f64 s, R_f64 s2, R_f64 *tail) {
    R_f64 w = s * s, w2 = FMA(s, s, -w) + (s + s) * s2;
    R_f64 q = w * atanh_tail_f64(w), third = C_f64(0x1.5555555555555p-2);
    R_f64 p = third + q, p2 = (third - p) + q + C_f64(0x1.5555555555555p-56);
    R_f64 t = w * p, t2 = FMA(w, p, -t) + (w * p2 + w2 * p);
    R_f64 u = s * t, u2 = FMA(s, t, -u) + (s * t2 + s2 * t);
    R_f64 h = s + u;
    return to_base_2_f64(k, h, (s - h) + u + (s2 + u2), tail);
}

// E: powers of two beyond 2^E and 2^-E are infinite and 0. Z as in reduced_$T.
//: for T E Z in f32 160 0x1.8p23  f64 1100 0x1.8p52
FN R_$T pow_$T(R_$T a, R_$T b) {
    R_$T size = ABS(a), tail, logarithm = log2_pair_$T(size, &tail);
    logarithm = WHERE_$T(LT(size, INF_$T), logarithm, size);
    logarithm = WHERE_$T(EQ(size, C_$T(0)), -INF_$T, logarithm);
    R_$T z = b * logarithm, z2 = FMA(b, logarithm, -z) + b * tail;
    z2 = WHERE_$T(LT(ABS(z), C_$T($E)), z2, C_$T(0));
    z = WHERE_$T(GT(z, C_$T($E)), C_$T($E), WHERE_$T(LT(z, C_$T(-$E)), C_$T(-$E), z));
    R_$T shifted = z + C_$T($Z), fraction = (z - (shifted - C_$T($Z))) + z2;
    R_$I k = AS_$I(AS_$U(shifted) - AS_$U(C_$T($Z)));
    R_$T power = times_exp2_$T(FMA(fraction, exp2_tail_$T(fraction), C_$T(1)), k);
    R_$T halved = b * C_$T(0.5);
    R_b8 integral = EQ(TRUNC(b), b), odd = integral & NE(TRUNC(halved), halved);
    power = WHERE_$T(odd & signbit_$T(a), -power, power);
    power = WHERE_$T(LT(a, C_$T(0)) & GT(a, -INF_$T) & ~integral, NAN_$T, power);
    R_b8 one = EQ(b, C_$T(0)) | EQ(a, C_$T(1)) | (EQ(size, C_$T(1)) & EQ(ABS(b), INF_$T));
    return WHERE_$T(one, C_$T(1), power);
}

// Polynomials, fitted so that the largest relative error of the whole function is least.

//: for T in f32
// (atanh(s) / s - 1) / s^2 less 1/3, over s^2 = w <= 3 - 2 sqrt(2): 2^-36.
FN R_f32 atanh_tail_f32(R_f32 w) {
    return FMA(FMA(C_f32(0x1.dfbdbp-4), w, C_f32(0x1.2451d2p-3)), w, C_f32(0x1.999a02p-3));
}

// (log(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) <= 1 + f < sqrt(2): 2^-30.
FN R_f32 log_tail_f32(R_f32 f) {
    R_f32 p = FMA(C_f32(0x1.147a2ep-4), f, C_f32(-0x1.de144p-4));
    p = FMA(p, f, C_f32(0x1.e6c66cp-4));
    p = FMA(p, f, C_f32(-0x1.fc269ap-4));
    p = FMA(p, f, C_f32(0x1.233b2ap-3));
    p = FMA(p, f, C_f32(-0x1.555c4cp-3));
    p = FMA(p, f, C_f32(0x1.99a47ap-3));
    p = FMA(p, f, C_f32(-0x1.000006p-2));
    return FMA(p, f, C_f32(0x1.555548p-2));
}

// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: 2^-26 of exp(r) - 1.
FN R_f32 exp_tail_f32(R_f32 r) {
    R_f32 p = FMA(C_f32(0x1.6d723ep-10), r, C_f32(0x1.12281ap-7));
    p = FMA(p, r, C_f32(0x1.5554c8p-5));
    p = FMA(p, r, C_f32(0x1.5554bp-3));
    return FMA(p, r, C_f32(0.5));
}

// (2^f - 1) / f for |f| <= 1/2: 2^-32.
FN R_f32 exp2_tail_f32(R_f32 f) {
    R_f32 p = FMA(C_f32(0x1.edab64p-17), f, C_f32(0x1.4429fep-13));
    p = FMA(p, f, C_f32(0x1.5d9b1ep-10));
    p = FMA(p, f, C_f32(0x1.3b2a44p-7));
    p = FMA(p, f, C_f32(0x1.c6b076p-5));
    p = FMA(p, f, C_f32(0x1.ebfbep-3));
    return FMA(p, f, C_f32(0x1.62e43p-1));
}

//: for T in f64
// 2^-66.
FN R_f64 atanh_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.0e5d8b2d1a7ffp-4), w, C_f64(0x1.0f7cd1ce7fa10p-4));
    p = FMA(p, w, C_f64(0x1.3b1f10b618996p-4));
    p = FMA(p, w, C_f64(0x1.745ce904f26f0p-4));
    p = FMA(p, w, C_f64(0x1.c71c7230380b2p-4));
    p = FMA(p, w, C_f64(0x1.24924924558aep-3));
    return FMA(p, w, C_f64(0x1.9999999999b47p-3));
}

// 2^-60.
FN R_f64 exp_tail_f64(R_f64 r) {
    R_f64 p = FMA(C_f64(0x1.1f66149ed940bp-29), r, C_f64(0x1.af6137b51a30fp-26));
    p = FMA(p, r, C_f64(0x1.27e4e1c5f7c26p-22));
    p = FMA(p, r, C_f64(0x1.71ddf7045c705p-19));
    p = FMA(p, r, C_f64(0x1.a01a01a4c2f85p-16));
    p = FMA(p, r, C_f64(0x1.a01a01b05e161p-13));
    p = FMA(p, r, C_f64(0x1.6c16c16c166dap-10));
    p = FMA(p, r, C_f64(0x1.111111110f5ap-7));
    p = FMA(p, r, C_f64(0x1.5555555555556p-5));
    p = FMA(p, r, C_f64(0x1.5555555555559p-3));
    return FMA(p, r, C_f64(0.5));
}

// 2^-57.
FN R_f64 exp2_tail_f64(R_f64 f) {
    R_f64 p = FMA(C_f64(0x1.eaeb1a39e413ep-32), f, C_f64(0x1.e624124b2f9bdp-28));
    p = FMA(p, f, C_f64(0x1.b5242df95a595p-24));
    p = FMA(p, f, C_f64(0x1.62bfc29e210f5p-20));
    p = FMA(p, f, C_f64(0x1.ffcbfcd6cada4p-17));
    p = FMA(p, f, C_f64(0x1.43091310cde5fp-13));
    p = FMA(p, f, C_f64(0x1.5d87fe78898b9p-10));
    p = FMA(p, f, C_f64(0x1.3b2ab6fb9f773p-7));
    p = FMA(p, f, C_f64(0x1.c6b08d704a180p-5));
    p = FMA(p, f, C_f64(0x1.ebfbdff82c5a8p-3));
    return FMA(p, f, C_f64(0x1.62e42fefa39efp-1));
}

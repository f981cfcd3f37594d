// Real floating-point functions. All are our own: drivers' miss the bounds here and there, or give other last
// bits beside a huge neighbour in the register. The same text gives the same bits on every device.

//: for T in f32 f64
FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

FN R_$T subtract_$T(R_$T a, R_$T b) { return a - b; }

FN R_$T multiply_$T(R_$T a, R_$T b) { return a * b; }

FN R_$T divide_$T(R_$T a, R_$T b) { return DIVIDE_$T(a, b); }

FN R_$T negative_$T(R_$T a) { return -a; }

FN R_$T positive_$T(R_$T a) { return a; }

FN R_$T square_$T(R_$T a) { return a * a; }

FN R_$T reciprocal_$T(R_$T a) { return C_$T(1) / a; }

FN R_$T abs_$T(R_$T a) { return ABS(a); }

FN R_$T sqrt_$T(R_$T a) { return SQRT(a); }

FN R_$T floor_$T(R_$T a) { return FLOOR(a); }

FN R_$T ceil_$T(R_$T a) { return CEIL(a); }

FN R_$T trunc_$T(R_$T a) { return TRUNC(a); }

FN R_$T round_$T(R_$T a) { return RINT(a); }

FN R_$T copysign_$T(R_$T a, R_$T b) { return COPYSIGN(a, b); }

FN R_$T sign_$T(R_$T a) {
    R_$T zero_or_nan = a + C_$T(0);
    return WHERE_$T(GT(a, C_$T(0)), C_$T(1), WHERE_$T(LT(a, C_$T(0)), C_$T(-1), zero_or_nan));
}

FN R_b8 signbit_$T(R_$T a) { return LT(AS_$I(a), C_$I(0)); }

FN R_b8 isnan_$T(R_$T a) { return NE(a, a); }

FN R_b8 isinf_$T(R_$T a) { return EQ(ABS(a), INF_$T); }

FN R_b8 isfinite_$T(R_$T a) { return LT(ABS(a), INF_$T); }

// Which of -0 and +0 is larger the standard leaves open; to order them would double the cost. The inner choice is
// one instruction of x86, whose result is b where either is NaN.
// A NaN in a stays because no comparison is true of it. So the test for NaN does not wait for a, which often is the
// result so far.
FN R_$T maximum_$T(R_$T a, R_$T b) { return WHERE_$T(NE(b, b), NAN_$T, WHERE_$T(GT(b, a), b, a)); }

FN R_$T minimum_$T(R_$T a, R_$T b) { return WHERE_$T(NE(b, b), NAN_$T, WHERE_$T(LT(b, a), b, a)); }

// Bit patterns count away from zero.
FN R_$T nextafter_$T(R_$T a, R_$T b) {
    R_$U bits = AS_$U(a), sign = AS_$U(COPYSIGN(C_$T(0), b));
    R_b8 inward = GT(a, b) ^ LT(a, C_$T(0));
    R_$T step = AS_$T(WHERE_$U(inward, bits - C_$U(1), bits + C_$U(1)));
    step = WHERE_$T(EQ(a, C_$T(0)), AS_$T(sign | C_$U(1)), step);
    return WHERE_$T(EQ(a, b), b, WHERE_$T(NE(a, a) | NE(b, b), a + b, step));
}

// Division with remainder, as Python has it. P: bits of a significand.
//: for T P in f32 24  f64 53

// The exact a - b * trunc(a / b): long division, P - 1 bits of the quotient a round. Trunc(rest / part) is
// right or 1 too large, and the rest that it leaves fits a float, so FMA finds it without error.
FN R_$T fmod_$T(R_$T a, R_$T b) {
    R_$T divisor = ABS(b);
    R_b8 finite = LT(ABS(a), INF_$T), valid = finite & GT(divisor, C_$T(0)) & LT(divisor, INF_$T);
    R_$T rest = WHERE_$T(valid, ABS(a), C_$T(0)), part = WHERE_$T(valid, divisor, C_$T(1));
    R_b8 far = GE(rest / part, C_$T(0x1p$P));
    while (ANY(far)) {
        part = WHERE_$T(far, part * C_$T(0x1p$P) * C_$T(0.5), part);
        far = GE(rest / part, C_$T(0x1p$P));
    }
    R_b8 more;
    do {
        rest = FMA(-TRUNC(rest / part), part, rest);
        rest = WHERE_$T(LT(rest, C_$T(0)), rest + part, rest);
        more = GT(part, divisor) & valid;
        part = WHERE_$T(more, part * C_$T(2) * C_$T(0x1p-$P), part);
    } while (ANY(more));
    R_$T otherwise = WHERE_$T(finite & EQ(divisor, INF_$T), a, NAN_$T);
    return WHERE_$T(valid, COPYSIGN(rest, a), otherwise);
}

FN R_$T remainder_$T(R_$T a, R_$T b) {
    R_$T rest = fmod_$T(a, b);
    R_$T shifted = WHERE_$T(LT(rest, C_$T(0)) ^ LT(b, C_$T(0)), rest + b, rest);
    return WHERE_$T(EQ(rest, C_$T(0)), COPYSIGN(rest, b), shifted);
}

// Where an operand is infinite, or b is 0, the standard wants floor(a / b).
FN R_$T floor_divide_$T(R_$T a, R_$T b) {
    R_$T rest = fmod_$T(a, b), exact = a / b;
    R_b8 opposite = NE(rest, C_$T(0)) & (LT(rest, C_$T(0)) ^ LT(b, C_$T(0)));
    R_$T quotient = (a - rest) / b - WHERE_$T(opposite, C_$T(1), C_$T(0));
    R_$T whole = FLOOR(quotient);
    whole = whole + WHERE_$T(GT(quotient - whole, C_$T(0.5)), C_$T(1), C_$T(0));
    whole = WHERE_$T(EQ(quotient, C_$T(0)), COPYSIGN(C_$T(0), exact), whole);
    R_b8 special = EQ(b, C_$T(0)) | EQ(ABS(a), INF_$T) | EQ(ABS(b), INF_$T);
    return WHERE_$T(special, FLOOR(exact), whole);
}

// Exponentials, with exp(x) = 2^k exp(r) and |r| <= log(2) / 2.

// x - k log(2), and what is lost to rounding. H and L: log(2), H so short that k H is exact.
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

// k and m of a positive finite number. P: bits of a significand, B: those of sqrt(1/2).
//: for T P B in f32 24 0x3f3504f3  f64 53 0x3fe6a09e667f3bcd
FN R_$T split_$T(R_$T a, R_$T *k) {
    R_b8 tiny = LT(a, C_$T(0x1p-100));
    R_$U bits = AS_$U(WHERE_$T(tiny, a * (C_$T(0x1p$P) * C_$T(0x1p$P)), a));
    R_$I exponent = AS_$I(bits - C_$U($B)) >> C_$I($P - 1);
    *k = TO_$T(exponent) - WHERE_$T(tiny, C_$T(2 * $P), C_$T(0));
    return AS_$T(bits - (AS_$U(exponent) << C_$U($P - 1)));
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

// B: from there on 1 counts no more beside the square.
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

// Inverse trigonometric functions. H and L: pi / 2.

// asin(s) = s + s w (...) with w = s^2; beyond 1/2 from asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)).
//: for T H L in f32 0x1.921fb6p0 -0x1.777a5cp-25  f64 0x1.921fb54442d18p0 0x1.1a62633145c07p-54
FN R_$T asin_$T(R_$T x) {
    R_$T a = ABS(x);
    R_b8 large = GT(a, C_$T(0.5));
    R_$T w = WHERE_$T(large, (C_$T(1) - a) * C_$T(0.5), a * a), s = WHERE_$T(large, SQRT(w), a);
    R_$T rest = s * w * asin_tail_$T(w);
    R_$T from_end = (C_$T($H) - (s + s)) + (C_$T($L) - (rest + rest));
    return COPYSIGN(WHERE_$T(large, from_end, s + rest), x);
}

FN R_$T acos_$T(R_$T x) {
    R_$T a = ABS(x);
    R_b8 large = GT(a, C_$T(0.5));
    R_$T w = WHERE_$T(large, (C_$T(1) - a) * C_$T(0.5), a * a), s = WHERE_$T(large, SQRT(w), x);
    R_$T rest = s * w * asin_tail_$T(w);
    R_$T angle = WHERE_$T(large & GT(x, C_$T(0)), s + rest, (C_$T($H) - s) + (C_$T($L) - rest));
    return WHERE_$T(large, angle + angle, angle);
}

// atan(t) = t + t w (...) with w = t^2, and beyond 1 from atan(a) = pi / 2 - atan(1 / a).
FN R_$T atan_$T(R_$T x) {
    R_$T a = ABS(x), one = C_$T(1);
    R_b8 steep = GT(a, one);
    R_$T t = WHERE_$T(steep, one, a) / WHERE_$T(steep, a, one), w = t * t;
    R_$T rest = t * w * atan_tail_$T(w);
    return COPYSIGN(WHERE_$T(steep, (C_$T($H) - t) + (C_$T($L) - rest), t + rest), x);
}

// The angle from the nearer axis, turned to where the point is.
FN R_$T atan2_$T(R_$T y, R_$T x) {
    R_$T a = ABS(x), b = ABS(y);
    R_b8 steep = GT(b, a), left = signbit_$T(x), away = steep ^ left;
    R_$T small = WHERE_$T(steep, a, b), large = WHERE_$T(steep, b, a);
    R_$T t = small / WHERE_$T(EQ(large, C_$T(0)), C_$T(1), large);
    t = WHERE_$T(EQ(a, INF_$T) & EQ(b, INF_$T), C_$T(1), t);
    R_$T w = t * t, rest = t * w * atan_tail_$T(w);
    R_$T axis = WHERE_$T(steep, C_$T($H), WHERE_$T(left, C_$T(2 * $H), C_$T(0)));
    R_$T low = WHERE_$T(steep, C_$T($L), WHERE_$T(left, C_$T(2 * $L), C_$T(0)));
    t = WHERE_$T(away, -t, t);
    return COPYSIGN((axis + t) + (low + WHERE_$T(away, -rest, rest)), y);
}

// sqrt(a^2 + b^2), scaled away from both ends of the range: beyond 2^G by 2^-S, below 2^-K by 2^M.
//: for T G S K M in f32 60 70 40 100  f64 500 600 400 700
FN R_$T hypot_$T(R_$T a, R_$T b) {
    R_$T x = ABS(a), y = ABS(b);
    R_b8 swap = GT(y, x), infinite = EQ(x, INF_$T) | EQ(y, INF_$T);
    R_$T large = WHERE_$T(swap, y, x), small = WHERE_$T(swap, x, y);
    R_b8 huge = GT(large, C_$T(0x1p$G)), tiny = LT(large, C_$T(0x1p-$K));
    R_$T scale = WHERE_$T(huge, C_$T(0x1p-$S), WHERE_$T(tiny, C_$T(0x1p$M), C_$T(1)));
    R_$T back = WHERE_$T(huge, C_$T(0x1p$S), WHERE_$T(tiny, C_$T(0x1p-$M), C_$T(1)));
    large = large * scale;
    small = small * scale;
    return WHERE_$T(infinite, INF_$T, SQRT(FMA(large, large, small * small)) * back);
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

// log2(a) of a positive finite number, to 2^-32 ...
//: for T in f32
FN R_f32 log2_pair_f32(R_f32 a, R_f32 *tail) {
    R_f32 k, s2, m = split_f32(a, &k), s = slope_f32(m, &s2), w = s * s;
    R_f32 p = FMA(w, atanh_tail_f32(w), C_f32(0x1.555556p-2)), t = w * p, u = s * t, h = s + u;
    R_f32 t2 = FMA(FMA(s, s, -w), p, FMA(w, p, -t));
    R_f32 u2 = FMA(w, s2, FMA(s, t2, FMA(s, t, -u)));
    return to_base_2_f32(k, h, (s - h) + u + (s2 + u2), tail);
}

// ... and to 2^-65, which takes the second term in two registers, too.
//: for T in f64
FN R_f64 log2_pair_f64(R_f64 a, R_f64 *tail) {
    R_f64 k, s2, m = split_f64(a, &k), s = slope_f64(m, &s2);
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

// Polynomials, fitted so that the largest relative error of the whole function is least. w is a square.

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

// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: 2^-26 beside exp(r) - 1.
FN R_f32 exp_tail_f32(R_f32 r) {
    R_f32 p = FMA(C_f32(0x1.6d723ep-10), r, C_f32(0x1.12281ap-7));
    p = FMA(p, r, C_f32(0x1.5554c8p-5));
    p = FMA(p, r, C_f32(0x1.5554bp-3));
    return FMA(p, r, C_f32(0.5));
}


// (asin(s) / s - 1) / s^2 over s^2 = w <= 1/4: 2^-27.
FN R_f32 asin_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(0x1.595c96p-5), w, C_f32(0x1.8c3e26p-6));
    p = FMA(p, w, C_f32(0x1.747bbap-5));
    p = FMA(p, w, C_f32(0x1.330204p-4));
    return FMA(p, w, C_f32(0x1.5555c8p-3));
}

// (atan(t) / t - 1) / t^2 over t^2 = w <= 1: 2^-28.
FN R_f32 atan_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(-0x1.d4f65ap-10), w, C_f32(0x1.64eef8p-7));
    p = FMA(p, w, C_f32(-0x1.fe1e3p-6));
    p = FMA(p, w, C_f32(0x1.da6b4cp-5));
    p = FMA(p, w, C_f32(-0x1.581774p-4));
    p = FMA(p, w, C_f32(0x1.c08f82p-4));
    p = FMA(p, w, C_f32(-0x1.2420aap-3));
    p = FMA(p, w, C_f32(0x1.9991e4p-3));
    return FMA(p, w, C_f32(-0x1.55553ep-2));
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

// sin(r) and cos(r) for |r| <= pi / 4: 2^-28 and 2^-33.
FN R_f32 sine_f32(R_f32 r) {
    R_f32 w = r * r;
    R_f32 p = FMA(C_f32(-0x1.992a9p-13), w, C_f32(0x1.1106e2p-7));
    return FMA(r * w, FMA(p, w, C_f32(-0x1.555544p-3)), r);
}

FN R_f32 cosine_f32(R_f32 r) {
    R_f32 w = r * r;
    R_f32 p = FMA(C_f32(0x1.99e8c8p-16), w, C_f32(-0x1.6c0c2ap-10));
    return FMA(w * w, FMA(p, w, C_f32(0x1.55554ap-5)), FMA(w, C_f32(-0.5), C_f32(1)));
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

// 2^-55.
FN R_f64 asin_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.0577f3142313ep-5), w, C_f64(-0x1.09e12c17f14fep-6));
    p = FMA(p, w, C_f64(0x1.3ff578a86efp-6));
    p = FMA(p, w, C_f64(0x1.abd5c827c8da2p-8));
    p = FMA(p, w, C_f64(0x1.8ec1e69eafb3ep-7));
    p = FMA(p, w, C_f64(0x1.c6fde55649bc5p-7));
    p = FMA(p, w, C_f64(0x1.1c6be0f1f7d1cp-6));
    p = FMA(p, w, C_f64(0x1.6e89f435d7f84p-6));
    p = FMA(p, w, C_f64(0x1.f1c72c39f112p-6));
    p = FMA(p, w, C_f64(0x1.6db6db4277bcp-5));
    p = FMA(p, w, C_f64(0x1.333333336e83ap-4));
    return FMA(p, w, C_f64(0x1.555555555539p-3));
}

// 2^-57.
FN R_f64 atan_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.bbdb56a3e6c9p-17), w, C_f64(-0x1.3f2b31d467425p-13));
    p = FMA(p, w, C_f64(0x1.b3ee520406978p-11));
    p = FMA(p, w, C_f64(-0x1.7a3102d92537fp-9));
    p = FMA(p, w, C_f64(0x1.d7b1084ff1b85p-8));
    p = FMA(p, w, C_f64(-0x1.c78a380606515p-7));
    p = FMA(p, w, C_f64(0x1.6839e6ae0f44cp-6));
    p = FMA(p, w, C_f64(-0x1.e9f7c3b98a00ep-6));
    p = FMA(p, w, C_f64(0x1.2c2da8a870667p-5));
    p = FMA(p, w, C_f64(-0x1.59a3a8e8c360ap-5));
    p = FMA(p, w, C_f64(0x1.82dab782470e3p-5));
    p = FMA(p, w, C_f64(-0x1.ae5e69882bf2bp-5));
    p = FMA(p, w, C_f64(0x1.e1bba467ce0dbp-5));
    p = FMA(p, w, C_f64(-0x1.110e50fce614bp-4));
    p = FMA(p, w, C_f64(0x1.3b13669534c8ap-4));
    p = FMA(p, w, C_f64(-0x1.745d11ae0dad6p-4));
    p = FMA(p, w, C_f64(0x1.c71c717fca176p-4));
    p = FMA(p, w, C_f64(-0x1.249249237f439p-3));
    p = FMA(p, w, C_f64(0x1.99999999955bp-3));
    return FMA(p, w, C_f64(-0x1.5555555555526p-2));
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

// sin(r + tail) and cos(r + tail): 2^-58 and 2^-64.
FN R_f64 sine_f64(R_f64 r, R_f64 tail) {
    R_f64 w = r * r;
    R_f64 p = FMA(C_f64(0x1.5d8ca36ded477p-33), w, C_f64(-0x1.ae5e4ff5d7264p-26));
    p = FMA(p, w, C_f64(0x1.71de355a95e44p-19));
    p = FMA(p, w, C_f64(-0x1.a01a019beea53p-13));
    p = FMA(p, w, C_f64(0x1.111111110f74fp-7));
    p = FMA(p, w, C_f64(-0x1.5555555555548p-3));
    return r + FMA(r * w, p, FMA(tail * w, C_f64(-0.5), tail));
}

FN R_f64 cosine_f64(R_f64 r, R_f64 tail) {
    R_f64 w = r * r;
    R_f64 p = FMA(C_f64(-0x1.8fa6f70cbee39p-37), w, C_f64(0x1.1ee9dcfb2576ep-29));
    p = FMA(p, w, C_f64(-0x1.27e4f7f39861ep-22));
    p = FMA(p, w, C_f64(0x1.a01a019c91fc8p-16));
    p = FMA(p, w, C_f64(-0x1.6c16c16c1502bp-10));
    p = FMA(p, w, C_f64(0x1.555555555554bp-5));
    R_f64 head = FMA(w, C_f64(-0.5), C_f64(1));
    R_f64 lost = FMA(w, C_f64(-0.5), C_f64(1) - head);
    return head + (lost + FMA(w * w, p, -(r * tail)));
}

// Sine, cosine and tangent. The argument is taken to within an eighth of a turn of a quarter turn q.

//: for T in u64
// The first 128 bits after the point of m 2^e / (2 pi), m below 2^53, e from -30 to 971. A word of 2 / pi
// in front of a lane's seven would only add whole turns, what follows them is below the last bit.
FN void turns_u64(R_u64 m, R_i64 e, R_u64 *high, R_u64 *low) {
    const M_u32 two_over_pi[38] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
    R_u64 mask = C_u64(0xffffffffu), width = C_u64(32);
    R_u64 m0 = m & mask, m1 = m >> width;
    R_i64 first = WHERE_i64(LT(e, C_i64(2)), C_i64(0), (e - C_i64(2)) >> C_i64(5));
    R_u64 top = C_u64(0), middle = C_u64(0), bottom = C_u64(0), carry = C_u64(0), last = C_u64(0);
    for (int k = 37; k >= -1; k--) {
        R_i64 place = C_i64(k) - first;
        R_b8 used = GE(place, C_i64(-1)) & LE(place, C_i64(6));
        R_u64 word = WHERE_u64(GE(place, C_i64(0)) & used, C_u64(two_over_pi[k < 0 ? 0 : k]), C_u64(0));
        R_u64 a = m0 * word + carry;
        R_u64 b = m1 * last + (a & mask);
        bottom = WHERE_u64(used, bottom >> width | middle << width, bottom);
        middle = WHERE_u64(used, middle >> width | top << width, middle);
        top = WHERE_u64(used, top >> width | b << width, top);
        carry = WHERE_u64(used, (a >> width) + (b >> width), C_u64(0));
        last = word;
    }
    R_u64 shift = AS_u64(e - (first << C_i64(5))) + C_u64(30), back = C_u64(63) - shift;
    *high = top << shift | (middle >> C_u64(1)) >> back;
    *low = middle << shift | (bottom >> C_u64(1)) >> back;
}

//: for T in f32
// q and r with x = (q + r') pi / 2, r = r' pi / 2, for x >= 0. An infinity or NaN gives r = NaN.
FN R_u32 quarter_f32(R_f32 x, R_f32 *r) {
    R_f32 shifted = FMA(x, C_f32(0x1.45f306p-1), C_f32(0x1.8p23));
    R_f32 n = shifted - C_f32(0x1.8p23);
    R_u32 q = AS_u32(shifted);
    R_f32 rest = FMA(n, C_f32(-0x1.921fb6p0), x);
    rest = FMA(n, C_f32(0x1.777a5cp-25), rest);
    rest = FMA(n, C_f32(0x1.ee59dap-50), rest);
    R_b8 large = GE(x, C_f32(0x1p16)) & LT(x, INF_f32);
    if (ANY(large)) {
        R_u32 bits = AS_u32(x);
        R_u64 high, low;
        R_u32 m = (bits & C_u32(0x7fffff)) | C_u32(0x800000);
        R_u32 exponent = WHERE_u32(large, bits >> C_u32(23), C_u32(150));
        turns_u64(TO_u64(m), TO_i64(AS_i32(exponent)) - C_i64(150), &high, &low);
        R_u64 quarters = (high + (C_u64(1) << C_u64(61))) >> C_u64(62);
        R_i64 part = AS_i64(high - (quarters << C_u64(62)));
        q = WHERE_u32(large, TO_u32(quarters), q);
        R_f32 a = TO_f32(part), b = TO_f32(part - TO_i64(a)) * C_f32(0x1.921fb6p-62);
        R_f32 angle = FMA(a, C_f32(0x1.921fb6p-62), FMA(a, C_f32(-0x1.777a5cp-87), b));
        rest = WHERE_f32(large, angle, rest);
    }
    *r = rest;
    return q;
}

FN R_f32 sin_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r);
    R_f32 size = WHERE_f32(NE(q & C_u32(1), C_u32(0)), cosine_f32(r), sine_f32(r));
    return AS_f32(AS_u32(size) ^ ((q << C_u32(30) ^ AS_u32(x)) & C_u32(0x80000000u)));
}

FN R_f32 cos_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r) + C_u32(1);
    R_f32 size = WHERE_f32(NE(q & C_u32(1), C_u32(0)), cosine_f32(r), sine_f32(r));
    return AS_f32(AS_u32(size) ^ (q << C_u32(30) & C_u32(0x80000000u)));
}

// Given q and r of |x|.
FN R_f32 tan_of_f32(R_f32 x, R_u32 q, R_f32 r) {
    R_b8 odd = NE(q & C_u32(1), C_u32(0));
    R_f32 s = sine_f32(r), c = cosine_f32(r);
    R_f32 size = WHERE_f32(odd, -c, s) / WHERE_f32(odd, s, c);
    return AS_f32(AS_u32(size) ^ (AS_u32(x) & C_u32(0x80000000u)));
}

FN R_f32 tan_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r);
    return tan_of_f32(x, q, r);
}

//: for T in f64
// As quarter_f32, with the part of r that a double cannot hold.
FN R_u64 quarter_f64(R_f64 x, R_f64 *r, R_f64 *tail) {
    R_f64 shifted = FMA(x, C_f64(0x1.45f306dc9c883p-1), C_f64(0x1.8p52));
    R_f64 n = shifted - C_f64(0x1.8p52);
    R_u64 q = AS_u64(shifted);
    R_f64 first = FMA(n, C_f64(-0x1.921fb54442d18p0), x);
    R_f64 second = n * C_f64(-0x1.1a62633145c07p-54);
    R_f64 head = first + second;
    R_f64 second_of_head = head - first;
    R_f64 lost = (first - (head - second_of_head)) + (second - second_of_head);
    R_f64 rounded_off = FMA(n, C_f64(-0x1.1a62633145c07p-54), -second);
    R_f64 rest = FMA(n, C_f64(0x1.f1976b7ed8fbcp-110), rounded_off + lost);
    R_b8 large = GE(x, C_f64(0x1p22)) & LT(x, INF_f64);
    if (ANY(large)) {
        R_u64 bits = AS_u64(x), high, low;
        R_u64 m = (bits & C_u64(0xfffffffffffff)) | C_u64(0x10000000000000);
        R_u64 exponent = WHERE_u64(large, bits >> C_u64(52), C_u64(1075));
        turns_u64(m, AS_i64(exponent) - C_i64(1075), &high, &low);
        R_u64 quarters = (high + (C_u64(1) << C_u64(61))) >> C_u64(62);
        R_i64 part = AS_i64(high - (quarters << C_u64(62)));
        R_f64 a = TO_f64(part);
        R_f64 b = TO_f64(part - TO_i64(a)) + TO_f64(low) * C_f64(0x1p-64);
        R_f64 sum = a + b, sum2 = b - (sum - a);
        R_f64 angle = sum * C_f64(0x1.921fb54442d18p-62);
        R_f64 angle2 = FMA(sum, C_f64(0x1.921fb54442d18p-62), -angle);
        angle2 = angle2 + FMA(sum, C_f64(0x1.1a62633145c07p-116), sum2 * C_f64(0x1.921fb54442d18p-62));
        q = WHERE_u64(large, quarters, q);
        head = WHERE_f64(large, angle, head);
        rest = WHERE_f64(large, angle2, rest);
    }
    *r = head;
    *tail = rest;
    return q;
}

FN R_f64 sin_f64(R_f64 x) {
    R_f64 r, tail;
    R_u64 q = quarter_f64(ABS(x), &r, &tail);
    R_f64 size = WHERE_f64(NE(q & C_u64(1), C_u64(0)), cosine_f64(r, tail), sine_f64(r, tail));
    return AS_f64(AS_u64(size) ^ ((q << C_u64(62) ^ AS_u64(x)) & C_u64(0x8000000000000000u)));
}

FN R_f64 cos_f64(R_f64 x) {
    R_f64 r, tail;
    R_u64 q = quarter_f64(ABS(x), &r, &tail) + C_u64(1);
    R_f64 size = WHERE_f64(NE(q & C_u64(1), C_u64(0)), cosine_f64(r, tail), sine_f64(r, tail));
    return AS_f64(AS_u64(size) ^ (q << C_u64(62) & C_u64(0x8000000000000000u)));
}

FN R_f64 tan_f64(R_f64 x) {
    R_f64 r, tail;
    R_b8 odd = NE(quarter_f64(ABS(x), &r, &tail) & C_u64(1), C_u64(0));
    R_f64 s = sine_f64(r, tail), c = cosine_f64(r, tail);
    R_f64 size = WHERE_f64(odd, -c, s) / WHERE_f64(odd, s, c);
    return AS_f64(AS_u64(size) ^ (AS_u64(x) & C_u64(0x8000000000000000u)));
}

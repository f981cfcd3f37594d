// Real floating-point functions. Sine, cosine, tangent and power are our own: a driver's give other last
// bits beside a huge neighbour in the register, or miss the bounds. The same text then gives the same bits
// on every device.

//: for T in f32 f64
FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

FN R_$T subtract_$T(R_$T a, R_$T b) { return a - b; }

FN R_$T multiply_$T(R_$T a, R_$T b) { return a * b; }

FN R_$T divide_$T(R_$T a, R_$T b) { return a / b; }

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

FN R_$T exp_$T(R_$T a) { return EXP(a); }

FN R_$T expm1_$T(R_$T a) { return EXPM1(a); }

FN R_$T log_$T(R_$T a) { return LOG(a); }

FN R_$T log1p_$T(R_$T a) { return LOG1P(a); }

FN R_$T log2_$T(R_$T a) { return LOG2(a); }

FN R_$T log10_$T(R_$T a) { return LOG10(a); }

FN R_$T sinh_$T(R_$T a) { return SINH(a); }

FN R_$T cosh_$T(R_$T a) { return COSH(a); }

FN R_$T tanh_$T(R_$T a) { return TANH(a); }

FN R_$T asinh_$T(R_$T a) { return ASINH(a); }

FN R_$T acosh_$T(R_$T a) { return ACOSH(a); }

FN R_$T atanh_$T(R_$T a) { return ATANH(a); }

FN R_$T asin_$T(R_$T a) { return ASIN(a); }

FN R_$T acos_$T(R_$T a) { return ACOS(a); }

FN R_$T atan_$T(R_$T a) { return ATAN(a); }

FN R_$T atan2_$T(R_$T y, R_$T x) { return ATAN2(y, x); }

FN R_$T hypot_$T(R_$T a, R_$T b) { return HYPOT(a, b); }

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

// log(exp(a) + exp(b)), from the larger so that nothing overflows; exp needs what the difference loses.
FN R_$T logaddexp_$T(R_$T a, R_$T b) {
    R_$T high = maximum_$T(a, b), low = minimum_$T(a, b), difference = low - high;
    R_$T away = difference - low;
    R_$T lost = (low - (difference - away)) - (high + away);
    R_$T small = EXP(difference);
    small = FMA(small, WHERE_$T(LT(ABS(difference), INF_$T), lost, C_$T(0)), small);
    return WHERE_$T(EQ(a, b), a + C_$T(0.69314718055994530942), high + LOG1P(small));
}

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

// Power, as 2^(b * log2|a|) with the logarithm in two registers. With a = 2^k m, 1/2 <= m^2 < 2, and
// s = (m - 1) / (m + 1), log(m) is 2 atanh(s) = 2 s (1 + s^2 (1/3 + s^2 (1/5 + ...))).

// k and m of a positive finite number. P: bits of a significand, B: those of sqrt(1/2).
//: for T P B in f32 24 0x3f3504f3  f64 53 0x3fe6a09e667f3bcd
FN R_$T split_$T(R_$T a, R_$T *k) {
    R_b8 tiny = LT(a, C_$T(0x1p-100));
    R_$U bits = AS_$U(WHERE_$T(tiny, a * C_$T(0x1p$P) * C_$T(0x1p$P), a));
    R_$I exponent = AS_$I(bits - C_$U($B)) >> C_$I($P - 1);
    *k = TO_$T(exponent) - WHERE_$T(tiny, C_$T(2 * $P), C_$T(0));
    return AS_$T(bits - (AS_$U(exponent) << C_$U($P - 1)));
}

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

// E: powers of two beyond 2^E and 2^-E are infinite and 0. Z: added to a number, it leaves it rounded
// to an integer in the last bits. 2^k takes two steps, so that it rounds once where it is subnormal.
//: for T P E Z in f32 24 160 0x1.8p23  f64 53 1100 0x1.8p52
FN R_$T pow_$T(R_$T a, R_$T b) {
    R_$T size = ABS(a), tail, logarithm = log2_pair_$T(size, &tail);
    logarithm = WHERE_$T(LT(size, INF_$T), logarithm, size);
    logarithm = WHERE_$T(EQ(size, C_$T(0)), -INF_$T, logarithm);
    R_$T z = b * logarithm, z2 = FMA(b, logarithm, -z) + b * tail;
    z2 = WHERE_$T(LT(ABS(z), C_$T($E)), z2, C_$T(0));
    z = WHERE_$T(GT(z, C_$T($E)), C_$T($E), WHERE_$T(LT(z, C_$T(-$E)), C_$T(-$E), z));
    R_$T shifted = z + C_$T($Z), fraction = (z - (shifted - C_$T($Z))) + z2;
    R_$I k = AS_$I(AS_$U(shifted) - AS_$U(C_$T($Z))), first = k >> C_$I(1);
    R_$T power = FMA(fraction, exp2_tail_$T(fraction), C_$T(1));
    power = power * exp2_whole_$T(first) * exp2_whole_$T(AS_$I(AS_$U(k) - AS_$U(first)));
    R_$T halved = b * C_$T(0.5);
    R_b8 integral = EQ(TRUNC(b), b), odd = integral & NE(TRUNC(halved), halved);
    power = WHERE_$T(odd & signbit_$T(a), -power, power);
    power = WHERE_$T(LT(a, C_$T(0)) & GT(a, -INF_$T) & ~integral, NAN_$T, power);
    R_b8 one = EQ(b, C_$T(0)) | EQ(a, C_$T(1)) | (EQ(size, C_$T(1)) & EQ(ABS(b), INF_$T));
    return WHERE_$T(one, C_$T(1), power);
}

// 2^k of an integer in the exponent's range.
FN R_$T exp2_whole_$T(R_$I k) {
    return AS_$T(AS_$U(C_$T(1)) + (AS_$U(k) << C_$U($P - 1)));
}

// Polynomials, fitted so that the largest relative error of the whole function is least. w is a square.

//: for T in f32
// (atanh(s) / s - 1) / s^2 less 1/3, over s^2 = w <= 3 - 2 sqrt(2): 2^-36.
FN R_f32 atanh_tail_f32(R_f32 w) {
    return FMA(FMA(C_f32(0x1.dfbdbp-4), w, C_f32(0x1.2451d2p-3)), w, C_f32(0x1.999a02p-3));
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

FN R_f32 tan_f32(R_f32 x) {
    R_f32 r;
    R_b8 odd = NE(quarter_f32(ABS(x), &r) & C_u32(1), C_u32(0));
    R_f32 s = sine_f32(r), c = cosine_f32(r);
    R_f32 size = WHERE_f32(odd, -c, s) / WHERE_f32(odd, s, c);
    return AS_f32(AS_u32(size) ^ (AS_u32(x) & C_u32(0x80000000u)));
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

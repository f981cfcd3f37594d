// Error functions and the normal distribution.

// exp(-(h + l)) / 2^k less 1, for 0 <= h so small that k is an exponent, and an l that is small against it.
//: for T in f32 f64
FN R_$T exp_less_$T(R_$T h, R_$T l, R_$I *k) {
    R_$T lost, r = reduced_$T(-h, k, &lost), rest = FMA(r * r, exp_tail_$T(r), r), less = lost - l;
    return rest + FMA(less, rest, less);
}

// exp(x^2) erfc(x) = P(t) / (1 + 2 x) with t = (x - A) / (x + A) = 2 x / (x + A) - 1, after M. M. Shepherd and J. G.
// Laframboise, Chebyshev approximation of (1 + 2 x) exp(x^2) erfc(x), Math. Comp. 36 (1981).

// y + y2 = 1 / (1 + 2 (x + x2)) and t, for 0 <= x < 2^30, with one division: the reciprocal that it gives is corrected.
//: for T A in f32 2.75  f64 4
FN R_$T erfcx_parts_$T(R_$T x, R_$T x2, R_$T *t, R_$T *y2) {
    R_$T one = C_$T(1), sum = x + C_$T($A), slope = FMA(x, C_$T(2), one), inverse = one / (sum * slope);
    R_$T y = sum * inverse, slope2 = FMA(x, C_$T(2), one - slope) + (x2 + x2);
    *t = FMA(x + x, slope * inverse, -one);
    *y2 = y * FMA(-slope2, y, FMA(-slope, y, one));
    return y;
}

// exp(x^2) erfc(x) of x + x2. C: what the polynomial is less.
//: for T C in f32 0x1.4240f4p0  f64 0x1.3ba5916e9fd7fp0
FN R_$T erfcx_beside_$T(R_$T x, R_$T x2) {
    R_$T t, y2, y = erfcx_parts_$T(x, x2, &t, &y2);
    y = y + y2;
    return FMA(C_$T($C), y, erfcx_tail_$T(t) * t * y);
}

FN R_$T erfcx_near_$T(R_$T x) { return erfcx_beside_$T(x, C_$T(0)); }

// The same and its tail.
FN R_$T erfcx_pair_$T(R_$T x, R_$T x2, R_$T *tail) {
    R_$T t, y2, y = erfcx_parts_$T(x, x2, &t, &y2), p = erfcx_tail_$T(t), f = FMA(p, t, C_$T($C)), product = f * y;
    *tail = FMA(f, y, -product) + FMA(f, y2, FMA(p, t, C_$T($C) - f) * y);
    return product;
}

// exp(x^2) erfc(x) for all x >= 0.
//: for T A C in f32 2.75 0x1.4240f4p0  f64 4 0x1.3ba5916e9fd7fp0
FN R_$T erfcx_far_$T(R_$T x) {
    R_$T part = WHERE_$T(EQ(x, INF_$T), C_$T(1), x / (x + C_$T($A))), t = FMA(part, C_$T(2), C_$T(-1));
    return FMA(erfcx_tail_$T(t), t, C_$T($C)) * C_$T(0.5) / (x + C_$T(0.5));
}

// B: beyond it erfc is 0.
//: for T B in f32 11  f64 28
FN R_$T erfc_$T(R_$T x) {
    R_$T a = ABS(x);
    a = WHERE_$T(GT(a, C_$T($B)), C_$T($B), a);
    R_$I k;
    R_$T h = a * a, e = C_$T(1) + exp_less_$T(h, FMA(a, a, -h), &k), y = times_exp2_$T(e * erfcx_near_$T(a), k);
    return WHERE_$T(LT(x, C_$T(0)), C_$T(2) - y, y);
}

//: for T in f64
FN R_f64 erf_f64(R_f64 x) {
    R_f64 a = ABS(x);
    R_f64 near = FMA(x, erf_tail_f64(x * x), x), far = COPYSIGN(C_f64(1) - erfc_f64(a), x);
    return WHERE_f64(LT(a, C_f64(1)), near, far);
}

// From 4 on it is 1.
//: for T in f32
FN R_f32 erf_f32(R_f32 x) {
    R_f32 a = ABS(x);
    a = WHERE_f32(GT(a, C_f32(4)), C_f32(4), a);
    R_f32 near = FMA(a, erf_tail_f32(a * a), a), far = C_f32(1) - exp_f32(log_erfc_tail_f32(a));
    return COPYSIGN(WHERE_f32(LT(a, C_f32(1)), near, far), x);
}

// exp(x^2) erfc(x) of any x.
//: for T in f32 f64
FN R_$T erfcx_$T(R_$T x) {
    R_$T a = ABS(x), y = erfcx_far_$T(a), h = a * a;
    R_b8 large = GT(a, C_$T(30));
    h = WHERE_$T(large, C_$T(900), h);
    R_$T lost = WHERE_$T(large, C_$T(0), FMA(a, a, -h));
    return WHERE_$T(LT(x, C_$T(0)), FMA(exp_over_$T(h, C_$I(-1)), C_$T(1) + lost, -y), y);
}

// a / 2^(1/2) and its tail. H and L: 2^(-1/2).
//: for T H L in f32 0x1.6a09e6p-1 0x1.9fcef4p-27  f64 0x1.6a09e667f3bcdp-1 -0x1.bdd3413b26456p-55
FN R_$T without_root2_$T(R_$T a, R_$T *tail) {
    R_$T x = a * C_$T($H);
    *tail = FMA(a, C_$T($L), FMA(a, C_$T($H), -x));
    return x;
}

// erfc(|x| / 2^(1/2)) / 2 is the smaller of ndtr(x) and ndtr(-x). B: beyond it it is 0.
//: for T B in f32 15  f64 39
FN R_$T ndtr_$T(R_$T x) {
    R_$T a = ABS(x), z2;
    a = WHERE_$T(GT(a, C_$T($B)), C_$T($B), a);
    R_$I k;
    R_$T h = a * a, e = C_$T(1) + exp_less_$T(h * C_$T(0.5), FMA(a, a, -h) * C_$T(0.5), &k), z = without_root2_$T(a, &z2);
    R_$T y = times_exp2_$T(e * erfcx_beside_$T(z, z2), k - C_$I(1));
    return WHERE_$T(GT(x, C_$T(0)), C_$T(1) - y, y);
}

// log(1 + (a + a2)) where `one_more`, otherwise log(a + a2); see log_or_log1p_$T.
//: for T in f32 f64
FN R_$T log_or_log1p_pair_$T(R_b8 one_more, R_$T a, R_$T a2) {
    R_$T one = C_$T(1), zero = C_$T(0), sum = one + a, lost = (one - sum) + a, u = WHERE_$T(one_more, sum, a);
    R_$T k, m = split_$T(u, &k), shrink = AS_$T(AS_$U(one) + AS_$U(m) - AS_$U(u));
    R_b8 near = one_more & EQ(k, zero);
    R_$T more = WHERE_$T(near, a2, (WHERE_$T(one_more, lost, zero) + a2) * shrink);
    return log_of_$T(k, WHERE_$T(near, a, m - one), more);
}

// Below 0 log(ndtr(x)) is log(erfcx(-x / 2^(1/2)) / 2) - x^2 / 2, and log1p(-ndtr(-x)) above. From 2^28 on only x^2
// counts. B as above.
//: for T B in f32 15  f64 39
FN R_$T log_ndtr_$T(R_$T x) {
    R_b8 negative = LT(x, C_$T(0));
    R_$T a = ABS(x), near = WHERE_$T(GT(a, C_$T($B)), C_$T($B), a), z2, f2;
    R_$T z = without_root2_$T(WHERE_$T(GT(a, C_$T(0x1p28)), C_$T(0x1p28), a), &z2), f = erfcx_pair_$T(z, z2, &f2);
    R_$I k;
    R_$T h = near * near, rest = exp_less_$T(h * C_$T(0.5), FMA(near, near, -h) * C_$T(0.5), &k), small = FMA(rest, f, f);
    R_b8 low = LT(k, C_$I(-60)), tiny = low & ~negative;  // there the logarithm is -small
    R_$T small2 = FMA(rest, f, f - small) + FMA(rest, f2, f2), power = exp2_whole_$T(WHERE_$I(low, C_$I(-60), k) - C_$I(1));
    R_$T y = log_or_log1p_pair_$T(~negative, WHERE_$T(negative, f * C_$T(0.5), -small * power),
                                  WHERE_$T(negative, f2 * C_$T(0.5), -small2 * power));
    y = WHERE_$T(negative, FMA(a * C_$T(-0.5), a, y), y);
    if (ANY(tiny)) y = WHERE_$T(tiny, times_exp2_$T(small + small2, k - C_$I(1)), y);
    return COPYSIGN(y, C_$T(-1));
}

// Inverses, after M. Giles, Approximating the erfinv function (2010), and M. J. Wichura, Algorithm AS 241, Applied
// Statistics 37 (1988): functions of x = erf(z) near the middle, beyond of s = (-log(q))^(1/2) with the tail q =
// erfc(|z|) / 2.

// 2^(1/2) |z| over |part|, given x, 1 - x^2, and q times exp(shift). In the middle a function of log(1 - x^2). All but
// x may cancel, so they are computed from what the inverse is asked of.
//: for T in f32
FN R_f32 normal_inverse_f32(R_f32 x, R_f32 product, R_f32 q, R_f32 shift, R_f32 *part) {
    R_b8 middle = GT(product, C_f32(0x1.bp-8));
    R_f32 w = -log_f32(WHERE_f32(middle, product, q)), s = SQRT((w + shift) * C_f32(2));
    R_f32 far = normal_tail_f32(C_f32(1) / (s + C_f32(1)) - C_f32(0.125));
    *part = WHERE_f32(middle, x, s);
    return WHERE_f32(middle, normal_middle_f32(w - C_f32(2.5)), far);
}

FN R_f32 ndtri_f32(R_f32 p) {
    R_f32 x = (p - C_f32(0.5)) * C_f32(2), rest = C_f32(1) - p, part;
    R_f32 y = normal_inverse_f32(x, p * rest * C_f32(4), WHERE_f32(LT(x, C_f32(0)), p, rest), C_f32(0), &part);
    return COPYSIGN(part * y, x);
}

// part y / 2^(1/2), with the sign of x.
FN R_f32 shorter_f32(R_f32 part, R_f32 y, R_f32 x) {
    R_f32 less2, less = without_root2_f32(part, &less2);
    return COPYSIGN(FMA(less, y, WHERE_f32(LT(ABS(part), INF_f32), less2 * y, C_f32(0))), x);
}

// Log(2) is the shift.
FN R_f32 erfinv_f32(R_f32 x) {
    R_f32 rest = C_f32(1) - ABS(x), product = rest * (C_f32(1) + ABS(x)), part;
    R_f32 y = normal_inverse_f32(x, product, rest, C_f32(0.69314718055994530942), &part);
    return shorter_f32(part, y, x);
}

FN R_f32 erfcinv_f32(R_f32 y) {
    R_f32 rest = C_f32(2) - y, x = C_f32(1) - y, q = WHERE_f32(LT(x, C_f32(0)), rest, y), part;
    R_f32 z = normal_inverse_f32(x, y * rest, q, C_f32(0.69314718055994530942), &part);
    return shorter_f32(part, z, x);
}

// The middle is a polynomial of x^2, and the rest two of s.

// z with erfc(z) / 2 = exp(-w), for w >= 1.44.
//: for T in f64
FN R_f64 normal_tail_f64(R_f64 w) {
    R_f64 s = SQRT(w);
    R_b8 far = GT(s, C_f64(5));
    R_f64 u = C_f64(1) / (s + WHERE_f64(far, C_f64(4), C_f64(1)));
    return s * WHERE_f64(far, erfinv_tail_f64(u - C_f64(0.0703125)), erfinv_middle_f64(u - C_f64(0.3125)));
}

FN R_f64 erfinv_f64(R_f64 x) {
    R_f64 a = ABS(x), far = normal_tail_f64(C_f64(0.69314718055994530942) - log_f64(C_f64(1) - a));
    return WHERE_f64(LT(a, C_f64(0.526)), x * erfinv_near_f64(x * x), COPYSIGN(far, x));
}

FN R_f64 erfcinv_f64(R_f64 y) {
    R_f64 x = C_f64(1) - y, q = WHERE_f64(LT(x, C_f64(0)), C_f64(2) - y, y);
    R_f64 far = normal_tail_f64(C_f64(0.69314718055994530942) - log_f64(q));
    return WHERE_f64(LT(ABS(x), C_f64(0.526)), x * erfinv_near_f64(x * x), COPYSIGN(far, x));
}

FN R_f64 ndtri_f64(R_f64 p) {
    R_f64 x = (p - C_f64(0.5)) * C_f64(2), q = WHERE_f64(LT(x, C_f64(0)), p, C_f64(1) - p);
    R_f64 far = COPYSIGN(normal_tail_f64(-log_f64(q)), x);
    return C_f64(1.41421356237309504880) * WHERE_f64(LT(ABS(x), C_f64(0.526)), x * erfinv_near_f64(x * x), far);
}

// Polynomials, fitted so that the largest relative error of the whole function is least.

//: for T in f32
// erf(x) / x - 1 over x^2 = w <= 1: 2^-29.
FN R_f32 erf_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(0x1.496a2ep-14), w, C_f32(-0x1.a3f6fcp-11));
    p = FMA(p, w, C_f32(0x1.5405bp-8));
    p = FMA(p, w, C_f32(-0x1.b7f90cp-6));
    p = FMA(p, w, C_f32(0x1.ce2cf8p-4));
    p = FMA(p, w, C_f32(-0x1.81273ep-2));
    return FMA(p, w, C_f32(0x1.06eba8p-3));
}

// log(erfc(x)) for 1 <= x <= 3.95: 2^-29 of erf(x).
FN R_f32 log_erfc_tail_f32(R_f32 x) {
    R_f32 p = FMA(C_f32(0x1.85267ap-13), x, C_f32(-0x1.8148a8p-9));
    p = FMA(p, x, C_f32(0x1.654008p-6));
    p = FMA(p, x, C_f32(-0x1.a6096ap-4));
    p = FMA(p, x, C_f32(-0x1.46c5acp-1));
    p = FMA(p, x, C_f32(-0x1.2085a6p0));
    return FMA(p, x, C_f32(-0x1.73163cp-12));
}

// (1 + 2 x) exp(x^2) erfc(x) less C, over t: 2^-26 of the whole.
FN R_f32 erfcx_tail_f32(R_f32 t) {
    R_f32 p = FMA(C_f32(-0x1.7b6762p-13), t, C_f32(0x1.f93772p-15));
    p = FMA(p, t, C_f32(0x1.dda494p-10));
    p = FMA(p, t, C_f32(-0x1.5a030ap-9));
    p = FMA(p, t, C_f32(-0x1.563672p-7));
    p = FMA(p, t, C_f32(0x1.aca85p-5));
    p = FMA(p, t, C_f32(-0x1.d504ecp-4));
    p = FMA(p, t, C_f32(0x1.28c41ap-3));
    p = FMA(p, t, C_f32(-0x1.2410bcp-4));
    return FMA(p, t, C_f32(-0x1.0b2fe4p-3));
}

// 2^(1/2) z / x over w - 2.5, 0 <= w <= 5.1: 2^-26.
FN R_f32 normal_middle_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(-0x1.9e9f8p-27), w, C_f32(0x1.1e63d4p-25));
    p = FMA(p, w, C_f32(0x1.5f76b8p-21));
    p = FMA(p, w, C_f32(-0x1.49002cp-18));
    p = FMA(p, w, C_f32(-0x1.d5c80cp-18));
    p = FMA(p, w, C_f32(0x1.43ce2p-12));
    p = FMA(p, w, C_f32(-0x1.d06eecp-10));
    p = FMA(p, w, C_f32(-0x1.832b64p-8));
    p = FMA(p, w, C_f32(0x1.652c5ep-2));
    return FMA(p, w, C_f32(0x1.0fc8bcp1));
}

// 2^(1/2) z / s over 1 / (s + 1) - 1/8 = u, 3.5 <= s <= 14.6: 2^-25.
FN R_f32 normal_tail_f32(R_f32 u) {
    R_f32 p = FMA(C_f32(0x1.6e3ce4p7), u, C_f32(-0x1.26d41cp6));
    p = FMA(p, u, C_f32(0x1.03c534p3));
    p = FMA(p, u, C_f32(-0x1.0be0d8p3));
    p = FMA(p, u, C_f32(-0x1.6ba06p1));
    p = FMA(p, u, C_f32(-0x1.d2c962p1));
    p = FMA(p, u, C_f32(-0x1.d24d3p-1));
    return FMA(p, u, C_f32(0x1.e192a4p-1));
}

//: for T in f64
// 2^-56.
FN R_f64 erf_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(-0x1.abae6ae329ae8p-31), w, C_f64(0x1.d71b1847c65b5p-27));
    p = FMA(p, w, C_f64(-0x1.5c0727e395eedp-23));
    p = FMA(p, w, C_f64(0x1.b97fd3ee5dc1dp-20));
    p = FMA(p, w, C_f64(-0x1.f4ca4d6f106cdp-17));
    p = FMA(p, w, C_f64(0x1.f9a2baa8cf43dp-14));
    p = FMA(p, w, C_f64(-0x1.c02db03dd302cp-11));
    p = FMA(p, w, C_f64(0x1.565bccf92b056p-8));
    p = FMA(p, w, C_f64(-0x1.b82ce311fa923p-6));
    p = FMA(p, w, C_f64(0x1.ce2f21a040d15p-4));
    p = FMA(p, w, C_f64(-0x1.812746b0379bdp-2));
    return FMA(p, w, C_f64(0x1.06eba8214db68p-3));
}

// 2^-56.
FN R_f64 erfcx_tail_f64(R_f64 t) {
    R_f64 p = FMA(C_f64(-0x1.19b635c692dcdp-32), t, C_f64(0x1.ff9e7a3c8e582p-31));
    p = FMA(p, t, C_f64(0x1.abb786b4aec54p-29));
    p = FMA(p, t, C_f64(-0x1.a82229350da1dp-27));
    p = FMA(p, t, C_f64(-0x1.5eae0afaa62d5p-26));
    p = FMA(p, t, C_f64(0x1.c8b0df6d4631fp-24));
    p = FMA(p, t, C_f64(0x1.4bc9ce617eefep-24));
    p = FMA(p, t, C_f64(-0x1.b8d108ec0ac99p-21));
    p = FMA(p, t, C_f64(0x1.39b976246eb6ap-22));
    p = FMA(p, t, C_f64(0x1.7ef6970954ea3p-18));
    p = FMA(p, t, C_f64(-0x1.7887356e5e22bp-17));
    p = FMA(p, t, C_f64(-0x1.995381a751fa1p-16));
    p = FMA(p, t, C_f64(0x1.3be05316c129ap-13));
    p = FMA(p, t, C_f64(-0x1.a1df5de0500d6p-13));
    p = FMA(p, t, C_f64(-0x1.8d4a9b7b7c0d5p-11));
    p = FMA(p, t, C_f64(0x1.49c672e04a79ap-8));
    p = FMA(p, t, C_f64(-0x1.09623882f148bp-6));
    p = FMA(p, t, C_f64(0x1.3079edf51ec2ap-5));
    p = FMA(p, t, C_f64(-0x1.0fb06dfe564f8p-4));
    p = FMA(p, t, C_f64(0x1.7fee004e1ea49p-4));
    p = FMA(p, t, C_f64(-0x1.9ddb23c3e86bep-4));
    p = FMA(p, t, C_f64(0x1.16ecefcfa4d41p-4));
    p = FMA(p, t, C_f64(0x1.f7f5df66fd638p-7));
    return FMA(p, t, C_f64(-0x1.1df1ad154a287p-3));
}

// erfinv(x) / x over x^2 = w <= 0.28: 2^-55.
FN R_f64 erfinv_near_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.2f9274ce48ee2p-3), w, C_f64(-0x1.13c7bb47d10d9p-3));
    p = FMA(p, w, C_f64(0x1.de05d5e632701p-4));
    p = FMA(p, w, C_f64(-0x1.4c49efe99f885p-7));
    p = FMA(p, w, C_f64(0x1.2cfc2703da4dfp-5));
    p = FMA(p, w, C_f64(0x1.ee8760b57f31bp-6));
    p = FMA(p, w, C_f64(0x1.2c34875649531p-5));
    p = FMA(p, w, C_f64(0x1.5ecbd2687a532p-5));
    p = FMA(p, w, C_f64(0x1.a7ca1c5a00218p-5));
    p = FMA(p, w, C_f64(0x1.0a131088b3b24p-4));
    p = FMA(p, w, C_f64(0x1.62847c746aa94p-4));
    p = FMA(p, w, C_f64(0x1.053c2c0a7923p-3));
    p = FMA(p, w, C_f64(0x1.db29fb2feea68p-3));
    return FMA(p, w, C_f64(0x1.c5bf891b4ef6ap-1));
}

// z / s over 1 / (s + 1) - 0.3125 = u: 2^-57.
FN R_f64 erfinv_middle_f64(R_f64 u) {
    R_f64 p = FMA(C_f64(-0x1.b9be3620a4cfbp18), u, C_f64(0x1.18b89f71ed3efp17));
    p = FMA(p, u, C_f64(-0x1.e4c9a7f78d285p12));
    p = FMA(p, u, C_f64(0x1.3416f7a89bf64p10));
    p = FMA(p, u, C_f64(-0x1.3938493e5fa0fp12));
    p = FMA(p, u, C_f64(0x1.86199cba0e23ap8));
    p = FMA(p, u, C_f64(-0x1.0deb99fd468adp10));
    p = FMA(p, u, C_f64(-0x1.fb674f9b1dc87p7));
    p = FMA(p, u, C_f64(-0x1.6bc88551ae94ep8));
    p = FMA(p, u, C_f64(-0x1.507431893911cp7));
    p = FMA(p, u, C_f64(-0x1.233beeb75daa1p7));
    p = FMA(p, u, C_f64(-0x1.529e991708f7cp6));
    p = FMA(p, u, C_f64(-0x1.f60dcffa97dep5));
    p = FMA(p, u, C_f64(-0x1.399334d585e42p5));
    p = FMA(p, u, C_f64(-0x1.b705b788365d5p4));
    p = FMA(p, u, C_f64(-0x1.15822e80f9c8ep4));
    p = FMA(p, u, C_f64(-0x1.749d40fef44fdp3));
    p = FMA(p, u, C_f64(-0x1.c9207e0d8abbfp2));
    p = FMA(p, u, C_f64(-0x1.1e1ab136666d8p2));
    p = FMA(p, u, C_f64(-0x1.aaef3b279192p0));
    return FMA(p, u, C_f64(0x1.8d1eadb2aba4dp-1));
}

// Over 1 / (s + 4) - 0.0703125 = u: 2^-56.
FN R_f64 erfinv_tail_f64(R_f64 u) {
    R_f64 p = FMA(C_f64(-0x1.b5893b592e2efp57), u, C_f64(0x1.4f9bec3db00adp54));
    p = FMA(p, u, C_f64(0x1.d637673e793b1p45));
    p = FMA(p, u, C_f64(-0x1.018c5444428dbp45));
    p = FMA(p, u, C_f64(-0x1.2baf3c72d58eep42));
    p = FMA(p, u, C_f64(0x1.66f7e4ff7d614p38));
    p = FMA(p, u, C_f64(-0x1.3d06d1c4ee301p35));
    p = FMA(p, u, C_f64(-0x1.2f7f7d477d90ap29));
    p = FMA(p, u, C_f64(-0x1.54d7cffe621d1p29));
    p = FMA(p, u, C_f64(-0x1.ff6525945a573p25));
    p = FMA(p, u, C_f64(-0x1.049dcaf3a200ep24));
    p = FMA(p, u, C_f64(-0x1.2b782415d5c7ap21));
    p = FMA(p, u, C_f64(-0x1.ce2c91f7dea01p18));
    p = FMA(p, u, C_f64(-0x1.279a3528c8ccp16));
    p = FMA(p, u, C_f64(-0x1.a04203a8c42acp13));
    p = FMA(p, u, C_f64(-0x1.0b147506cb694p11));
    p = FMA(p, u, C_f64(-0x1.5f1106e0855b1p8));
    p = FMA(p, u, C_f64(-0x1.a0c3e40f3699cp5));
    p = FMA(p, u, C_f64(-0x1.d5b32ce8f0835p2));
    p = FMA(p, u, C_f64(-0x1.2e9e4dbc6c244p-1));
    return FMA(p, u, C_f64(0x1.f728b4738ea8cp-1));
}

//: for T in f16 bf16 for N in erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

// Common parts of the incomplete gamma and beta functions, DLMF 8.2 and 8.17.
//
// Each is a factor, y^p e^-y / Gamma(p) or x^a (1 - x)^b / B(a, b), times a number of moderate size. The logarithm
// of the factor is in two registers, since its error becomes a relative error of the result. The smaller tail is
// found, the other is 1 less it.

// exp(-(e + e2)) is 2^k times the result and its tail. E: far beyond what a product of a few numbers brings back.
//: for T E in f32 400  f64 3000
FN R_$T exp_minus_wide_$T(R_$T e, R_$T e2, R_$T *tail, R_$I *k) {
    R_$T lost, sum = e + e2, low = WHERE_$T(LT(sum, C_$T(-$E)), C_$T(-$E), sum);
    R_$T near = WHERE_$T(GT(low, C_$T($E)), C_$T($E), low), more = WHERE_$T(EQ(near, sum), e2 - (sum - e), C_$T(0));
    R_$T r = reduced_$T(-near, k, &lost), less = lost - more, rest = r * r * exp_tail_$T(r), one = C_$T(1);
    R_$T power = one + r;
    rest = (r - (power - one)) + (rest + FMA(less, r + rest, less));
    R_$T whole = power + rest;
    *tail = rest - (whole - power);
    return whole;
}

// The same, where k is one that times_exp2_$T takes. E: what that makes of it is 0 or infinite.
//: for T E in f32 170  f64 1400
FN R_$T exp_minus_parts_$T(R_$T e, R_$T e2, R_$T *tail, R_$I *k) {
    R_$T sum = e + e2;
    R_b8 far = GT(ABS(sum), C_$T($E));
    return exp_minus_wide_$T(WHERE_$T(far, COPYSIGN(C_$T($E), sum), e), WHERE_$T(far, C_$T(0), e2), tail, k);
}

// x 2^k for all k. M: from there on times_exp2_$T gives 0 or infinity.
//: for T M in f32 250  f64 2000
FN R_$T times_exp2_far_$T(R_$T x, R_$I k) {
    R_$I low = WHERE_$I(LT(k, C_$I(-$M)), C_$I(-$M), k);
    return times_exp2_$T(x, WHERE_$I(GT(low, C_$I($M)), C_$I($M), low));
}

// exp(-(e + e2)).
//: for T in f32 f64
FN R_$T exp_minus_pair_$T(R_$T e, R_$T e2) {
    R_$I k;
    R_$T tail, power = exp_minus_parts_$T(e, e2, &tail, &k);
    return times_exp2_$T(power, k);
}

// The root of a + a2.
FN R_$T root_pair_$T(R_$T a, R_$T a2, R_$T *tail) {
    R_$T root = SQRT(a);
    *tail = (FMA(-root, root, a) + a2) * C_$T(0.5) / root;
    return root;
}

// The factors.

// line - log(1 + u), where r = 1 + u. It is line - u + (u - log(1 + u)) near 1, and with s = u / (2 + u) the term in
// parentheses is s (u - 2 s^2 (1/3 + s^2 (1/5 + ...))), without cancellation. See log_of_$T for H and L.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T without_log_$T(R_$T line, R_$T line2, R_$T r, R_$T r2, R_$T u, R_$T u2, R_$T *tail) {
    R_$T k, one = C_$T(1), two = C_$T(2), m = split_$T(r, &k), shrink = AS_$T(AS_$U(one) + AS_$U(m) - AS_$U(r));
    R_b8 near = EQ(k, C_$T(0));
    R_$T f = WHERE_$T(near, u, m - one), f2 = WHERE_$T(near, u2, r2 * shrink);
    R_$T d = two + f, inverse = one / d, s = f * inverse;
    R_$T s2 = (FMA(-s, d, f) + (f2 - s * (((two - d) + f) + f2))) * inverse;
    R_$T w = s * s, w2 = FMA(s, s, -w) + two * s * s2;
    R_$T third2, third = quotient_pair_$T(one, C_$T(0), C_$T(3), &third2);
    R_$T q = w * atanh_tail_$T(w), p = third + q, p2 = (third - p) + q + third2;
    R_$T t = w * p, t2 = FMA(w, p, -t) + (w * p2 + w2 * p);
    R_$T h = FMA(-two, t, f), h2 = FMA(-two, t, f - h) + FMA(-two, t2, f2);
    R_$T v = s * h, v2 = FMA(s, h, -v) + (s * h2 + s2 * h), b2, c2, y2;
    R_$T b = sum_pair_$T(line, -f, &b2), c = sum_pair_$T(b, k * C_$T(-$H), &c2), y = sum_pair_$T(c, v, &y2);
    *tail = y2 + (c2 + (FMA(k, C_$T(-$L), b2) + (v2 + (line2 - f2))));
    return y;
}

// log(Gamma(p + 1)) - (p + 1/2) log(p) + p - log(2 pi) / 2, for p >= 1.
//: for T in f32 f64
FN R_$T gamma_correction_$T(R_$T p) {
    R_$T inverse = C_$T(1) / p, z = inverse * inverse;
    return inverse * (stirling_top_$T(z) / stirling_bottom_$T(z));
}

// E with y^p e^-y / Gamma(p + 1) = exp(-E), or, where p >= 1, exp(-E) / sqrt(2 pi p): then E is the deviance
// p log(p / y) + y - p and the rest of Stirling's formula (C. Loader, Fast and accurate computation of binomial
// probabilities, 2000). y is y + y2, and y - p is d + d2.
FN R_$T poisson_exponent_$T(R_$T p, R_$T y, R_$T y2, R_$T d, R_$T d2, R_$T *tail) {
    R_$T e2, rest2, e = poisson_deviance_$T(p, y, y2, d, d2, &e2);
    e = sum_pair_$T(e, poisson_rest_$T(p), &rest2);
    *tail = e2 + rest2;
    return e;
}

// Its first part; where p < 1, y - p log(y).
FN R_$T poisson_deviance_$T(R_$T p, R_$T y, R_$T y2, R_$T d, R_$T d2, R_$T *tail) {
    R_$T zero = C_$T(0), one = C_$T(1), r2, u2, v2, t, e2;
    R_b8 large = GE(p, one);
    R_$T unit = WHERE_$T(large, p, one), less2, less = sum_pair_$T(y, -one, &less2);
    R_$T r = quotient_pair_$T(y, y2, unit, &r2);
    R_$T u = quotient_pair_$T(WHERE_$T(large, d, less), WHERE_$T(large, d2, less2 + y2), unit, &u2);
    R_$T v = without_log_$T(WHERE_$T(large, u, zero), WHERE_$T(large, u2, zero), r, r2, u, u2, &v2);
    R_$T e = sum_pair_$T(product_pair_$T(p, v, &t), WHERE_$T(large, zero, y), &e2);
    *tail = e2 + (FMA(p, v2, t) + WHERE_$T(large, zero, y2));
    return e;
}

// Its second part.
FN R_$T poisson_rest_$T(R_$T p) {
    R_$T one = C_$T(1), slope = p * lgamma_slope_$T(minimum_$T(p, one));
    return WHERE_$T(GE(p, one), gamma_correction_$T(maximum_$T(p, one)), slope);
}

// log(Gamma(1 + a)) / a for 0 <= a <= 1. G and L: Euler's constant.
//: for T G L in f32 0x1.2788dp-1 -0x1.c824f4p-28  f64 0x1.2788cfc6fb619p-1 -0x1.6cb90701fbfabp-58
FN R_$T lgamma_slope_$T(R_$T a) { return FMA(lgamma_slope_rest_$T(a), a, C_$T(-$G)); }

FN R_$T lgamma_slope_pair_$T(R_$T a, R_$T *tail) {
    R_$T slope = sum_pair_$T(C_$T(-$G), lgamma_slope_rest_$T(a) * a, tail);
    *tail = *tail - C_$T($L);
    return slope;
}

// Polynomials, fitted so that the largest relative error of the whole function is least.

//: for T in f32
// Over 0 < z = 1 / p^2 <= 1 the ratio has a relative error of 2^-22.
FN R_f32 stirling_top_f32(R_f32 z) {
    R_f32 p = FMA(C_f32(0x1.932b3ap-8), z, C_f32(0x1.42a876p-4));
    return FMA(p, z, C_f32(0x1.555554p-4));
}

FN R_f32 stirling_bottom_f32(R_f32 z) {
    R_f32 p = FMA(C_f32(0x1.8daa5ap-4), z, C_f32(0x1.f50c8ap-1));
    return FMA(p, z, C_f32(0x1p0));
}

// (log(Gamma(1 + a)) / a + G) / a for 0 <= a <= 1: 2^-25 of the whole.
FN R_f32 lgamma_slope_rest_f32(R_f32 a) {
    R_f32 p = FMA(C_f32(0x1.a22efap-9), a, C_f32(-0x1.41e996p-6));
    p = FMA(p, a, C_f32(0x1.d11454p-5));
    p = FMA(p, a, C_f32(-0x1.b477eap-4));
    p = FMA(p, a, C_f32(0x1.3e95bcp-3));
    p = FMA(p, a, C_f32(-0x1.a1d098p-3));
    p = FMA(p, a, C_f32(0x1.149406p-2));
    p = FMA(p, a, C_f32(-0x1.9a43d2p-2));
    return FMA(p, a, C_f32(0x1.a51a42p-1));
}

//: for T in f64
// Over 0 < z = 1 / p^2 <= 1 the ratio has a relative error of 2^-53.
FN R_f64 stirling_top_f64(R_f64 z) {
    R_f64 p = FMA(C_f64(0x1.03036ce9a7a21p-7), z, C_f64(0x1.3bcd489aa0246p-1));
    p = FMA(p, z, C_f64(0x1.d5b48289ce606p2));
    p = FMA(p, z, C_f64(0x1.c2a933183a541p4));
    p = FMA(p, z, C_f64(0x1.64c529e932938p5));
    p = FMA(p, z, C_f64(0x1.01f64297f1e0ap5));
    p = FMA(p, z, C_f64(0x1.5c95fceda0461p3));
    p = FMA(p, z, C_f64(0x1.9f2edc32b6993p0));
    return FMA(p, z, C_f64(0x1.5555555555555p-4));
}

FN R_f64 stirling_bottom_f64(R_f64 z) {
    R_f64 p = FMA(C_f64(0x1.63dc3d4e82882p-3), z, C_f64(0x1.22b821d23829dp3));
    p = FMA(p, z, C_f64(0x1.81e557efcc355p6));
    p = FMA(p, z, C_f64(0x1.6145473b5db19p8));
    p = FMA(p, z, C_f64(0x1.1189259b185cep9));
    p = FMA(p, z, C_f64(0x1.8724a078bb8fdp8));
    p = FMA(p, z, C_f64(0x1.06b85483dc8a7p7));
    p = FMA(p, z, C_f64(0x1.37ebadae917b2p4));
    return FMA(p, z, C_f64(0x1p0));
}

// 2^-53.
FN R_f64 lgamma_slope_rest_f64(R_f64 a) {
    R_f64 p = FMA(C_f64(-0x1.9a01a69c3e9c9p-16), a, C_f64(0x1.287b1326c20dap-12));
    p = FMA(p, a, C_f64(-0x1.9740e7c8d59f1p-10));
    p = FMA(p, a, C_f64(0x1.63534a32d4babp-8));
    p = FMA(p, a, C_f64(-0x1.bd9d74c43be27p-7));
    p = FMA(p, a, C_f64(0x1.b087f4e7b82e6p-6));
    p = FMA(p, a, C_f64(-0x1.5778a45ee3eap-5));
    p = FMA(p, a, C_f64(0x1.d488b4cb13effp-5));
    p = FMA(p, a, C_f64(-0x1.1f62930b94188p-4));
    p = FMA(p, a, C_f64(0x1.4aab94c601e51p-4));
    p = FMA(p, a, C_f64(-0x1.713251fbfb5d3p-4));
    p = FMA(p, a, C_f64(0x1.992dbd9a37554p-4));
    p = FMA(p, a, C_f64(-0x1.c7dd8ca77c2cep-4));
    p = FMA(p, a, C_f64(0x1.010835b2d64f9p-3));
    p = FMA(p, a, C_f64(-0x1.27034e3b13deep-3));
    p = FMA(p, a, C_f64(0x1.5b40c49870f76p-3));
    p = FMA(p, a, C_f64(-0x1.a8b9c124b3164p-3));
    p = FMA(p, a, C_f64(0x1.151322ab1e173p-2));
    p = FMA(p, a, C_f64(-0x1.9a4d55bea5346p-2));
    return FMA(p, a, C_f64(0x1.a51a66253078p-1));
}

// Error functions and the normal distribution.

// exp(-(h + l)) for a moderate h and an l that is small beside it.
//: for T in f32 f64
FN R_$T exp_less_$T(R_$T h, R_$T l) { return exp_$T(-h) * (C_$T(1) - l); }

// exp(x^2) erfc(x) = P(t) / (1 + 2 x) with t = (x - A) / (x + A), after M. M. Shepherd and J. G. Laframboise,
// Chebyshev approximation of (1 + 2 x) exp(x^2) erfc(x), Math. Comp. 36 (1981).

// exp(x^2) erfc(x) for 0 <= x < 2^30, with one division.
//: for T A in f32 2.75  f64 4
FN R_$T erfcx_near_$T(R_$T x) {
    R_$T one = C_$T(1), sum = x + C_$T($A), slope = FMA(x, C_$T(2), one), inverse = one / (sum * slope);
    R_$T t = (x - C_$T($A)) * (slope * inverse);
    return erfcx_tail_$T(t) * (sum * inverse);
}

// The same for all x >= 0.
//: for T A in f32 2.75  f64 4
FN R_$T erfcx_far_$T(R_$T x) {
    R_$T t = WHERE_$T(EQ(x, INF_$T), C_$T(1), (x - C_$T($A)) / (x + C_$T($A)));
    return erfcx_tail_$T(t) * C_$T(0.5) / (x + C_$T(0.5));
}

// B: beyond it erfc is 0.
//: for T B in f32 11  f64 28
FN R_$T erfc_$T(R_$T x) {
    R_$T a = ABS(x);
    a = WHERE_$T(GT(a, C_$T($B)), C_$T($B), a);
    R_$T h = a * a, y = exp_less_$T(h, FMA(a, a, -h)) * erfcx_near_$T(a);
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

// log(erfc(x)) for 1 <= x <= 3.95: 2^-29 beside erf(x).
FN R_f32 log_erfc_tail_f32(R_f32 x) {
    R_f32 p = FMA(C_f32(0x1.85267ap-13), x, C_f32(-0x1.8148a8p-9));
    p = FMA(p, x, C_f32(0x1.654008p-6));
    p = FMA(p, x, C_f32(-0x1.a6096ap-4));
    p = FMA(p, x, C_f32(-0x1.46c5acp-1));
    p = FMA(p, x, C_f32(-0x1.2085a6p0));
    return FMA(p, x, C_f32(-0x1.73163cp-12));
}

// (1 + 2 x) exp(x^2) erfc(x) over t: 2^-26.
FN R_f32 erfcx_tail_f32(R_f32 t) {
    R_f32 p = FMA(C_f32(-0x1.7b6762p-13), t, C_f32(0x1.f93772p-15));
    p = FMA(p, t, C_f32(0x1.dda494p-10));
    p = FMA(p, t, C_f32(-0x1.5a030ap-9));
    p = FMA(p, t, C_f32(-0x1.563672p-7));
    p = FMA(p, t, C_f32(0x1.aca85p-5));
    p = FMA(p, t, C_f32(-0x1.d504ecp-4));
    p = FMA(p, t, C_f32(0x1.28c41ap-3));
    p = FMA(p, t, C_f32(-0x1.2410bcp-4));
    p = FMA(p, t, C_f32(-0x1.0b2fe4p-3));
    return FMA(p, t, C_f32(0x1.4240f4p0));
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
    p = FMA(p, t, C_f64(-0x1.1df1ad154a287p-3));
    return FMA(p, t, C_f64(0x1.3ba5916e9fd7fp0));
}

//: for T in f16 bf16 for N in erf
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

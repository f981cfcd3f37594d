// The exponential integral of positive numbers, sine and cosine integrals.
//
// Beyond 8 the sine and the cosine integral are a wave as in bessel.c, sqrt(A) / x times the sine of x + phi, where A
// and phi are those of the auxiliary functions f and g (DLMF 6.4): f + i g = sqrt(A) / x exp(-i phi).

// E1(x). The series is good a little beyond 1, where the other form loses most. B: beyond it E1 is 0.
//: for T B in f32 110  f64 750
FN R_$T exp1_$T(R_$T x) {
    R_$T one = C_$T(1), t = one / x, near = exp1_series_$T(x - C_$T(0.5)) - log_$T(x), held = WHERE_$T(GT(x, C_$T($B)), C_$T($B), x);
    R_$I k;
    R_$T e = one + exp_less_$T(WHERE_$T(GT(held, one), held, one), C_$T(0), &k);
    R_$T t2 = WHERE_$T(LT(x, INF_$T), FMA(-t, x, one) * t, C_$T(0)), w = t * t, rest2, rest = exp1_tail_$T(t, &rest2);
    R_$T far = times_exp2_$T(e * (t + FMA(w, rest, FMA(w, rest2, t2))), k);
    return WHERE_$T(GT(x, C_$T(1.03125)), far, near);
}

//: for T in f32 f64
// sqrt(A) / x sin(x + phi + right pi / 2) for x > 8.
FN R_$T integral_wave_$T(R_$T x, int right) {
    R_$T t = C_$T(1) / x, t2 = FMA(-t, x, C_$T(1)) * t, w = t * t, w2 = FMA(t, t, -w) + (t + t) * t2, more;
    R_$T p = phase_si_$T(w, w2, &more), phi = p * t, phi2 = FMA(p, t, -phi) + FMA(p, t2, more * t);
    return t * SQRT(amplitude_si_$T(w)) * wave_$T(x, phi, phi2, right);
}

FN R_$T cosine_integral_$T(R_$T x) {
    R_$T a = ABS(x), y = ci_near_$T(a);
    if (ANY(GT(a, C_$T(1)))) y = WHERE_$T(GT(a, C_$T(1)), ci_middle_$T(a), y);
    if (ANY(GT(a, C_$T(4)))) y = WHERE_$T(GT(a, C_$T(4)), ci_later_$T(a), y);
    if (ANY(GT(a, C_$T(8)))) y = WHERE_$T(GT(a, C_$T(8)), integral_wave_$T(a, 0), y);
    return WHERE_$T(EQ(x, INF_$T), C_$T(0), y);
}

FN R_$T sine_integral_$T(R_$T x) {
    R_$T a = ABS(x), y = a * si_series_$T(FMA(a, a, C_$T(-32)));
    R_b8 far = GT(a, C_$T(8));
    if (ANY(far)) {
        R_$T wave = WHERE_$T(LT(a, INF_$T), integral_wave_$T(a, 1), C_$T(0));
        y = WHERE_$T(far, C_$T(1.57079632679489661923) - wave, y);
    }
    return COPYSIGN(y, x);
}

// The fits, for which the largest relative error of the whole is least. Highest powers stand first.

//: for T in f32
// The same of Si and Ci: 2^-44.
FN R_f32 phase_si_f32(R_f32 w, R_f32 w2, R_f32 *lost) {
    const M_f32 n[5] = {0x1.2190e2p29, 0x1.792662p31, 0x1.1f6a68p27, 0x1.88c002p20, 0x1.03c1a6p12};
    const M_f32 d[5] = {0x1.1437bap25, 0x1.5eac9ep21, 0x1.e9cb14p15, 0x1.ceae74p8, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 5; k++) {
        p = FMA(p, w, C_f32(n[k]));
        q = FMA(q, w, C_f32(d[k]));
    }
    p = p / q;
    *lost = C_f32(0);
    p = times_plus_f32(p, lost, w, w2, C_f32(-0x1.70ccccp6), C_f32(-0x1.99999ap-19));
    p = times_plus_f32(p, lost, w, w2, C_f32(0x1.155556p2), C_f32(-0x1.555556p-23));
    p = times_plus_f32(p, lost, w, w2, C_f32(-0x1p0), C_f32(0));
    return p;
}

// E1(x) + log(x) for x <= 1, with u = x - 1 / 2; the absolute error is 2^-27.
FN R_f32 exp1_series_f32(R_f32 u) {
    const M_f32 c[7] = {-0x1.3b817ap-13, 0x1.23034p-10, -0x1.cb36bcp-8, 0x1.3a4b38p-5, -0x1.7179b8p-3,
        0x1.92e9a2p-1, -0x1.11262cp-3};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// x exp(x) E1(x) for x >= 1, with t = 1 / x: 2^-27.
FN R_f32 exp1_tail_f32(R_f32 t, R_f32 *tail) {
    const M_f32 n[5] = {-0x1.1a9e9p-4, -0x1.225e14p3, -0x1.3881cp4, -0x1.21582ap3, -0x1.ffffbcp-1};
    const M_f32 d[5] = {0x1.4c5c02p3, 0x1.2ee834p5, 0x1.1cfeccp5, 0x1.615652p3, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 5; k++) {
        p = FMA(p, t, C_f32(n[k]));
        q = FMA(q, t, C_f32(d[k]));
    }
    return quotient_pair_f32(p, C_f32(0), q, tail);
}

// Si(x) / x for |x| <= 8, with u = x^2 - 32: 2^-24.
FN R_f32 si_series_f32(R_f32 u) {
    const M_f32 c[10] = {-0x1.094808p-62, 0x1.65720ep-54, -0x1.81f77cp-46, 0x1.482d44p-38, -0x1.9b861cp-31,
        0x1.66f4bp-24, -0x1.90dbdap-18, 0x1.fe71ccp-13, -0x1.70ae52p-8, 0x1.06925cp-2};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// Ci(x) for x <= 1 (DLMF 6.6.6): 2^-26.
FN R_f32 ci_near_f32(R_f32 x) {
    const M_f32 c[4] = {0x1.935p-19, -0x1.e2ce76p-13, 0x1.5276c2p-7, -0x1.f7f5b4p-3};
    R_f32 w = x * x, logarithm = log_ratio_f32(x, C_f32(0x1.9f3e62p0), C_f32(-0x1.c6a58ep-25));
    R_f32 distance = FMA(x, x, C_f32(-0x1.85336ep-2)) - C_f32(0x1.b159b4p-27);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 4; k++) p = FMA(p, w, C_f32(c[k]));
    return FMA(distance, p, logarithm);
}

// x^2 (Ci(x)^2 + (Si(x) - pi / 2)^2) for x >= 8, with w = 1 / x^2: 2^-28.
FN R_f32 amplitude_si_f32(R_f32 w) {
    const M_f32 n[4] = {0x1.1195f4p12, 0x1.1253acp11, 0x1.b5e01p6, 0x1p0};
    const M_f32 d[4] = {0x1.0cd114p13, 0x1.378144p11, 0x1.c1e00ep6, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 4; k++) {
        p = FMA(p, w, C_f32(n[k]));
        q = FMA(q, w, C_f32(d[k]));
    }
    return p / q;
}

// Ci(x) for 1 <= x <= 4: 2^-25.
FN R_f32 ci_middle_f32(R_f32 x) {
    const M_f32 c[15] = {0x1.d716b4p-23, -0x1.3d6beep-21, -0x1.4b6dfap-22, 0x1.f123fp-21, 0x1.1444ccp-18,
        -0x1.8ed59ap-17, 0x1.6042a4p-16, -0x1.f9facp-15, 0x1.a1fbcep-13, -0x1.96ae44p-12, 0x1.6c96d8p-12,
        -0x1.4ddf1cp-7, 0x1.e53148p-5, -0x1.a803aep-9, -0x1.4b13ccp-2};
    R_f32 u = x - C_f32(2.5);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 15; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.b12cd2p1), C_f32(0x1.ee9eeep-24)) * p;
}

// Ci(x) for 4 <= x <= 8: 2^-25.
FN R_f32 ci_later_f32(R_f32 x) {
    const M_f32 c[11] = {-0x1.563b2p-30, -0x1.3c0966p-26, 0x1.b7d19cp-23, 0x1.b7c8a8p-20, -0x1.2c3964p-16,
        -0x1.a29c38p-14, 0x1.1ce1e8p-10, 0x1.0597cp-9, -0x1.b921cp-6, -0x1.961892p-10, 0x1.46621ep-3};
    R_f32 u = x - C_f32(6);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.9b54cp2), C_f32(0x1.f4371ep-27)) * p;
}

//: for T in f64
// 2^-66.
FN R_f64 phase_si_f64(R_f64 w, R_f64 w2, R_f64 *lost) {
    const M_f64 n[9] = {0x1.691ccc0eea767p53, 0x1.02f856c91f3bcp59, 0x1.3f7068ef2ed81p56, 0x1.dc2127a812d23p51,
        0x1.25231f7a98a34p46, 0x1.4f334e2e1d5a8p39, 0x1.6f2462ec51413p31, 0x1.6d638aa86b8bp22,
        0x1.03c2492370abap12};
    const M_f64 d[9] = {0x1.6bfc9cd1d76c8p52, 0x1.199adb0f10f17p50, 0x1.1d8ccd232ea25p46, 0x1.011c783ca2f69p41,
        0x1.cd54001d70e5dp34, 0x1.ae5524f7aba81p27, 0x1.9da09dfa866a8p19, 0x1.7b02e340fccdcp10, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, w, C_f64(n[k]));
        q = FMA(q, w, C_f64(d[k]));
    }
    p = p / q;
    *lost = C_f64(0);
    p = times_plus_f64(p, lost, w, w2, C_f64(-0x1.70ccccccccccdp6), C_f64(0x1.999999999999ap-49));
    p = times_plus_f64(p, lost, w, w2, C_f64(0x1.1555555555555p2), C_f64(0x1.5555555555555p-52));
    p = times_plus_f64(p, lost, w, w2, C_f64(-0x1p0), C_f64(0));
    return p;
}

// 2^-60.
FN R_f64 exp1_series_f64(R_f64 u) {
    const M_f64 c[13] = {-0x1.e88a530a96bfp-34, 0x1.8dd70b96c7fa1p-30, -0x1.2cc0c52a21619p-26,
        0x1.a3b3f0c30b5f4p-23, -0x1.0b223baed9116p-19, 0x1.33836e8627c24p-16, -0x1.3cdd41b7e6945p-13,
        0x1.20c319a543324p-10, -0x1.cb2d66607809ap-8, 0x1.3a4dba1c75d86p-5, -0x1.7179c2ac4f785p-3,
        0x1.92e9a0720d3ecp-1, -0x1.11262ba8bb9b6p-3};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-58.
FN R_f64 exp1_tail_f64(R_f64 t, R_f64 *tail) {
    const M_f64 n[11] = {-0x1.77fceda1a7d05p-1, -0x1.1de2146380dd9p10, -0x1.b8319cfcd5da3p13,
        -0x1.98173e9a71a5ep15, -0x1.41570efaee347p16, -0x1.f20b9ad5ed626p15, -0x1.99073c717bdc8p14,
        -0x1.6ec8d5ac4d2c2p12, -0x1.62ce2b0b8fbdcp9, -0x1.56b7637ee5486p5, -0x1.fffffffffff9p-1};
    const M_f64 d[11] = {0x1.29007c6dcd4ecp10, 0x1.13b3a3c984574p14, 0x1.42d2af46517afp16, 0x1.4fa4678404566p17,
        0x1.666697e4fe7a7p17, 0x1.a7a8427b17f5ep16, 0x1.1f74d116b6b2dp15, 0x1.c2a182e0d119fp12,
        0x1.8ca5177b721b1p9, 0x1.66b7637ee4f2dp5, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 11; k++) {
        p = FMA(p, t, C_f64(n[k]));
        q = FMA(q, t, C_f64(d[k]));
    }
    return quotient_pair_f64(p, C_f64(0), q, tail);
}

// 2^-53.
FN R_f64 si_series_f64(R_f64 u) {
    const M_f64 c[15] = {0x1.86114e128d7fcp-109, -0x1.48fad6902f7bcp-99, 0x1.d374f4fbad802p-90,
        -0x1.1d4bea48e4201p-80, 0x1.25e0d0f38f3e6p-71, -0x1.f692b632d0018p-63, 0x1.5db5b3a8408cep-54,
        -0x1.825f1ab23caacp-46, 0x1.48527160670bep-38, -0x1.9b84063f4e7a9p-31, 0x1.66f37c51f158ep-24,
        -0x1.90dbe909c0891p-18, 0x1.fe71ebd3e62f3p-13, -0x1.70ae514bf222fp-8, 0x1.06925b1cb8757p-2};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 15; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-58.
FN R_f64 ci_near_f64(R_f64 x) {
    const M_f64 c[8] = {0x1.28192ffbb591ap-48, -0x1.cf06a9a1cb1eep-41, 0x1.7de6a8855f162p-33,
        -0x1.d84c1965f538dp-26, 0x1.9eb2fc65cca59p-19, -0x1.e2fd33456a44ep-13, 0x1.5277098cda138p-7,
        -0x1.f7f5b478e1cap-3};
    R_f64 w = x * x, logarithm = log_ratio_f64(x, C_f64(0x1.9f3e611cad397p0), C_f64(-0x1.814ca93a6c797p-54));
    R_f64 distance = FMA(x, x, C_f64(-0x1.85336ed8acda5p-2)) - C_f64(0x1.a365b94b243d3p-56);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 8; k++) p = FMA(p, w, C_f64(c[k]));
    return FMA(distance, p, logarithm);
}

// 2^-57.
FN R_f64 amplitude_si_f64(R_f64 w) {
    const M_f64 n[9] = {0x1.d83567b059ffp41, 0x1.a97dd971fe4e7p42, 0x1.838bea5213389p40, 0x1.c091d99b85bbep36,
        0x1.aee484ac419a4p31, 0x1.7e827e358a00dp25, 0x1.41d407275c66ap18, 0x1.e4b47b52558cbp9, 0x1p0};
    const M_f64 d[9] = {0x1.70a59000ae7cbp43, 0x1.316b3f3cd6a5ap43, 0x1.c60993a79aeaap40, 0x1.e4406dc1cde8ep36,
        0x1.bfb7df6a90b72p31, 0x1.85d4d00586627p25, 0x1.44a355e057eb5p18, 0x1.e6347b52558c9p9, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, w, C_f64(n[k]));
        q = FMA(q, w, C_f64(d[k]));
    }
    return p / q;
}

// 2^-57.
FN R_f64 ci_middle_f64(R_f64 x) {
    const M_f64 c[34] = {-0x1.9b6d87d3cbaep-46, 0x1.c6607fc170629p-45, 0x1.5e05c4b964b0cp-42,
        -0x1.6b7618e4e85cp-41, -0x1.37ea9ea90da44p-39, 0x1.35abc3f386099p-38, 0x1.4656b2aefffep-37,
        -0x1.2f421deb4a2bep-36, -0x1.02a4e1ce62c88p-35, 0x1.d2e587ae003b6p-35, 0x1.c36dfcec3a191p-35,
        -0x1.52a4fa5cfdccp-34, -0x1.53aee4ea90747p-33, 0x1.4de7057ff23c5p-32, -0x1.49c81b459790ap-32,
        0x1.fb34227a0ac73p-31, -0x1.9687bbd7b49d4p-29, 0x1.08cb0f6008c71p-27, -0x1.58fb3c0f5b838p-26,
        0x1.cd3cc532ff913p-25, -0x1.35b8b090655p-23, 0x1.a16b1d4eab2ebp-22, -0x1.1b114fbbbeb7dp-20,
        0x1.82da991ac6d47p-19, -0x1.09bece7d57aedp-17, 0x1.6f4cd98716cc4p-16, -0x1.0e1747618315p-14,
        0x1.a2000facce8aap-13, -0x1.947693a0dddccp-12, 0x1.6c3f27c3371c3p-12, -0x1.4de325b3da244p-7,
        0x1.e5318ce2acdddp-5, -0x1.a8029ca26ca8p-9, -0x1.4b13ccc11d484p-2};
    R_f64 u = x - C_f64(2.5);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 34; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.b12cd2f74f769p1), C_f64(0x1.c6bdbd631b168p-53)) * p;
}

// 2^-55.
FN R_f64 ci_later_f64(R_f64 x) {
    const M_f64 c[22] = {-0x1.6d968d1c4c26ap-61, 0x1.0489d4a1e3b8cp-58, -0x1.55b075e55acap-57,
        0x1.30e6de1d5032dp-54, -0x1.388362f4de36ep-51, 0x1.ec682d121b8efp-49, -0x1.4a6f64c8ce89ep-46,
        0x1.d7e04ee6af753p-44, -0x1.9d196a69e5bdbp-40, 0x1.bb34b633566f6p-37, 0x1.7c50f1d7774f8p-34,
        -0x1.36acd6a7051b2p-30, -0x1.4a86a26105313p-26, 0x1.b29cb7e2d43f6p-23, 0x1.b8aa71f75cf13p-20,
        -0x1.2c06e13eafb6ap-16, -0x1.a2a270f33326ap-14, 0x1.1ce056c93987cp-10, 0x1.0597e4bbfbf7dp-9,
        -0x1.b921abd961254p-6, -0x1.9618a1a30bb99p-10, 0x1.46621d6bf2c2ap-3};
    R_f64 u = x - C_f64(6);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 22; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.9b54c00fa1b8fp2), C_f64(-0x1.b04c7c28c33f9p-53)) * p;
}

//: for T in f16 bf16 for N in exp1 sine_integral cosine_integral
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

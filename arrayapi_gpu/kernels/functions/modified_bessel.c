// Modified Bessel functions of orders 0 and 1, and these without their exponential (names ending in e).
//
// I, up to 8: a series in x^2, all of whose terms are positive. Beyond: exp(x) / sqrt(x) times a smooth function of 1 / x.
// K, up to 1: with the logarithm of DLMF 10.31.2; beyond exp(-x) / sqrt(x) times a smooth function of 1 / x.
// All polynomials and quotients of them were fitted for this library.

//: for T in f32 f64 for N in 0 1
// I(a) / exp(a) for a > 8.
FN R_$T i$N_beyond_8_$T(R_$T a) { return i$N_tail_$T(C_$T(16) / a - C_$T(1)) / SQRT(a); }

// K(x) exp(x) for x > 1.
FN R_$T k$N_beyond_1_$T(R_$T x) { return k$N_tail_$T(C_$T(1) / x) / SQRT(x); }

// I(|x|); exp(a) is infinite sooner than this.
FN R_$T size_of_i$N_$T(R_$T a, R_$T series) {
    R_$T large = exp_over_$T(a, C_$I(20)) * (i$N_beyond_8_$T(a) * C_$T(0x1p20));
    return WHERE_$T(GT(a, C_$T(8)), large, series);
}

FN R_$T size_of_i$Ne_$T(R_$T a, R_$T series) {
    return WHERE_$T(GT(a, C_$T(8)), i$N_beyond_8_$T(a), exp_$T(-a) * series);
}

// K(x), given it up to 1; exp(-x) has fewer digits than this where it is subnormal.
FN R_$T k$N_of_$T(R_$T x, R_$T near) {
    R_$T far = exp_over_$T(-x, C_$I(-60)) * k$N_beyond_1_$T(x) * C_$T(0x1p-60);
    return WHERE_$T(GT(x, C_$T(1)), far, near);
}

FN R_$T k$Ne_of_$T(R_$T x, R_$T near) {
    return WHERE_$T(GT(x, C_$T(1)), k$N_beyond_1_$T(x), exp_$T(x) * near);
}

//: for T in f32 f64
FN R_$T k0_to_1_$T(R_$T x) { return FMA(-log_$T(x), i0_series_$T(x * x), k0_series_$T(x * x)); }

FN R_$T k1_to_1_$T(R_$T x) {
    R_$T rest = FMA(log_$T(x), i1_series_$T(x * x), k1_series_$T(x * x));
    return WHERE_$T(EQ(x, C_$T(0)), INF_$T, FMA(x, rest, C_$T(1) / x));
}

//: for T in f32 f64 for E in _ e_
FN R_$T i0$E$T(R_$T x) { return size_of_i0$E$T(ABS(x), i0_series_$T(x * x)); }

FN R_$T i1$E$T(R_$T x) { return COPYSIGN(size_of_i1$E$T(ABS(x), ABS(x) * i1_series_$T(x * x)), x); }

FN R_$T k0$E$T(R_$T x) { return k0$Eof_$T(x, k0_to_1_$T(x)); }

FN R_$T k1$E$T(R_$T x) { return k1$Eof_$T(x, k1_to_1_$T(x)); }

// What was fitted, so that the largest relative error of the whole is least. Highest powers stand first.

//: for T in f32
// I0(sqrt(w)) for w <= 64: 2^-27.
FN R_f32 i0_series_f32(R_f32 w) {
    const M_f32 c[10] = {0x1.05dd98p-54, 0x1.a9fc86p-48, 0x1.7151ap-39, 0x1.fcf7eap-32, 0x1.240138p-24,
        0x1.c6f90ep-18, 0x1.c71ffp-12, 0x1.ffffb2p-7, 0x1.000002p-2, 0x1p0};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// I1(sqrt(w)) / sqrt(w) for w <= 64: 2^-28.
FN R_f32 i1_series_f32(R_f32 w) {
    const M_f32 c[10] = {0x1.8f8ffcp-59, 0x1.a12cb8p-52, 0x1.697ea6p-43, 0x1.2484d6p-35, 0x1.84ede8p-28,
        0x1.6c0916p-21, 0x1.c71dbap-15, 0x1.55554ap-9, 0x1p-4, 0x1p-1};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// exp(-a) sqrt(a) I0(a) for a >= 8, with u = 16 / a - 1: 2^-25.
FN R_f32 i0_tail_f32(R_f32 u) {
    const M_f32 c[6] = {0x1.840124p-22, 0x1.ac7318p-20, 0x1.74eadcp-17, 0x1.1da718p-13, 0x1.b87986p-9,
        0x1.9bd428p-2};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// exp(-a) sqrt(a) I1(a), the same: 2^-26.
FN R_f32 i1_tail_f32(R_f32 u) {
    const M_f32 c[6] = {-0x1.c636ccp-22, -0x1.0d9464p-19, -0x1.f75d4ap-17, -0x1.cba1d2p-13, -0x1.3f796cp-7,
        0x1.8ebe78p-2};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// K0(x) + log(x) I0(x) for w = x^2 <= 1: 2^-25.
FN R_f32 k0_series_f32(R_f32 w) {
    const M_f32 c[5] = {0x1.0379ecp-16, 0x1.bb399p-11, 0x1.9daf0ap-6, 0x1.1dadacp-2, 0x1.dadb02p-4};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 5; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// (K1(x) - 1 / x) / x - log(x) I1(x) / x for w = x^2 <= 1: 2^-27.
FN R_f32 k1_series_f32(R_f32 w) {
    const M_f32 c[5] = {-0x1.9a7p-20, -0x1.d87fb2p-14, -0x1.30393cp-8, -0x1.5dadb8p-4, -0x1.3b5b6p-2};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 5; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// exp(x) sqrt(x) K0(x) for x >= 1, with t = 1 / x: 2^-30.
FN R_f32 k0_tail_f32(R_f32 t) {
    const M_f32 n[5] = {0x1.1df41ep-4, 0x1.c7794ep0, 0x1.822e5ep2, 0x1.57c91p2, 0x1.40d932p0};
    const M_f32 d[5] = {0x1.01563ep-3, 0x1.d83542p0, 0x1.52ea74p2, 0x1.1a4d12p2, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 5; k++) {
        p = FMA(p, t, C_f32(n[k]));
        q = FMA(q, t, C_f32(d[k]));
    }
    return p / q;
}

// exp(x) sqrt(x) K1(x), the same: 2^-30.
FN R_f32 k1_tail_f32(R_f32 t) {
    const M_f32 n[5] = {0x1.0ffccep-2, 0x1.5caf3ap1, 0x1.ae7d1cp2, 0x1.5adb6p2, 0x1.40d932p0};
    const M_f32 d[5] = {0x1.040b6p-5, 0x1.08612cp0, 0x1.0032bp2, 0x1.f980ecp1, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 5; k++) {
        p = FMA(p, t, C_f32(n[k]));
        q = FMA(q, t, C_f32(d[k]));
    }
    return p / q;
}

//: for T in f64
// 2^-59.
FN R_f64 i0_series_f64(R_f64 w) {
    const M_f64 c[16] = {0x1.1b711aa128216p-110, 0x1.11a22f288a815p-101, 0x1.f235d0700c068p-92,
        0x1.40b27ed9dad32p-82, 0x1.69e43346474d8p-73, 0x1.55ff8144842dfp-64, 0x1.0b31500bb73f3p-55,
        0x1.522a418fc644fp-47, 0x1.522a44199a6e5p-39, 0x1.02e85c07350b9p-31, 0x1.23456789be2abp-24,
        0x1.c71c71c71b4bp-18, 0x1.c71c71c71c7b9p-12, 0x1.ffffffffffffcp-7, 0x1p-2, 0x1p0};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 16; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-61.
FN R_f64 i1_series_f64(R_f64 w) {
    const M_f64 c[16] = {0x1.1771bdb79183dp-115, 0x1.275361636181ap-106, 0x1.1c06bb4264cc4p-96,
        0x1.8adb094e9d244p-87, 0x1.e27fd36fa4f5ep-78, 0x1.f1743c9eccd8bp-69, 0x1.ab820eab2c1adp-60,
        0x1.2c9757499a026p-51, 0x1.522a440f18105p-43, 0x1.27e4fb767a366p-35, 0x1.845c8a0cf4952p-28,
        0x1.6c16c16c1634fp-21, 0x1.c71c71c71c773p-15, 0x1.5555555555554p-9, 0x1p-4, 0x1p-1};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 16; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-54.
FN R_f64 i0_tail_f64(R_f64 u) {
    const M_f64 c[24] = {-0x1.60ed87a6a3bffp-36, 0x1.8e670894b1c48p-34, 0x1.4d7a9f52e2ep-33,
        -0x1.62fb1c5aca3dap-31, -0x1.38a96751572cdp-31, 0x1.27e226347d0ebp-29, 0x1.a0b8228367e76p-30,
        -0x1.361d7b8780cbfp-28, -0x1.e15b644b7d112p-29, 0x1.bef2e5bf1d5afp-28, 0x1.036e9bc5114c7p-27,
        -0x1.57f6c79e0b691p-28, -0x1.ccb2fb98e73dep-27, -0x1.d78b47cc31473p-28, 0x1.0392087db6cc9p-27,
        0x1.728ee8e920357p-26, 0x1.51ce825005dd4p-25, 0x1.7d0c8aca2be44p-24, 0x1.3f49a7aa15b27p-22,
        0x1.8e513cdcfa705p-20, 0x1.75e5ee71a134p-17, 0x1.1daa72b5c2a61p-13, 0x1.b87969bb93b84p-9,
        0x1.9bd428ad249a5p-2};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 24; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-56.
FN R_f64 i1_tail_f64(R_f64 u) {
    const M_f64 c[25] = {0x1.25e9648072f78p-34, 0x1.4652da9208ad6p-36, -0x1.12983f4629cfbp-31,
        -0x1.3491b87efb292p-33, 0x1.e106b71f14652p-30, 0x1.236caea120451p-31, -0x1.0be65c4367fe3p-28,
        -0x1.8bb1da7b31fc6p-30, 0x1.b4473ed1d41a1p-28, 0x1.d700cb6ad2c74p-29, -0x1.118660c206b9dp-27,
        -0x1.069b6cdd580adp-27, 0x1.9cdb004b5272bp-28, 0x1.e2383a6760b69p-27, 0x1.ce135f49b9ffdp-28,
        -0x1.2193e532f91bdp-27, -0x1.91865a5023f8ap-26, -0x1.727a0b0d47dbfp-25, -0x1.ad8d9e6ea4882p-24,
        -0x1.76137f8bdf5cp-22, -0x1.ec8e1019eda99p-20, -0x1.f89c23060e946p-17, -0x1.cbc54df1eeaa9p-13,
        -0x1.3f796198ee62dp-7, 0x1.8ebe783a8403p-2};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 25; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-58.
FN R_f64 k0_series_f64(R_f64 w) {
    const M_f64 c[8] = {0x1.d12cb008779e1p-38, 0x1.4c2073e13fb7fp-30, 0x1.5d6b24f3efaf1p-23,
        0x1.f47476794fd43p-17, 0x1.bb90e85e06991p-11, 0x1.9dadb0145408p-6, 0x1.1dadb014541ecp-2,
        0x1.dadb014541eb2p-4};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 8; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-54.
FN R_f64 k1_series_f64(R_f64 w) {
    const M_f64 c[8] = {-0x1.ee51a2273e115p-42, -0x1.85df2fc751293p-34, -0x1.e2138402a0a1ep-27,
        -0x1.a29180d6a2499p-20, -0x1.d802af7c6e8c4p-14, -0x1.303ae729fd814p-8, -0x1.5dadb01454212p-4,
        -0x1.3b5b6028a83d6p-2};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 8; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-53.
FN R_f64 k0_tail_f64(R_f64 t) {
    const M_f64 n[9] = {0x1.0bbb2eaaec43dp-4, 0x1.2e7fbd145a0e9p2, 0x1.a9da6e9ea80c8p5, 0x1.926e8456c3a83p7,
        0x1.49244aae34796p8, 0x1.0378fd162ddd4p8, 0x1.95640e9f32a9dp6, 0x1.291b16e5ba7b1p4,
        0x1.40d931ff62705p0};
    const M_f64 d[9] = {0x1.46d276d5794a7p-3, 0x1.894e7b1ed624p2, 0x1.b84b1a43a349cp5, 0x1.7315d146873ebp7,
        0x1.1cd5d2fe80553p8, 0x1.b0c4e10aa3cd6p7, 0x1.4aa4f4571ef9fp6, 0x1.de1cbf10d1bf3p3, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, t, C_f64(n[k]));
        q = FMA(q, t, C_f64(d[k]));
    }
    return p / q;
}

// 2^-54.
FN R_f64 k1_tail_f64(R_f64 t) {
    const M_f64 n[9] = {0x1.727019a199021p-2, 0x1.4a7760eca2dcap3, 0x1.35760440c169fp6, 0x1.d7e72eaab0848p7,
        0x1.599ca52546a1ep8, 0x1.0322eacbe2532p8, 0x1.8e9813fd1aae2p6, 0x1.2522eeeb5e97dp4,
        0x1.40d931ff62706p0};
    const M_f64 d[9] = {0x1.afc1393a4be58p-6, 0x1.307ca2520aba3p1, 0x1.ddeaf2ec97455p4, 0x1.eb132b7d9056cp6,
        0x1.aef0fadd3514ap7, 0x1.68f1246a05df4p7, 0x1.2922dd96efaafp6, 0x1.c7c7321aca15bp3, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, t, C_f64(n[k]));
        q = FMA(q, t, C_f64(d[k]));
    }
    return p / q;
}

//: for T in f16 bf16 for N in i0 i0e i1 i1e k0 k0e k1 k1e
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

// Modified Bessel functions of orders 0 and 1, and these without their exponential (names ending in e).
//
// I, up to 8: a series in x^2, all of whose terms are positive; beyond exp(x) / sqrt(x) times a smooth function of
// 1 / x.
// K, up to 1: with the logarithm of DLMF 10.31.2; beyond exp(-x) / sqrt(x) times a smooth function of 1 / x.
// All polynomials and quotients of them were fitted for this library.

//: for T in f32 f64 for N in 0 1
// I(a) / exp(a) for a > 8.
FN R_$T i$N_beyond_8_$T(R_$T a) { return i$N_tail_$T(C_$T(16) / a - C_$T(1)) / SQRT(a); }

// K(x) exp(x) for x > 1.
FN R_$T k$N_beyond_1_$T(R_$T x) { return k$N_tail_$T(C_$T(1) / x) / SQRT(x); }

// I(|x|); exp(a) is infinite for smaller x than this.
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

// The series up to 8, with what x^2 loses to rounding times the derivative of the logarithm, about a polynomial.
//: for T in f32 f64
FN R_$T i0_up_to_8_$T(R_$T x) {
    R_$T w = x * x, y = i0_series_$T(w), p = FMA(C_$T(-1.76e-6), w, C_$T(2.27e-4));
    p = FMA(FMA(p, w, C_$T(-9.9e-3)), w, C_$T(0.218));
    return FMA(y, FMA(x, x, -w) * p, y);
}

FN R_$T i1_up_to_8_$T(R_$T x) {
    R_$T w = x * x, y = x * i1_series_$T(w), p = FMA(FMA(C_$T(2.07e-5), w, C_$T(-2.29e-3)), w, C_$T(0.117));
    return FMA(y, FMA(x, x, -w) * p, y);
}

//: for T in f32 f64 for E in _ e_
FN R_$T i0$E$T(R_$T x) { return size_of_i0$E$T(ABS(x), i0_up_to_8_$T(x)); }

FN R_$T i1$E$T(R_$T x) { return COPYSIGN(size_of_i1$E$T(ABS(x), i1_up_to_8_$T(ABS(x))), x); }

FN R_$T k0$E$T(R_$T x) { return k0$Eof_$T(x, k0_to_1_$T(x)); }

FN R_$T k1$E$T(R_$T x) { return k1$Eof_$T(x, k1_to_1_$T(x)); }

// The fits, for which the largest relative error of the whole is least. Highest powers stand first.

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

// exp(x) sqrt(x) K0(x) for x >= 1, with t = 1 / x: 2^-29.
FN R_f32 k0_tail_f32(R_f32 t) {
    const M_f32 n[4] = {-0x1.a19a84p-8, -0x1.d2ba64p-3, -0x1.c6fe96p-2, -0x1.40d8f6p-3};
    const M_f32 d[4] = {0x1.f81c64p-2, 0x1.642b36p1, 0x1.b30438p1, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 4; k++) {
        p = FMA(p, t, C_f32(n[k]));
        q = FMA(q, t, C_f32(d[k]));
    }
    return FMA(p / q, t, C_f32(0x1.40d932p0));
}

// exp(x) sqrt(x) K1(x), the same: 2^-28.
FN R_f32 k1_tail_f32(R_f32 t) {
    const M_f32 n[4] = {0x1.366c34p-5, 0x1.6168ap-1, 0x1.4c8f1cp0, 0x1.e1459ep-2};
    const M_f32 d[4] = {0x1.27aa8ep-2, 0x1.142e3cp1, 0x1.89c88p1, 0x1p0};
    R_f32 p = C_f32(n[0]), q = C_f32(d[0]);
    UNROLL for (int k = 1; k < 4; k++) {
        p = FMA(p, t, C_f32(n[k]));
        q = FMA(q, t, C_f32(d[k]));
    }
    return FMA(p / q, t, C_f32(0x1.40d932p0));
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

// 2^-58.
FN R_f64 k0_tail_f64(R_f64 t) {
    const M_f64 n[9] = {-0x1.b09e7fdb610d6p-9, -0x1.8b7e916c2f419p-1, -0x1.32b7f26b6cefep3,
        -0x1.1df9119d62c4ep5, -0x1.bbfde4e556a6ap5, -0x1.46976f1dcd28cp5, -0x1.d8ca6741e1e1bp3,
        -0x1.409696a091418p1, -0x1.40d931ff62655p-3};
    const M_f64 d[9] = {0x1.17d34808660a4p0, 0x1.7ba055be01062p4, 0x1.2835c33370ab6p7, 0x1.80485ffabcc5bp8,
        0x1.e124b5084b4cbp8, 0x1.35bcd7357093p8, 0x1.9c20021facfe4p6, 0x1.08cadaf98e01cp4, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, t, C_f64(n[k]));
        q = FMA(q, t, C_f64(d[k]));
    }
    return FMA(p / q, t, C_f64(0x1.40d931ff62706p0));
}

// 2^-57.
FN R_f64 k1_tail_f64(R_f64 t) {
    const M_f64 n[9] = {0x1.d74905056b8d2p-6, 0x1.2d4cf5813a5cep1, 0x1.a813ab70d749dp4, 0x1.84d2d53520ap6,
        0x1.3058f8d46af3bp7, 0x1.c82956049de4bp6, 0x1.51da050f44fe4p5, 0x1.d574053509e1bp2,
        0x1.e145caff13a06p-2};
    const M_f64 d[9] = {0x1.a6a6b53e40797p-2, 0x1.90004b3803882p3, 0x1.7b6b9504d1e93p6, 0x1.18d6863f5626bp8,
        0x1.831fe1ab8be4ap8, 0x1.0c392e44f2f7ep8, 0x1.7a3a53fe22587p6, 0x1.fd6d0b2d72aap3, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        p = FMA(p, t, C_f64(n[k]));
        q = FMA(q, t, C_f64(d[k]));
    }
    return FMA(p / q, t, C_f64(0x1.40d931ff62706p0));
}

//: for T in f16 bf16 for N in i0 i0e i1 i1e k0 k0e k1 k1e
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

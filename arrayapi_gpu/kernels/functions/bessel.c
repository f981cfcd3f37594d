// Bessel functions of the first and second kind, of orders 0 and 1, of real arguments.
//
// Up to 8, in two intervals, a function is the product of its distances from the zeros there, each with the zero in two
// registers, and of a polynomial. Beyond 8 it is a wave, sqrt(A / x) times the sine of x - pi / 4 + phi and of so many
// right angles (DLMF 10.18): A and x phi are smooth functions of w = 1 / x^2. The phase is summed up in two registers,
// so that the rest near a zero is right, too. All polynomials and quotients of them were fitted for this library.

//: for T in f32 f64
// x - z, where a zero is z + more: right in all digits if x is near it.
FN R_$T from_zero_$T(R_$T x, R_$T z, R_$T more) { return (x - z) - more; }

// p w + c in two registers each, |c| larger than the product.
FN R_$T times_plus_$T(R_$T p, R_$T *lost, R_$T w, R_$T w2, R_$T c, R_$T c2) {
    R_$T product = p * w, product2 = FMA(p, w, -product) + FMA(p, w2, *lost * w), sum = c + product;
    *lost = (c - sum) + product + (product2 + c2);
    return sum;
}

// log(x inverse), which is right in all digits near the zero of that. ``inverse`` is in two registers.
FN R_$T log_ratio_$T(R_$T x, R_$T inverse, R_$T more) {
    R_$T k, k2, m = split_$T(x, &k), ratio = m * inverse, lost = FMA(m, inverse, -ratio) + m * more;
    m = split_$T(ratio, &k2);
    return or_special_$T(x, log_of_$T(k + k2, m - C_$T(1), lost * exp2_whole_$T(-TO_$I(k2))));
}

//: for T in f32
// As quarter_f64.
FN R_u32 quarter_pair_f32(R_f32 x, R_f32 *r, R_f32 *tail) {
    R_f32 shifted = FMA(x, C_f32(0x1.45f306p-1), C_f32(0x1.8p23));
    R_f32 n = shifted - C_f32(0x1.8p23), lost;
    R_u32 q = AS_u32(shifted);
    R_f32 first = FMA(n, C_f32(-0x1.921fb6p0), x), second = n * C_f32(0x1.777a5cp-25);
    R_f32 head = sum_pair_f32(first, second, &lost);
    R_f32 rounded_off = FMA(n, C_f32(0x1.777a5cp-25), -second);
    R_f32 rest = FMA(n, C_f32(0x1.ee59dap-50), rounded_off + lost);
    R_b8 large = GE(x, C_f32(0x1p16)) & LT(x, INF_f32);
    if (ANY(large)) {
        R_u32 bits = AS_u32(x);
        R_u64 high, low;
        R_u32 m = (bits & C_u32(0x7fffff)) | C_u32(0x800000);
        R_u32 exponent = WHERE_u32(large, bits >> C_u32(23), C_u32(150));
        turns_u64(TO_u64(m), TO_i64(AS_i32(exponent)) - C_i64(150), &high, &low);
        R_u64 quarters = (high + (C_u64(1) << C_u64(61))) >> C_u64(62);
        R_i64 part = AS_i64(high - (quarters << C_u64(62)));
        R_f32 a = TO_f32(part), b = TO_f32(part - TO_i64(a)) * C_f32(0x1.921fb6p-62);
        R_f32 angle = a * C_f32(0x1.921fb6p-62);
        R_f32 angle2 = FMA(a, C_f32(0x1.921fb6p-62), -angle) + FMA(a, C_f32(-0x1.777a5cp-87), b);
        q = WHERE_u32(large, TO_u32(quarters), q);
        head = WHERE_f32(large, angle, head);
        rest = WHERE_f32(large, angle2, rest);
    }
    *r = head;
    *tail = rest;
    return q;
}

FN R_f32 sine_pair_f32(R_f32 r, R_f32 tail) { return FMA(tail, FMA(r * r, C_f32(-0.5), C_f32(1)), sine_f32(r)); }

FN R_f32 cosine_pair_f32(R_f32 r, R_f32 tail) { return FMA(tail, -r, cosine_f32(r)); }

//: for T in f64
FN R_u64 quarter_pair_f64(R_f64 x, R_f64 *r, R_f64 *tail) { return quarter_f64(x, r, tail); }

FN R_f64 sine_pair_f64(R_f64 r, R_f64 tail) { return sine_f64(r, tail); }

FN R_f64 cosine_pair_f64(R_f64 r, R_f64 tail) { return cosine_f64(r, tail); }

// sin(x + by + by2 + right pi / 2) for x >= 0 and -1.6 < by < 0.1. H and L: pi / 2; B: places to the sign.
//: for T H L B in f32 0x1.921fb6p0 -0x1.777a5cp-25 30  f64 0x1.921fb54442d18p0 0x1.1a62633145c07p-54 62
FN R_$T wave_$T(R_$T x, R_$T by, R_$T by2, int right) {
    R_$T r, tail, lost, lost2, zero = C_$T(0);
    R_$U q = quarter_pair_$T(x, &r, &tail) + C_$U(right);
    R_b8 low = LT(r + by, C_$T(-0.5 * $H));
    q = q - WHERE_$U(low, C_$U(1), C_$U(0));
    r = sum_pair_$T(r, WHERE_$T(low, C_$T($H), zero), &lost);
    r = sum_pair_$T(r, by, &lost2);
    r = sum_pair_$T(r, (tail + by2) + (lost + lost2) + WHERE_$T(low, C_$T($L), zero), &tail);
    R_$T size = WHERE_$T(NE(q & C_$U(1), C_$U(0)), cosine_pair_$T(r, tail), sine_pair_$T(r, tail));
    return AS_$T(AS_$U(size) ^ ((q & C_$U(2)) << C_$U($B)));
}

// sqrt(A / x) sin(x - pi / 4 + phi + right pi / 2) for x > 8, of order N. 1 / x may be subnormal, but not 16 / x.
// H and L: pi / 4.
//: for T H L in f32 0x1.921fb6p-1 -0x1.777a5cp-26  f64 0x1.921fb54442d18p-1 0x1.1a62633145c07p-55 for N in 0 1
FN R_$T bessel_wave_$N_$T(R_$T x, int right) {
    R_$T part = x * C_$T(0x1p-4), t16 = C_$T(1) / part, lost16 = FMA(-t16, part, C_$T(1)), t = t16 * C_$T(0x1p-4), t2 = lost16 * t;
    R_$T w = t * t, w2 = FMA(t, t, -w) + (t + t) * t2, more, lost;
    R_$T p = phase_$N_$T(w, w2, &more), phi = p * t, phi2 = FMA(p, t, -phi) + FMA(p, t2, more * t);
    R_$T by = sum_pair_$T(C_$T(-$H), phi, &lost), square = t16 * amplitude_$N_$T(w);
    R_$T root = SQRT(FMA(square, lost16, square)) * C_$T(0.25);
    return root * wave_$T(x, by, lost + (phi2 - C_$T($L)), right);
}

//: for T in f32 f64
FN R_$T j0_$T(R_$T x) {
    R_$T a = ABS(x), y = j0_near_$T(a);
    if (ANY(GT(a, C_$T(4)))) y = WHERE_$T(GT(a, C_$T(4)), j0_middle_$T(a), y);
    if (ANY(GT(a, C_$T(8)))) y = WHERE_$T(GT(a, C_$T(8)), bessel_wave_0_$T(a, 1), y);
    return y;
}

FN R_$T j1_$T(R_$T x) {
    R_$T a = ABS(x), y = j1_near_$T(a) * a;
    if (ANY(GT(a, C_$T(4)))) y = WHERE_$T(GT(a, C_$T(4)), j1_middle_$T(a), y);
    if (ANY(GT(a, C_$T(8)))) y = WHERE_$T(GT(a, C_$T(8)), bessel_wave_1_$T(a, 0), y);
    return WHERE_$T(signbit_$T(x), -y, y);
}

FN R_$T y0_$T(R_$T x) {
    R_$T y = y0_near_$T(x, j0_near_$T(x));
    if (ANY(GT(x, C_$T(2.5)))) y = WHERE_$T(GT(x, C_$T(2.5)), y0_middle_$T(x), y);
    if (ANY(GT(x, C_$T(8)))) y = WHERE_$T(GT(x, C_$T(8)), bessel_wave_0_$T(x, 0), y);
    return y;
}

FN R_$T y1_$T(R_$T x) {
    R_$T y = WHERE_$T(EQ(x, C_$T(0)), -INF_$T, y1_near_$T(x, j1_near_$T(x) * x));
    if (ANY(GT(x, C_$T(4)))) y = WHERE_$T(GT(x, C_$T(4)), y1_middle_$T(x), y);
    if (ANY(GT(x, C_$T(8)))) y = WHERE_$T(GT(x, C_$T(8)), bessel_wave_1_$T(x, 3), y);
    return y;
}

// The fits, for which the largest relative error of the whole is least. Highest powers stand first.

//: for T in f32
// J0(x) for x <= 4; the errors are those of the polynomials in x^2: 2^-26.
FN R_f32 j0_near_f32(R_f32 x) {
    const M_f32 c[6] = {-0x1.e3af4cp-40, 0x1.a965eep-32, -0x1.c8525p-25, 0x1.410efp-18, -0x1.07678ap-12,
        0x1.73e58ep-8};
    R_f32 w = x * x;
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, w, C_f32(c[k]));
    return (FMA(x, x, C_f32(-0x1.721fb8p2)) - C_f32(0x1.18aeeep-28)) *
           (FMA(x, x, C_f32(-0x1.e78a4ap4)) - C_f32(0x1.88775cp-22)) * p;
}

// J1(x) / x, the same: 2^-26.
FN R_f32 j1_near_f32(R_f32 x) {
    const M_f32 c[6] = {-0x1.cdcdbcp-44, 0x1.bc8f14p-36, -0x1.0de152p-28, 0x1.b6b72ap-22, -0x1.a88b2ep-16,
        0x1.6ac45p-11};
    R_f32 w = x * x;
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 5; k++) p = FMA(p, w, C_f32(c[k]));
    R_f32 first = (w - C_f32(0x1.d5d2b4p3)) + (FMA(x, x, -w) - C_f32(0x1.89822cp-25)), second = w - C_f32(0x1.89bf66p5);
    R_f32 both = first * second, y = FMA(p, w, C_f32(c[5])), y2 = FMA(p, w, C_f32(c[5]) - y);
    return FMA(both, y, FMA(FMA(first, second, -both), y, both * y2));
}

// Y0(x) for x <= 2.5, given j = J0(x) (DLMF 10.8.2): 2^-26.
FN R_f32 y0_near_f32(R_f32 x, R_f32 j) {
    const M_f32 c[6] = {-0x1.8621fap-31, 0x1.9ddd46p-24, -0x1.22f29ep-17, 0x1.f5969ep-12, -0x1.be9e98p-7,
        0x1.17fa42p-3};
    R_f32 w = FMA(x, x, C_f32(-3));
    R_f32 distance = FMA(x, x, C_f32(-0x1.98d258p-1)) - C_f32(-0x1.b2fed6p-31);
    R_f32 logarithm = log_ratio_f32(x, C_f32(0x1.1e7d32p0), C_f32(-0x1.9c4528p-25));
    R_f32 scaled = logarithm * C_f32(0x1.45f306p-1);
    R_f32 lost = FMA(logarithm, C_f32(0x1.45f306p-1), -scaled) + logarithm * C_f32(0x1.b9391p-26);
    lost = WHERE_f32(GT(x, C_f32(0)), lost, C_f32(0));
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, w, C_f32(c[k]));
    return FMA(scaled, j, FMA(lost, j, distance * p));
}

// Y1(x) for x <= 4, the same: 2^-25.
FN R_f32 y1_near_f32(R_f32 x, R_f32 j) {
    const M_f32 c[7] = {-0x1.02eb16p-35, 0x1.27ae36p-28, -0x1.c4e76p-22, 0x1.a15e04p-16, -0x1.5de3b6p-11,
        -0x1.92e4c2p-12, 0x1.7d2fcp-3};
    R_f32 w = FMA(x, x, C_f32(-8));
    R_f32 distance = FMA(x, x, C_f32(-0x1.34f49cp2)) - C_f32(0x1.f8f016p-23);
    R_f32 logarithm = log_ratio_f32(x, C_f32(0x1.d20f66p-2), C_f32(-0x1.f1f4c4p-28));
    R_f32 scaled = logarithm * C_f32(0x1.45f306p-1);
    R_f32 lost = FMA(logarithm, C_f32(0x1.45f306p-1), -scaled) + logarithm * C_f32(0x1.b9391p-26);
    lost = WHERE_f32(GT(x, C_f32(0)), lost, C_f32(0));
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, w, C_f32(c[k]));
    return FMA(scaled, j, FMA(lost, j, distance * p / x));
}

// J0(x) for 4 <= x <= 8: 2^-25.
FN R_f32 j0_middle_f32(R_f32 x) {
    const M_f32 c[10] = {-0x1.e5e6aep-30, -0x1.d1f0fcp-25, 0x1.db3b12p-23, 0x1.78f46p-18, -0x1.25c356p-16,
        -0x1.6130eap-12, 0x1.a1bf44p-11, 0x1.5aaacp-7, -0x1.f72764p-7, -0x1.e47e7ap-4};
    R_f32 u = x - C_f32(6);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.6148f6p2), C_f32(-0x1.34f46ep-24)) *
           from_zero_f32(x, C_f32(0x1.14eb56p3), C_f32(0x1.999bdap-22)) * p;
}

// J1(x) for 4 <= x <= 8: 2^-26.
FN R_f32 j1_middle_f32(R_f32 x) {
    const M_f32 c[10] = {-0x1.1dd26ap-28, 0x1.17afc8p-25, 0x1.0c8576p-21, -0x1.ea08fap-19, -0x1.32213p-15,
        0x1.001fa6p-12, 0x1.825e88p-10, -0x1.2437dp-7, -0x1.82575ap-6, 0x1.0152bp-3};
    R_f32 u = x - C_f32(6);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.ea7558p1), C_f32(-0x1.4a121ep-24)) *
           from_zero_f32(x, C_f32(0x1.c0ff6p2), C_f32(-0x1.8971b6p-23)) * p;
}

// Y0(x) for 2.5 <= x <= 8: 2^-26.
FN R_f32 y0_middle_f32(R_f32 x) {
    const M_f32 c[13] = {-0x1.36e7ecp-37, 0x1.013426p-34, -0x1.bddcb8p-32, -0x1.e1dbeep-30, 0x1.db0d12p-25,
        0x1.074536p-22, -0x1.90bf06p-18, -0x1.f5599ap-17, 0x1.791dfp-12, 0x1.35aecep-11, -0x1.8d84ap-7,
        -0x1.9a48a6p-8, 0x1.20f488p-3};
    R_f32 u = x - C_f32(5.25);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.fa9534p1), C_f32(0x1.b30ad4p-24)) *
           from_zero_f32(x, C_f32(0x1.c581dcp2), C_f32(0x1.39c84p-24)) * p;
}

// Y1(x) for 4 <= x <= 8: 2^-26.
FN R_f32 y1_middle_f32(R_f32 x) {
    const M_f32 c[10] = {0x1.1a9e9p-29, 0x1.b761a2p-25, -0x1.b3402ap-23, -0x1.6e1b54p-18, 0x1.1283fap-16,
        0x1.52ed16p-12, -0x1.715b1ap-11, -0x1.514a62p-7, 0x1.b14bd2p-7, 0x1.e42c2ep-4};
    R_f32 u = x - C_f32(6);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.5b7fe4p2), C_f32(0x1.d0f606p-23)) *
           from_zero_f32(x, C_f32(0x1.13127ap3), C_f32(0x1.cc2d36p-22)) * p;
}

// x (J0(x)^2 + Y0(x)^2) for x >= 8, with w = 1 / x^2: 2^-25.
FN R_f32 amplitude_0_f32(R_f32 w) {
    const M_f32 c[4] = {-0x1.e34b5p-2, 0x1.0cc898p-3, -0x1.45e1b4p-4, 0x1.45f306p-1};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 4; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// The same of J1 and Y1: 2^-25.
FN R_f32 amplitude_1_f32(R_f32 w) {
    const M_f32 c[4] = {0x1.a63ba2p-1, -0x1.ca2b1ep-3, 0x1.e8f12p-3, 0x1.45f306p-1};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 4; k++) p = FMA(p, w, C_f32(c[k]));
    return p;
}

// x phi of J0 and Y0 for x >= 8, with w + w2 = 1 / x^2 (DLMF 10.18.18); the error is that of phi: 2^-49.
FN R_f32 phase_0_f32(R_f32 w, R_f32 w2, R_f32 *lost) {
    const M_f32 c[7] = {0x1.6e9858p26, -0x1.195c64p23, 0x1.aa249cp18, -0x1.d9d6a2p13, 0x1.05afaep9,
        -0x1.77178ap4, 0x1.a356p0};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, w, C_f32(c[k]));
    *lost = C_f32(0);
    p = times_plus_f32(p, lost, w, w2, C_f32(-0x1.ad3334p-3), C_f32(0x1.99999ap-28));
    p = times_plus_f32(p, lost, w, w2, C_f32(0x1.0aaaaap-4), C_f32(0x1.555556p-29));
    p = times_plus_f32(p, lost, w, w2, C_f32(-0x1p-3), C_f32(0));
    return p;
}

// The same of J1 and Y1: 2^-49.
FN R_f32 phase_1_f32(R_f32 w, R_f32 w2, R_f32 *lost) {
    const M_f32 c[7] = {-0x1.a9150cp26, 0x1.47baf4p23, -0x1.f491ecp18, 0x1.1af03cp14, -0x1.4294f8p9,
        0x1.e96664p4, -0x1.2f471ep1};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, w, C_f32(c[k]));
    *lost = C_f32(0);
    p = times_plus_f32(p, lost, w, w2, C_f32(0x1.7bccccp-2), C_f32(0x1.99999ap-27));
    p = times_plus_f32(p, lost, w, w2, C_f32(-0x1.5p-3), C_f32(0));
    p = times_plus_f32(p, lost, w, w2, C_f32(0x1.8p-2), C_f32(0));
    return p;
}

//: for T in f64
// 2^-55.
FN R_f64 j0_near_f64(R_f64 x) {
    const M_f64 c[11] = {0x1.115173fc25fc3p-82, -0x1.524a95e9d9651p-73, 0x1.3dae4366a26d5p-64,
        -0x1.e8ee740b358dbp-56, 0x1.2f1df34447a6p-47, -0x1.2694a5aa279c5p-39, 0x1.b0bfb1283bbdep-32,
        -0x1.c8cd8ea5b3bd4p-25, 0x1.41129cd558cb7p-18, -0x1.07679e54fdfc3p-12, 0x1.73e58e3f124adp-8};
    R_f64 w = x * x;
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, w, C_f64(c[k]));
    return (FMA(x, x, C_f64(-0x1.721fb80462bbbp2)) - C_f64(0x1.db60c816c15d3p-52)) *
           (FMA(x, x, C_f64(-0x1.e78a4a621dd6fp4)) - C_f64(-0x1.10d7c5048826bp-52)) * p;
}

// 2^-54.
FN R_f64 j1_near_f64(R_f64 x) {
    const M_f64 c[11] = {0x1.1316fa2c5a81ep-87, -0x1.a9a0cd29bfc2bp-78, 0x1.b953e689ca304p-69,
        -0x1.731d731f442bap-60, 0x1.fa1a8995d336p-52, -0x1.10f448eac0538p-43, 0x1.c1f191f42fa6cp-36,
        -0x1.0e07fc5f748b3p-28, 0x1.b6b8c3747c883p-22, -0x1.a88b2d56c2b16p-16, 0x1.6ac44fa34860fp-11};
    R_f64 w = x * x;
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, w, C_f64(c[k]));
    return (FMA(x, x, C_f64(-0x1.d5d2b4189822cp3)) - C_f64(-0x1.c6a0d245172bap-54)) *
           (FMA(x, x, C_f64(-0x1.89bf66072a432p5)) - C_f64(0x1.25355661cb79cp-51)) * p;
}

// 2^-55.
FN R_f64 y0_near_f64(R_f64 x, R_f64 j) {
    const M_f64 c[10] = {-0x1.4cf4807d36417p-63, 0x1.e42bc125c337bp-55, -0x1.24d610284fa81p-46,
        0x1.15ba80e548804p-38, -0x1.8ecd074b2a238p-31, 0x1.9decfeb8496a5p-24, -0x1.22f14fcc814cap-17,
        0x1.f5967432862edp-12, -0x1.be9e987ec31f5p-7, 0x1.17fa423bf1734p-3};
    R_f64 w = FMA(x, x, C_f64(-3));
    R_f64 distance = FMA(x, x, C_f64(-0x1.98d257f93404ap-1)) - C_f64(0x1.b7acb8a94e405p-55);
    R_f64 logarithm = log_ratio_f64(x, C_f64(0x1.1e7d3131dd6bap0), C_f64(0x1.e5197d7b65facp-54));
    R_f64 scaled = logarithm * C_f64(0x1.45f306dc9c883p-1);
    R_f64 lost = FMA(logarithm, C_f64(0x1.45f306dc9c883p-1), -scaled) + logarithm * C_f64(-0x1.6b01ec5417056p-55);
    lost = WHERE_f64(GT(x, C_f64(0)), lost, C_f64(0));
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f64(c[k]));
    return FMA(scaled, j, FMA(lost, j, distance * p));
}

// 2^-54.
FN R_f64 y1_near_f64(R_f64 x, R_f64 j) {
    const M_f64 c[13] = {0x1.70f37e4e00fe5p-86, 0x1.367cb7559b902p-77, -0x1.2ff1b51361184p-68,
        0x1.ea6d2b8993115p-60, -0x1.40a3452526fb3p-51, 0x1.4a4ec0b1b0878p-43, -0x1.02ee4bf6618ap-35,
        0x1.26874783e583ap-28, -0x1.c4e5b1e6bf1b9p-22, 0x1.a1606356b98a9p-16, -0x1.5de3bfdf6b0dp-11,
        -0x1.92e600dff263fp-12, 0x1.7d2fc064fa737p-3};
    R_f64 w = FMA(x, x, C_f64(-8));
    R_f64 distance = FMA(x, x, C_f64(-0x1.34f49cfc780a9p2)) - C_f64(-0x1.65d88128c73dfp-52);
    R_f64 logarithm = log_ratio_f64(x, C_f64(0x1.d20f658382cf2p-2), C_f64(0x1.5b2534b08b934p-57));
    R_f64 scaled = logarithm * C_f64(0x1.45f306dc9c883p-1);
    R_f64 lost = FMA(logarithm, C_f64(0x1.45f306dc9c883p-1), -scaled) + logarithm * C_f64(-0x1.6b01ec5417056p-55);
    lost = WHERE_f64(GT(x, C_f64(0)), lost, C_f64(0));
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, w, C_f64(c[k]));
    return FMA(scaled, j, FMA(lost, j, distance * p / x));
}

// 2^-54.
FN R_f64 j0_middle_f64(R_f64 x) {
    const M_f64 c[18] = {-0x1.3a6cc6c8d8422p-61, -0x1.d9978f1732496p-56, 0x1.81ffbff95601p-53,
        0x1.33d72ce2fbd98p-47, -0x1.b217349fbe75p-45, -0x1.306a9cbd11324p-39, 0x1.7ede64be91c67p-37,
        0x1.ca78c62f36516p-32, -0x1.f9f5bbd1a8e93p-30, -0x1.f73a51bb580bbp-25, 0x1.db62ab4ef6b92p-23,
        0x1.7a13b13a0f098p-18, -0x1.25c1ce3173efp-16, -0x1.613873d4bed04p-12, 0x1.a1bf2c3c9da0ap-11,
        0x1.5aaae8badd098p-7, -0x1.f727637cf142cp-7, -0x1.e47e7aee6b4b9p-4};
    R_f64 u = x - C_f64(6);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 18; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.6148f5b2c2e45p2), C_f64(0x1.75054cd60a517p-54)) *
           from_zero_f64(x, C_f64(0x1.14eb56cccdecap3), C_f64(-0x1.51970714c7c25p-52)) * p;
}

// 2^-54.
FN R_f64 j1_middle_f64(R_f64 x) {
    const M_f64 c[18] = {-0x1.832120a07bfaap-60, 0x1.d1b7cf4fc2236p-57, 0x1.016ac0c61a024p-51,
        -0x1.35dc6ef1b06dap-48, -0x1.1ae4feac39736p-43, 0x1.40e3883dba475p-40, 0x1.e1a1c8af3522fp-36,
        -0x1.ff20c2ffd5c22p-33, -0x1.3010694def208p-28, 0x1.2c4be2a068104p-25, 0x1.0d056ad755334p-21,
        -0x1.eb42fd30c356ep-19, -0x1.322433164fa24p-15, 0x1.0023b7cf17179p-12, 0x1.825e975843229p-10,
        -0x1.2437e5d903d5bp-7, -0x1.82575a3f0583cp-6, 0x1.0152b042403aep-3};
    R_f64 u = x - C_f64(6);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 18; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.ea75575af6f09p1), C_f64(-0x1.60155a9d1b256p-53)) *
           from_zero_f64(x, C_f64(0x1.c0ff5f3b4725p2), C_f64(-0x1.b226d9d243827p-54)) * p;
}

// 2^-57.
FN R_f64 y0_middle_f64(R_f64 x) {
    const M_f64 c[28] = {0x1.0d3cc66eda349p-72, -0x1.5aceffc29412ap-70, -0x1.aea9dc523acccp-68,
        0x1.06c3e13cfcb53p-65, 0x1.3d075193845e5p-63, -0x1.84f870414f2cfp-61, -0x1.ff7120fff040ep-62,
        0x1.95d001ab9d6b4p-60, 0x1.1214a8056d1eap-55, -0x1.643fadef7adb7p-53, 0x1.6142ce0fcb7d6p-51,
        -0x1.eb4f2d5df8cdcp-49, 0x1.6cc85b107f886p-46, -0x1.0c23cb1982d35p-43, 0x1.36755ccf16a41p-41,
        -0x1.6763f08b5adf3p-40, 0x1.1916104d21586p-35, -0x1.1f70f55fcded7p-31, -0x1.8d66d8e7b30e1p-30,
        0x1.e261e588ad8e8p-25, 0x1.059752d13f214p-22, -0x1.90f7043ee0361p-18, -0x1.f53974d553186p-17,
        0x1.791fa8a44c566p-12, 0x1.35ae4cdceb912p-11, -0x1.8d84ac2390079p-7, -0x1.9a48a18c6ff8p-8,
        0x1.20f4883248878p-3};
    R_f64 u = x - C_f64(5.25);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 28; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.fa9534d98569cp1), C_f64(-0x1.f06ae7804384ep-54)) *
           from_zero_f64(x, C_f64(0x1.c581dc4e72103p2), C_f64(-0x1.9774a495f56cfp-54)) * p;
}

// 2^-57.
FN R_f64 y1_middle_f64(R_f64 x) {
    const M_f64 c[21] = {-0x1.589b56a7242fap-60, 0x1.ea2ab216c31d4p-58, -0x1.177b914bfa4c2p-56,
        0x1.bfe8a911770fap-54, -0x1.bdc4d7909dd6dp-51, 0x1.47c7876723c52p-48, -0x1.3d8ed1ccbd5cp-45,
        0x1.d25e1361915ffp-43, 0x1.42bd12c2640bap-40, -0x1.53170ed04677fp-38, -0x1.e12ab38c57736p-32,
        0x1.0c509b227116cp-29, 0x1.dc82d11087fdcp-25, -0x1.b0bc07309e2fdp-23, -0x1.6f1d3d7c8c5e3p-18,
        0x1.12737f0e84dd5p-16, 0x1.52f2b65ee6742p-12, -0x1.715a7af346157p-11, -0x1.514a765d415edp-7,
        0x1.b14bce9e7d219p-7, 0x1.e42c2e0781b72p-4};
    R_f64 u = x - C_f64(6);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 21; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.5b7fe4e87b02ep2), C_f64(0x1.dfe7bac228e8cp-52)) *
           from_zero_f64(x, C_f64(0x1.13127ae6169b4p3), C_f64(0x1.479cc068d9046p-52)) * p;
}

// 2^-54.
FN R_f64 amplitude_0_f64(R_f64 w) {
    const M_f64 c[13] = {0x1.b9ddfd1443a88p39, -0x1.95bf70083b084p36, 0x1.5e458b11041b9p32,
        -0x1.865551dc51001p27, 0x1.4fb42c8cb99ccp22, -0x1.093c46ddeb2e8p17, 0x1.d348bcc935b24p11,
        -0x1.11008f60b101dp7, 0x1.dfc8f02e380a4p2, -0x1.66193df3938efp-1, 0x1.13050dd0e1a9dp-3,
        -0x1.45f306dc9fe4p-4, 0x1.45f306dc9c883p-1};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-54.
FN R_f64 amplitude_1_f64(R_f64 w) {
    const M_f64 c[13] = {-0x1.76b7351ba10b1p39, 0x1.69939af282059p36, -0x1.49ee3e663cb1fp32,
        0x1.867940898e7c7p27, -0x1.64fd70a821cefp22, 0x1.29fb649ecee68p17, -0x1.123e1072b78e1p12,
        0x1.4d5f7a36ebc74p7, -0x1.346af16f75f6cp3, 0x1.f55668c82a7d9p-1, -0x1.ca5dc18835026p-3,
        0x1.e8ec8a4ae7cbcp-3, 0x1.45f306dc9c883p-1};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, w, C_f64(c[k]));
    return p;
}

// 2^-77.
FN R_f64 phase_0_f64(R_f64 w, R_f64 w2, R_f64 *lost) {
    const M_f64 n[7] = {0x1.4e1fbe646d787p24, 0x1.64ddfc11cd5efp27, 0x1.2772feb2e642fp25, 0x1.1d75fd0e30cedp21,
        0x1.ac25190b0c68ep15, 0x1.03c6147550abp9, 0x1.a358492480966p0};
    const M_f64 d[7] = {0x1.deff62cd1d72p29, 0x1.606c982689327p28, 0x1.3a61b0b588b06p25, 0x1.c9426e17aba2fp20,
        0x1.27eed16bb6a2fp15, 0x1.4b80978099268p8, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 7; k++) {
        p = FMA(p, w, C_f64(n[k]));
        q = FMA(q, w, C_f64(d[k]));
    }
    p = p / q;
    *lost = C_f64(0);
    p = times_plus_f64(p, lost, w, w2, C_f64(-0x1.ad33333333333p-3), C_f64(-0x1.999999999999ap-58));
    p = times_plus_f64(p, lost, w, w2, C_f64(0x1.0aaaaaaaaaaabp-4), C_f64(-0x1.5555555555555p-58));
    p = times_plus_f64(p, lost, w, w2, C_f64(-0x1p-3), C_f64(0));
    return p;
}

// 2^-77.
FN R_f64 phase_1_f64(R_f64 w, R_f64 w2, R_f64 *lost) {
    const M_f64 n[7] = {-0x1.1b3f061afaa1p25, -0x1.d0a34687e87b8p27, -0x1.8a95a1ffbbcfcp25,
        -0x1.865ab532e1b18p21, -0x1.2aeda18281b2cp16, -0x1.7190ee99ab322p9, -0x1.2f486db6d0a52p1};
    const M_f64 d[7] = {0x1.74b1a840d061bp29, 0x1.2916e263a1214p28, 0x1.17f5f99311e1dp25, 0x1.a7e5652b6f98bp20,
        0x1.1af4762c19873p15, 0x1.44dfcd58b7bp8, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 7; k++) {
        p = FMA(p, w, C_f64(n[k]));
        q = FMA(q, w, C_f64(d[k]));
    }
    p = p / q;
    *lost = C_f64(0);
    p = times_plus_f64(p, lost, w, w2, C_f64(0x1.7bccccccccccdp-2), C_f64(-0x1.999999999999ap-57));
    p = times_plus_f64(p, lost, w, w2, C_f64(-0x1.5p-3), C_f64(0));
    p = times_plus_f64(p, lost, w, w2, C_f64(0x1.8p-2), C_f64(0));
    return p;
}

//: for T in f16 bf16 for N in j0 j1 y0 y1
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

// Bessel functions of the first and second kind, of orders 0 and 1, of real arguments.
//
// Up to 8 a function is the product of its distances from the zeros there, each with the zero in two registers, and of
// a polynomial. Beyond 8 it is a wave, sqrt(A / x) times the sine of x - pi / 4 + phi and of so many right angles (DLMF
// 10.18): A and x phi are smooth functions of w = 1 / x^2. The phase is summed up in two registers, so that
// what is left near a zero is right, too. All polynomials and quotients of them were fitted for this library.

//: for T in f32 f64
// a + b, and what that loses to rounding.
FN R_$T sum_of_$T(R_$T a, R_$T b, R_$T *lost) {
    R_$T sum = a + b, part = sum - a;
    *lost = (a - (sum - part)) + (b - part);
    return sum;
}

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
    R_$T ratio = x * inverse, lost = FMA(x, inverse, -ratio) + x * more;
    R_$T k, m = split_$T(ratio, &k);
    return or_special_$T(ratio, log_of_$T(k, m - C_$T(1), WHERE_$T(EQ(k, C_$T(0)), lost, C_$T(0))));
}

//: for T in f32
// As quarter_f64.
FN R_u32 quarter_pair_f32(R_f32 x, R_f32 *r, R_f32 *tail) {
    R_f32 shifted = FMA(x, C_f32(0x1.45f306p-1), C_f32(0x1.8p23));
    R_f32 n = shifted - C_f32(0x1.8p23), lost;
    R_u32 q = AS_u32(shifted);
    R_f32 first = FMA(n, C_f32(-0x1.921fb6p0), x), second = n * C_f32(0x1.777a5cp-25);
    R_f32 head = sum_of_f32(first, second, &lost);
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
    r = sum_of_$T(r, WHERE_$T(low, C_$T($H), zero), &lost);
    r = sum_of_$T(r, by, &lost2);
    r = sum_of_$T(r, (tail + by2) + (lost + lost2) + WHERE_$T(low, C_$T($L), zero), &tail);
    R_$T size = WHERE_$T(NE(q & C_$U(1), C_$U(0)), cosine_pair_$T(r, tail), sine_pair_$T(r, tail));
    return AS_$T(AS_$U(size) ^ ((q & C_$U(2)) << C_$U($B)));
}

// sqrt(A / x) sin(x - pi / 4 + phi + right pi / 2) for x > 8, of order N. H and L: pi / 4.
//: for T H L in f32 0x1.921fb6p-1 -0x1.777a5cp-26  f64 0x1.921fb54442d18p-1 0x1.1a62633145c07p-55 for N in 0 1
FN R_$T bessel_wave_$N_$T(R_$T x, int right) {
    R_$T t = C_$T(1) / x, t2 = FMA(-t, x, C_$T(1)) * t, w = t * t, w2 = FMA(t, t, -w) + (t + t) * t2, more, lost;
    R_$T p = phase_$N_$T(w, w2, &more), phi = p * t, phi2 = FMA(p, t, -phi) + FMA(p, t2, more * t);
    R_$T by = sum_of_$T(C_$T(-$H), phi, &lost);
    return SQRT(t * amplitude_$N_$T(w)) * wave_$T(x, by, lost + (phi2 - C_$T($L)), right);
}

//: for T in f32 f64
FN R_$T j0_$T(R_$T x) {
    R_$T a = ABS(x), y = j0_near_$T(a);
    if (ANY(GT(a, C_$T(3)))) y = WHERE_$T(GT(a, C_$T(3)), j0_middle_$T(a), y);
    if (ANY(GT(a, C_$T(8)))) y = WHERE_$T(GT(a, C_$T(8)), bessel_wave_0_$T(a, 1), y);
    return y;
}

FN R_$T j1_$T(R_$T x) {
    R_$T a = ABS(x), y = j1_near_$T(a) * a;
    if (ANY(GT(a, C_$T(3)))) y = WHERE_$T(GT(a, C_$T(3)), j1_middle_$T(a), y);
    if (ANY(GT(a, C_$T(8)))) y = WHERE_$T(GT(a, C_$T(8)), bessel_wave_1_$T(a, 0), y);
    return WHERE_$T(LT(x, C_$T(0)), -y, y);
}

FN R_$T y0_$T(R_$T x) {
    R_$T y = y0_near_$T(x, j0_near_$T(x));
    if (ANY(GT(x, C_$T(3)))) y = WHERE_$T(GT(x, C_$T(3)), y0_middle_$T(x), y);
    if (ANY(GT(x, C_$T(8)))) y = WHERE_$T(GT(x, C_$T(8)), bessel_wave_0_$T(x, 0), y);
    return y;
}

FN R_$T y1_$T(R_$T x) {
    R_$T y = WHERE_$T(EQ(x, C_$T(0)), -INF_$T, y1_near_$T(x, j1_near_$T(x) * x));
    if (ANY(GT(x, C_$T(3)))) y = WHERE_$T(GT(x, C_$T(3)), y1_middle_$T(x), y);
    if (ANY(GT(x, C_$T(8)))) y = WHERE_$T(GT(x, C_$T(8)), bessel_wave_1_$T(x, 3), y);
    return y;
}

// What was fitted, so that the largest relative error of the whole is least. Highest powers stand first.

//: for T in f32
// J0(x) for x <= 3; the error is that of the polynomial in x^2: 2^-26.
FN R_f32 j0_near_f32(R_f32 x) {
    const M_f32 c[6] = {0x1.b74d18p-32, -0x1.159442p-24, 0x1.adaafcp-18, -0x1.a044acp-12, 0x1.b4c4fcp-7,
        -0x1.62214cp-3};
    R_f32 w = x * x;
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, w, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.33d152p1), C_f32(0x1.d2e368p-24)) * (x + C_f32(0x1.33d152p1)) * p;
}

// J1(x) / x, the same: 2^-26.
FN R_f32 j1_near_f32(R_f32 x) {
    const M_f32 c[6] = {0x1.f96fdcp-36, -0x1.6380eep-28, 0x1.433592p-21, -0x1.7cf9p-15, 0x1.fbdfc4p-10,
        -0x1.16fb4cp-5};
    R_f32 w = x * x;
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, w, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.ea7558p1), C_f32(-0x1.4a121ep-24)) * (x + C_f32(0x1.ea7558p1)) * p;
}

// Y0(x) for x <= 3, given j = J0(x) (DLMF 10.8.2): 2^-26.
FN R_f32 y0_near_f32(R_f32 x, R_f32 j) {
    const M_f32 c[6] = {-0x1.77f1a2p-31, 0x1.878402p-24, -0x1.1015aap-17, 0x1.ce0332p-12, -0x1.9178bp-7,
        0x1.e0812cp-4};
    R_f32 w = FMA(x, x, C_f32(-4.5)), logarithm = log_ratio_f32(x, C_f32(0x1.1e7d32p0), C_f32(-0x1.9c4528p-25));
    R_f32 distance = from_zero_f32(x, C_f32(0x1.c982ecp-1), C_f32(-0x1.cafa06p-27)) * (x + C_f32(0x1.c982ecp-1));
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 6; k++) p = FMA(p, w, C_f32(c[k]));
    return FMA(logarithm * C_f32(0x1.45f306p-1), j, distance * p);
}

// Y1(x), the same: 2^-29.
FN R_f32 y1_near_f32(R_f32 x, R_f32 j) {
    const M_f32 c[7] = {-0x1.2937fap-35, 0x1.5408ep-28, -0x1.0dbb38p-21, 0x1.06d8a2p-15, -0x1.f81826p-11,
        0x1.59d8a8p-8, 0x1.6ce11p-3};
    R_f32 w = FMA(x, x, C_f32(-4.5)), logarithm = log_ratio_f32(x, C_f32(0x1.d20f66p-2), C_f32(-0x1.f1f4c4p-28));
    R_f32 distance = from_zero_f32(x, C_f32(0x1.193beep1), C_f32(-0x1.6401b8p-24)) * (x + C_f32(0x1.193beep1));
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, w, C_f32(c[k]));
    return FMA(logarithm * C_f32(0x1.45f306p-1), j, distance * p / x);
}

// J0(x) for 3 <= x <= 8: 2^-25.
FN R_f32 j0_middle_f32(R_f32 x) {
    const M_f32 c[11] = {0x1.1b3ae2p-32, -0x1.cc9e18p-29, -0x1.83424ep-25, 0x1.ceb19p-22, 0x1.2bebb2p-18,
        -0x1.139112p-15, -0x1.1e6ea2p-12, 0x1.7277d2p-10, 0x1.23d4bap-7, -0x1.9c777cp-6, -0x1.bab486p-4};
    R_f32 u = x - C_f32(5.5);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.6148f6p2), C_f32(-0x1.34f46ep-24)) *
           from_zero_f32(x, C_f32(0x1.14eb56p3), C_f32(0x1.999bdap-22)) * p;
}

// J1(x) for 3 <= x <= 8: 2^-25.
FN R_f32 j1_middle_f32(R_f32 x) {
    const M_f32 c[11] = {-0x1.37fec6p-32, -0x1.67d3bcp-29, 0x1.b3ebd4p-25, 0x1.5b656p-22, -0x1.57a57ap-18,
        -0x1.847d82p-16, 0x1.4f47b8p-12, 0x1.da194ep-11, -0x1.5f488ep-7, -0x1.c097f4p-7, 0x1.148f4p-3};
    R_f32 u = x - C_f32(5.5);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.ea7558p1), C_f32(-0x1.4a121ep-24)) *
           from_zero_f32(x, C_f32(0x1.c0ff6p2), C_f32(-0x1.8971b6p-23)) * p;
}

// Y0(x) for 3 <= x <= 8: 2^-25.
FN R_f32 y0_middle_f32(R_f32 x) {
    const M_f32 c[11] = {-0x1.0aba5ep-31, -0x1.183f3ep-29, 0x1.c06536p-25, 0x1.754466p-22, -0x1.6e2f2ap-18,
        -0x1.8a98cp-16, 0x1.5fd698p-12, 0x1.ec6164p-11, -0x1.7aabb6p-7, -0x1.8f8bbep-7, 0x1.1c3804p-3};
    R_f32 u = x - C_f32(5.5);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, u, C_f32(c[k]));
    return from_zero_f32(x, C_f32(0x1.fa9534p1), C_f32(0x1.b30ad4p-24)) *
           from_zero_f32(x, C_f32(0x1.c581dcp2), C_f32(0x1.39c84p-24)) * p;
}

// Y1(x) for 3 <= x <= 8: 2^-26.
FN R_f32 y1_middle_f32(R_f32 x) {
    const M_f32 c[11] = {-0x1.0e53aap-31, 0x1.1b5dcp-28, 0x1.70787ap-25, -0x1.adb3f8p-22, -0x1.27ccacp-18,
        0x1.06f0fcp-15, 0x1.13bc0ep-12, -0x1.53fc66p-10, -0x1.1f9becp-7, 0x1.7616c2p-6, 0x1.befe04p-4};
    R_f32 u = x - C_f32(5.5);
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, u, C_f32(c[k]));
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
// 2^-54.
FN R_f64 j0_near_f64(R_f64 x) {
    const M_f64 c[10] = {0x1.347fc1956d2aep-64, -0x1.06532531983e5p-55, 0x1.4c2c994bdee71p-47,
        -0x1.4aa8c2763a173p-39, 0x1.f6e02c87c40bfp-32, -0x1.17e92e40ca4a2p-24, 0x1.add156921fbdbp-18,
        -0x1.a04594c033abbp-12, 0x1.b4c4fb6b81b55p-7, -0x1.62214bb3c7121p-3};
    R_f64 w = x * x;
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.33d152e971b4p1), C_f64(-0x1.0f539d7da258ep-53)) * (x + C_f64(0x1.33d152e971b4p1)) * p;
}

// 2^-54.
FN R_f64 j1_near_f64(R_f64 x) {
    const M_f64 c[10] = {0x1.b2a549d7cdaf5p-69, -0x1.9b5bd83a8b158p-60, 0x1.20abd892a25fcp-51,
        -0x1.419aa93192e6ep-43, 0x1.157329a37bc0fp-35, -0x1.64898445ba6d6p-28, 0x1.43316b3ab2702p-21,
        -0x1.7cf8005bc3c12p-15, 0x1.fbdfb0a3d177ap-10, -0x1.16fb4ba6b9f63p-5};
    R_f64 w = x * x;
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.ea75575af6f09p1), C_f64(-0x1.60155a9d1b256p-53)) * (x + C_f64(0x1.ea75575af6f09p1)) * p;
}

// 2^-55.
FN R_f64 y0_near_f64(R_f64 x, R_f64 j) {
    const M_f64 c[10] = {-0x1.36cb58c925d67p-63, 0x1.d35a943377269p-55, -0x1.19b157102c2c5p-46,
        0x1.09f290f504a87p-38, -0x1.7bb0a11173e28p-31, 0x1.871f595ab0927p-24, -0x1.10142463ffd29p-17,
        0x1.ce0346eae9cfep-12, -0x1.9178b1dd77778p-7, 0x1.e0812c72a76a9p-4};
    R_f64 w = FMA(x, x, C_f64(-4.5)), logarithm = log_ratio_f64(x, C_f64(0x1.1e7d3131dd6bap0), C_f64(0x1.e5197d7b65facp-54));
    R_f64 distance = from_zero_f64(x, C_f64(0x1.c982eb8d417eap-1), C_f64(0x1.ea9d270347f83p-56)) * (x + C_f64(0x1.c982eb8d417eap-1));
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, w, C_f64(c[k]));
    return FMA(logarithm * C_f64(0x1.45f306dc9c883p-1), j, distance * p);
}

// 2^-54.
FN R_f64 y1_near_f64(R_f64 x, R_f64 j) {
    const M_f64 c[11] = {-0x1.30a1edf34e555p-68, 0x1.0ad88079a0519p-59, -0x1.60214f9a9330bp-51,
        0x1.6f132ca1815e9p-43, -0x1.244633e449e12p-35, 0x1.53b245a363c09p-28, -0x1.0dbdd4353652p-21,
        0x1.06d8b4bfe5bf9p-15, -0x1.f8181f9e5863p-11, 0x1.59d8a8087f3b9p-8, 0x1.6ce10ff04b241p-3};
    R_f64 w = FMA(x, x, C_f64(-4.5)), logarithm = log_ratio_f64(x, C_f64(0x1.d20f658382cf2p-2), C_f64(0x1.5b2534b08b934p-57));
    R_f64 distance = from_zero_f64(x, C_f64(0x1.193bed4dff243p1), C_f64(-0x1.bd1e50d219bfdp-55)) * (x + C_f64(0x1.193bed4dff243p1));
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 11; k++) p = FMA(p, w, C_f64(c[k]));
    return FMA(logarithm * C_f64(0x1.45f306dc9c883p-1), j, distance * p / x);
}

// 2^-56.
FN R_f64 j0_middle_f64(R_f64 x) {
    const M_f64 c[19] = {0x1.aaef791fc4f26p-65, -0x1.12adbb0fb965p-60, -0x1.74e0b5266e475p-56,
        0x1.9a5e0a98eca0bp-52, 0x1.d86ae22bd6802p-48, -0x1.cadb5c8469175p-44, -0x1.d5698bec1907p-40,
        0x1.8caf7083a61f8p-36, 0x1.63e2ed55e7693p-32, -0x1.ff27159ea49c8p-29, -0x1.8a43b8bd59d86p-25,
        0x1.d11993c90d47ap-22, 0x1.2c368c05f2dabp-18, -0x1.139dd931c3961p-15, -0x1.1e717d4b9aa98p-12,
        0x1.72783d34f370cp-10, 0x1.23d4d0d7e5a8cp-7, -0x1.9c777db0251f9p-6, -0x1.bab486c73bc52p-4};
    R_f64 u = x - C_f64(5.5);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 19; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.6148f5b2c2e45p2), C_f64(0x1.75054cd60a517p-54)) *
           from_zero_f64(x, C_f64(0x1.14eb56cccdecap3), C_f64(-0x1.51970714c7c25p-52)) * p;
}

// 2^-55.
FN R_f64 j1_middle_f64(R_f64 x) {
    const M_f64 c[19] = {-0x1.c259974dbf8c8p-65, -0x1.daaed9334cfcdp-61, 0x1.93195509ca2cp-56,
        0x1.5cf8643b0c0cfp-52, -0x1.019ac74a24a77p-47, -0x1.7e6cbcfdf04a3p-44, 0x1.024463064896cp-39,
        0x1.4247cfdabf7c7p-36, -0x1.8bd833fd339f4p-32, -0x1.91b3a478c9166p-29, 0x1.bc5d65f1d9bc4p-25,
        0x1.5d7383f8c6323p-22, -0x1.58046fcfaa701p-18, -0x1.849467f0b1fd4p-16, 0x1.4f4b9808feb4dp-12,
        0x1.da1a1fcab8178p-11, -0x1.5f48b00aa526p-7, -0x1.c097f82caac57p-7, 0x1.148f40aa3ae3cp-3};
    R_f64 u = x - C_f64(5.5);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 19; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.ea75575af6f09p1), C_f64(-0x1.60155a9d1b256p-53)) *
           from_zero_f64(x, C_f64(0x1.c0ff5f3b4725p2), C_f64(-0x1.b226d9d243827p-54)) * p;
}

// 2^-54.
FN R_f64 y0_middle_f64(R_f64 x) {
    const M_f64 c[24] = {0x1.16d4bb1778f7ap-65, -0x1.8cfe35da88724p-63, -0x1.934129ed862fcp-63,
        0x1.1acd5bdb2637ap-60, 0x1.f5002aa86260ap-57, -0x1.66dd7558cc939p-54, 0x1.2e01d701038ffp-52,
        -0x1.afaac838e75ffp-50, 0x1.715d55f0301bdp-47, -0x1.2482166592bfcp-44, 0x1.10fb0786bb95dp-42,
        -0x1.4160190b8eb71p-45, 0x1.09eb6f61331bbp-35, -0x1.e1ccc35cd85ecp-32, -0x1.6bacb79cd6f58p-29,
        0x1.ba800d9e73ca4p-25, 0x1.79af46bde88d8p-22, -0x1.6de9d9f6c5c8ap-18, -0x1.8acc8eaf223e2p-16,
        0x1.5fd3a0a4994c5p-12, 0x1.ec6357fe02086p-11, -0x1.7aab9a11315d2p-7, -0x1.8f8bc8df6129bp-7,
        0x1.1c38036545cfbp-3};
    R_f64 u = x - C_f64(5.5);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 24; k++) p = FMA(p, u, C_f64(c[k]));
    return from_zero_f64(x, C_f64(0x1.fa9534d98569cp1), C_f64(-0x1.f06ae7804384ep-54)) *
           from_zero_f64(x, C_f64(0x1.c581dc4e72103p2), C_f64(-0x1.9774a495f56cfp-54)) * p;
}

// 2^-55.
FN R_f64 y1_middle_f64(R_f64 x) {
    const M_f64 c[25] = {-0x1.93e1a9f069e12p-66, 0x1.bbc2d59e44192p-64, 0x1.7972c479ba905p-62,
        -0x1.0108c9fee2c75p-60, -0x1.619cdbf58d03ep-57, 0x1.5e21442b92496p-55, -0x1.2d2f06c803eb5p-54,
        0x1.1e699f287d177p-51, -0x1.0394b81ccd251p-48, 0x1.4f98e9a4a8631p-46, -0x1.de58af98ec687p-44,
        0x1.6c47527c0efecp-41, -0x1.8344767318dc6p-40, -0x1.85585178ce7a6p-38, -0x1.ba62a94c05137p-32,
        0x1.169e87ed983b1p-28, 0x1.67d3e4b23b41ep-25, -0x1.acd6acd3742a9p-22, -0x1.277aefc9b543ap-18,
        0x1.06eb4aa75c9e9p-15, 0x1.13b94eb0b1766p-12, -0x1.53fc323b1818cp-10, -0x1.1f9bd924bcfc9p-7,
        0x1.7616c13ef86f7p-6, 0x1.befe038407c63p-4};
    R_f64 u = x - C_f64(5.5);
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 25; k++) p = FMA(p, u, C_f64(c[k]));
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

// 2^-70.
FN R_f64 phase_0_f64(R_f64 w, R_f64 w2, R_f64 *lost) {
    const M_f64 n[6] = {0x1.4829b18047becp19, 0x1.c75620ad86f71p21, 0x1.1a6f447017aebp19, 0x1.817635e53423p14,
        0x1.6c6d0c1029e97p8, 0x1.a35849221f201p0};
    const M_f64 d[6] = {0x1.3c6ea809c5187p24, 0x1.7e106ff6d1481p22, 0x1.0ac52dac1db63p19, 0x1.1b3b47c435f8ep14,
        0x1.d99bd0f52d28bp7, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 6; k++) {
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

// 2^-70.
FN R_f64 phase_1_f64(R_f64 w, R_f64 w2, R_f64 *lost) {
    const M_f64 n[6] = {-0x1.125c9150c5eaap20, -0x1.2e25e1572e0cap22, -0x1.7fbdddbde85d6p19,
        -0x1.0bfac2c582e4cp15, -0x1.02b2a066ea1d9p9, -0x1.2f486db55b52p1};
    const M_f64 d[6] = {0x1.fa9dc97cf0415p23, 0x1.4a9658d7c75c2p22, 0x1.e6bd8fa3e5e45p18, 0x1.0c900ebc11f0ap14,
        0x1.ce94ce0434bf8p7, 0x1p0};
    R_f64 p = C_f64(n[0]), q = C_f64(d[0]);
    UNROLL for (int k = 1; k < 6; k++) {
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

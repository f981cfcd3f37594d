// Riemann's zeta function of real numbers, and Hurwitz's.

// Hurwitz's: the first N terms, and what follows them by Euler and Maclaurin's formula (DLMF 25.11.5, 25.2.9).

//: for T in f32 f64
// (q + k)^-s for k > 0, and in ``tail`` what q + k loses; ``held``: s, or so much that the loss no longer counts.
FN R_$T power_of_sum_$T(R_$T q, R_$T k, R_$T s, R_$T held, R_$T *tail) {
    R_$T lost, a = sum_pair_$T(q, k, &lost), power = pow_$T(a, -s);
    *tail = -power * WHERE_$T(LT(s, held), s, held) * (lost / a);
    return power;
}

// Of s > 1 and q > 0. Where s > 8 (q + N) only the first terms count. The small ones are added up first.
//: for T N in f32 4  f64 8
FN R_$T hurwitz_$T(R_$T s, R_$T q) {
    R_$T a = q + C_$T($N), inverse = C_$T(1) / a, end = a * C_$T(8), less = s - C_$T(1), tail, sum2, tail2;
    R_$T held = WHERE_$T(GT(s, end), end, s), rest = (C_$T(0.5) + zeta_remainder_$T(held, inverse)) * inverse;
    R_$T head = C_$T(1) / less, head2 = WHERE_$T(LT(s, C_$T(0x1p24)), FMA(-head, less, C_$T(1)) * head, C_$T(0));
    R_$T far = power_of_sum_$T(q, C_$T($N), less, held, &tail), sum = far * head;
    tail = FMA(far, head, -sum) + FMA(far, head2 + rest, tail * (head + rest));
    for (int k = $N - 1; k >= 1; k--) {
        R_$T power = power_of_sum_$T(q, C_$T(k), s, held, &tail2);
        tail = tail + (tail2 + power);
    }
    sum = sum_pair_$T(sum, pow_$T(q, -s), &sum2);
    return WHERE_$T(LT(sum, INF_$T), sum + (sum2 + tail), sum);
}

// Of s > 1, a whole number if q is negative: the terms in front of 0 < q + m < 1 are those of even or odd
// functions, and a difference of two sums.
//: for T in f32 f64
FN R_$T zeta_$T(R_$T x, R_$T q) {
    R_b8 negative = LE(q, C_$T(0)), whole = EQ(FLOOR(x), x);
    R_$T y = hurwitz_$T(x, WHERE_$T(negative, q - FLOOR(q), q));
    if (ANY(negative)) {
        R_$T halved = x * C_$T(0.5), first = hurwitz_$T(x, CEIL(q) - q), after = hurwitz_$T(x, C_$T(1) - q);
        R_$T total = WHERE_$T(EQ(FLOOR(halved), halved), (y + first) - after, (y - first) + after);
        total = WHERE_$T(whole, WHERE_$T(EQ(x, INF_$T), INF_$T, total), NAN_$T);
        y = WHERE_$T(negative, WHERE_$T(EQ(FLOOR(q), q), INF_$T, total), y);
    }
    // SciPy does not know that the limit is 0 where x is infinite.
    y = WHERE_$T(EQ(x, INF_$T) & GT(q, C_$T(1)), NAN_$T, y);
    y = WHERE_$T(EQ(q, INF_$T) & GT(x, C_$T(1)), C_$T(0), y);
    return WHERE_$T(LT(x, C_$T(1)), NAN_$T, WHERE_$T(EQ(x, C_$T(1)), INF_$T, y));
}

// Riemann's: without its pole a polynomial for 0 <= x <= 4, then 1 + 2^-x (...); down to -5, in two
// intervals, a polynomial times its distances from zeros over that from the pole; beyond by reflection (DLMF 25.4.1).

//: for T in f32 f64
// zeta(x) - 1 for x >= 4.
FN R_$T zeta_less_1_$T(R_$T x) {
    R_$T held = WHERE_$T(GT(x, C_$T(54)), C_$T(54), x), k = RINT(held), f = k - held;
    R_$T power = times_exp2_$T(FMA(f, exp2_tail_$T(f), C_$T(1)), -TO_$I(k));
    R_$T rest = WHERE_$T(GT(x, C_$T(12)), zeta_far_$T(held - C_$T(33)), zeta_middle_$T(held - C_$T(8)));
    return power / (held - C_$T(1)) * rest;
}

FN R_$T zeta_right_$T(R_$T x) {
    R_$T near = zeta_near_$T(x) + C_$T(1) / (x - C_$T(1));
    return WHERE_$T(GT(x, C_$T(4)), C_$T(1) + zeta_less_1_$T(x), near);
}

// sin(pi x / 2). H and L: pi / 2.
//: for T H L in f32 0x1.921fb6p0 -0x1.777a5cp-25  f64 0x1.921fb54442d18p0 0x1.1a62633145c07p-54
FN R_$T sine_of_quarters_$T(R_$T x) {
    R_$T y = FMA(RINT(x * C_$T(0.25)), C_$T(-4), x), m = ABS(y);
    m = WHERE_$T(GT(m, C_$T(1)), C_$T(2) - m, m);
    R_b8 steep = LE(m, C_$T(0.5));
    m = WHERE_$T(steep, m, C_$T(1) - m);
    R_$T r = m * C_$T($H), tail = FMA(m, C_$T($H), -r) + m * C_$T($L);
    return COPYSIGN(WHERE_$T(steep, sine_pair_$T(r, tail), cosine_pair_$T(r, tail)), y);
}

// 2 (2 pi)^-s Gamma(s) zeta(s) sin(pi x / 2) with s = 1 - x >= 6, and Gamma(s) = sqrt(2 pi / s) (s / e)^s exp(...)
// (DLMF 5.11.3). The power is that of s / (2 pi e); from s = E on it may overflow before the whole does, and is taken
// in halves. All that is near 1, also for what s and the quotient lose, is one factor. H and L: 1 / (2 pi e).
//: for T E H L in f32 50 0x1.dfa3e6p-5 -0x1.1aabdcp-30  f64 200 0x1.dfa3e572aa123p-5 -0x1.e68c94fadd6e7p-62
FN R_$T zeta_left_$T(R_$T x) {
    R_$T lost, one = C_$T(1), s = sum_pair_$T(one, -x, &lost), a = zeta_less_1_$T(s);
    R_$T b = s * C_$T($H), b2 = FMA(s, C_$T($H), -b) + s * C_$T($L);
    R_b8 large = GT(s, C_$T($E));
    R_$T power = pow_$T(b, WHERE_$T(large, s * C_$T(0.5), s)), again = WHERE_$T(large, power, one);
    R_$T more = a + FMA(expm1_$T(stirling_$T(one / s)), a + one, FMA(s, b2 / b, lost * (log_$T(b) + one)));
    R_$T turned = sine_of_quarters_$T(x), scale = SQRT(C_$T(25.13274122871834590770) / s) * turned;
    R_$T y = FMA(scale, more, scale) * power * again;
    return WHERE_$T(EQ(turned, C_$T(0)), C_$T(0), y);
}

//: for T in f32 f64
FN R_$T riemann_zeta_$T(R_$T x) {
    R_$T y = zeta_right_$T(x);
    if (ANY(LT(x, C_$T(0)))) {
        R_$T two = x + C_$T(2), pole = x - C_$T(1), first = two * zeta_first_$T(x + C_$T(1.25)) / pole;
        R_$T zeros = two * (x + C_$T(4)) * (x + C_$T(6)), middle = zeros * zeta_zeros_$T(x + C_$T(3.75)) / pole;
        middle = WHERE_$T(LT(x, C_$T(-2.5)), middle, first);
        R_$T left = WHERE_$T(LT(x, C_$T(-5)), zeta_left_$T(x), middle);
        y = WHERE_$T(LT(x, C_$T(0)), left, y);
    }
    return y;
}

// The fits, for which the largest relative error of the whole is least. Highest powers stand first.

//: for T in f32
// s / a (b1 + (s + 1) (s + 2) / a^2 (b2 + ...)) with bj = B(2j) / (2j)!.
FN R_f32 zeta_remainder_f32(R_f32 s, R_f32 inverse) {
    const M_f32 c[4] = {-0x1.bbd77ap-21, 0x1.1566acp-15, -0x1.6c16c2p-10, 0x1.555556p-4};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 4; k++) {
        R_f32 factor = (s + C_f32(8 - 2 * k)) * inverse;
        p = FMA(p * factor, (s + C_f32(7 - 2 * k)) * inverse, C_f32(c[k]));
    }
    return p * (s * inverse);
}

// The terms that DLMF 5.11.1 adds to the logarithm of Stirling's formula, from s = 6 on.
FN R_f32 stirling_f32(R_f32 inverse) {
    const M_f32 c[4] = {-0x1.381382p-11, 0x1.a01a02p-11, -0x1.6c16c2p-9, 0x1.555556p-4};
    R_f32 p = C_f32(c[0]), w = inverse * inverse;
    UNROLL for (int k = 1; k < 4; k++) p = FMA(p, w, C_f32(c[k]));
    return p * inverse;
}

// zeta(x) - 1 / (x - 1) for 0 <= x <= 4: 2^-35.
FN R_f32 zeta_near_f32(R_f32 x) {
    const M_f32 c[10] = {0x1.699b76p-32, -0x1.a0e4e6p-27, 0x1.97e108p-23, -0x1.69e5b4p-20, -0x1.f6e608p-20,
        0x1.fa003ap-14, -0x1.9ba6cep-11, -0x1.a093e8p-9, 0x1.4c071cp-4, 0x1p-1};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 10; k++) p = FMA(p, x, C_f32(c[k]));
    return p;
}

// (zeta(x) - 1) (x - 1) 2^x for |u| <= 4, x = 8 + u, as zeta needs it: 2^-29.
FN R_f32 zeta_middle_f32(R_f32 u) {
    const M_f32 c[7] = {-0x1.79a48cp-23, -0x1.e77306p-24, 0x1.74ce52p-15, -0x1.0682ep-10, 0x1.9e496cp-7,
        0x1.d0eddp-1, 0x1.d39fbp2};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 7; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// The same for |u| <= 21, x = 33 + u: 2^-31.
FN R_f32 zeta_far_f32(R_f32 u) {
    const M_f32 c[4] = {-0x1.eea908p-13, -0x1.6451bcp-7, 0x1.a77f3cp-1, 0x1.f11946p4};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 4; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// zeta(x) (x - 1) / (x + 2) / (x + 4) / (x + 6) for -5 <= x <= -5/2, with u = x + 15/4: 2^-26.
FN R_f32 zeta_zeros_f32(R_f32 u) {
    const M_f32 c[8] = {0x1.2019c2p-26, 0x1.152748p-26, -0x1.732c78p-20, 0x1.40a3acp-17, 0x1.335948p-17,
        -0x1.e6b588p-12, 0x1.63aa88p-10, 0x1.5315e4p-7};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 8; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

// zeta(x) (x - 1) / (x + 2) for -5/2 <= x <= 0, with u = x + 5/4: 2^-25.
FN R_f32 zeta_first_f32(R_f32 u) {
    const M_f32 c[9] = {0x1.d31e76p-25, 0x1.08a558p-24, -0x1.b1fbdep-19, 0x1.749e9ap-16, 0x1.6a9ffcp-15,
        -0x1.a07966p-10, 0x1.4f167ap-8, 0x1.41dda6p-4, 0x1.2c7fp-3};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 9; k++) p = FMA(p, u, C_f32(c[k]));
    return p;
}

//: for T in f64
FN R_f64 zeta_remainder_f64(R_f64 s, R_f64 inverse) {
    const M_f64 c[9] = {0x1.355871d652e9ep-47, -0x1.7da4e1f79955cp-42, 0x1.d6db2c4e09162p-37,
        -0x1.22805d644267fp-31, 0x1.66a8f2bf70ebep-26, -0x1.bbd779334ef0bp-21, 0x1.1566abc011567p-15,
        -0x1.6c16c16c16c17p-10, 0x1.5555555555555p-4};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 9; k++) {
        R_f64 factor = (s + C_f64(18 - 2 * k)) * inverse;
        p = FMA(p * factor, (s + C_f64(17 - 2 * k)) * inverse, C_f64(c[k]));
    }
    return p * (s * inverse);
}

FN R_f64 stirling_f64(R_f64 inverse) {
    const M_f64 c[14] = {-0x1.1a198ae1c4ab8p15, 0x1.12234e81b4e82p11, -0x1.39b2525cccc1bp7, 0x1.ace44322ce006p3,
        -0x1.6476701181f3ap0, 0x1.6fe96381e068p-3, -0x1.e4286cb0f5398p-6, 0x1.a41a41a41a41ap-8,
        -0x1.f6ab0d9993c7dp-10, 0x1.b951e2b18ff23p-11, -0x1.3813813813814p-11, 0x1.a01a01a01a01ap-11,
        -0x1.6c16c16c16c17p-9, 0x1.5555555555555p-4};
    R_f64 p = C_f64(c[0]), w = inverse * inverse;
    UNROLL for (int k = 1; k < 14; k++) p = FMA(p, w, C_f64(c[k]));
    return p * inverse;
}

// 2^-55.
FN R_f64 zeta_near_f64(R_f64 x) {
    const M_f64 c[16] = {0x1.8dda67cdf6984p-54, -0x1.a68767a8edd6ap-49, 0x1.33c34b4e30022p-45,
        0x1.305cfa661ba48p-43, -0x1.637fbe8cd798bp-37, 0x1.4d974af7c6cbbp-33, -0x1.f72617c5690c3p-31,
        -0x1.8bb2fc54d8ce7p-28, 0x1.6a1585fa59abap-23, -0x1.5d45ac4fc5fd9p-20, -0x1.0480ccb62a5c5p-19,
        0x1.fa412cf6e05c7p-14, -0x1.9bab04cebaab5p-11, -0x1.a093a23ee074p-9, 0x1.4c071bcda0a13p-4, 0x1p-1};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 16; k++) p = FMA(p, x, C_f64(c[k]));
    return p;
}

// 2^-61.
FN R_f64 zeta_middle_f64(R_f64 u) {
    const M_f64 c[16] = {0x1.67db4b717cd2cp-64, -0x1.3a06d0ced6d6dp-58, 0x1.428b213ddb7dp-54,
        0x1.9924086223552p-53, -0x1.58a5a3d7f9af1p-45, 0x1.0f328c63316ecp-40, -0x1.2ceeb1efb2215p-37,
        -0x1.9679949ccd42dp-33, 0x1.0eb5181765856p-27, -0x1.f353bda5a29afp-24, -0x1.3432e87239754p-23,
        0x1.6cdfff83d5f32p-15, -0x1.06dc44ae054efp-10, 0x1.9e5cc3aa71646p-7, 0x1.d0ee66df63186p-1,
        0x1.d39fb32ae4818p2};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 16; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-55.
FN R_f64 zeta_far_f64(R_f64 u) {
    const M_f64 c[13] = {-0x1.372b0fd0784c1p-56, -0x1.0837212eac04p-49, -0x1.8b3c1880dfcdap-44,
        -0x1.5e2b3d0dddb0bp-39, -0x1.7859e941f437ep-35, -0x1.f9a5f837e3542p-32, -0x1.13927135a2c0cp-29,
        0x1.6bc659bc57b29p-28, 0x1.ea37b6ff1dbfap-23, 0x1.924bec78297f5p-21, 0x1.b5f7d8d9fa389p-18,
        0x1.fffdc845aa3efp-1, 0x1.0000178ce69ebp5};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 13; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-54.
FN R_f64 zeta_zeros_f64(R_f64 u) {
    const M_f64 c[15] = {-0x1.94ea8127839fep-51, -0x1.bf459ab19ccf8p-49, 0x1.6d798d7f4df1dp-43,
        -0x1.1c690864bc405p-39, 0x1.39991d7928cc6p-37, 0x1.e982b08c1bbefp-34, -0x1.3e9d641950df6p-29,
        0x1.164c624a987bcp-26, 0x1.91507c7d9c74dp-26, -0x1.72eac2fa98bffp-20, 0x1.4066a5f49bb8bp-17,
        0x1.335451dd72869p-17, -0x1.e6b4ed37f119ep-12, 0x1.63aa898a9410ap-10, 0x1.5315e3c167a6dp-7};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 15; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

// 2^-57.
FN R_f64 zeta_first_f64(R_f64 u) {
    const M_f64 c[16] = {-0x1.f994cc1103af8p-51, -0x1.7787141e4c766p-48, 0x1.041fcdfe7fe48p-42,
        -0x1.95842c411d90bp-39, 0x1.a12339551a17p-37, 0x1.b8e39fa4783a4p-33, -0x1.16ec1cd7fb26p-28,
        0x1.e782d9e32ede3p-26, 0x1.353b6bf267878p-24, -0x1.a5e36adb5220bp-19, 0x1.74892ff664848p-16,
        0x1.69bd80c314144p-15, -0x1.a079a399c495fp-10, 0x1.4f173f199f744p-8, 0x1.41dda68ca62f5p-4,
        0x1.2c7eff469a046p-3};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 16; k++) p = FMA(p, u, C_f64(c[k]));
    return p;
}

//: for T in f16 bf16 for N in riemann_zeta
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

//: for T in f16 bf16
FN R_$T zeta_$T(R_$T x, R_$T q) { return NEAREST_$T(zeta_f32(FLOAT_$T(x), FLOAT_$T(q))); }

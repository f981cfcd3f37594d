// The incomplete gamma functions: factors as in incomplete.c, times a series, a continued fraction, or, for large a and
// x near it, the uniform expansion of N. M. Temme (The asymptotic expansion of the incomplete gamma functions, 1979).

// The power of two not above 1 / h, for h >= 1/2. B: the bits of an exponent.
//: for T B in f32 0xff800000  f64 0xfff0000000000000
FN R_$T power_below_$T(R_$T h) {
    R_$U unit = AS_$U(C_$T(1));
    return AS_$T(unit + unit - (AS_$U(h) & C_$U($B)));
}

// 1 + x / (a + 1) (1 + x / (a + 2) (...)) for x < a < 8, x < 3/4, or x < 0.3 a: DLMF 8.7.1. As one quotient, whose
// parts are scaled so that they stay in range.
//: for T N in f32 18  f64 34
FN R_$T gamma_series_$T(R_$T a, R_$T x, R_$T *tail) {
    R_$T above = C_$T(1), below = above, c = power_below_$T(FMA(a, C_$T(0.5), C_$T(0.5))), step = a * c, part = x * c;
    for (int k = $N; k > 0; k--) {
        below = FMA(c, C_$T(k), step) * below;
        above = FMA(part, above, below);
    }
    return quotient_pair_$T(above, C_$T(0), below, tail);
}

// The integral of e^-t t^(a - 1) from x on over e^-x x^a, by the continued fraction x + (1 - a) / (1 + 1 / (x + (2 - a)
// / (1 + 2 / (x + ...)))), DLMF 8.9.2, as one quotient from its end on, for x >= 1/2 if a < 8, otherwise x > 2.35 a.
// While n < a two steps are taken together, so that all terms are positive. M, N: the number of steps that count.
//: for T M N in f32 25 5  f64 100 10
FN R_$T gamma_fraction_$T(R_$T a, R_$T x, R_$T *tail) {
    R_$T zero = C_$T(0), c = power_below_$T(FMA(x, C_$T(0.5), C_$T(16))), most = FLOOR(C_$T($M) / x) + C_$T($N);
    R_$T n = most * c, above = x * c, below = C_$T(1), first = x * c, order = a * c;
    for (; ANY(GT(n, zero)); n = n - c) {
        R_$T less = n - order, sum = FMA(n, below, above), next = FMA(first, sum, less * above);
        R_b8 more = GT(n, zero), left = more & LT(less, zero);
        if (ANY(left)) next = WHERE_$T(left, FMA(first + less, sum, -less * (n * below)), next);
        above = WHERE_$T(more, next, above);
        below = WHERE_$T(more, sum, below);
    }
    R_$T value = quotient_pair_$T(below, zero, above, tail);
    *tail = *tail * c;
    return value * c;
}

// For a >= 8 and x near it the uniform expansion, DLMF 8.12: Q(a, x), or, where x < a, P(a, x), over exp(-D), with the
// deviance D = a w^2 / 2. It is erfc(sqrt(D)) exp(D) / 2 and, over sqrt(2 pi a), a smooth function of w and 1 / a.
// ``whole`` is the tail itself, as 1/2 less the rest, where D is small; ``power``: exp(-D).
//: for T in f32 f64
FN R_$T gamma_uniform_$T(R_$T a, R_$T d, R_$T deviance, R_$T deviance2, R_$T power, R_$T *tail, R_$T *whole) {
    R_$T v = C_$T(1) / a, z = SQRT(deviance), w = COPYSIGN(z * SQRT(v + v), d), rest = gamma_beyond_$T(w, v), rest2;
    rest = WHERE_$T(LT(d, C_$T(0)), -rest, rest) * SQRT(v * C_$T(0.15915494309189533577));
    R_$T near = erfcx_near_$T(z), slope = FMA(z, near, C_$T(-0.56418958354775628695));
    R_$T z2 = WHERE_$T(GT(z, C_$T(0)), (FMA(-z, z, deviance) + deviance2) / z, C_$T(0));
    R_$T sum = sum_pair_$T(near * C_$T(0.5), rest, &rest2);
    *tail = FMA(z2 * C_$T(0.5), slope, rest2);
    *whole = C_$T(0.5) - FMA(FMA(z, erf_tail_$T(z * z), z), C_$T(0.5), -power * rest);
    return sum;
}

// The sum w of (-x)^n / (n! (a + n)) from n = 1 on, for x <= 3/4: P(a, x) is z (1 + a w), z = x^a / Gamma(a + 1),
// DLMF 8.7.1. As one quotient.
//: for T N in f32 9  f64 17
FN R_$T gamma_rest_$T(R_$T a, R_$T x) {
    R_$T above = C_$T(0), below = C_$T(1);
    for (int n = $N; n > 0; n--) {
        R_$T order = a + C_$T(n);
        above = -x * FMA(order, above, below);
        below = below * (order * C_$T(n));
    }
    return above / below;
}

// Q(a, x) for a < 1 and x <= 3/4, as (1 - z) - z a w: no digits are lost where P is near 1.
//: for T in f32 f64
FN R_$T gamma_complement_$T(R_$T a, R_$T x) {
    R_$T one = C_$T(1), l2, e2, slope2, l = log_of_pair_$T(x, C_$T(0), x - one, C_$T(0), &l2);
    R_$T e = sum_pair_$T(l, -lgamma_slope_pair_$T(a, &slope2), &e2);
    e2 = e2 + (l2 - slope2);
    e = times_$T(e, &e2, a, C_$T(0));
    R_$T less = expm1_$T(e);
    less = FMA(e2, one + less, less);
    return FMA(-FMA(a, less, a), gamma_rest_$T(a, x), -less);
}

// P(a, x), in ``upper`` Q(a, x), and in ``slope`` what both change by with log(x), for positive finite numbers, all
// three times 2^``raise``. B: up to there the lower tail is a series for a < 1, too.
//: for T B H L in f32 0.5 0x1.45f306p-3 0x1.b9391p-28  f64 0.75 0x1.45f306dc9c883p-3 -0x1.6b01ec5417056p-57
FN R_$T gamma_tails_$T(R_$T a, R_$T x, R_$I raise, R_$T *upper, R_$T *slope) {
    R_$T zero = C_$T(0), middle = C_$T(0.5), one = C_$T(1), d2, e2, t, d = sum_pair_$T(x, -a, &d2);
    R_b8 small = LT(a, one), few = LT(a, C_$T(8)), up = GE(x, maximum_$T(a - C_$T(0.33333333333333333333), C_$T($B)));
    R_$T e = poisson_deviance_$T(a, x, zero, d, d2, &e2), deviance = e + e2, rest = poisson_rest_$T(a), value = one;
    R_b8 beside = ~few & LE(deviance, a * middle);
    up = WHERE_b8(beside, GE(d, zero), up);
    R_b8 series = ~beside & ~up, fraction = ~beside & up;
    e = sum_pair_$T(e, WHERE_$T(beside, zero, rest), &t);
    R_$I k;
    R_$T m2, more2, v2, root2, turn = C_$T($H), turn2 = C_$T($L), m = exp_minus_parts_$T(e, e2 + t, &m2, &k);
    R_$T raised = exp2_whole_$T(raise), first = times_exp2_$T(m, k);
    k = k + raise;
    R_$T up_v = product_pair_$T(turn, a, &v2), low_v = turn / a;
    v2 = WHERE_$T(series, (FMA(-low_v, a, turn) + turn2) / a, FMA(turn2, a, v2));
    R_$T root = root_pair_$T(WHERE_$T(series, low_v, up_v), v2, &root2);
    root = WHERE_$T(small, WHERE_$T(series, one, a), root);
    more2 = m2;
    R_$T factor = times_$T(m, &more2, root, WHERE_$T(small, zero, root2)), power = times_exp2_$T(factor, k);
    R_$T value2 = zero, whole = one;
    *slope = WHERE_$T(series, power * a, power);
    if (ANY(beside)) {
        *slope = WHERE_$T(beside, FMA(FMA(rest * rest, exp_tail_$T(-rest), -rest), power, power), *slope);
        factor = WHERE_$T(beside, m, factor);
        more2 = WHERE_$T(beside, m2, more2);
        R_$T deviance2 = (e - deviance) + e2;
        R_$T part = gamma_uniform_$T(a, d, deviance, deviance2, first, &value2, &whole);
        value = WHERE_$T(beside, part, value);
    }
    if (ANY(series)) {
        R_$T part2, part = gamma_series_$T(a, x, &part2);
        value = WHERE_$T(series, part, value);
        value2 = WHERE_$T(series, part2, value2);
    }
    if (ANY(fraction)) {
        R_$T part2, part = gamma_fraction_$T(a, WHERE_$T(fraction, x, C_$T(1e9)), &part2);
        value = WHERE_$T(fraction, part, value);
        value2 = WHERE_$T(fraction, part2, value2);
    }
    factor = times_$T(factor, &more2, value, value2);
    value = times_exp2_$T(factor + more2, k);
    value = WHERE_$T(beside & LT(deviance, C_$T(0.2)), whole * raised, value);
    R_$T other = raised - value;
    R_b8 close = series & small & GT(value, middle * raised);
    if (ANY(close)) {
        other = WHERE_$T(close, gamma_complement_$T(a, x) * raised, other);
        value = WHERE_$T(close, raised - other, value);
    }
    *upper = WHERE_$T(up, value, other);
    return WHERE_$T(up, other, value);
}

// Both tails for all a and x, and the slope, which is 0 at ends. From L on x log(x) may overflow, and the upper one is
// 0 except for an a that is near.
//: for T L in f32 0x1p115  f64 0x1p1000
FN R_$T gamma_pair_$T(R_$T a, R_$T x, R_$T *upper, R_$T *slope) {
    R_$T zero = C_$T(0), one = C_$T(1);
    R_b8 last = EQ(x, INF_$T) | (GE(x, C_$T($L)) & LT(a, x * C_$T(0.5)));
    R_b8 first = EQ(a, zero), positive = GT(a, zero) & GT(x, zero);
    R_b8 valid = GE(a, zero) & GE(x, zero) & ~(first & EQ(x, zero)) & ~(last & EQ(a, INF_$T));
    R_b8 regular = positive & LT(a, INF_$T) & ~last;
    R_$T lower = gamma_tails_$T(WHERE_$T(regular, a, one), WHERE_$T(regular, x, one), C_$I(0), upper, slope);
    R_$T end = WHERE_$T(valid, WHERE_$T(first | last, one, zero), NAN_$T);
    *upper = WHERE_$T(regular, *upper, one - end);
    *slope = WHERE_$T(regular, *slope, zero);
    return WHERE_$T(regular, lower, end);
}

//: for T in f32 f64
FN R_$T gammainc_$T(R_$T a, R_$T x) {
    R_$T upper, slope;
    return gamma_pair_$T(a, x, &upper, &slope);
}

FN R_$T gammaincc_$T(R_$T a, R_$T x) {
    R_$T upper, slope;
    gamma_pair_$T(a, x, &upper, &slope);
    return upper;
}

// Polynomials of two variables, fitted for this library.

//: for T in f32
// exp(D) sqrt(2 pi a) (Q(a, x) - erfc(w sqrt(a / 2)) / 2) for |w| <= 1 and 1 / a = v <= 1/8: 2^-26.
FN R_f32 gamma_beyond_f32(R_f32 w, R_f32 v) {
    const M_f32 c0[9] = {-0x1.36b63ep-19, 0x0p0, 0x1.4cc85ep-15, -0x1.7b2c7ep-13, 0x1.71a274p-12,
        0x1.2f9df8p-10, -0x1.e57354p-7, 0x1.555538p-4, -0x1.555556p-2};
    const M_f32 c1[7] = {-0x1.6f7132p-16, 0x1.40417cp-16, 0x1.b6e3b2p-13, -0x1.07eb64p-10, 0x1.5a9488p-9,
        -0x1.c67e1ap-9, -0x1.e58c88p-10};
    const M_f32 c2[5] = {-0x1.154b92p-13, 0x1.dec04ap-14, 0x1.9d7076p-11, -0x1.67eef8p-9, 0x1.0fffbcp-8};
    const M_f32 c3[3] = {-0x1.2ce77ep-11, 0x1.3c952p-11, 0x1.c0a572p-12};
    R_f32 p0 = C_f32(c0[0]), p1 = C_f32(c1[0]), p2 = C_f32(c2[0]), p3 = C_f32(c3[0]);
    UNROLL for (int k = 1; k < 9; k++) p0 = FMA(p0, w, C_f32(c0[k]));
    UNROLL for (int k = 1; k < 7; k++) p1 = FMA(p1, w, C_f32(c1[k]));
    UNROLL for (int k = 1; k < 5; k++) p2 = FMA(p2, w, C_f32(c2[k]));
    UNROLL for (int k = 1; k < 3; k++) p3 = FMA(p3, w, C_f32(c3[k]));
    R_f32 sum = p3;
    sum = FMA(sum, v, p2);
    sum = FMA(sum, v, p1);
    sum = FMA(sum, v, p0);
    return sum;
}

//: for T in f64
// exp(D) sqrt(2 pi a) (Q(a, x) - erfc(w sqrt(a / 2)) / 2) for |w| <= 1 and 1 / a = v <= 1/8: 2^-55.
FN R_f64 gamma_beyond_f64(R_f64 w, R_f64 v) {
    const M_f64 c0[19] = {-0x1.5247258fed0e6p-39, 0x1.9774fe02fa7bbp-36, -0x1.219fa8f8ce058p-34,
        -0x1.85863035151cep-36, 0x1.fd65f5984bd81p-31, -0x1.2d67e535bd174p-28, 0x1.60355a86b54c8p-27,
        0x1.cd22210f834a4p-28, -0x1.7b5bfa180d2bep-23, 0x1.bd6d04184ac07p-21, -0x1.f1b2593f9cbe5p-20,
        -0x1.25536f554fe1bp-19, 0x1.48c58975caep-15, -0x1.76e06fec3ff64p-13, 0x1.71de3a5477ebep-12,
        0x1.2f684bda0f3f9p-10, -0x1.e573ac901e003p-7, 0x1.5555555555565p-4, -0x1.5555555555556p-2};
    const M_f64 c1[18] = {-0x1.488ea2524cfcep-36, -0x1.cc23c8b5a8facp-36, 0x1.02dbf09172406p-31,
        -0x1.418c351571326p-30, -0x1.e721ba3f7c337p-34, 0x1.a222a98ae5281p-27, -0x1.ed4357542665ep-25,
        0x1.27b3954f34ba9p-23, 0x1.3a431db1b146dp-28, -0x1.b0b8e12ff521bp-20, 0x1.00aa187efe613p-17,
        -0x1.2fa4c3939ef8fp-16, -0x1.af8630ae68e7dp-22, 0x1.af83446fc9576p-13, -0x1.0394f6e8bd172p-10,
        0x1.5ac056af973eep-9, -0x1.c71c71c760d09p-9, -0x1.e573ac90130ccp-10};
    const M_f64 c2[16] = {-0x1.87b9296dbcccap-32, -0x1.9d7e9bd133a27p-31, 0x1.f42d3e25bad43p-28,
        -0x1.049cbdb987c11p-26, -0x1.12e0b53001c49p-29, 0x1.34d75689e951dp-23, -0x1.5122dff0d388cp-21,
        0x1.702ff092a28c3p-20, 0x1.1aa0a6853bf0ap-25, -0x1.ac2ae173eddfep-17, 0x1.bbf5769730f22p-15,
        -0x1.c254060d1e045p-14, 0x1.0dad67866eadbp-19, 0x1.948b1065ab3bcp-11, -0x1.5f7268d12a41ap-9,
        0x1.0ee643b77d97ap-8};
    const M_f64 c3[15] = {0x1.73c7c01ab807fp-29, -0x1.931d12ce892b8p-28, -0x1.5307c21842b45p-26,
        0x1.a312621835ba4p-24, -0x1.6e2511fb35f6p-23, -0x1.cbf52eba94c0bp-26, 0x1.7ee7cb682f9cp-20,
        -0x1.7b14710346542p-18, 0x1.73baceee2f22ep-17, -0x1.11e8741b7af9cp-22, -0x1.3d2736312228ap-14,
        0x1.18bb0c1e07d65p-12, -0x1.ebfb582f5f17cp-12, 0x1.e13c8aac001edp-13, 0x1.547d993af399p-11};
    const M_f64 c4[13] = {0x1.3ce25af77678bp-25, -0x1.5fa2f59801e2p-24, -0x1.ebe5ed7a67791p-23,
        0x1.280da261253acp-20, -0x1.d03535ad649fp-20, -0x1.45815bf710e4dp-22, 0x1.7ffda0b154b47p-17,
        -0x1.4acf43d62c057p-15, 0x1.164ce951b9bb7p-14, -0x1.a60918fe3cb66p-20, -0x1.39921ee4cbcaep-12,
        0x1.9b1288bcc44b6p-11, -0x1.c3e1adfff8419p-11};
    const M_f64 c5[11] = {0x1.ca06a9ec03dd9p-22, -0x1.feb519b47b3bdp-21, -0x1.2419b993256d4p-19,
        0x1.54d65025ebc5fp-17, -0x1.db96873704adp-17, -0x1.3dd998a77fc93p-19, 0x1.208e6bff6f319p-14,
        -0x1.9edaeb4d09004p-13, 0x1.22359f73be03p-12, -0x1.25f9eedd52e03p-14, -0x1.60f259be11717p-12};
    const M_f64 c6[9] = {0x1.1090ff6c9d8fep-18, -0x1.2ac4a8db299b2p-17, -0x1.0fd452de97fap-16,
        0x1.2f52637a1a70bp-14, -0x1.6f99c5f53549dp-14, -0x1.b76a3447e5034p-17, 0x1.220890a436a9ap-12,
        -0x1.340d6cbc4411ap-11, 0x1.14bd0e41192cp-11};
    const M_f64 c7[7] = {0x1.00882e3756362p-15, -0x1.0c89f08df2162p-14, -0x1.70a4239221e3ap-14,
        0x1.7fa471cfe424p-12, -0x1.878b746cdd7a1p-12, 0x1.7b7d5aca5702fp-17, 0x1.9098554d1985p-12};
    const M_f64 c8[5] = {0x1.64c002f51d2aap-13, -0x1.541d409a81d1dp-12, -0x1.400e388087b3ep-12,
        0x1.1b83fb2065292p-10, -0x1.d9f8d4b00d23ap-11};
    const M_f64 c9[3] = {0x1.49265bfbdc852p-11, -0x1.07bcfc46b4e64p-10, 0x1.6278310b9e3dp-12};
    R_f64 p0 = C_f64(c0[0]), p1 = C_f64(c1[0]), p2 = C_f64(c2[0]), p3 = C_f64(c3[0]), p4 = C_f64(c4[0]), p5 = C_f64(c5[0]), p6 = C_f64(c6[0]), p7 = C_f64(c7[0]), p8 = C_f64(c8[0]), p9 = C_f64(c9[0]);
    UNROLL for (int k = 1; k < 19; k++) p0 = FMA(p0, w, C_f64(c0[k]));
    UNROLL for (int k = 1; k < 18; k++) p1 = FMA(p1, w, C_f64(c1[k]));
    UNROLL for (int k = 1; k < 16; k++) p2 = FMA(p2, w, C_f64(c2[k]));
    UNROLL for (int k = 1; k < 15; k++) p3 = FMA(p3, w, C_f64(c3[k]));
    UNROLL for (int k = 1; k < 13; k++) p4 = FMA(p4, w, C_f64(c4[k]));
    UNROLL for (int k = 1; k < 11; k++) p5 = FMA(p5, w, C_f64(c5[k]));
    UNROLL for (int k = 1; k < 9; k++) p6 = FMA(p6, w, C_f64(c6[k]));
    UNROLL for (int k = 1; k < 7; k++) p7 = FMA(p7, w, C_f64(c7[k]));
    UNROLL for (int k = 1; k < 5; k++) p8 = FMA(p8, w, C_f64(c8[k]));
    UNROLL for (int k = 1; k < 3; k++) p9 = FMA(p9, w, C_f64(c9[k]));
    R_f64 sum = p9;
    sum = FMA(sum, v, p8);
    sum = FMA(sum, v, p7);
    sum = FMA(sum, v, p6);
    sum = FMA(sum, v, p5);
    sum = FMA(sum, v, p4);
    sum = FMA(sum, v, p3);
    sum = FMA(sum, v, p2);
    sum = FMA(sum, v, p1);
    sum = FMA(sum, v, p0);
    return sum;
}

// Student's t distribution with v = 2 p degrees of freedom. Its tail T beyond t > 0 is I(p, p, w) / 2, where with s = t
// / sqrt(v + t^2) w is (1 - s) / 2, and 1/2 - T is that of the square of s (DLMF 8.17.6 and 8.17.21 with 15.8.4).
//
// With L = log(1 + t^2 / v) both are exp(-p L) times a number of moderate size: a hypergeometric series of w for the
// tail, or of s^2 for the rest where that is the smaller one. For p >= 8 and L <= 1 there is a uniform expansion as in
// DLMF 8.18(ii), of parameters that are equal: T is erfc(sqrt(p L)) / 2 and exp(-p L) sqrt(L / p) times a smooth
// function of L and 1 / p.

// The sum of (b)_n / (c)_n x^n, with ``count`` parts that count, as one quotient; see gamma_series_$T.
//: for T in f32 f64
FN R_$T ratio_series_$T(R_$T b, R_$T c, R_$T x, int count, R_$T *tail) {
    R_$T above = C_$T(1), below = above, unit = power_below_$T(maximum_$T(c * C_$T(0.5), above)), first = b * unit;
    R_$T last = c * unit;
    for (int k = count - 1; k >= 0; k--) {
        below = FMA(unit, C_$T(k), last) * below;
        above = FMA(x * FMA(unit, C_$T(k), first), above, below);
    }
    return quotient_pair_$T(above, C_$T(0), below, tail);
}

// L, and in ``u`` t^2 / v, in ``sum`` 1 + t^2 / v.
//: for T in f32 f64
FN R_$T student_log_$T(R_$T v, R_$T t, R_$T *u, R_$T *u2, R_$T *sum, R_$T *sum2, R_$T *tail) {
    R_$T t2, square = product_pair_$T(t, t, &t2);
    *u = quotient_pair_$T(square, t2, v, u2);
    *sum = sum_pair_$T(C_$T(1), *u, sum2);
    *sum2 = *sum2 + *u2;
    return log_of_pair_$T(*sum, *sum2, *u, *u2, tail);
}

// T, in ``center`` 1/2 - T, and in ``slope`` its derivative by log(t), for positive v and t >= 0, both finite; all
// three times 2^``raise``. Beyond 2^K t is divided by a power of two, and L is larger by its square's logarithm: 1 does
// not count against t^2 / v, or T is 0. H and L: log(2). S and D: up to there 1/2 - T is a series; beyond T is small
// enough. N: parts of the series.
//: for T K S D N H L in f32 20 0.7 0.6 30 0x1.62e4p-1 0x1.7f7d1cp-20  f64 36 0.7 0.6 54 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T student_tail_$T(R_$T v, R_$T t, R_$I raise, R_$T *center, R_$T *slope) {
    R_$T zero = C_$T(0), middle = C_$T(0.5), one = C_$T(1), k, l2, more2, p2, m = split_$T(t, &k);
    R_b8 far = GT(t, C_$T(0x1p$K));
    R_$T twice = WHERE_$T(far, k + k - C_$T(2 * $K), zero), size = WHERE_$T(far, m * C_$T(0x1p$K), t), p = v * middle;
    R_$T u, u2, sum, sum2, l = student_log_$T(v, size, &u, &u2, &sum, &sum2, &l2);
    l = sum_pair_$T(l, twice * C_$T($H), &more2);
    l = sum_pair_$T(l, FMA(twice, C_$T($L), more2 + l2), &l2);
    R_$T e = product_pair_$T(p, l, &p2), s = size / SQRT(v * sum);
    R_$I power_of_2;
    p2 = FMA(p, l2, p2);
    R_$T m2, power = exp_minus_parts_$T(e, p2, &m2, &power_of_2), raised = exp2_whole_$T(raise);
    R_$T first = times_exp2_$T(power, power_of_2), factor2 = m2, ratio2, v2, x2, root2, value2;
    power_of_2 = power_of_2 + raise;
    R_$T ratio = half_ratio_pair_$T(one / (p + one) - middle, &ratio2);
    R_$T factor = times_$T(power, &factor2, ratio, ratio2);
    R_b8 inner = LT(s, C_$T($S)) & LT(e, C_$T($D)), beside = GE(p, C_$T(8)) & LE(l, one);
    R_$T v1 = sum_pair_$T(v, one, &v2), unit = WHERE_$T(inner, v1 * middle, v), outer = middle / (sum * (one + s));
    R_$T series = ratio_series_$T(unit, WHERE_$T(inner, C_$T(1.5), p + one), WHERE_$T(inner, u / sum, outer), $N, &value2);
    *slope = times_exp2_$T(factor, power_of_2) * (size * SQRT((v + v) / (v1 * sum)));
    v1 = times_$T(v1, &v2, WHERE_$T(inner, sum, one), WHERE_$T(inner, sum2, zero));
    R_$T x = quotient_pair_$T(WHERE_$T(inner, v, one), zero, v1, &x2);
    R_$T root = root_pair_$T(x + x, C_$T(2) * FMA(-x, v2 / v1, x2), &root2);
    root = times_$T(root, &root2, WHERE_$T(inner, size, one), zero);
    factor = times_$T(factor, &factor2, root, root2);
    factor = times_$T(factor, &factor2, series, value2);
    R_$T value = times_exp2_$T(factor + factor2, power_of_2);
    R_$T tail = WHERE_$T(inner, middle * raised - value, value), rest = WHERE_$T(inner, value, middle * raised - value);
    if (ANY(beside)) {
        R_$T z = SQRT(e), more = SQRT(l / p) * student_beyond_$T(l, one / p), below = WHERE_$T(GT(z, zero), z, one);
        R_$T z2 = (FMA(-z, z, e) + p2) / below, erfcx = erfcx_near_$T(z), more2;
        R_$T near = FMA(FMA(z, erf_tail_$T(z * z), z), middle, -first * more);
        R_$T part = sum_pair_$T(erfcx * middle, more, &more2);
        more2 = FMA(z2 * middle, FMA(z, erfcx, C_$T(-0.56418958354775628695)), more2);
        R_$T product = times_$T(power, &m2, part, more2), whole = times_exp2_$T(product + m2, power_of_2);
        whole = WHERE_$T(LT(z, C_$T(0.45)), (middle - near) * raised, whole);
        tail = WHERE_$T(beside, whole, tail);
        rest = WHERE_$T(beside, WHERE_$T(LT(z, one), near * raised, middle * raised - whole), rest);
    }
    *center = rest;
    return tail;
}

// sqrt(p + 1/2) Gamma(p + 1/2) / (2 sqrt(pi) Gamma(p + 1)) with m = 1 / (p + 1) - 1/2. H and L: that of p = 1,
// (3/32)^(1/2).
//: for T H L in f32 0x1.3988e2p-2 -0x1.7edbdap-27  f64 0x1.3988e1409212ep-2 0x1.f40c86450c869p-56
FN R_$T half_ratio_pair_$T(R_$T m, R_$T *tail) {
    R_$T ratio = sum_pair_$T(C_$T($H), half_ratio_rest_$T(m) * m, tail);
    *tail = *tail + C_$T($L);
    return ratio;
}

FN R_$T half_ratio_$T(R_$T m) { return FMA(half_ratio_rest_$T(m), m, C_$T($H)); }

// Where v is smaller than 2^-S T is 1/2, and beyond 2^B it is that of the normal distribution.
//: for T S B in f32 80 40  f64 600 300
FN R_$T degrees_$T(R_$T v) {
    R_$T least = C_$T(0x1p-$S), most = C_$T(0x1p$B);
    return WHERE_$T(GT(v, most), most, WHERE_$T(GT(v, least), v, least));
}

//: for T in f32 f64
FN R_$T stdtr_$T(R_$T v, R_$T t) {
    R_$T one = C_$T(1), size = ABS(t), center, slope;
    R_b8 finite = LT(size, INF_$T);
    R_$T tail = student_tail_$T(degrees_$T(v), WHERE_$T(finite, size, one), C_$I(0), &center, &slope);
    tail = WHERE_$T(GT(v, C_$T(0)) & EQ(t, t), WHERE_$T(finite, tail, C_$T(0)), NAN_$T);
    return WHERE_$T(GT(t, C_$T(0)), one - tail, tail);
}

// L where T is q and v <= 1, except for log(F) / p, F the series for the tail: T is exp(-p L) F Gamma(p + 1/2) / (2
// sqrt(pi) Gamma(p + 1)), where gamma functions of p + 1/2 are those of 2 p and p (DLMF 5.5.5). H and L: log(4).
//: for T H L in f32 0x1.62e43p0 -0x1.05c61p-28  f64 0x1.62e42fefa39efp0 0x1.abc9e3b39803fp-55
FN R_$T student_level_$T(R_$T v, R_$T q, R_$T *tail) {
    R_$T a2, b2, c2, d2, l2, p = v * C_$T(0.5), one = C_$T(1), twice = q + q;
    R_$T l = log_of_pair_$T(twice, C_$T(0), twice - one, C_$T(0), &l2), share = quotient_pair_$T(-l, -l2, p, &l2);
    R_$T a = lgamma_slope_pair_$T(v, &a2), b = lgamma_slope_pair_$T(p, &b2), gap = sum_pair_$T(a, -b, &d2);
    R_$T level = sum_pair_$T(gap + gap, C_$T(-$H), &c2), sum = sum_pair_$T(share, level, tail);
    *tail = *tail + (l2 + (c2 + (C_$T(2) * (d2 + (a2 - b2)) - C_$T($L))));
    return sum;
}

// By Halley's method over log(t), for the logarithm of T, or above 1/4 for that of 1/2 - T. The first guess of L is by
// the normal distribution (D. L. Wallace, Bounds on normal approximations to Student's and the chi-square
// distributions, 1959), far outside by the first term of the series. Where v <= 1, the last step is made without the
// logarithm of T, which would be divided by v; from L = M on F is 1. N: parts of the series. E as in gamma_root_$T, and
// R.
//: for T E R M N in f32 0x1p-9 0x1p-18 18 12  f64 0x1p-18 0x1p-36 38 24
FN R_$T stdtrit_$T(R_$T v, R_$T p) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), n = degrees_$T(v), center, slope, c2 = zero, root2, t2;
    R_b8 inside = GT(p, zero) & LT(p, one), low = LT(p, middle), regular = inside & GT(v, zero) & NE(p, middle);
    R_$T q = WHERE_$T(regular, WHERE_$T(low, p, one - p), C_$T(0.125)), rest = middle - q, half_n = n * middle;
    R_b8 inner = GT(q, C_$T(0.25)), slight = LE(n, one);
    R_$T g = C_$T(2.50662827463100050242) * rest, z = FMA(g * g, g * C_$T(0.16666666666666666667), g);
    z = WHERE_$T(inner, z, normal_guess_$T(q)) * (FMA(n, C_$T(8), C_$T(3)) / FMA(n, C_$T(8), one));
    R_$T factor = half_ratio_$T(one / (half_n + one) - middle) / SQRT((n + one) * middle), l = z * (z / n);
    R_$T last = (log_$T(factor) - log_$T(q)) / half_n, c = zero, up_rate = one;
    if (ANY(slight)) c = student_level_$T(WHERE_$T(slight, n, one), q, &c2);
    last = WHERE_$T(slight, c, last);
    l = WHERE_$T(GT(last, C_$T(1.5)), last, l);
    R_$T t = SQRT(n) * SQRT(WHERE_$T(LT(l, one), expm1_$T(l), -expm1_$T(-l) * exp_$T(l * middle)));
    t = WHERE_$T(LT(l, one), t, t * SQRT(exp_$T(l * middle)));
    R_b8 settled = slight & GT(c, C_$T($M));
    if (ANY(settled)) {
        R_$I k;
        R_$T power = exp_minus_parts_$T(c * C_$T(-0.5), c2 * C_$T(-0.5), &t2, &k), root = root_pair_$T(n, zero, &root2);
        power = times_$T(power, &t2, root, root2);
        t = WHERE_$T(settled, times_exp2_$T(power + t2, k), t);
    }
    R_b8 more = regular & ~settled & LT(t, INF_$T);
    R_$I raise = raise_$T(q);
    R_$T goal = WHERE_$T(inner, rest, q * exp2_whole_$T(raise));
    for (int trial = 0; trial < 24 && ANY(more); trial++) {
        R_$T tail = student_tail_$T(n, WHERE_$T(more, t, one), raise, &center, &slope);
        R_$T ratio = t / SQRT(n), bent = ratio / (one / ratio + ratio), curve = FMA(-(n + one) / n, bent * n, one), rate;
        R_$T part = WHERE_$T(inner, center, tail), sloped = WHERE_$T(inner, slope, -slope);
        R_$T step = tail_step_$T(part, goal, sloped, curve, &rate);
        up_rate = WHERE_$T(more, slope / (tail * bent), up_rate);
        step = WHERE_$T(LT(step, C_$T(3)), WHERE_$T(GT(step, C_$T(-3)), step, C_$T(-3)), C_$T(3));
        t = WHERE_$T(more, FMA(t, expm1_$T(step), t), t);
        more = more & GT(ABS(step) * maximum_$T(one, ABS(rate)), C_$T($E)) & LT(t, INF_$T);
    }
    R_b8 near = regular & slight & ~settled & GT(t * t, n * middle);
    for (int trial = 0; trial < 6 && ANY(near); trial++) {
        R_$T u, u2, sum, sum2, l2, exact = student_log_$T(n, t, &u, &u2, &sum, &sum2, &l2), d2, above = half_n + one;
        R_$T x = middle / (sum * (one + t / SQRT(n * sum))), share = u / sum, d = sum_pair_$T(c, -exact, &d2);
        R_$T others = x * (n / above) * ratio_series_$T(n + one, above + one, x, $N, &u2);
        d = FMA(d + (d2 + (c2 - l2)), half_n, log1p_$T(others)) / (up_rate * share);
        t = WHERE_$T(near, FMA(t, expm1_$T(d), t), t);
        near = near & GT(ABS(d), C_$T($R));
    }
    R_$T end = WHERE_$T(EQ(p, zero), -INF_$T, WHERE_$T(EQ(p, one), INF_$T, NAN_$T));
    end = WHERE_$T(EQ(p, middle), zero, end);
    return WHERE_$T(regular, WHERE_$T(low, -t, t), WHERE_$T(GT(v, zero), end, NAN_$T));
}

// Polynomials, fitted so that the largest relative error of the whole function is least.

//: for T in f32
// exp(p L) sqrt(p / L) (T - erfc(sqrt(p L)) / 2) over w = L <= 1 and v = 1 / p <= 1/8: 2^-28.
FN R_f32 student_beyond_f32(R_f32 w, R_f32 v) {
    const M_f32 c0[5] = {0x1.cfa8cp-17, -0x1.b60daep-16, -0x1.81969ep-11, 0x1.812cdep-9, 0x1.20dd72p-4};
    const M_f32 c1[4] = {0x1.faa6b2p-15, 0x1.6ffab8p-18, -0x1.215c58p-9, -0x1.20d2bep-8};
    const M_f32 c2[3] = {0x1.a29b4cp-13, 0x1.686b08p-15, -0x1.6b8c34p-9};
    const M_f32 c3[2] = {0x1.04b51ap-11, 0x1.2f8d78p-11};
    R_f32 p0 = C_f32(c0[0]), p1 = C_f32(c1[0]), p2 = C_f32(c2[0]), p3 = C_f32(c3[0]);
    UNROLL for (int k = 1; k < 5; k++) p0 = FMA(p0, w, C_f32(c0[k]));
    UNROLL for (int k = 1; k < 4; k++) p1 = FMA(p1, w, C_f32(c1[k]));
    UNROLL for (int k = 1; k < 3; k++) p2 = FMA(p2, w, C_f32(c2[k]));
    UNROLL for (int k = 1; k < 2; k++) p3 = FMA(p3, w, C_f32(c3[k]));
    R_f32 sum = p3;
    sum = FMA(sum, v, p2);
    sum = FMA(sum, v, p1);
    sum = FMA(sum, v, p0);
    return sum;
}

// (half_ratio_pair_$T - H) / m: 2^-24 of the whole.
FN R_f32 half_ratio_rest_f32(R_f32 m) {
    const M_f32 c[12] = {0x1.d78f2p-12, 0x1.7fc1aap-11, 0x1.78d29p-11, 0x1.343914p-10, 0x1.082b08p-9,
        0x1.956b3cp-9, 0x1.515e5p-8, 0x1.11a496p-7, 0x1.b79efep-7, 0x1.8a7accp-6, 0x1.5ef408p-5, 0x1.09ae92p-4};
    R_f32 p = C_f32(c[0]);
    UNROLL for (int k = 1; k < 12; k++) p = FMA(p, m, C_f32(c[k]));
    return p;
}

//: for T in f64
// exp(p L) sqrt(p / L) (T - erfc(sqrt(p L)) / 2) over w = L <= 1 and v = 1 / p <= 1/8: 2^-55.
FN R_f64 student_beyond_f64(R_f64 w, R_f64 v) {
    const M_f64 c0[11] = {-0x1.e9e9108a788edp-34, -0x1.16ec86ceb5aa5p-34, 0x1.f1f0c6818871ap-28,
        -0x1.8bdcb44f68d26p-28, -0x1.501e98ba2c2ccp-22, 0x1.82550b4d60318p-22, 0x1.e7dc7e0e6225ep-17,
        -0x1.ce2f22d8823bfp-16, -0x1.812746af9688cp-11, 0x1.812746b0368e1p-9, 0x1.20dd750429b6ep-4};
    const M_f64 c1[11] = {0x1.fcffa593f449ep-33, -0x1.365dfe418bbb5p-29, 0x1.d75c14dbf4c0dp-31,
        0x1.febfff9d9b1f4p-25, -0x1.0ef8564f75154p-29, -0x1.1743b489d418ap-19, 0x1.5b5e26f249babp-23,
        0x1.20dd72ef02893p-14, -0x1.341f6bc411296p-18, -0x1.20dd7503de15dp-9, -0x1.20dd75042a422p-8};
    const M_f64 c2[10] = {0x1.542795be2f00dp-29, -0x1.737cf181421dcp-26, 0x1.0793d12ffa9b7p-27,
        0x1.dbd4309f1db21p-22, -0x1.571be3b9dbd9p-27, -0x1.7c2bbd9835413p-17, 0x1.1322bf0b91daap-21,
        0x1.ed7a5f3985f79p-13, 0x1.8127065b7fb8cp-17, -0x1.6914d2438a80bp-9};
    const M_f64 c3[9] = {0x1.969cd4ac1217bp-26, -0x1.8ae5cc62ca7c8p-23, 0x1.d2bc5bb737208p-25,
        0x1.8389f7f76dbe2p-19, 0x1.38505ea2c7988p-27, -0x1.acc03c464d479p-15, -0x1.e331e5a1b7139p-20,
        0x1.3bf283c510d7dp-11, 0x1.7b22a3c0b45afp-12};
    const M_f64 c4[8] = {0x1.ac78b8b4eb5ecp-23, -0x1.6e1b446d66fd7p-20, 0x1.44eaaa3de4f3bp-22,
        0x1.0bb08da9a89c7p-16, -0x1.13954996c2a07p-23, -0x1.75bf9f62ff6a2p-13, -0x1.b0d3d0ab4c76dp-18,
        0x1.c239c2b104366p-11};
    const M_f64 c5[7] = {0x1.897da0c0a8983p-20, -0x1.22b052c5b5e9bp-17, 0x1.2d058bffe199cp-20,
        0x1.3873efb6c7762p-14, -0x1.70f46a76fa2ddp-19, -0x1.d69bb46f13471p-12, -0x1.ead5bff4ba03bp-14};
    const M_f64 c6[6] = {0x1.355d232eec233p-17, -0x1.81b4eb9dc3d45p-15, -0x1.2df3565eefbe2p-16,
        0x1.33ae12b73f181p-12, -0x1.348b730539de5p-16, -0x1.5967b341ed9d8p-11};
    const M_f64 c7[5] = {0x1.9727f9032544dp-15, -0x1.9727f9032544dp-14, -0x1.e111543090ba8p-13,
        0x1.a3713ff07e543p-11, 0x1.f554cd4809d94p-15};
    const M_f64 c8[2] = {-0x1.72a45ffc7e6bp-11, 0x1.2e3768307349cp-10};
    const M_f64 c9[1] = {-0x1.18e1b5d847707p-10};
    R_f64 p0 = C_f64(c0[0]), p1 = C_f64(c1[0]), p2 = C_f64(c2[0]), p3 = C_f64(c3[0]), p4 = C_f64(c4[0]), p5 = C_f64(c5[0]), p6 = C_f64(c6[0]), p7 = C_f64(c7[0]), p8 = C_f64(c8[0]), p9 = C_f64(c9[0]);
    UNROLL for (int k = 1; k < 11; k++) p0 = FMA(p0, w, C_f64(c0[k]));
    UNROLL for (int k = 1; k < 11; k++) p1 = FMA(p1, w, C_f64(c1[k]));
    UNROLL for (int k = 1; k < 10; k++) p2 = FMA(p2, w, C_f64(c2[k]));
    UNROLL for (int k = 1; k < 9; k++) p3 = FMA(p3, w, C_f64(c3[k]));
    UNROLL for (int k = 1; k < 8; k++) p4 = FMA(p4, w, C_f64(c4[k]));
    UNROLL for (int k = 1; k < 7; k++) p5 = FMA(p5, w, C_f64(c5[k]));
    UNROLL for (int k = 1; k < 6; k++) p6 = FMA(p6, w, C_f64(c6[k]));
    UNROLL for (int k = 1; k < 5; k++) p7 = FMA(p7, w, C_f64(c7[k]));
    UNROLL for (int k = 1; k < 2; k++) p8 = FMA(p8, w, C_f64(c8[k]));
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

// 2^-53.
FN R_f64 half_ratio_rest_f64(R_f64 m) {
    const M_f64 c[22] = {0x1.4309affb931b8p-15, 0x1.7855ec1fd3392p-17, -0x1.e96496b692913p-15,
        0x1.725b5c34f6ba2p-15, 0x1.b737ed68f4223p-15, 0x1.2f994f9c1dae8p-17, 0x1.195d8e7ce699ep-14,
        0x1.35f6d887a09a6p-14, 0x1.248757abf5141p-13, 0x1.ba411c73e5d7ep-13, 0x1.3dfb7b898c505p-12,
        0x1.1400074f8953cp-11, 0x1.92b3c591d7e88p-11, 0x1.460b7a3e051e4p-10, 0x1.0729be83c7fbfp-9,
        0x1.940ba0a63e175p-9, 0x1.5167dde1197e7p-8, 0x1.11ab182768a2fp-7, 0x1.b79ed7240e4cap-7,
        0x1.8a7ab12b7ed6p-6, 0x1.5ef40875a8565p-5, 0x1.09ae918c54652p-4};
    R_f64 p = C_f64(c[0]);
    UNROLL for (int k = 1; k < 22; k++) p = FMA(p, m, C_f64(c[k]));
    return p;
}

//: for T in f16 bf16 for N in stdtr stdtrit
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

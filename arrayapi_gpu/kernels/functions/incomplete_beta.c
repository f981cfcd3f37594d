// The incomplete beta functions: factors as in incomplete.c, times a continued fraction, or, where that takes long, an
// integral of a convex function's exponential. Of x and 1 - x, y and 1 - y come in two registers each.

// The quadrature: of exp(-h(v)) from 0 on to where it no longer counts. h is convex and h(0) = 0.

// exp(v) - 1 - v for |v| <= 9, doubled twice from a quarter of v: exp(2u) - 1 - 2u is (exp(u) - 1)^2 + 2 (exp(u) -
// 1 - u).
//: for T in f32 f64
FN R_$T exp_rest_$T(R_$T v, R_$T *power_less_one) {
    R_$T u = v * C_$T(0.25), rest = u * u * exp_rest_tail_$T(u), less = u + rest;
    rest = FMA(less, less, rest + rest);
    less = FMA(C_$T(2), u, rest);
    rest = FMA(less, less, rest + rest);
    *power_less_one = v + rest;
    return rest;
}

// r - log(1 + r) for r > -1. See without_log_$T.
FN R_$T log1p_rest_$T(R_$T r) {
    R_$T k, one = C_$T(1), m = split_$T(one + r, &k), f = WHERE_$T(EQ(k, C_$T(0)), r, m - one);
    R_$T s = f / (C_$T(2) + f), w = s * s, series = FMA(w, atanh_tail_$T(w), C_$T(0.33333333333333333333));
    return s * FMA(C_$T(-2) * w, series, f) + FMA(k, C_$T(-0.69314718055994530942), r - f);
}

// Beta: t / (1 - t) = x / (1 - x) exp(-v) makes t^a (1 - t)^b dt / (t (1 - t)) the exponential of -h,
// h = a v + (a + b) log(1 - x + x exp(-v)). With p the smaller of x and 1 - x, and sign -1 where it is x, that is
// c v + s (p (exp(sign v) - 1 - sign v) - (r - log(1 + r))), r = p (exp(sign v) - 1), s = a + b, c = a - s x.
FN R_$T beta_height_$T(R_$T v, R_$T c, R_$T c2, R_$T s, R_$T p, R_$T p2, R_$T sign, R_$T *slope) {
    R_$T e, rest = exp_rest_$T(sign * v, &e), r = p * e;
    *slope = c + s * p * (C_$T(1) - p) * ABS(e) / (C_$T(1) + r);
    return FMA(c, v, FMA(c2, v, s * FMA(p, rest, FMA(p2, rest, -log1p_rest_$T(r)))));
}

// H: exp(-H) counts no more. N: nodes. Gauss and Legendre's rule: its error is below the last bit for all
// parameters that come here. The width is found by Newton's method, which never ends below it, since h is convex.
//: for T H N in f32 18 14  f64 39 32
FN R_$T beta_integral_$T(R_$T c, R_$T c2, R_$T s, R_$T p, R_$T p2, R_$T sign, R_$T *tail) {
    R_$T slope, many = C_$T($H) / (s * p * (C_$T(1) - WHERE_$T(LT(p, C_$T(1)), p, C_$T(0)))), root = SQRT(many + many);
    R_$T v = WHERE_$T(GT(sign, C_$T(0)), log1p_$T(many + root), root), flat = C_$T($H) / c;
    v = WHERE_$T(GT(c, C_$T(0)) & LT(flat, v), flat, v);
    for (int k = 0; k < 2; k++) {
        R_$T height = beta_height_$T(v, c, c2, s, p, p2, sign, &slope);
        v = v - (height - C_$T($H)) / slope;
    }
    R_$T sum = C_$T(0), lost = sum;
    for (int k = $N - 1; k >= 0; k--) {
        R_$T height = beta_height_$T(v * C_$T(node_$T(k)), c, c2, s, p, p2, sign, &slope);
        R_$T weight = C_$T(weight_$T(k)), power = exp_$T(-height), next = FMA(weight, power, sum);
        lost = lost + FMA(weight, power, sum - next);
        sum = next;
    }
    *tail = lost;
    return times_$T(sum, tail, v, C_$T(0));
}

// I(p, r, y) B(p, r) / (y^p (1 - y)^r), times p where p < 1: the even part of DLMF 8.17.22, as A. R. Didonato and A. H.
// Morris have it (Algorithm 708, 1992), times what makes its terms polynomials. From its end on, so that errors shrink.
// ``c``: p - (p + r) y. L + sqrt(p) (...) steps count, which was measured where y is as large as it gets.
//: for T L A B D E in f32 6 4 1.6 1.1 1.1  f64 11 12 4.2 3.25 1.85
FN R_$T beta_fraction_$T(R_$T p, R_$T r, R_$T y, R_$T y2, R_$T z, R_$T c, R_$T c2, R_$T *tail) {
    R_$T zero = C_$T(0), one = C_$T(1), inverse = zero, s2, f2, g2, h2, t2, x2, s = sum_pair_$T(p, r, &s2);
    R_$T c1 = sum_pair_$T(c, one, &f2), z1 = z + one;
    R_$T rate = maximum_$T(FMA(r, C_$T(-$B), C_$T($A)), WHERE_$T(LT(r, C_$T(5)), C_$T($D), C_$T($E)));
    for (R_$T n = FLOOR(FMA(SQRT(p), rate, C_$T($L))); ANY(GT(n, zero)); n = n - one) {
        R_$T q = p + n, twice = q + n, below = twice - one, above = twice + one, g = (r - n) * y;
        R_$T term = q * ((s + n) * y) * ((n + one) * (g - y)) * (below * (twice + C_$T(3)));
        R_$T first = FMA(above, n * (below + g), below * (q * FMA(n, z1, c1)));
        inverse = WHERE_$T(GT(n, zero), one / FMA(term, inverse, first), inverse);
    }
    R_$T g = sum_pair_$T(r, -one, &g2), h = sum_pair_$T(p, C_$T(3), &h2), top = sum_pair_$T(p, one, &t2);
    s = times_$T(s, &s2, y, y2);
    g = times_$T(g, &g2, y, y2);
    h = times_$T(h, &h2, inverse, zero);
    s = times_$T(s, &s2, g, g2);
    s = times_$T(s, &s2, h, h2);
    R_$T below = sum_pair_$T(c1, s, &x2);
    x2 = x2 + (s2 + (f2 + c2));
    below = times_$T(below, &x2, maximum_$T(p, one), zero);
    R_$T share = one / below, quotient = top * share;
    *tail = (FMA(-quotient, below, top) + FMA(-quotient, x2, t2)) * share;
    return quotient;
}

// (log Gamma(b + a) - log Gamma(b)) / a - log b for 0 < a < 1, b >= S: Stirling's series, whose terms' divided
// differences are sums of products, without cancellation.
//: for T in f32 f64
FN R_$T gamma_ratio_$T(R_$T a, R_$T b) {
    R_$T one = C_$T(1), p = one / b, q = one / (b + a), u = a * p, h = one, w = p * p;
    R_$T slope = WHERE_$T(GT(u, C_$T(0x1p-60)), log1p_$T(u) / u, one);
    R_$T lost = WHERE_$T(GT(u, C_$T(0x1p-60)), -log1p_rest_$T(u) / u, C_$T(0));
    R_$T sum = C_$T(0.08333333333333333333), v = q * q;
    h = w + p * q + v;
    sum = FMA(h, C_$T(-0.00277777777777777778), sum);
    h = FMA(h, v, (p * q + w) * w);
    sum = FMA(h, C_$T(0.00079365079365079365), sum);
    h = FMA(h, v, (p * q + w) * w * w);
    sum = FMA(h, C_$T(-0.00059523809523809524), sum);
    h = FMA(h, v, (p * q + w) * w * w * w);
    sum = FMA(h, C_$T(0.00084175084175084175), sum);
    h = FMA(h, v, (p * q + w) * w * w * w * w);
    sum = FMA(h, C_$T(-0.00191752691752691753), sum);
    return lost + (slope * (a - C_$T(0.5)) * p - p * q * sum);
}

// log(z / y^p) is p (log(b) + the result) - shift, where z = y^p / (p B(p, r)), p < 1. For b = r + S, or r where
// that is large: Gamma(r + p) / Gamma(r) times the product of 1 + p / (r + k) for k < S is that of b. ``shift``, the
// product's logarithm, is in two registers, since who wants log(y) divides by p: the first factor may be large, the
// product of the others less 1 is a quotient. ``g``: the product less 1.
//: for T S in f32 8  f64 16
FN R_$T beta_ratio_$T(R_$T p, R_$T r, R_$T *b, R_$T *b2, R_$T *shift, R_$T *shift2, R_$T *g, R_$T *g2) {
    R_$T zero = C_$T(0), one = C_$T(1), part2, rest2, s2, t2, v2;
    R_$T above = zero, above2 = zero, below = one, below2 = zero;
    R_b8 low = LT(r, C_$T($S));
    *shift = *shift2 = *g = *g2 = zero;
    *b = sum_pair_$T(r, WHERE_$T(low, C_$T($S), zero), b2);
    if (ANY(low)) {
        for (int k = $S - 1; k > 0; k--) {
            R_$T base = r + C_$T(k), base2 = r - (base - C_$T(k)), next = base + p, next2 = base2 + (p - (next - base));
            R_$T less2 = below2, less = times_$T(below, &less2, p, zero), first = times_$T(above, &above2, next, next2);
            above = first + less;
            above2 = above2 + (less2 + (less - (above - first)));
            below = times_$T(below, &below2, base, base2);
        }
        R_$T rest = quotient_pair_$T(above, above2, below, &rest2), part = quotient_pair_$T(p, zero, r, &part2);
        rest2 = FMA(-rest, below2 / below, rest2);
        R_$T more = sum_pair_$T(one, part, &s2);
        rest = times_$T(rest, &rest2, more, s2 + part2);
        R_$T u = sum_pair_$T(part, rest, &s2), u2 = s2 + (part2 + rest2), sum = sum_pair_$T(one, u, &t2);
        R_$T y = -without_log_$T(zero, zero, sum, t2 + u2, u, u2, &v2);
        *g = WHERE_$T(low, u, zero);
        *g2 = WHERE_$T(low, u2, zero);
        *shift = WHERE_$T(low, y, zero);
        *shift2 = WHERE_$T(low, -v2, zero);
    }
    return gamma_ratio_$T(p, *b);
}

// The sum w of (1 - r)_n y^n / (n! (p + n)) from n = 1 on: I(p, r, y) is z (1 + p w), DLMF 8.17.7. From its end on. y
// is at most 0.6 if r < 1, and y r is at most 2/3 otherwise. M, L: the number of terms that count, N at most.
//: for T M L N in f32 9.2 10 40  f64 19.5 19 80
FN R_$T beta_rest_$T(R_$T p, R_$T r, R_$T y) {
    R_$T one = C_$T(1), sum = C_$T(0), yr = y * r;
    R_$T count = maximum_$T(C_$T($M) * ((one + y) / (one - y)), C_$T($L));
    for (int k = $N; k > 0; k--) {
        R_b8 more = LE(C_$T(k), count);
        if (ANY(more)) {
            R_$T next = FMA(FMA(-yr, one / C_$T(k + 1), y), sum, one / (p + C_$T(k)));
            sum = WHERE_$T(more, next, sum);
        }
    }
    return y * (one - r) * sum;
}

// I(r, p, 1 - y) for p < 1, as (1 - z) - z p w: no digits are lost where I(p, r, y) is near 1.
//: for T in f32 f64
FN R_$T beta_complement_$T(R_$T p, R_$T r, R_$T y, R_$T y2) {
    R_$T zero = C_$T(0), one = C_$T(1), b, b2, shift, shift2, g, g2, slope2, t2, u2, l2, c2, e2;
    R_$T ratio = beta_ratio_$T(p, r, &b, &b2, &shift, &shift2, &g, &g2), slope = lgamma_slope_pair_$T(p, &slope2);
    R_$T t = times_$T(y, &y2, b, b2), u = sum_pair_$T(t, -one, &u2);
    R_$T l = sum_pair_$T(log_of_pair_$T(t, y2, u, u2 + y2, &l2), ratio, &t2), c = sum_pair_$T(l, -slope, &c2);
    c2 = c2 + (t2 + (l2 - slope2));
    c = times_$T(c, &c2, p, zero);
    R_$T e = sum_pair_$T(c, -shift, &e2), less = expm1_$T(e);
    less = FMA(e2 + (c2 - shift2), one + less, less);
    return FMA(-FMA(p, less, p), beta_rest_$T(p, r, y), -less);
}

// I(a, b, x), in ``upper`` I(b, a, 1 - x), and in ``slope`` what the first changes by with log(x / (1 - x)), for
// positive finite numbers, all three times 2^``raise``. x + x2 and z + z2 are x and 1 - x. E, if r < 1, and F: up to
// there the continued fraction soon ends.
//: for T E F A B in f32 40 100 -0x1.777a5cp-23 0x1.b9391p-28  f64 100 1000 0x1.1a62633145c07p-52 -0x1.6b01ec5417056p-57
FN R_$T beta_tails_$T(
    R_$T a, R_$T b, R_$T x, R_$T x2, R_$T z, R_$T z2, R_$I raise, R_$T *upper, R_$T *slope) {
    R_$T zero = C_$T(0), middle = C_$T(0.5), one = C_$T(1), third = C_$T(-0.33333333333333333333);
    R_$T turn = C_$T(0.15915494309189533577);
    R_b8 swap = GT(x * maximum_$T(b + third, middle), z * maximum_$T(a + third, middle));
    R_$T p = WHERE_$T(swap, b, a), r = WHERE_$T(swap, a, b);
    R_$T y = WHERE_$T(swap, z, x), y2 = WHERE_$T(swap, z2, x2), w = WHERE_$T(swap, x, z), w2 = WHERE_$T(swap, x2, z2);
    R_$T s2, s = sum_pair_$T(p, r, &s2), t, t2, d2, e2, f2, g2;
    R_$T yr = product_pair_$T(y, r, &t), wp = product_pair_$T(w, p, &t2), d = sum_pair_$T(yr, -wp, &d2);
    d = sum_pair_$T(d, d2 + (FMA(y2, r, t) - FMA(w2, p, t2)), &d2);
    R_$T ys = product_pair_$T(y, s, &t), ws = product_pair_$T(w, s, &t2);
    R_$T e = poisson_exponent_$T(p, ys, FMA(y, s2, FMA(y2, s, t)), d, d2, &e2);
    R_$T f = poisson_exponent_$T(r, ws, FMA(w, s2, FMA(w2, s, t2)), -d, -d2, &f2);
    R_b8 small = LT(p, one), tiny = LT(s, one);
    R_$T g = gamma_correction_$T(WHERE_$T(tiny, one, s));
    g2 = zero;
    if (ANY(tiny)) g = WHERE_$T(tiny, poisson_exponent_$T(s, s, s2, zero, zero, &g2), g);
    g2 = WHERE_$T(tiny, g2, zero);
    e = sum_pair_$T(e, f, &t);
    e2 = (e2 + f2) + t;
    e = sum_pair_$T(e, -g, &t);
    e2 = (e2 - g2) + t;
    R_b8 light = LT(r, one), lone = light & ~tiny;
    R_$T turns = WHERE_$T(small, WHERE_$T(lone, C_$T(6.28318530717958647693), one), WHERE_$T(light, one, turn));
    R_$T turns2 = WHERE_$T(small, WHERE_$T(lone, C_$T($A), zero), WHERE_$T(light, zero, C_$T($B)));
    R_$T head = WHERE_$T(lone, one, r), share = head / s, m2, root2;
    R_$T share2 = (FMA(-share, s, head) - share * s2) / s;
    R_$T v2 = zero, v = times_$T(WHERE_$T(small, one, p), &v2, WHERE_$T(tiny, one, share), WHERE_$T(tiny, zero, share2));
    v = times_$T(v, &v2, turns, turns2);
    R_$T root = root_pair_$T(v, v2, &root2);
    R_$I k;
    R_$T m = exp_minus_parts_$T(e, e2, &m2, &k), raised = exp2_whole_$T(raise);
    k = k + raise;
    m = times_$T(m, &m2, root, root2);
    m = times_$T(m, &m2, WHERE_$T(tiny, share, WHERE_$T(light, r, one)), WHERE_$T(tiny, share2, zero));
    *slope = times_exp2_$T(m, k) * WHERE_$T(small, p, one);
    R_b8 half_or_less = LE(y, middle), few = LT(p, WHERE_$T(LT(r, one), C_$T($E), C_$T($F)));
    R_$T value = one, value2 = zero, more2;
    if (ANY(few)) {
        R_$T p1 = WHERE_$T(few, p, one), part = beta_fraction_$T(p1, WHERE_$T(few, r, one), y, y2, w, -d, -d2, &more2);
        value = WHERE_$T(few, part, value);
        value2 = WHERE_$T(few, more2, value2);
    }
    if (ANY(~few)) {
        R_$T q = WHERE_$T(half_or_less, y, w), q2 = FMA(q, s2 / s, WHERE_$T(half_or_less, y2, w2));
        R_$T whole = beta_integral_$T(-d, -d2, s, q, q2, WHERE_$T(half_or_less, -one, one), &more2);
        value = WHERE_$T(few, value, whole);
        value2 = WHERE_$T(few, value2, more2);
    }
    m = times_$T(m, &m2, value, value2);
    value = times_exp2_$T(m + m2, k);
    R_$T other = raised - value;
    R_b8 close = small & GT(value, middle * raised);
    if (ANY(close)) {
        other = WHERE_$T(close, beta_complement_$T(p, r, y, y2) * raised, other);
        value = WHERE_$T(close, raised - other, value);
    }
    *upper = WHERE_$T(swap, value, other);
    return WHERE_$T(swap, other, value);
}

// Both tails for all a, b and x, and the slope, which is 0 at ends.
FN R_$T beta_pair_$T(R_$T a, R_$T b, R_$T x, R_$T x2, R_$T z, R_$T z2, R_$T *upper, R_$T *slope) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5);
    R_b8 low = EQ(a, zero) | EQ(b, INF_$T), high = EQ(b, zero) | EQ(a, INF_$T);
    R_b8 twice = (EQ(a, zero) & EQ(b, zero)) | (EQ(a, INF_$T) & EQ(b, INF_$T));
    R_b8 valid = GE(a, zero) & GE(b, zero) & GE(x, zero) & GE(z, zero) & ~twice;
    R_b8 inside = GT(x, zero) & GT(z, zero), regular = valid & inside & ~low & ~high;
    R_$T lower = beta_tails_$T(
        WHERE_$T(regular, a, one), WHERE_$T(regular, b, one), WHERE_$T(regular, x, middle), WHERE_$T(regular, x2, zero),
        WHERE_$T(regular, z, middle), WHERE_$T(regular, z2, zero), C_$I(0), upper, slope);
    R_$T end = WHERE_$T(valid, WHERE_$T(EQ(z, zero) | (inside & low), one, zero), NAN_$T);
    *upper = WHERE_$T(regular, *upper, one - end);
    *slope = WHERE_$T(regular, *slope, zero);
    return WHERE_$T(regular, lower, end);
}

FN R_$T betainc_$T(R_$T a, R_$T b, R_$T x) {
    R_$T z2, upper, slope, z = sum_pair_$T(C_$T(1), -x, &z2);
    return beta_pair_$T(a, b, x, C_$T(0), z, z2, &upper, &slope);
}

FN R_$T betaincc_$T(R_$T a, R_$T b, R_$T x) {
    R_$T z2, upper, slope, z = sum_pair_$T(C_$T(1), -x, &z2);
    beta_pair_$T(a, b, x, C_$T(0), z, z2, &upper, &slope);
    return upper;
}

// A polynomial, and the nodes and weights of the quadrature.

//: for T in f32
// (exp(u) - 1 - u) / u^2 for |u| <= 9/4: 2^-26.
FN R_f32 exp_rest_tail_f32(R_f32 u) {
    R_f32 p = FMA(C_f32(0x1.35b4b2p-29), u, C_f32(0x1.d67734p-26));
    p = FMA(p, u, C_f32(0x1.26fbap-22));
    p = FMA(p, u, C_f32(0x1.7043p-19));
    p = FMA(p, u, C_f32(0x1.a0222p-16));
    p = FMA(p, u, C_f32(0x1.a02854p-13));
    p = FMA(p, u, C_f32(0x1.6c16a4p-10));
    p = FMA(p, u, C_f32(0x1.1110dep-7));
    p = FMA(p, u, C_f32(0x1.555556p-5));
    p = FMA(p, u, C_f32(0x1.555556p-3));
    return FMA(p, u, C_f32(0x1p-1));
}

FN M_f32 node_f32(int k) {
    const M_f32 nodes[14] = {
        0x1.c173cp-8, 0x1.252176p-5, 0x1.61e446p-4, 0x1.40364ap-3, 0x1.f062aap-3, 0x1.5c9d4ep-2, 0x1.c8ad06p-2,
        0x1.1ba97ep-1, 0x1.51b15ap-1, 0x1.83e756p-1, 0x1.aff26ep-1, 0x1.d3c378p-1, 0x1.edade8p-1,
        0x1.fc7d18p-1};
    return nodes[k];
}

FN M_f32 weight_f32(int k) {
    const M_f32 weights[14] = {
        0x1.1fb2d8p-6, 0x1.4853d8p-5, 0x1.f1bd74p-5, 0x1.41f3bcp-4, 0x1.7bfb8ep-4, 0x1.a43f18p-4,
        0x1.b8dc42p-4, 0x1.b8dc42p-4, 0x1.a43f18p-4, 0x1.7bfb8ep-4, 0x1.41f3bcp-4, 0x1.f1bd74p-5,
        0x1.4853d8p-5, 0x1.1fb2d8p-6};
    return weights[k];
}

//: for T in f64
// (exp(u) - 1 - u) / u^2 for |u| <= 9/4: 2^-54.
FN R_f64 exp_rest_tail_f64(R_f64 u) {
    R_f64 p = FMA(C_f64(0x1.ff2a6e851f49fp-62), u, C_f64(0x1.4123881171942p-57));
    p = FMA(p, u, C_f64(0x1.67a34a75a94a1p-53));
    p = FMA(p, u, C_f64(0x1.9476168251697p-49));
    p = FMA(p, u, C_f64(0x1.ae821d9b92341p-45));
    p = FMA(p, u, C_f64(0x1.ae8334c063d7ap-41));
    p = FMA(p, u, C_f64(0x1.939741133ab6p-37));
    p = FMA(p, u, C_f64(0x1.612454284efe5p-33));
    p = FMA(p, u, C_f64(0x1.1eed8f126b34p-29));
    p = FMA(p, u, C_f64(0x1.ae6456b367ecfp-26));
    p = FMA(p, u, C_f64(0x1.27e4fb775dd63p-22));
    p = FMA(p, u, C_f64(0x1.71de3a54f2a4ap-19));
    p = FMA(p, u, C_f64(0x1.a01a01a01a716p-16));
    p = FMA(p, u, C_f64(0x1.a01a01a01b363p-13));
    p = FMA(p, u, C_f64(0x1.6c16c16c16c0fp-10));
    p = FMA(p, u, C_f64(0x1.11111111110fbp-7));
    p = FMA(p, u, C_f64(0x1.5555555555555p-5));
    p = FMA(p, u, C_f64(0x1.5555555555555p-3));
    return FMA(p, u, C_f64(0x1p-1));
}

FN M_f64 node_f64(int k) {
    const M_f64 nodes[32] = {
        0x1.66a18fbf64a0fp-10, 0x1.d77b63ad0c91bp-8, 0x1.20aae7fac455ap-6, 0x1.0a9fed30405eep-5,
        0x1.a8ab25d459a36p-5, 0x1.347ec0a5e57b4p-4, 0x1.a4e5adf8ed0ebp-4, 0x1.123ed9c52d88dp-3,
        0x1.590aec76f00edp-3, 0x1.a62dd72d3a6b8p-3, 0x1.f8ef3af329ac5p-3, 0x1.2844a541c8387p-2,
        0x1.5615518d42105p-2, 0x1.857c20798fdadp-2, 0x1.b607c563a0372p-2, 0x1.e74437b7733b6p-2,
        0x1.0c5de42446625p-1, 0x1.24fc1d4e2fe47p-1, 0x1.3d41efc338129p-1, 0x1.54f557395ef7dp-1,
        0x1.6bddad5f1be3cp-1, 0x1.81c431433594fp-1, 0x1.96748a34b1652p-1, 0x1.a9bd44e243fc5p-1,
        0x1.bb70498eb49ddp-1, 0x1.cb634a40e25e3p-1, 0x1.d97027eb43509p-1, 0x1.e5754da2ba65dp-1,
        0x1.ef56012cfbfa1p-1, 0x1.f6faa8c029dd5p-1, 0x1.fc510938a5e6ep-1, 0x1.ff4caf38204dbp-1};
    return nodes[k];
}

FN M_f64 weight_f64(int k) {
    const M_f64 weights[32] = {
        0x1.cbf8bc743cc5cp-9, 0x1.0aa3c248696c9p-7, 0x1.a0060a8531ffap-7, 0x1.18c5800a355d9p-6,
        0x1.5ee963a335495p-6, 0x1.a1c6ae961fbfap-6, 0x1.e0bd76c924981p-6, 0x1.0d9b9a62cac1p-5,
        0x1.2854103b35e0cp-5, 0x1.40483e126fd14p-5, 0x1.553ee25ebebc6p-5, 0x1.6705e18e13ed1p-5,
        0x1.7572bdb3f6e51p-5, 0x1.8062fc0f6fef9p-5, 0x1.87bc776f8c6d7p-5, 0x1.8b6d9eaec77adp-5,
        0x1.8b6d9eaec77adp-5, 0x1.87bc776f8c6d7p-5, 0x1.8062fc0f6fef9p-5, 0x1.7572bdb3f6e51p-5,
        0x1.6705e18e13ed1p-5, 0x1.553ee25ebebc6p-5, 0x1.40483e126fd14p-5, 0x1.2854103b35e0cp-5,
        0x1.0d9b9a62cac1p-5, 0x1.e0bd76c924981p-6, 0x1.a1c6ae961fbfap-6, 0x1.5ee963a335495p-6,
        0x1.18c5800a355d9p-6, 0x1.a0060a8531ffap-7, 0x1.0aa3c248696c9p-7, 0x1.cbf8bc743cc5cp-9};
    return weights[k];
}

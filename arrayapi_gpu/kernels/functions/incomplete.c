// The incomplete gamma and beta functions: DLMF 8.2 and 8.17.
//
// Each is a factor, y^p e^-y / Gamma(p) or x^a (1 - x)^b / B(a, b), times a number of moderate size. The logarithm
// of the factor is in two registers, since its error becomes a relative error of the result. The other number is
// an integral of a convex function's exponential, by one quadrature that serves all large parameters; of small
// ones it is a series (gamma) or a continued fraction (beta). The smaller tail is found, the other is 1 less it.

// exp(-(e + e2)). See exp_over_$T for E.
//: for T E in f32 105  f64 746
FN R_$T exp_minus_pair_$T(R_$T e, R_$T e2) {
    R_$I k;
    R_$T lost, sum = e + e2, more = e2 - (sum - e), low = WHERE_$T(LT(sum, C_$T(-$E)), C_$T(-$E), sum);
    R_$T r = reduced_$T(-WHERE_$T(GT(low, C_$T($E)), C_$T($E), low), &k, &lost);
    R_$T rest = r * r * exp_tail_$T(r), less = lost - more;
    return times_exp2_$T(C_$T(1) + (r + (rest + FMA(less, r + rest, less))), k);
}

// The factors.

// line - log(1 + u), where r = 1 + u. It is line - u + (u - log(1 + u)) near 1, and with s = u / (2 + u) what is in
// parentheses is s (u - 2 s^2 (1/3 + s^2 (1/5 + ...))), without cancellation. See log_of_$T for H and L.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T without_log_$T(R_$T line, R_$T line2, R_$T r, R_$T r2, R_$T u, R_$T u2, R_$T *tail) {
    R_$T k, one = C_$T(1), two = C_$T(2), m = split_$T(r, &k), shrink = AS_$T(AS_$U(one) + AS_$U(m) - AS_$U(r));
    R_b8 near = EQ(k, C_$T(0));
    R_$T f = WHERE_$T(near, u, m - one), f2 = WHERE_$T(near, u2, r2 * shrink);
    R_$T d = two + f, inverse = one / d, s = f * inverse;
    R_$T s2 = (FMA(-s, d, f) + (f2 - s * (((two - d) + f) + f2))) * inverse;
    R_$T w = s * s, w2 = FMA(s, s, -w) + two * s * s2;
    R_$T third2, third = quotient_pair_$T(one, C_$T(0), C_$T(3), &third2);
    R_$T q = w * atanh_tail_$T(w), p = third + q, p2 = (third - p) + q + third2;
    R_$T t = w * p, t2 = FMA(w, p, -t) + (w * p2 + w2 * p);
    R_$T h = FMA(-two, t, f), h2 = FMA(-two, t, f - h) + FMA(-two, t2, f2);
    R_$T v = s * h, v2 = FMA(s, h, -v) + (s * h2 + s2 * h), b2, c2, y2;
    R_$T b = sum_pair_$T(line, -f, &b2), c = sum_pair_$T(b, k * C_$T(-$H), &c2), y = sum_pair_$T(c, v, &y2);
    *tail = y2 + (c2 + (FMA(k, C_$T(-$L), b2) + (v2 + (line2 - f2))));
    return y;
}

// log(Gamma(p + 1)) - (p + 1/2) log(p) + p - log(2 pi) / 2, for p >= 1.
//: for T in f32 f64
FN R_$T gamma_correction_$T(R_$T p) {
    R_$T inverse = C_$T(1) / p, z = inverse * inverse;
    return inverse * (stirling_top_$T(z) / stirling_bottom_$T(z));
}

// E with y^p e^-y / Gamma(p + 1) = exp(-E), or, where p >= 1, exp(-E) / sqrt(2 pi p): then E is the deviance
// p log(p / y) + y - p and the rest of Stirling's formula (C. Loader, Fast and accurate computation of binomial
// probabilities, 2000). y is y + y2, and y - p is d + d2.
FN R_$T poisson_exponent_$T(R_$T p, R_$T y, R_$T y2, R_$T d, R_$T d2, R_$T *tail) {
    R_$T e2, rest2, e = poisson_deviance_$T(p, y, y2, d, d2, &e2);
    e = sum_pair_$T(e, poisson_rest_$T(p), &rest2);
    *tail = e2 + rest2;
    return e;
}

// Its first part; where p < 1, y - p log(y).
FN R_$T poisson_deviance_$T(R_$T p, R_$T y, R_$T y2, R_$T d, R_$T d2, R_$T *tail) {
    R_$T zero = C_$T(0), one = C_$T(1), r2, u2, v2, t, e2;
    R_b8 large = GE(p, one);
    R_$T unit = WHERE_$T(large, p, one), less2, less = sum_pair_$T(y, -one, &less2);
    R_$T r = quotient_pair_$T(y, y2, unit, &r2);
    R_$T u = quotient_pair_$T(WHERE_$T(large, d, less), WHERE_$T(large, d2, less2 + y2), unit, &u2);
    R_$T v = without_log_$T(WHERE_$T(large, u, zero), WHERE_$T(large, u2, zero), r, r2, u, u2, &v2);
    R_$T e = sum_pair_$T(product_pair_$T(p, v, &t), WHERE_$T(large, zero, y), &e2);
    *tail = e2 + (FMA(p, v2, t) + WHERE_$T(large, zero, y2));
    return e;
}

// Its second part.
FN R_$T poisson_rest_$T(R_$T p) {
    R_$T one = C_$T(1), slope = p * lgamma_slope_$T(minimum_$T(p, one));
    return WHERE_$T(GE(p, one), gamma_correction_$T(maximum_$T(p, one)), slope);
}

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
FN R_$T beta_height_$T(R_$T v, R_$T c, R_$T s, R_$T p, R_$T sign, R_$T *slope) {
    R_$T e, rest = exp_rest_$T(sign * v, &e), r = p * e;
    *slope = c + s * p * (C_$T(1) - p) * ABS(e) / (C_$T(1) + r);
    return FMA(c, v, s * FMA(p, rest, -log1p_rest_$T(r)));
}

// H: exp(-H) counts no more. N: nodes. Gauss and Legendre's rule: its error is below the last bit for all
// parameters that come here. The width is found by Newton's method, which never ends below it, since h is convex.
//: for T H N in f32 18 14  f64 39 32
FN R_$T beta_integral_$T(R_$T c, R_$T s, R_$T p, R_$T sign) {
    R_$T slope, many = C_$T($H) / (s * p * (C_$T(1) - WHERE_$T(LT(p, C_$T(1)), p, C_$T(0)))), root = SQRT(many + many);
    R_$T v = WHERE_$T(GT(sign, C_$T(0)), log1p_$T(many + root), root), flat = C_$T($H) / c;
    v = WHERE_$T(GT(c, C_$T(0)) & LT(flat, v), flat, v);
    for (int k = 0; k < 2; k++) {
        R_$T height = beta_height_$T(v, c, s, p, sign, &slope);
        v = v - (height - C_$T($H)) / slope;
    }
    R_$T sum = C_$T(0);
    for (int k = $N - 1; k >= 0; k--) {
        R_$T height = beta_height_$T(v * C_$T(node_$T(k)), c, s, p, sign, &slope);
        sum = FMA(C_$T(weight_$T(k)), exp_$T(-height), sum);
    }
    return v * sum;
}

// Gamma.

// The power of two not above 1 / h, for h >= 1/2. B: the bits of an exponent.
//: for T B in f32 0xff800000  f64 0xfff0000000000000
FN R_$T power_below_$T(R_$T h) {
    R_$U unit = AS_$U(C_$T(1));
    return AS_$T(unit + unit - (AS_$U(h) & C_$U($B)));
}

// 1 + x / (a + 1) (1 + x / (a + 2) (...)) for x < a < 8, x < 3/4, or x < 0.3 a: DLMF 8.7.1. As one quotient, whose
// parts are scaled so that they stay in range.
//: for T N in f32 18  f64 34
FN R_$T gamma_series_$T(R_$T a, R_$T x) {
    R_$T above = C_$T(1), below = above, c = power_below_$T(FMA(a, C_$T(0.5), C_$T(0.5))), step = a * c, part = x * c;
    for (int k = $N; k > 0; k--) {
        below = FMA(c, C_$T(k), step) * below;
        above = FMA(part, above, below);
    }
    return above / below;
}

// The integral of e^-t t^(a - 1) from x on over e^-x x^a, by the continued fraction x + (1 - a) / (1 + 1 / (x + (2 - a)
// / (1 + 2 / (x + ...)))), DLMF 8.9.2, as one quotient from its end on, for x >= 1/2 if a < 8, else x > 2.35 a. While
// n < a two steps are taken together, so that all terms are positive. M, N: how many steps count.
//: for T M N in f32 25 5  f64 100 10
FN R_$T gamma_fraction_$T(R_$T a, R_$T x) {
    R_$T zero = C_$T(0), c = power_below_$T(FMA(x, C_$T(0.5), C_$T(16))), most = FLOOR(C_$T($M) / x) + C_$T($N);
    R_$T n = most * c, above = x * c, below = C_$T(1), first = x * c, order = a * c;
    for (; ANY(GT(n, zero)); n = n - c) {
        R_$T less = n - order, sum = FMA(n, below, above), next = FMA(first, sum, less * above);
        R_b8 more = GT(n, zero), left = more & LT(less, zero);
        if (ANY(left)) next = WHERE_$T(left, FMA(first + less, sum, -less * (n * below)), next);
        above = WHERE_$T(more, next, above);
        below = WHERE_$T(more, sum, below);
    }
    return below / above * c;
}

// For a >= 8 and x beside it the uniform expansion, DLMF 8.12: Q(a, x), or, where x < a, P(a, x), over exp(-D), with the
// deviance D = a w^2 / 2. It is erfc(sqrt(D)) exp(D) / 2 and, over sqrt(2 pi a), a smooth function of w and 1 / a.
//: for T in f32 f64
FN R_$T gamma_uniform_$T(R_$T a, R_$T d, R_$T deviance) {
    R_$T v = C_$T(1) / a, z = SQRT(deviance), w = COPYSIGN(z * SQRT(v + v), d), rest = gamma_beyond_$T(w, v);
    rest = WHERE_$T(LT(d, C_$T(0)), -rest, rest) * SQRT(v * C_$T(0.15915494309189533577));
    return FMA(erfcx_near_$T(z), C_$T(0.5), rest);
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
    R_$T less = expm1_$T(a * (log_$T(x) - lgamma_slope_$T(a)));
    return FMA(-(a + a * less), gamma_rest_$T(a, x), -less);
}

// P(a, x), in ``upper`` Q(a, x), and in ``slope`` what both change by with log(x), for positive finite numbers. B: up
// to there the lower tail is a series for a < 1, too.
//: for T B in f32 0.5  f64 0.75
FN R_$T gamma_tails_$T(R_$T a, R_$T x, R_$T *upper, R_$T *slope) {
    R_$T zero = C_$T(0), middle = C_$T(0.5), one = C_$T(1), d2, e2, t, d = sum_pair_$T(x, -a, &d2);
    R_b8 small = LT(a, one), few = LT(a, C_$T(8)), up = GE(x, maximum_$T(a - C_$T(0.33333333333333333333), C_$T($B)));
    R_$T e = poisson_deviance_$T(a, x, zero, d, d2, &e2), deviance = e + e2, rest = poisson_rest_$T(a), value = one;
    R_b8 beside = ~few & LE(deviance, a * middle);
    up = WHERE_b8(beside, GE(d, zero), up);
    R_b8 series = ~beside & ~up, fraction = ~beside & up;
    e = sum_pair_$T(e, WHERE_$T(beside, zero, rest), &t);
    R_$T root = SQRT(WHERE_$T(series, one / a, a) * C_$T(0.15915494309189533577));
    R_$T power = exp_minus_pair_$T(e, e2 + t), factor = power * WHERE_$T(small, WHERE_$T(series, one, a), root);
    *slope = WHERE_$T(series, factor * a, factor);
    if (ANY(beside)) {
        *slope = WHERE_$T(beside, FMA(FMA(rest * rest, exp_tail_$T(-rest), -rest), factor, factor), *slope);
        factor = WHERE_$T(beside, power, factor);
        value = WHERE_$T(beside, gamma_uniform_$T(a, d, deviance), value);
    }
    if (ANY(series)) value = WHERE_$T(series, gamma_series_$T(a, x), value);
    if (ANY(fraction)) value = WHERE_$T(fraction, gamma_fraction_$T(a, WHERE_$T(fraction, x, C_$T(1e9))), value);
    value = value * factor;
    R_$T other = one - value;
    R_b8 close = series & small & GT(value, middle);
    if (ANY(close)) {
        other = WHERE_$T(close, gamma_complement_$T(a, x), other);
        value = WHERE_$T(close, one - other, value);
    }
    *upper = WHERE_$T(up, value, other);
    return WHERE_$T(up, other, value);
}

// Both tails for all a and x.
FN R_$T gamma_pair_$T(R_$T a, R_$T x, R_$T *upper) {
    R_$T zero = C_$T(0), one = C_$T(1), slope;
    R_b8 first = EQ(a, zero), last = EQ(x, INF_$T), positive = GT(a, zero) & GT(x, zero);
    R_b8 valid = GE(a, zero) & GE(x, zero) & ~(first & EQ(x, zero)) & ~(last & EQ(a, INF_$T));
    R_b8 regular = positive & LT(a, INF_$T) & ~last;
    R_$T lower = gamma_tails_$T(WHERE_$T(regular, a, one), WHERE_$T(regular, x, one), upper, &slope);
    R_$T end = WHERE_$T(valid, WHERE_$T(first | last, one, zero), NAN_$T);
    *upper = WHERE_$T(regular, *upper, one - end);
    return WHERE_$T(regular, lower, end);
}

FN R_$T gammainc_$T(R_$T a, R_$T x) {
    R_$T upper;
    return gamma_pair_$T(a, x, &upper);
}

FN R_$T gammaincc_$T(R_$T a, R_$T x) {
    R_$T upper;
    gamma_pair_$T(a, x, &upper);
    return upper;
}

// Beta. Of x and 1 - x, y and 1 - y come in two registers each.

// I(p, r, y) B(p, r) / (y^p (1 - y)^r): the even part of DLMF 8.17.22, as A. R. Didonato and A. H. Morris have it
// (Algorithm 708, 1992), times what makes its terms polynomials. From its end on, so that errors shrink. ``c``: p - (p + r)
// y. L + sqrt(p) (...) steps count, which was measured where y is as large as it gets.
//: for T L A B D E in f32 6 4 1.6 1.1 1.1  f64 11 12 4.2 3.25 1.85
FN R_$T beta_fraction_$T(R_$T p, R_$T r, R_$T y, R_$T z, R_$T c) {
    R_$T zero = C_$T(0), one = C_$T(1), inverse = zero, c1 = c + one, z1 = z + one, s = p + r;
    R_$T rate = maximum_$T(FMA(r, C_$T(-$B), C_$T($A)), WHERE_$T(LT(r, C_$T(5)), C_$T($D), C_$T($E)));
    for (R_$T n = FLOOR(FMA(SQRT(p), rate, C_$T($L))); ANY(GT(n, zero)); n = n - one) {
        R_$T q = p + n, twice = q + n, below = twice - one, above = twice + one, g = (r - n) * y;
        R_$T term = q * ((s + n) * y) * ((n + one) * (g - y)) * (below * (twice + C_$T(3)));
        R_$T first = FMA(above, n * (below + g), below * (q * FMA(n, z1, c1)));
        inverse = WHERE_$T(GT(n, zero), one / FMA(term, inverse, first), inverse);
    }
    return (p + one) / (p * FMA(s * y * ((r - one) * y), (p + C_$T(3)) * inverse, c1));
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
// product of the others less 1 is a quotient.
//: for T S in f32 8  f64 16
FN R_$T beta_ratio_$T(R_$T p, R_$T r, R_$T *b, R_$T *shift, R_$T *shift2) {
    R_$T zero = C_$T(0), one = C_$T(1), above = zero, below = one, part2, s2, t2, v2;
    R_b8 low = LT(r, C_$T($S));
    *shift = *shift2 = zero;
    *b = WHERE_$T(low, r + C_$T($S), r);
    if (ANY(low)) {
        for (int k = $S - 1; k > 0; k--) {
            R_$T base = r + C_$T(k);
            above = FMA(above, base + p, p * below);
            below = below * base;
        }
        R_$T rest = above / below, part = quotient_pair_$T(p, zero, r, &part2);
        R_$T u = sum_pair_$T(part, FMA(part, rest, rest), &s2), u2 = s2 + part2, sum = sum_pair_$T(one, u, &t2);
        R_$T y = -without_log_$T(zero, zero, sum, t2 + u2, u, u2, &v2);
        *shift = WHERE_$T(low, y, zero);
        *shift2 = WHERE_$T(low, -v2, zero);
    }
    return gamma_ratio_$T(p, *b) - lgamma_slope_$T(p);
}

// The sum w of (1 - r)_n y^n / (n! (p + n)) from n = 1 on: I(p, r, y) is z (1 + p w), DLMF 8.17.7. From its end on, as
// one quotient. y is at most 0.6 if r < 1, and y r is at most 2/3 else. M, L: how many terms count, N at most.
//: for T M L N in f32 9.2 10 40  f64 19.5 19 80
FN R_$T beta_rest_$T(R_$T p, R_$T r, R_$T y) {
    R_$T one = C_$T(1), above = C_$T(0), below = one, yr = y * r;
    R_$T count = maximum_$T(C_$T($M) * ((one + y) / (one - y)), C_$T($L));
    for (int k = $N; k > 0; k--) {
        R_b8 more = LE(C_$T(k), count);
        if (ANY(more)) {
            R_$T inverse = one / C_$T(k), next = one / C_$T(k + 1), share = (p + C_$T(k)) * inverse;
            R_$T sum = FMA(share * FMA(-yr, next, y), above, inverse * below);
            above = WHERE_$T(more, sum, above);
            below = WHERE_$T(more, share * below, below);
        }
    }
    return y * (one - r) * (above / below);
}

// I(r, p, 1 - y) for p < 1, as (1 - z) - z p w: no digits are lost where I(p, r, y) is near 1.
//: for T in f32 f64
FN R_$T beta_complement_$T(R_$T p, R_$T r, R_$T y) {
    R_$T b, shift, shift2, ratio = beta_ratio_$T(p, r, &b, &shift, &shift2);
    R_$T less = expm1_$T(FMA(p, log_$T(y * b) + ratio, -(shift + shift2)));
    return FMA(-(p + p * less), beta_rest_$T(p, r, y), -less);
}

// I(a, b, x), in ``upper`` I(b, a, 1 - x), and in ``slope`` what the first changes by with log(x / (1 - x)), for
// positive finite numbers. x + x2 and z + z2 are x and 1 - x. E, if r < 1, and F: up to there
// the continued fraction soon ends.
//: for T E F in f32 40 300  f64 100 1000
FN R_$T beta_tails_$T(R_$T a, R_$T b, R_$T x, R_$T x2, R_$T z, R_$T z2, R_$T *upper, R_$T *slope) {
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
    R_b8 light = LT(r, one);
    R_$T turns = WHERE_$T(small, WHERE_$T(light & ~tiny, C_$T(6.28318530717958647693), one), WHERE_$T(light, one, turn));
    R_$T root = SQRT(WHERE_$T(small, one, p) * (WHERE_$T(light, one, r) / WHERE_$T(tiny, one, s)) * turns);
    R_$T scale = WHERE_$T(small, p, one) * (WHERE_$T(light, r, one) / WHERE_$T(tiny, s, one));
    R_$T factor = exp_minus_pair_$T(e, e2) * (root * scale);
    R_b8 half_or_less = LE(y, middle), few = LT(p, WHERE_$T(LT(r, one), C_$T($E), C_$T($F)));
    R_$T value = one;
    if (ANY(few)) value = WHERE_$T(few, beta_fraction_$T(WHERE_$T(few, p, one), WHERE_$T(few, r, one), y, w, -d), value);
    if (ANY(~few)) {
        R_$T whole = beta_integral_$T(-d, s, WHERE_$T(half_or_less, y, w), WHERE_$T(half_or_less, -one, one));
        value = WHERE_$T(few, value, whole);
    }
    value = value * factor;
    R_$T other = one - value;
    R_b8 close = small & GT(value, middle);
    if (ANY(close)) {
        other = WHERE_$T(close, beta_complement_$T(p, r, y), other);
        value = WHERE_$T(close, one - other, value);
    }
    *slope = factor;
    *upper = WHERE_$T(swap, value, other);
    return WHERE_$T(swap, other, value);
}

// Both tails for all a, b and x.
FN R_$T beta_pair_$T(R_$T a, R_$T b, R_$T x, R_$T x2, R_$T z, R_$T z2, R_$T *upper) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), slope;
    R_b8 low = EQ(a, zero) | EQ(b, INF_$T), high = EQ(b, zero) | EQ(a, INF_$T);
    R_b8 twice = (EQ(a, zero) & EQ(b, zero)) | (EQ(a, INF_$T) & EQ(b, INF_$T));
    R_b8 valid = GE(a, zero) & GE(b, zero) & GE(x, zero) & GE(z, zero) & ~twice;
    R_b8 inside = GT(x, zero) & GT(z, zero), regular = valid & inside & ~low & ~high;
    R_$T lower = beta_tails_$T(
        WHERE_$T(regular, a, one), WHERE_$T(regular, b, one), WHERE_$T(regular, x, middle), WHERE_$T(regular, x2, zero),
        WHERE_$T(regular, z, middle), WHERE_$T(regular, z2, zero), upper, &slope);
    R_$T end = WHERE_$T(valid, WHERE_$T(EQ(z, zero) | (inside & low), one, zero), NAN_$T);
    *upper = WHERE_$T(regular, *upper, one - end);
    return WHERE_$T(regular, lower, end);
}

FN R_$T betainc_$T(R_$T a, R_$T b, R_$T x) {
    R_$T z2, upper, z = sum_pair_$T(C_$T(1), -x, &z2);
    return beta_pair_$T(a, b, x, C_$T(0), z, z2, &upper);
}

FN R_$T betaincc_$T(R_$T a, R_$T b, R_$T x) {
    R_$T z2, upper, z = sum_pair_$T(C_$T(1), -x, &z2);
    beta_pair_$T(a, b, x, C_$T(0), z, z2, &upper);
    return upper;
}

// Polynomials, and the nodes and weights of the quadrature.

//: for T in f32
// Over 0 < z = 1 / p^2 <= 1 the ratio has a relative error of 2^-22.
FN R_f32 stirling_top_f32(R_f32 z) {
    R_f32 p = FMA(C_f32(0x1.932b3ap-8), z, C_f32(0x1.42a876p-4));
    return FMA(p, z, C_f32(0x1.555554p-4));
}

FN R_f32 stirling_bottom_f32(R_f32 z) {
    R_f32 p = FMA(C_f32(0x1.8daa5ap-4), z, C_f32(0x1.f50c8ap-1));
    return FMA(p, z, C_f32(0x1p0));
}

// log(Gamma(1 + a)) / a for 0 <= a <= 1: 2^-25.
FN R_f32 lgamma_slope_f32(R_f32 a) {
    R_f32 p = FMA(C_f32(0x1.a22efap-9), a, C_f32(-0x1.41e996p-6));
    p = FMA(p, a, C_f32(0x1.d11454p-5));
    p = FMA(p, a, C_f32(-0x1.b477eap-4));
    p = FMA(p, a, C_f32(0x1.3e95bcp-3));
    p = FMA(p, a, C_f32(-0x1.a1d098p-3));
    p = FMA(p, a, C_f32(0x1.149406p-2));
    p = FMA(p, a, C_f32(-0x1.9a43d2p-2));
    p = FMA(p, a, C_f32(0x1.a51a42p-1));
    return FMA(p, a, C_f32(-0x1.2788dp-1));
}

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
// Over 0 < z = 1 / p^2 <= 1 the ratio has a relative error of 2^-53.
FN R_f64 stirling_top_f64(R_f64 z) {
    R_f64 p = FMA(C_f64(0x1.03036ce9a7a21p-7), z, C_f64(0x1.3bcd489aa0246p-1));
    p = FMA(p, z, C_f64(0x1.d5b48289ce606p2));
    p = FMA(p, z, C_f64(0x1.c2a933183a541p4));
    p = FMA(p, z, C_f64(0x1.64c529e932938p5));
    p = FMA(p, z, C_f64(0x1.01f64297f1e0ap5));
    p = FMA(p, z, C_f64(0x1.5c95fceda0461p3));
    p = FMA(p, z, C_f64(0x1.9f2edc32b6993p0));
    return FMA(p, z, C_f64(0x1.5555555555555p-4));
}

FN R_f64 stirling_bottom_f64(R_f64 z) {
    R_f64 p = FMA(C_f64(0x1.63dc3d4e82882p-3), z, C_f64(0x1.22b821d23829dp3));
    p = FMA(p, z, C_f64(0x1.81e557efcc355p6));
    p = FMA(p, z, C_f64(0x1.6145473b5db19p8));
    p = FMA(p, z, C_f64(0x1.1189259b185cep9));
    p = FMA(p, z, C_f64(0x1.8724a078bb8fdp8));
    p = FMA(p, z, C_f64(0x1.06b85483dc8a7p7));
    p = FMA(p, z, C_f64(0x1.37ebadae917b2p4));
    return FMA(p, z, C_f64(0x1p0));
}

// log(Gamma(1 + a)) / a for 0 <= a <= 1: 2^-39.
FN R_f64 lgamma_slope_f64(R_f64 a) {
    R_f64 p = FMA(C_f64(-0x1.9a01a69c3e9c9p-16), a, C_f64(0x1.287b1326c20dap-12));
    p = FMA(p, a, C_f64(-0x1.9740e7c8d59f1p-10));
    p = FMA(p, a, C_f64(0x1.63534a32d4babp-8));
    p = FMA(p, a, C_f64(-0x1.bd9d74c43be27p-7));
    p = FMA(p, a, C_f64(0x1.b087f4e7b82e6p-6));
    p = FMA(p, a, C_f64(-0x1.5778a45ee3eap-5));
    p = FMA(p, a, C_f64(0x1.d488b4cb13effp-5));
    p = FMA(p, a, C_f64(-0x1.1f62930b94188p-4));
    p = FMA(p, a, C_f64(0x1.4aab94c601e51p-4));
    p = FMA(p, a, C_f64(-0x1.713251fbfb5d3p-4));
    p = FMA(p, a, C_f64(0x1.992dbd9a37554p-4));
    p = FMA(p, a, C_f64(-0x1.c7dd8ca77c2cep-4));
    p = FMA(p, a, C_f64(0x1.010835b2d64f9p-3));
    p = FMA(p, a, C_f64(-0x1.27034e3b13deep-3));
    p = FMA(p, a, C_f64(0x1.5b40c49870f76p-3));
    p = FMA(p, a, C_f64(-0x1.a8b9c124b3164p-3));
    p = FMA(p, a, C_f64(0x1.151322ab1e173p-2));
    p = FMA(p, a, C_f64(-0x1.9a4d55bea5346p-2));
    p = FMA(p, a, C_f64(0x1.a51a66253078p-1));
    return FMA(p, a, C_f64(-0x1.2788cfc6fb619p-1));
}

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


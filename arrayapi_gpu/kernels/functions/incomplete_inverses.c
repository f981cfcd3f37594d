// Inverses: Halley's method for the logarithm of the smaller tail over log(x), or log(x / (1 - x)), where it is
// concave, its slope is 1 over the quadrature, and one form serves tiny and huge results.

// The power of two by which a tail of this size is multiplied, so that it keeps its digits: none, or S where it is near
// the smallest normal number, or below.
//: for T N S in f32 0x1p-118 32  f64 0x1p-1014 64
FN R_$I raise_$T(R_$T goal) { return WHERE_$I(LT(goal, C_$T($N)), C_$I($S), C_$I(0)); }

// Where a tail is below the smallest normal number N it has lost its digits, and its slope is that of the factor alone,
// ``drift``: that step goes towards the root, and not beyond. M: the smallest number. L: the largest power of two,
// since a raised tail of 1/2 may be more than all numbers times the goal; a step less long serves as well.
//: for T N M L in f32 0x1p-126 0x1p-149 0x1p127  f64 0x1p-1022 0x1p-1074 0x1p1023
FN R_$T tail_step_$T(R_$T tail, R_$T goal, R_$T slope, R_$T drift, R_$T *rate) {
    R_b8 lost = LT(tail, C_$T($N));
    R_$T part = WHERE_$T(LT(tail, C_$T($M)), C_$T($M), tail);
    *rate = WHERE_$T(lost, drift, slope / WHERE_$T(lost, C_$T(1), part));
    R_$T ratio = minimum_$T(part / goal, C_$T($L));
    return halley_$T(log_$T(ratio), *rate, WHERE_$T(lost, C_$T(0), drift - *rate));
}

// The step of the argument by Halley's method. ``less``: the logarithm of the tail over the wanted one; ``slope``
// of that logarithm; ``bend``: its second derivative over the first.
//: for T in f32 f64
FN R_$T halley_$T(R_$T less, R_$T slope, R_$T bend) {
    R_$T newton = -less / slope, shrink = FMA(newton * bend, C_$T(0.5), C_$T(1)), most = C_$T(2);
    return newton / WHERE_$T(LT(shrink, C_$T(0.5)), C_$T(0.5), WHERE_$T(GT(shrink, most), most, shrink));
}

// About the number that a normal variable exceeds with probability p <= 1/2: A. Hastings, Approximations for
// Digital Computers, 1955.
FN R_$T normal_guess_$T(R_$T p) {
    R_$T t = SQRT(C_$T(-2) * log_$T(p));
    return t - FMA(t, C_$T(0.27), C_$T(2.3)) / FMA(t, FMA(t, C_$T(0.045), C_$T(0.99)), C_$T(1));
}

// log(r) of r = r + r2 <= 1, where u + u2 is r - 1.
FN R_$T log_of_pair_$T(R_$T r, R_$T r2, R_$T u, R_$T u2, R_$T *tail) {
    R_$T y = without_log_$T(C_$T(0), C_$T(0), r, r2, u, u2, tail);
    *tail = -*tail;
    return -y;
}

// The root x of P(a, x) = p and Q(a, x) = q, where one is exact and p + p2 is both, for 0 < p < 1. For a < 1
// and small x, log(x) is log(p) / a + log(Gamma(1 + a)) / a - log(1 + a w) / a, see gamma_rest_$T; the first two
// are kept in two registers. E: the next step would not count. X: from there on w does not.
//: for T E X in f32 0x1p-9 0x1p-26  f64 0x1p-18 0x1p-55
FN R_$T gamma_root_$T(R_$T a, R_$T p, R_$T p2, R_$T q) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), third = C_$T(0.33333333333333333333);
    R_$T l2, c2, u2, t, u = sum_pair_$T(p, -one, &u2);
    R_b8 low = LE(p, middle), small = LT(a, one);
    R_$T goal = WHERE_$T(low, p, q), sign = WHERE_$T(low, one, -one), unit = WHERE_$T(small, a, one);
    R_$T l = log_of_pair_$T(p, p2, WHERE_$T(low, u, -q), WHERE_$T(low, u2 + p2, zero), &l2);
    R_$T slope2, c = sum_pair_$T(quotient_pair_$T(l, l2, unit, &c2), lgamma_slope_pair_$T(unit, &slope2), &t);
    c2 = c2 + (t + slope2);
    R_$T x = exp_minus_pair_$T(-c, -c2), far = -log_$T(q / (a * C_$T(1.2)));
    R_b8 more = ~(small & LT(x, C_$T($X)));
    x = WHERE_$T(GT(x, C_$T(0.6)), WHERE_$T(GT(far, one), far, one), x);
    R_$T guess = normal_guess_$T(goal), root = SQRT(a), log_a = log_$T(a);
    R_$T power = l / a + (log_a - one) + FMA(log_a, middle, one) / a;
    R_$T below = maximum_$T((a - third) * exp_$T(-guess / root), exp_$T(power));
    R_$T start = WHERE_$T(low, below, (a - third) + guess * FMA(guess, third, root));
    x = WHERE_$T(small, x, start);
    R_$I raise = raise_$T(goal);
    goal = goal * exp2_whole_$T(raise);
    for (int k = 0; k < 24 && ANY(more); k++) {
        R_$T upper, slope, lower = gamma_tails_$T(a, x, raise, &upper, &slope);
        R_$T rate, step = tail_step_$T(WHERE_$T(low, lower, upper), goal, sign * slope, a - x, &rate);
        R_b8 near = more & small & LE(x, middle);
        if (ANY(near)) {
            R_$T y2, d2, y = log_of_pair_$T(x, zero, x - one, zero, &y2), d = sum_pair_$T(c, -y, &d2);
            d = d + (d2 + (c2 - y2)) - log1p_$T(a * gamma_rest_$T(a, x)) / a;
            R_$T up_rate = slope / lower;
            step = WHERE_$T(near, halley_$T(-d, up_rate / a, (a - x) - up_rate), step);
        }
        step = WHERE_$T(low | LT(step, C_$T(1.5)), step, C_$T(1.5));
        R_$T moved = WHERE_$T(LT(ABS(step), middle), FMA(x, expm1_$T(step), x), x * exp_$T(step));
        x = WHERE_$T(more, moved, x);
        more = more & GT(ABS(step) * maximum_$T(one, ABS(rate)), C_$T($E));
    }
    return x;
}

//: for T in f32 f64
FN R_$T gammaincinv_$T(R_$T a, R_$T p) {
    R_$T zero = C_$T(0), one = C_$T(1);
    R_b8 inside = GT(p, zero) & LT(p, one), regular = inside & GT(a, zero) & LT(a, INF_$T);
    R_$T goal = WHERE_$T(regular, p, C_$T(0.5)), x = gamma_root_$T(WHERE_$T(regular, a, one), goal, zero, one - goal);
    R_$T end = WHERE_$T(EQ(p, zero), zero, WHERE_$T(EQ(p, one), INF_$T, NAN_$T));
    return WHERE_$T(regular, x, WHERE_$T(GE(a, zero), end, NAN_$T));
}

FN R_$T gammainccinv_$T(R_$T a, R_$T q) {
    R_$T zero = C_$T(0), one = C_$T(1), p2;
    R_b8 inside = GT(q, zero) & LT(q, one), regular = inside & GT(a, zero) & LT(a, INF_$T);
    R_$T goal = WHERE_$T(regular, q, C_$T(0.5)), p = sum_pair_$T(one, -goal, &p2);
    R_$T x = gamma_root_$T(WHERE_$T(regular, a, one), p, p2, goal);
    R_$T end = WHERE_$T(EQ(q, one), zero, WHERE_$T(EQ(q, zero), INF_$T, NAN_$T));
    return WHERE_$T(regular, x, WHERE_$T(GE(a, zero), end, NAN_$T));
}

// A number near the root y of I(p, r, y) = l and I(r, p, 1 - y) = u, where one is exact and l + l2 is both, for 0 < l <
// 1 and a y that is not much above 1/2. ``c``: log(y) for p < 1 and small y; ``more``: whether y is no root yet;
// otherwise the root is ``m`` 2^``k``. See gamma_root_$T. Where p and r are both tiny, the logarithms of l and of the
// product in beta_ratio_$T cancel, so the logarithm of both together is taken.
//: for T X in f32 0x1p-26  f64 0x1p-55
FN R_$T beta_guess_$T(R_$T p, R_$T r, R_$T l, R_$T l2, R_$T u, R_$T *c, R_$T *c2, R_b8 *more, R_$T *m, R_$I *k) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), third = C_$T(0.33333333333333333333);
    R_$T v2, d2, b, b2, shift, shift2, t, v = sum_pair_$T(l, -one, &v2), s = p + r;
    R_b8 low = LE(l, middle), small = LT(p, one);
    R_$T log_l = log_of_pair_$T(l, l2, WHERE_$T(low, v, -u), WHERE_$T(low, v2 + l2, zero), &t);
    R_$T unit = WHERE_$T(small, p, one), g, g2, slope2;
    R_$T ratio = beta_ratio_$T(unit, r, &b, &b2, &shift, &shift2, &g, &g2), top = sum_pair_$T(log_l, shift, &d2);
    R_$T lg2 = l2, lg = times_$T(l, &lg2, g, g2), less2, less = sum_pair_$T(lg, WHERE_$T(low, v, -u), &less2), e2;
    less2 = less2 + (lg2 + WHERE_$T(low, v2 + l2, zero));
    R_$T product2, product = sum_pair_$T(l, lg, &product2);
    R_$T joint = log_of_pair_$T(product, product2 + (l2 + lg2), less, less2, &e2);
    R_b8 large = GT(l, C_$T(0x1p-40)) & LT(product, INF_$T);
    top = WHERE_$T(large, joint, top);
    R_$T first = quotient_pair_$T(top, WHERE_$T(large, e2, d2 + (t + shift2)), unit, c2), tail = *c2;
    R_b8 huge = GT(b, C_$T(0x1p100));
    R_$T b1 = WHERE_$T(huge, one, b), below = sum_pair_$T(b1, -one, &d2);
    R_$T log_b = log_of_pair_$T(b1, b2, below, d2 + b2, &t);
    if (ANY(huge)) log_b = WHERE_$T(huge, log_$T(b), log_b);
    first = sum_pair_$T(first, -log_b, &d2);
    first = sum_pair_$T(first, -ratio, &e2);
    tail = tail + (d2 - t) + e2;
    *c = sum_pair_$T(first, lgamma_slope_pair_$T(unit, &slope2), &d2);
    *c2 = tail + (d2 + slope2);
    R_b8 beyond = GT(ABS(*c), C_$T(1e30));
    *c = WHERE_$T(beyond, COPYSIGN(C_$T(1e30), *c), *c);
    *c2 = WHERE_$T(beyond, zero, *c2);
    *m = exp_minus_wide_$T(-*c, -*c2, &t, k);
    R_$T y = times_exp2_far_$T(*m, *k), far = -log_$T(u / (p * C_$T(1.2)));
    far = WHERE_$T(GT(far, one), far, one);
    *more = ~(small & LT(y * maximum_$T(s, one), C_$T($X)));
    y = WHERE_$T(GT(y * s, C_$T(0.6)) & GT(r, one), far / (far + r), y);
    R_$T guess = normal_guess_$T(WHERE_$T(low, l, u)), log_p = log_$T(p), rest = maximum_$T(r - third, C_$T(0.2));
    R_$T center = (p - third) / rest * exp_$T(-guess * SQRT(one / p + one / rest));
    R_b8 fewer = LT(p, r);
    R_$T log_rest = log1p_$T(-WHERE_$T(fewer, p, r) / s), log_share = log_$T(WHERE_$T(fewer, p, r) / s);
    R_$T log_beta = C_$T(0.92) - middle * log_$T(s);
    log_beta = FMA(r - middle, WHERE_$T(fewer, log_rest, log_share), log_beta);
    log_beta = FMA(p - middle, WHERE_$T(fewer, log_share, log_rest), log_beta);
    R_$T power = exp_$T((log_l + log_p + log_beta) / p);
    R_$T above = (p - third) + guess * FMA(guess, third, SQRT(p * (s / r)));
    y = WHERE_$T(small, y, WHERE_$T(low, maximum_$T(center / (one + center), power), above / (above + rest)));
    return WHERE_$T(LT(y, middle), y, middle);
}

// The smaller of x and 1 - x, over 2^k, where I(a, b, x) = l + l2 and I(b, a, 1 - x) = u + u2, and in ``flip`` whether
// it is 1 - x. The tails of 1/2 say which, and what follows is as in gamma_root_$T, which explains E.
//: for T E in f32 0x1p-9  f64 0x1p-18
FN R_$T beta_root_parts_$T(R_$T a, R_$T b, R_$T l, R_$T l2, R_$T u, R_$T u2, R_b8 *flip, R_$I *k) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), p = a, r = b, y = middle, c = zero, c2 = zero;
    R_$T z2, upper, slope, goal = one, m = one;
    R_b8 low = LT(y, zero), more = ~low, settled = low;
    R_$I raise = C_$I(0);
    *flip = low;
    for (int n = 0; n < 25 && ANY(more); n++) {
        R_$T z = sum_pair_$T(one, -y, &z2), lower = beta_tails_$T(p, r, y, zero, z, z2, raise, &upper, &slope);
        if (n == 0) {
            R_b8 above = WHERE_b8(LT(l, u), LT(lower, l), GT(upper, u));
            *flip = above;
            p = WHERE_$T(above, b, a);
            r = WHERE_$T(above, a, b);
            R_$T low_goal = WHERE_$T(above, u, l), high_goal = WHERE_$T(above, l, u);
            low = LE(low_goal, middle);
            goal = WHERE_$T(low, low_goal, high_goal);
            raise = raise_$T(goal);
            goal = goal * exp2_whole_$T(raise);
            y = beta_guess_$T(p, r, low_goal, WHERE_$T(above, u2, l2), high_goal, &c, &c2, &more, &m, k);
            settled = ~more;
        } else {
            R_$T rate, drift = FMA(p, z, -r * y), sloped = WHERE_$T(low, slope, -slope);
            R_$T step = tail_step_$T(WHERE_$T(low, lower, upper), goal, sloped, drift, &rate);
            R_b8 near = more & LT(p, one) & LE(y * maximum_$T(r, C_$T(1.1)), C_$T(0.62));
            if (ANY(near)) {
                R_$T y2, d2, log_y = log_of_pair_$T(y, zero, y - one, zero, &y2), d = sum_pair_$T(c, -log_y, &d2);
                R_$T up_rate = slope / lower;
                d = d + (d2 + (c2 - y2)) - log1p_$T(p * beta_rest_$T(p, r, y)) / p;
                step = WHERE_$T(near, halley_$T(-d, up_rate / p, drift - up_rate), step);
            }
            step = WHERE_$T(low | LT(step, C_$T(1.5)), step, C_$T(1.5));
            R_$T grown = expm1_$T(step), ahead = y * exp_$T(step) / FMA(y, grown, one);
            ahead = WHERE_$T(LT(ABS(step), middle), FMA(y * z / FMA(y, grown, one), grown, y), ahead);
            y = WHERE_$T(more, ahead, y);
            more = more & GT(ABS(step) * maximum_$T(one, ABS(rate)), C_$T($E));
        }
    }
    *k = WHERE_$I(settled, *k, C_$I(0));
    return WHERE_$T(settled, m, y);
}

// x, and in ``other`` 1 - x.
//: for T in f32 f64
FN R_$T beta_root_$T(R_$T a, R_$T b, R_$T l, R_$T l2, R_$T u, R_$T u2, R_$T *other) {
    R_b8 flip;
    R_$I k;
    R_$T m = beta_root_parts_$T(a, b, l, l2, u, u2, &flip, &k), y = times_exp2_far_$T(m, k), z = C_$T(1) - y;
    *other = WHERE_$T(flip, y, z);
    return WHERE_$T(flip, z, y);
}

//: for T in f32 f64
FN R_$T betaincinv_$T(R_$T a, R_$T b, R_$T y) {
    R_$T zero = C_$T(0), one = C_$T(1), other, u2;
    R_b8 low = EQ(b, INF_$T), high = EQ(a, INF_$T), ended = EQ(y, zero) | EQ(y, one), inside = GT(y, zero) & LT(y, one);
    R_b8 positive = GT(a, zero) & GT(b, zero), regular = positive & inside & ~low & ~high;
    R_b8 valid = positive & (ended | (inside & ((low & EQ(a, one)) | (high & EQ(b, one)))));
    R_$T goal = WHERE_$T(regular, y, C_$T(0.5)), u = sum_pair_$T(one, -goal, &u2);
    R_$T x = beta_root_$T(WHERE_$T(regular, a, one), WHERE_$T(regular, b, one), goal, zero, u, u2, &other);
    R_$T end = WHERE_$T(EQ(y, zero) | (low & LT(y, one)), zero, one);
    return WHERE_$T(regular, x, WHERE_$T(valid, end, NAN_$T));
}

FN R_$T betainccinv_$T(R_$T a, R_$T b, R_$T y) {
    R_$T zero = C_$T(0), one = C_$T(1), other, l2;
    R_b8 low = EQ(b, INF_$T), high = EQ(a, INF_$T), ended = EQ(y, zero) | EQ(y, one), inside = GT(y, zero) & LT(y, one);
    R_b8 positive = GT(a, zero) & GT(b, zero), regular = positive & inside & ~low & ~high;
    R_b8 valid = positive & (ended | (inside & ((low & EQ(a, one)) | (high & EQ(b, one)))));
    R_$T goal = WHERE_$T(regular, y, C_$T(0.5)), l = sum_pair_$T(one, -goal, &l2);
    R_$T x = beta_root_$T(WHERE_$T(regular, a, one), WHERE_$T(regular, b, one), l, l2, goal, zero, &other);
    R_$T end = WHERE_$T(EQ(y, one) | (low & GT(y, zero)), zero, one);
    return WHERE_$T(regular, x, WHERE_$T(valid, end, NAN_$T));
}

//: for T in f16 bf16 for N in gammainc gammaincc gammaincinv gammainccinv
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

//: for T in f16 bf16 for N in betainc betaincc betaincinv betainccinv
FN R_$T $N_$T(R_$T a, R_$T b, R_$T c) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b), FLOAT_$T(c))); }

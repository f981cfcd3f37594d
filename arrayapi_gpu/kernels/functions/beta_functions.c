// Beta functions, DLMF 5.12.1, and binomial coefficients.
//
// Of 0 < b <= a: with c = a + b, gamma(a) gamma(b) / gamma(c) by gamma_parts is (2 pi / c)^(1/2) times
// (b / a)^(b - 1/2) (1 + b / a)^(1 - c) and the three G.

// log2(2^k (1 + f + f2)) for sqrt(1/2) <= 1 + f <= sqrt(2), and its tail; see log2_pair_$T.
//: for T in f32 f64
FN R_$T log2p1_pair_$T(R_$T k, R_$T f, R_$T f2, R_$T *tail) {
    R_$T d = C_$T(2) + f, s = f / d;
    R_$T s2 = (FMA(-s, d, f) + f2 - s * (f - (d - C_$T(2)) + f2)) / d;
    return log2_of_slope_$T(k, s, s2, tail);
}

// (p + lost) (x + x2), after T. Ogita, S. M. Rump and S. Oishi, Accurate sum and dot product (2005).
FN R_$T times_$T(R_$T p, R_$T *lost, R_$T x, R_$T x2) {
    R_$T product = p * x;
    *lost = FMA(*lost, x, FMA(p, x2, FMA(p, x, -product)));
    return product;
}

// z, z2 and m with beta(a, b) = 2^(z + z2) m, for positive finite a and b. Arguments below 2 are taken 2 higher, by
// beta(a, b) = beta(a, b + 2) s (s + 1) / (b (b + 1)) with s = a + b. Q: e^(1/2).
//: for T Q L in f32 0x1.a61298p0 0x1.715476p0  f64 0x1.a61298e1e069cp0 0x1.71547652b82fep0
FN R_$T beta_parts_$T(R_$T a, R_$T b, R_$T *z, R_$T *z2) {
    R_$T one = C_$T(1), two = C_$T(2), zero = C_$T(0);
    R_b8 one_low = LT(b, two), both_low = LT(a, two);
    R_$T up_a = WHERE_$T(both_low, two, zero), up_b = WHERE_$T(one_low, two, zero), x0 = a + up_a, y0 = b + up_b;
    R_$T lost_a = a - (x0 - up_a), lost_b = b - (y0 - up_b);
    R_b8 swap = GT(y0, x0);
    R_$T x = WHERE_$T(swap, y0, x0), y = WHERE_$T(swap, x0, y0);
    R_$T lost_x = WHERE_$T(swap, lost_b, lost_a), lost_y = WHERE_$T(swap, lost_a, lost_b);
    R_$T r = y / x, r2 = FMA(-r, x, y) / x, c = x + y, c2 = y - (c - x);
    R_$T h2, l2, h = log2_pair_$T(r, &h2);
    h2 = FMA(r2 / r, C_$T($L), h2);
    R_b8 large = GT(r, C_$T(0.41421356237309504880));
    R_$T t = r - one, f = WHERE_$T(large, t * C_$T(0.5), r);
    R_$T l = log2p1_pair_$T(WHERE_$T(large, one, zero), f, WHERE_$T(large, ((r - (t + one)) + r2) * C_$T(0.5), r2), &l2);
    R_$T p1 = y - C_$T(0.5), p = p1 * h, n = c - one, n2 = ((c - n) - one) + c2, q = n * l;
    R_$T low = (FMA(p1, h, -p) + p1 * h2) - (FMA(n, l, -q) + (n * l2 + n2 * l));
    R_$T sum = p - q, part = sum - p, v = one / c, vx = one / x, vy = one / y;
    low = low + ((p - (sum - part)) - (q + part));
    low = FMA(lost_y, (h - l) + C_$T(0.72) * (v - vy), FMA(lost_x, FMA(v - vx, C_$T(0.72), -l), low));
    R_$T s2, s = sum_pair_$T(a, b, &s2), k, scaled = split_$T(WHERE_$T(LT(s, one), one, s), &k);
    R_b8 large_s = one_low & ~both_low;
    k = WHERE_$T(large_s, k, zero);
    R_$T inverse = WHERE_$T(large_s, scaled / s, one), s1 = WHERE_$T(large_s, scaled, s), o2;
    R_$T gy2, gy = gamma_scaled_pair_$T(vy, &gy2), above2, above = gamma_scaled_pair_$T(vx, &above2);
    above = times_$T(above, &above2, gy, gy2);
    R_$T root = SQRT(c), root2 = (FMA(-root, root, c) + c2) * (C_$T(0.5) * root * v);
    R_$T below2, below = gamma_scaled_pair_$T(v, &below2);
    below = times_$T(below, &below2, root, root2);
    R_$T o = sum_pair_$T(s1, inverse, &o2);
    above = times_$T(above, &above2, C_$T($Q), zero);
    s2 = s2 * inverse;
    above = times_$T(above, &above2, WHERE_$T(one_low, s1, one), WHERE_$T(one_low, s2, zero));
    above = times_$T(above, &above2, WHERE_$T(one_low, o, one), WHERE_$T(one_low, o2 + s2, zero));
    o = sum_pair_$T(s, two, &o2);
    above = times_$T(above, &above2, WHERE_$T(both_low, o, one), WHERE_$T(both_low, o2 + s2, zero));
    o = sum_pair_$T(s, C_$T(3), &o2);
    above = times_$T(above, &above2, WHERE_$T(both_low, o, one), WHERE_$T(both_low, o2 + s2, zero));
    below = times_$T(below, &below2, WHERE_$T(both_low, a, one), zero);
    o = sum_pair_$T(a, one, &o2);
    below = times_$T(below, &below2, WHERE_$T(both_low, o, one), WHERE_$T(both_low, o2, zero));
    o = sum_pair_$T(b, one, &o2);
    below = times_$T(below, &below2, WHERE_$T(one_low, o, one), WHERE_$T(one_low, o2, zero));
    R_$T m = above / below;
    R_$T rest = (FMA(-m, below, above) + FMA(-m, below2, above2)) / below;
    R_$T last = WHERE_$T(one_low, b, one) * C_$T(256), ratio = m / last;
    m = ratio + (FMA(-ratio, last, m) + rest) / last;
    k = k + k + C_$T(8);
    R_$T lost, whole = sum_pair_$T(sum, k, &lost);
    *z = whole;
    *z2 = low + lost;
    return m;
}

// For positive a and b: factor + factor2 times beta, or where `inverted` over it. Z as in reduced_$T.
//: for T Z in f32 0x1.8p23  f64 0x1.8p52
FN R_$T beta_right_$T(R_$T a, R_$T b, R_b8 inverted, R_$T factor, R_$T factor2) {
    R_$T z, z2, m = beta_parts_$T(maximum_$T(a, b), minimum_$T(a, b), &z, &z2), most = C_$T(2000);
    z = WHERE_$T(inverted, -z, z);
    z2 = WHERE_$T(inverted, -z2, z2);
    R_$T near = WHERE_$T(GT(z, most), most, WHERE_$T(LT(z, -most), -most, z)), shifted = near + C_$T($Z), k = shifted - C_$T($Z);
    R_$T fraction = (near - k) + WHERE_$T(EQ(near, z), z2, C_$T(0));
    R_$T power2, power = sum_pair_$T(C_$T(1), fraction * exp2_tail_$T(fraction), &power2);
    R_$T t2, q2, t = product_pair_$T(power, factor, &t2), q;
    t2 = FMA(power, factor2, FMA(power2, factor, t2));
    q = quotient_pair_$T(t, t2, m, &q2);
    return scaled_$T(WHERE_$T(inverted, q + q2, FMA(t, m, t2 * m)), TO_$I(k));
}

// x 2^k in four steps.
//: for T N in f32 120  f64 1000
FN R_$T scaled_$T(R_$T x, R_$I k) {
    R_$I most = C_$I(3 * $N), held = WHERE_$I(GT(k, most), most, WHERE_$I(LT(k, -most), -most, k));
    R_$I first = held >> C_$I(2), rest = held - first - first - first;
    R_$T power = exp2_whole_$T(first);
    return x * power * power * power * exp2_whole_$T(rest);
}

FN R_$T betaln_right_$T(R_$T a, R_$T b) {
    R_$T z, z2, m = beta_parts_$T(maximum_$T(a, b), minimum_$T(a, b), &z, &z2);
    return FMA(z, C_$T(0.69314718055994530942), FMA(z2, C_$T(0.69314718055994530942), log_$T(m)));
}

// The derivative of log(B(p, q)) after p, psi(p) - psi(p + q), where it is of use; psi(x) is about log(x - 1/2).
//: for T in f32 f64
FN R_$T beta_slope_$T(R_$T p, R_$T q) {
    R_b8 large = GT(p, C_$T(16));
    return WHERE_$T(large, log_share_$T(p - C_$T(0.5), q), psi_$T(p) - psi_$T(p + q));
}

// log(p / (p + q)) of positive numbers.
FN R_$T log_share_$T(R_$T p, R_$T q) {
    R_$T s = p + q;
    R_b8 most = GT(p, q);
    return log_or_log1p_$T(most, WHERE_$T(most, -q, p) / s);
}

// beta and betaln, given the beta function B of positive p and q, are B^e times `factor` and its tail. With
// z = -a, y = -b, w = -(a + b) and S(x) = sin(pi x) / pi, by DLMF 5.5.3 beta(a, b) is -1 / (S(z) z B(z, a + b)) for
// a < 0 < a + b, S(w) w / (S(z) z) B(w, b) for a + b <= 0 < b, and -S(w) w / (S(z) z S(y) y B(z, y)) for a, b < 0.
//: for T in f32 f64
FN R_$T beta_factor_$T(R_$T a, R_$T b, R_$T *p, R_$T *q, R_b8 *inverted, R_$T *factor2) {
    R_$T one = C_$T(1), zero = C_$T(0), low = WHERE_$T(LT(b, a), b, a), high = WHERE_$T(LT(b, a), a, b);
    R_$T s2, s = sum_pair_$T(a, b, &s2), z = ABS(low), y = ABS(high), factor = one;
    R_b8 left = LT(low, zero), both = LT(high, zero), above = GT(s, zero);
    *factor2 = zero;
    if (ANY(left)) {
        R_b8 whole_z = left & EQ(RINT(z), z) & LT(z, INF_$T), whole = whole_z & EQ(RINT(y), y) & ~above;
        R_$T halved = y * C_$T(0.5), sign = WHERE_$T(NE(TRUNC(halved), halved), -one, one), d2, n2, f2;
        R_$T d = sinpi_pair_$T(z, &d2), n = sinpi_between_$T(a, -b, &n2), f = sinpi_pair_$T(y, &f2);  // n is -S(w)
        d = times_$T(WHERE_$T(whole, one, d), &d2, z, zero);
        R_$T e2 = d2, e = times_$T(d, &e2, f, f2);
        e = times_$T(e, &e2, y, zero);
        d = WHERE_$T(both, e, d);
        d2 = WHERE_$T(whole, zero, WHERE_$T(both, e2, d2));
        n = WHERE_$T(whole, sign, WHERE_$T(above, -one, WHERE_$T(both, n, -n)));
        n2 = WHERE_$T(whole | above, zero, WHERE_$T(both, n2, -n2));
        R_b8 plain = above | EQ(s, zero);
        n = times_$T(n, &n2, WHERE_$T(plain, one, -s), WHERE_$T(plain, zero, -s2));
        R_$T quotient2, quotient = quotient_pair_$T(n, n2, d, &quotient2);
        quotient2 = FMA(-quotient, d2 / d, quotient2);
        R_b8 rounded = left & ~both & NE(s2, zero);  // of B(s, y) the factor has what s loses
        if (ANY(rounded)) {
            R_$T size = WHERE_$T(rounded, ABS(s), one), change = beta_slope_$T(size, WHERE_$T(above, z, high));
            quotient2 = WHERE_$T(rounded, FMA(quotient, -s2 * change, quotient2), quotient2);
        }
        *factor2 = WHERE_$T(left & LT(ABS(quotient2), INF_$T), quotient2, zero);
        factor = WHERE_$T(left, WHERE_$T(both & whole, sign * INF_$T, quotient), one);
        factor = WHERE_$T(whole_z & ~whole, INF_$T, factor);
    }
    *inverted = left & (both | above);
    *p = WHERE_$T(left, WHERE_$T(both | above, z, WHERE_$T(EQ(s, zero), one, -s)), a);
    *q = WHERE_$T(left, WHERE_$T(both, y, WHERE_$T(above, s, WHERE_$T(EQ(s, zero), one, high))), b);
    return factor;
}

// `value` for finite a and b that are no poles, otherwise SciPy's values.
FN R_$T beta_special_$T(R_$T a, R_$T b, R_$T value) {
    R_$T zero = C_$T(0), low = WHERE_$T(LT(a, b), a, b), floored = FLOOR(low) * C_$T(0.5);
    R_b8 whole = EQ(RINT(a), a) & EQ(RINT(b), b), none = NE(a, a) | NE(b, b);
    R_b8 infinite = EQ(ABS(a), INF_$T) | EQ(ABS(b), INF_$T);
    R_b8 pole_a = LE(a, zero) & EQ(RINT(a), a), pole_b = LE(b, zero) & EQ(RINT(b), b), pole = pole_a | pole_b;
    R_$T halved = b * C_$T(0.5), sign = WHERE_$T(NE(TRUNC(halved), halved), -INF_$T, INF_$T);
    R_b8 counted = whole & LE(a + b, zero) & ~infinite;
    R_$T signed_end = WHERE_$T(NE(TRUNC(floored), floored), -INF_$T, INF_$T);
    R_$T end = WHERE_$T(LT(low, zero), signed_end, WHERE_$T(EQ(low, INF_$T), NAN_$T, zero));
    R_$T open = WHERE_$T(none, NAN_$T, WHERE_$T(infinite, end, value));
    return WHERE_$T(pole_a & pole_b & counted, sign, WHERE_$T(pole & ~counted, INF_$T, open));
}

// Whether one number, ``low``, is so small that beta is 1 / low + 1 / high. If high is small, that is times
// 1 - low high pi^2 / 6; otherwise 1 / high, as -psi(high), does not count. N: it does not where -psi(high) is largest,
// next to a pole.
//: for T M N in f32 0x1p-40 0x1p-52  f64 0x1p-70 0x1p-110
FN R_b8 beta_is_sum_$T(R_$T a, R_$T b, R_$T *low, R_$T *high) {
    R_b8 less = LT(ABS(a), ABS(b));
    *low = WHERE_$T(less, a, b);
    *high = WHERE_$T(less, b, a);
    R_b8 tiny = LT(ABS(*low), C_$T($M)) & NE(*low, C_$T(0)), beyond = LT(ABS(*low), C_$T($N)) & NE(RINT(*high), *high);
    return tiny & (GT(*high, C_$T(-0.5)) | beyond) & LT(*high, INF_$T);
}

//: for T in f32 f64
FN R_$T beta_$T(R_$T a, R_$T b) {
    R_b8 inverted;
    R_$T p, q, low, high, factor2, factor = beta_factor_$T(a, b, &p, &q, &inverted, &factor2), one = C_$T(1), zero = C_$T(0);
    R_$T value = beta_special_$T(a, b, beta_right_$T(p, q, inverted, factor, factor2));
    R_b8 is_sum = beta_is_sum_$T(a, b, &low, &high), both = LT(p, INF_$T) & LT(q, INF_$T) & EQ(p + q, INF_$T);
    value = WHERE_$T(both & ~inverted, zero, value);
    return WHERE_$T(is_sum, one / low + one / high, value);
}

// log(|beta(a, b)|).
FN R_$T betaln_$T(R_$T a, R_$T b) {
    R_b8 inverted;
    R_$T p, q, low, high, factor2, factor = beta_factor_$T(a, b, &p, &q, &inverted, &factor2);
    R_b8 huge = LT(p, INF_$T) & LT(q, INF_$T) & EQ(p + q, INF_$T);  // there log(B(p, q)) grows as p and q do
    R_$T scale = WHERE_$T(huge, C_$T(0.5), C_$T(1)), value = betaln_right_$T(p * scale, q * scale) / scale;
    value = WHERE_$T(inverted, -value, value) + WHERE_$T(EQ(factor, C_$T(1)), C_$T(0), log_$T(ABS(factor)));
    R_b8 is_sum = beta_is_sum_$T(a, b, &low, &high);
    value = WHERE_$T(is_sum, log1p_$T(low / high) - log_$T(ABS(low)), value);
    R_$T special = beta_special_$T(a, b, C_$T(1));
    return WHERE_$T(EQ(special, C_$T(1)), value, log_$T(ABS(special)));
}

// Binomial coefficients, DLMF 1.2.6, gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)).

// sin(pi (a - b)) / pi and its tail, for all finite a and b: a and b less the nearest whole numbers are exact.
//: for T in f32 f64
FN R_$T sinpi_between_$T(R_$T a, R_$T b, R_$T *tail) {
    R_$T whole_a = RINT(a), whole_b = RINT(b), lost, r = sum_pair_$T(a - whole_a, whole_b - b, &lost), whole = RINT(r), s2;
    R_$T half_a = whole_a * C_$T(0.5), half_b = whole_b * C_$T(0.5), s = sinpi_near_pair_$T((r - whole) + lost, &s2);
    R_b8 odd = NE(TRUNC(half_a), half_a) ^ NE(TRUNC(half_b), half_b) ^ NE(whole, C_$T(0));
    *tail = WHERE_$T(odd, -s2, s2);
    return WHERE_$T(odd, -s, s);
}

// n (n - 1) ... (n - k + 1) / k! for whole 0 <= k <= N: the product in two registers, and less by 2^e for each factor
// so that it does not overflow; k! has no more digits than the dtype. So whole numbers are exact. M: the largest e.
//: for T N M in f32 13 120  f64 20 1000
FN R_$T binom_product_$T(R_$T n, R_$T k) {
    R_$T zero = C_$T(0), one = C_$T(1), e, lost, above = one, above2 = zero, below = one;
    split_$T(FMA(ABS(n), C_$T(0.5), one), &e);
    e = minimum_$T(e, C_$T($M));
    R_$T unit = exp2_whole_$T(-TO_$I(e)), part = n * unit;
    for (int j = 0; j < $N; j++) {
        R_b8 more = LT(C_$T(j), k);
        R_$T factor = sum_pair_$T(part, C_$T(-j) * unit, &lost), lost2 = above2, product = times_$T(above, &lost2, factor, lost);
        above = WHERE_$T(more, product, above);
        above2 = WHERE_$T(more, lost2, above2);
        below = WHERE_$T(more, below * C_$T(j + 1), below);
    }
    R_$T quotient = above / below;
    quotient = quotient + (FMA(-quotient, below, above) + above2) / below;
    return scaled_$T(quotient, TO_$I(e * k));
}

// By the beta function B(p, q) of positive numbers, and DLMF 5.5.3 for the gamma functions of negative ones. The
// rounding errors of p and q count times the logarithmic derivatives of B, about log(p / (p + q)) and log(q / (p + q)).
//: for T in f32 f64
FN R_$T binom_general_$T(R_$T n, R_$T k) {
    R_$T one = C_$T(1), d2, r2, n2, k2, d = sum_pair_$T(k, -n, &d2), r = sum_pair_$T(one, -d, &r2);
    R_$T n1 = sum_pair_$T(n, one, &n2), k1 = sum_pair_$T(k, one, &k2), zero = C_$T(0);
    R_b8 low = LT(n, -one), negative = LT(k, C_$T(-0.5)), beyond = GT(d, C_$T(0.5)), both = negative & beyond;
    R_b8 inverted = WHERE_b8(low, ~both, ~negative & ~beyond), far = beyond & WHERE_b8(low, negative, ~negative);
    R_b8 after = ~far & (beyond | ~low);
    R_$T p = WHERE_$T(low, WHERE_$T(both, -k, -n), WHERE_$T(inverted, r, n1));
    R_$T p2 = WHERE_$T(low, zero, WHERE_$T(inverted, r2 - d2, n2));
    R_$T q = WHERE_$T(negative & ~low, -k, WHERE_$T(far, d, WHERE_$T(after, k1, r)));
    R_$T q2 = WHERE_$T(negative & ~low, zero, WHERE_$T(far, d2, WHERE_$T(after, k2, r2 - d2)));
    R_$T first2, first = sinpi_between_$T(zero, k, &first2), next2, next = sinpi_between_$T(k, n, &next2);
    R_b8 turned = beyond & (low | ~negative);
    R_$T above2 = WHERE_$T(negative, first2, zero), above = WHERE_$T(negative, first, one);
    above = times_$T(above, &above2, WHERE_$T(turned, next, one), WHERE_$T(turned, next2, zero));
    R_$T unit = WHERE_$T(inverted, WHERE_$T(low, WHERE_$T(negative, -k, d), n1), one);
    R_$T unit2 = WHERE_$T(inverted, WHERE_$T(low, WHERE_$T(negative, zero, d2), n2), zero);
    R_$T lost = FMA(p2, log_share_$T(p, q), q2 * log_share_$T(q, p));
    lost = maximum_$T(WHERE_$T(inverted, -lost, lost) - unit2 / unit, C_$T(-0.5));  // less: the result is 0 or infinite
    R_$T last2, last = sinpi_between_$T(n, -one, &last2), below2 = zero;
    R_$T below = times_$T(unit, &below2, WHERE_$T(low, last, one), WHERE_$T(low, last2, zero));
    R_$T factor = above / below, rest = (FMA(-factor, below2, FMA(-factor, below, above)) + above2) / below;
    R_b8 tiny = LT(ABS(factor), C_$T(0x1p-60));  // so that nothing before the result is subnormal
    R_$T up = WHERE_$T(tiny, C_$T(0x1p60), one), down = WHERE_$T(tiny, C_$T(0x1p-60), one);
    return beta_right_$T(p, q, inverted, factor * up, FMA(lost, factor, rest) * up) * down;
}

// N as above. SciPy's values where an argument is infinite.
//: for T N in f32 13  f64 20
FN R_$T binom_$T(R_$T n, R_$T k) {
    R_$T zero = C_$T(0), one = C_$T(1), rest = n - k;
    R_b8 whole_k = EQ(RINT(k), k), whole_n = EQ(RINT(n), n), mirrored = whole_n & whole_k & GT(n, zero) & LT(rest, k);
    R_$T j = WHERE_$T(mirrored, rest, k);
    R_b8 short_k = whole_k & GE(j, zero) & LE(j, C_$T($N)), finite = LT(ABS(n), INF_$T) & LT(ABS(k), INF_$T);
    R_b8 none = whole_k & (LT(k, zero) | LT(j, zero));
    R_b8 regular = finite & ~short_k & ~none & ~(whole_n & LT(n, zero));
    R_$T value = binom_product_$T(WHERE_$T(finite, n, one), WHERE_$T(short_k, j, zero));
    if (ANY(regular)) {
        R_$T general = binom_general_$T(WHERE_$T(regular, n, one), WHERE_$T(regular, k, C_$T(0.5)));
        value = WHERE_$T(regular, general, value);
    }
    R_$T end = WHERE_$T(EQ(k, zero), one, WHERE_$T(whole_k & LT(k, INF_$T), WHERE_$T(LT(k, zero), zero, INF_$T), NAN_$T));
    value = WHERE_$T(finite, WHERE_$T(none, zero, value), end);
    return WHERE_$T(NE(n, n) | NE(k, k) | (whole_n & LT(n, zero)), NAN_$T, value);
}

//: for T in f16 bf16 for N in beta betaln binom
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

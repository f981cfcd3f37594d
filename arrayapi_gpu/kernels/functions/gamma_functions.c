// Gamma functions and their relatives.

// sin(pi r) / pi for |r| <= 1/2, and its tail.
//: for T in f32 f64
FN R_$T sinpi_near_pair_$T(R_$T r, R_$T *tail) {
    R_$T w = r * r, c = r * w, t = sinpi_tail_$T(w), s = FMA(c, t, r);
    *tail = FMA(c, t, r - s);
    return s;
}

// pi cot(pi a), of a >= 0, and its tail. H and L: pi.
//: for T H L in f32 0x1.921fb6p+1 -0x1.777a5cp-24  f64 0x1.921fb54442d18p+1 0x1.1a62633145c07p-53
FN R_$T cotpi_$T(R_$T a, R_$T *tail) {
    R_$T r = a - RINT(a), n2, d2, n = sinpi_near_pair_$T(C_$T(0.5) - ABS(r), &n2), d = sinpi_near_pair_$T(r, &d2);
    R_$T inverse = C_$T(1) / d, part = n * inverse, rest = FMA(-part, d, n) + FMA(-part, d2, n2), y = part * C_$T($H);
    rest = FMA(part, C_$T($L), FMA(rest * inverse, C_$T($H), FMA(part, C_$T($H), -y)));
    *tail = WHERE_$T(LT(ABS(y), INF_$T), rest, C_$T(0));
    return y;
}

// log(gamma(z)) for z >= 0 is (z - 1) (z - 2) R(z - 1) up to 3, R(z) z (z - 1) - log(z) for z < 1, and Stirling's series
// beyond, DLMF 5.11.1, with the logarithm in two parts, so that little is lost where it is near 1. H and L: see log_of_f32.
// Not for z below 2^-100.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20
FN R_f32 gammaln_right_f32(R_f32 z) {
    R_f32 one = C_f32(1), zero = C_f32(0), v = one / z, k, m = split_normal_f32(z, &k), f = m - one;
    R_b8 small = LT(z, one);
    R_f32 high = k * C_f32($H), rest = FMA(f * f, C_f32(0.5), -log_rest_f32(f)), low = FMA(k, C_f32($L), f - rest);
    R_f32 e = z - WHERE_f32(small, zero, one), less = e - one, a = z - C_f32(0.5);
    R_f32 near = FMA(e * less, gammaln_near_f32(less), WHERE_f32(small, -(high + low), zero));
    R_f32 series = FMA(v, gammaln_far_f32(v), C_f32(0.41893853320467274178));
    return WHERE_f32(GE(z, C_f32(3)), FMA(a, high - one, FMA(a, low, series)), near);
}

// For z > -1/2 d S(d) + log(p): for d = z - 2 in -1/2 ... 1/2 and p = 1, and by recurrence for d = z - 3 and p = z - 1,
// d = z - 1 and p = 1 / z, d = z and p = 1 / (z (z + 1)).
//: for T in f64
FN R_f64 gammaln_right_f64(R_f64 z) {
    R_f64 one = C_f64(1), zero = C_f64(0);
    R_b8 first = LT(z, C_f64(0.5)), second = LT(z, C_f64(1.5)), third = LT(z, C_f64(2.5)), far = GE(z, C_f64(3.5));
    R_f64 near = WHERE_f64(second, one, C_f64(2)), d = z - WHERE_f64(first, zero, WHERE_f64(third, near, C_f64(3)));
    R_f64 inside = WHERE_f64(second, z, WHERE_f64(third, one, z - one));
    R_f64 p = WHERE_f64(first, ABS(z) * (z + one), WHERE_f64(far, z, inside)), v = one / z;
    R_f64 k, lost, m = split_f64(p, &k), y = or_special_f64(p, log_pair_f64(k, m - one, &lost));
    R_f64 series = FMA(v, gammaln_far_f64(v), C_f64(0.41893853320467274178));
    R_f64 stirling = FMA(z - C_f64(0.5), (y - one) + lost, series);
    R_f64 beside = FMA(d, gammaln_near_f64(d), WHERE_f64(second, -y, y)) + WHERE_f64(second, -lost, lost);
    return WHERE_f64(far, stirling, beside);
}

// For x < 0 log(|gamma(x)|) is log(pi / (z |sin(pi z)|)) - log(gamma(z)) with z = -x, DLMF 5.5.3; if z is tiny
// both are -log(z).
//: for T B in f32 0x1p-100  f64 -0.5
FN R_$T gammaln_$T(R_$T x) {
    R_b8 left = LT(x, C_$T($B));
    R_$T z = WHERE_$T(left, ABS(x), x), y = gammaln_right_$T(z);
    if (ANY(left)) {
        R_$T reflected = -log_$T(ABS(sinpi_$T(z)) * z) - y;
        reflected = WHERE_$T(EQ(z, INF_$T), x, WHERE_$T(EQ(y, INF_$T), y, reflected));  // of whole numbers
        reflected = WHERE_$T(LT(z, C_$T(0x1p-30)), -log_$T(z), reflected);
        y = WHERE_$T(left, reflected, y);
    }
    return WHERE_$T(EQ(x, C_$T(0)), INF_$T, y);
}

//: for T in f32 f64
FN R_$T loggamma_$T(R_$T x) {
    return WHERE_$T(LT(x, C_$T(0)), NAN_$T, gammaln_$T(x));
}

// gamma(y + lost) / 2^k and its tail = (2 pi / e)^(1/2) (y / e)^(y - 1/2) G(1 / y), DLMF 5.11.3, for 2 <= y; the power by a logarithm in
// two registers, as in pow_$T; ``lost`` is below the last digit of y < 4. H and L: log2(e). Z as in reduced_$T.
//: for T H L Z in f32 0x1.715476p0 0x1.4ae0cp-26 0x1.8p23  f64 0x1.71547652b82fep0 0x1.777d0ffda0d24p-56 0x1.8p52
FN R_$T gamma_parts_$T(R_$T y, R_$T lost, R_$I *k, R_$T *m2) {
    R_$T tail, high = log2_pair_$T(y, &tail), sum = high - C_$T($H), part = sum - high;
    R_$T low = ((high - (sum - part)) - (C_$T($H) + part)) + (tail - C_$T($L));
    R_$T a = y - C_$T(0.5), z = a * sum, v = C_$T(1) / y;
    R_$T z2 = FMA(lost, FMA(v, C_$T(-0.72), high), FMA(a, sum, -z) + a * low);
    R_$T shifted = z + C_$T($Z), fraction = (z - (shifted - C_$T($Z))) + z2;
    *k = AS_$I(AS_$U(shifted) - AS_$U(C_$T($Z)));
    R_$T slope = exp2_tail_$T(fraction), power = FMA(fraction, slope, C_$T(1));
    *m2 = FMA(fraction, slope, C_$T(1) - power);
    R_$T scaled2, scaled = gamma_scaled_pair_$T(v, &scaled2);
    return times_$T(power, m2, scaled, scaled2);
}

// (2 pi / e)^(1/2) G(v) and its tail. C and D: (2 pi / e)^(1/2).
//: for T C D in f32 0x1.853574p+0 0x1.6a9e56p-26  f64 0x1.8535745aa7957p+0 -0x1.aa191844fc311p-54
FN R_$T gamma_scaled_pair_$T(R_$T v, R_$T *tail) {
    R_$T rest = gamma_scaled_rest_$T(v), y = FMA(rest, v, C_$T($C));
    *tail = FMA(rest, v, C_$T($C) - y) + C_$T($D);
    return y;
}

// sin(pi a) / pi, of a >= 0, and its tail.
//: for T in f32 f64
FN R_$T sinpi_pair_$T(R_$T a, R_$T *tail) {
    R_$T n = RINT(a), halved = n * C_$T(0.5), s2, s = sinpi_near_pair_$T(a - n, &s2);
    R_b8 odd = NE(TRUNC(halved), halved);
    *tail = WHERE_$T(odd, -s2, s2);
    return WHERE_$T(odd, -s, s);
}

// For z = |x|, gamma(z) is gamma(y) / p, with y = z + 2 and p = z (z + 1), with z + 1 and z, or with z and 1; for x < 0 it
// is -pi / (z sin(pi z)) times its inverse, DLMF 5.5.3. B: beyond it it is infinite, or 0. Whole numbers up to N: their
// factorials have the last D bits 0. V: 2^D + 1.
//: for T B N V in f32 50 13 9  f64 200 22 33
FN R_$T gamma_$T(R_$T x) {
    R_$T one = C_$T(1), z = ABS(x), near = WHERE_$T(GT(z, C_$T($B)), C_$T($B), z);
    R_b8 first = LT(z, one), second = LT(z, C_$T(2)), left = LT(x, C_$T(0));
    R_$I k;
    R_$T up = WHERE_$T(first, C_$T(2), WHERE_$T(second, one, C_$T(0))), y = near + up;
    R_b8 tiny = LT(z, C_$T(0x1p-60));  // so that 1 / z does not overflow before the result does
    R_$T large = WHERE_$T(tiny, C_$T(0x1p60), one), up1 = z + one, up2 = (one - up1) + z, zero = C_$T(0), lifted = z * large;
    R_$T m2, m = gamma_parts_$T(y, near - (y - up), &k, &m2), above = m, above2 = m2;
    R_$T below = WHERE_$T(second, lifted, one), below2 = zero;
    below = times_$T(below, &below2, WHERE_$T(first, up1, one), WHERE_$T(first, up2, zero));
    if (ANY(left)) {
        R_$T s2, s = sinpi_pair_$T(z, &s2);
        s = times_$T(WHERE_$T(tiny, lifted, s), &s2, WHERE_$T(second, one, near), zero);
        s = times_$T(s, &s2, m, m2);
        above = WHERE_$T(left, -WHERE_$T(first, up1, one), above);
        above2 = WHERE_$T(left, -WHERE_$T(first, up2, zero), above2);
        below = WHERE_$T(left, s, below);
        below2 = WHERE_$T(left, s2, below2);
        k = WHERE_$I(left, -k, k);
    }
    k = k + WHERE_$I(tiny, C_$I(60), C_$I(0));
    R_$T inverse = one / below, result = above * inverse;
    result = result + (FMA(-result, below, above) + FMA(-result, below2, above2)) * inverse;
    result = times_exp2_$T(result, k);
    R_$T wide = result * C_$T($V), rounded = wide - (wide - result);
    R_b8 whole = EQ(RINT(x), x);
    result = WHERE_$T(whole & LE(z, C_$T($N)), rounded, result);
    R_$T at_infinity = WHERE_$T(whole & left, NAN_$T, COPYSIGN(INF_$T, x));
    return WHERE_$T(EQ(z, C_$T(0)) | (whole & left) | EQ(x, INF_$T), at_infinity, result);
}

// For x > 0 psi(x) is (x - x0) P(x), where x0 = X + Y is its zero, for 1 <= x < 2, by recurrence for x < 1, and log(x) + Q
// beyond, DLMF 5.11.2; for x < 0 psi(1 - x) + pi cot(-pi x), DLMF 5.5.4.
//: for T X Y in f32 0x1.762d86p0 0x1.ab5f2p-27  f64 0x1.762d86356be3fp0 0x1.b86a722197829p-54
FN R_$T psi_$T(R_$T x) {
    R_$T one = C_$T(1), zero = C_$T(0), z = ABS(x), v = one / z;
    R_b8 first = LT(z, one), left = LT(x, zero);
    R_$T down = WHERE_$T(first, zero, one), d = (z - down) - C_$T(0.5);
    R_$T from_zero = (z - (C_$T($X) - WHERE_$T(first, one, zero))) - C_$T($Y);
    R_$T y = WHERE_$T(LT(z, C_$T(2)), from_zero * psi_near_$T(d), FMA(v, psi_far_$T(v), log_$T(z)));
    R_$T right = WHERE_$T(first, y - v, y);
    if (ANY(left)) {
        R_$T c2, c = cotpi_$T(z, &c2), reflected = c + (c2 + WHERE_$T(first, y, y + v));
        right = WHERE_$T(left, WHERE_$T(EQ(RINT(z), z), NAN_$T, reflected), right);
    }
    return WHERE_$T(EQ(z, zero), COPYSIGN(INF_$T, -x), right);
}

// Beta functions, DLMF 5.12.1, of 0 < b <= a: with c = a + b, gamma(a) gamma(b) / gamma(c) by gamma_parts is (2 pi / c)^(1/2)
// times (b / a)^(b - 1/2) (1 + b / a)^(1 - c) and the three G.

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

// What beta and betaln are, given the beta function B of positive p and q = p and q: B^e times `factor` and its tail. With
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

// `value` for finite a and b that are no poles, else SciPy's values.
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

// Whether one number, ``low``, is so small that beta is 1 / low + 1 / high, where that is positive, or as small.
//: for T M in f32 0x1p-40  f64 0x1p-70
FN R_b8 beta_is_sum_$T(R_$T a, R_$T b, R_$T *low, R_$T *high) {
    R_b8 less = LT(ABS(a), ABS(b));
    *low = WHERE_$T(less, a, b);
    *high = WHERE_$T(less, b, a);
    R_b8 tiny = LT(ABS(*low), C_$T($M)) & NE(*low, C_$T(0));
    return tiny & (GT(*high, C_$T(0)) | LT(ABS(*high), C_$T($M))) & LT(*high, INF_$T);
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

// n (n - 1) ... (n - k + 1) / k! for whole 0 <= k <= N: the product in two registers, and less by 2^e for each factor so
// that it does not overflow; k! has no more digits than the dtype. So whole numbers are exact. M: the largest e.
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

// By the beta function B(p, q) of positive numbers, with what DLMF 5.5.3 makes of the gamma functions of negative ones.
// What p and q lose to rounding counts times the logarithmic derivatives of B, about log(p / (p + q)) and log(q / (p + q)).
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
    return beta_right_$T(p, q, inverted, factor, FMA(lost, factor, rest));
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

// Polynomials, fitted so that the largest relative error of the whole function is least.

//: for T in f32
// log(gamma(2 + d)) / (d (d + 1)) for |d| <= 1: 2^-25.
FN R_f32 gammaln_near_f32(R_f32 d) {
    R_f32 p = FMA(C_f32(0x1.2f8652p-16), d, C_f32(-0x1.43a2fp-15));
    p = FMA(p, d, C_f32(0x1.90ab2ap-16));
    p = FMA(p, d, C_f32(-0x1.bb4078p-15));
    p = FMA(p, d, C_f32(0x1.921b64p-13));
    p = FMA(p, d, C_f32(-0x1.bdce72p-12));
    p = FMA(p, d, C_f32(0x1.de765ep-11));
    p = FMA(p, d, C_f32(-0x1.138b8cp-9));
    p = FMA(p, d, C_f32(0x1.479d3cp-8));
    p = FMA(p, d, C_f32(-0x1.95d47p-7));
    p = FMA(p, d, C_f32(0x1.0e0c98p-5));
    p = FMA(p, d, C_f32(-0x1.9ae64ap-4));
    return FMA(p, d, C_f32(0x1.b0ee6p-2));
}

// x (log(gamma(x)) - (x - 1/2) (log(x) - 1)) - log(2 pi / e) x / 2, over 1 / x = v <= 1/3: 2^-25 of the whole.
FN R_f32 gammaln_far_f32(R_f32 v) {
    R_f32 p = FMA(C_f32(0x1.ebd8c6p-12), v, C_f32(-0x1.783cbp-9));
    p = FMA(p, v, C_f32(0x1.98aa2p-18));
    return FMA(p, v, C_f32(0x1.555544p-4));
}

// ((2 pi / e)^(1/2) G(v) - G(0)) / v, see gamma_parts_$T, over v <= 1/2: 2^-29 of the whole.
FN R_f32 gamma_scaled_rest_f32(R_f32 v) {
    R_f32 p = FMA(C_f32(0x1.213c14p-11), v, C_f32(0x1.a8691ap-14));
    p = FMA(p, v, C_f32(-0x1.133e3cp-8));
    p = FMA(p, v, C_f32(0x1.5aecc2p-8));
    return FMA(p, v, C_f32(0x1.0378a4p-3));
}

// psi(3/2 + d) / (3/2 + d - x0) for |d| <= 1/2: 2^-25.
FN R_f32 psi_near_f32(R_f32 d) {
    R_f32 p = FMA(C_f32(-0x1.09c7dp-6), d, C_f32(0x1.87fa7ep-6));
    p = FMA(p, d, C_f32(-0x1.a7e35cp-6));
    p = FMA(p, d, C_f32(0x1.42739ep-5));
    p = FMA(p, d, C_f32(-0x1.fc3b68p-5));
    p = FMA(p, d, C_f32(0x1.8599d6p-4));
    p = FMA(p, d, C_f32(-0x1.2fec52p-3));
    p = FMA(p, d, C_f32(0x1.ec9f64p-3));
    p = FMA(p, d, C_f32(-0x1.b1cb66p-2));
    return FMA(p, d, C_f32(0x1.e6f0ccp-1));
}

// x (psi(x) - log(x)) over 1 / x = v <= 1/2: 2^-29.
FN R_f32 psi_far_f32(R_f32 v) {
    R_f32 p = FMA(C_f32(-0x1.94e4e6p-13), v, C_f32(-0x1.8cb0c2p-9));
    p = FMA(p, v, C_f32(0x1.34d5d6p-7));
    p = FMA(p, v, C_f32(-0x1.a53458p-13));
    p = FMA(p, v, C_f32(-0x1.5542dap-4));
    return FMA(p, v, C_f32(-0x1.000012p-1));
}

//: for T in f64
// log(gamma(2 + d)) / d for |d| <= 1/2: 2^-56.
FN R_f64 gammaln_near_f64(R_f64 d) {
    R_f64 p = FMA(C_f64(0x1.3fa7684a62d71p-22), d, C_f64(-0x1.37b63d956d91fp-21));
    p = FMA(p, d, C_f64(0x1.e322974be2b61p-21));
    p = FMA(p, d, C_f64(-0x1.090ea473273e5p-19));
    p = FMA(p, d, C_f64(0x1.26d80936e5cf2p-18));
    p = FMA(p, d, C_f64(-0x1.3d4b1651eae01p-17));
    p = FMA(p, d, C_f64(0x1.57fe0e88dc72p-16));
    p = FMA(p, d, C_f64(-0x1.78d910f419e53p-15));
    p = FMA(p, d, C_f64(0x1.a1282775fddf2p-14));
    p = FMA(p, d, C_f64(-0x1.d3fd69d870402p-13));
    p = FMA(p, d, C_f64(0x1.0b36ae81cbce6p-11));
    p = FMA(p, d, C_f64(-0x1.38ac5bfe5b1f2p-10));
    p = FMA(p, d, C_f64(0x1.7add6eb02171ep-9));
    p = FMA(p, d, C_f64(-0x1.e404fc21d61p-8));
    p = FMA(p, d, C_f64(0x1.51322ac7d6f9dp-6));
    p = FMA(p, d, C_f64(-0x1.13e001a55755ep-4));
    p = FMA(p, d, C_f64(0x1.4a34cc4a60fa8p-2));
    return FMA(p, d, C_f64(0x1.b0ee6072093cep-2));
}

// 2^-57.
FN R_f64 gammaln_far_f64(R_f64 v) {
    R_f64 p = FMA(C_f64(-0x1.9c4d9e8b531acp-12), v, C_f64(0x1.ae495dda8f293p-12));
    p = FMA(p, v, C_f64(0x1.4fd85faedc0acp-12));
    p = FMA(p, v, C_f64(-0x1.6faf3b65db5a8p-11));
    p = FMA(p, v, C_f64(0x1.60308035f5a6ap-16));
    p = FMA(p, v, C_f64(0x1.9eb71219b714ep-11));
    p = FMA(p, v, C_f64(0x1.c6a79c011efe1p-23));
    p = FMA(p, v, C_f64(-0x1.6c1719afb0ea2p-9));
    p = FMA(p, v, C_f64(0x1.2883ada5e8adp-32));
    return FMA(p, v, C_f64(0x1.55555555234afp-4));
}

// 2^-56.
FN R_f64 gamma_scaled_rest_f64(R_f64 v) {
    R_f64 p = FMA(C_f64(-0x1.b51327472f551p-10), v, C_f64(0x1.c6ee1fcddc1afp-8));
    p = FMA(p, v, C_f64(-0x1.a042bfa35e8cep-7));
    p = FMA(p, v, C_f64(0x1.a631be97e6a55p-7));
    p = FMA(p, v, C_f64(-0x1.caa57cd2b03b4p-8));
    p = FMA(p, v, C_f64(0x1.a454c084148f3p-11));
    p = FMA(p, v, C_f64(0x1.48fac592b3845p-10));
    p = FMA(p, v, C_f64(-0x1.9cfad634a9d47p-14));
    p = FMA(p, v, C_f64(-0x1.d52cacac886cbp-11));
    p = FMA(p, v, C_f64(0x1.b9791e19a254bp-14));
    p = FMA(p, v, C_f64(0x1.387ee0d3fb1a1p-10));
    p = FMA(p, v, C_f64(-0x1.6dd3ec970a75bp-12));
    p = FMA(p, v, C_f64(-0x1.0b291d7a182cep-8));
    p = FMA(p, v, C_f64(0x1.59f6a04eb873bp-8));
    return FMA(p, v, C_f64(0x1.0378f83c6fd0cp-3));
}

// 2^-55.
FN R_f64 psi_near_f64(R_f64 d) {
    R_f64 p = FMA(C_f64(-0x1.7248a37da7e23p-13), d, C_f64(0x1.107976da33e7ap-12));
    p = FMA(p, d, C_f64(-0x1.343a60bc1ef64p-13));
    p = FMA(p, d, C_f64(0x1.dc1ae37976d13p-13));
    p = FMA(p, d, C_f64(-0x1.fc475796558a8p-12));
    p = FMA(p, d, C_f64(0x1.7b4a1bf4a94cbp-11));
    p = FMA(p, d, C_f64(-0x1.0fcd4012f6de9p-10));
    p = FMA(p, d, C_f64(0x1.980d9b86cbf23p-10));
    p = FMA(p, d, C_f64(-0x1.336b446f56aeap-9));
    p = FMA(p, d, C_f64(0x1.cd3e7456a0df1p-9));
    p = FMA(p, d, C_f64(-0x1.5a06cc67c9b2fp-8));
    p = FMA(p, d, C_f64(0x1.03c006a5d3e06p-7));
    p = FMA(p, d, C_f64(-0x1.8635627be7a5fp-7));
    p = FMA(p, d, C_f64(0x1.256475f14ba87p-6));
    p = FMA(p, d, C_f64(-0x1.b9f8b1249ce13p-6));
    p = FMA(p, d, C_f64(0x1.4de9aa059a2ep-5));
    p = FMA(p, d, C_f64(-0x1.fb44202a073b9p-5));
    p = FMA(p, d, C_f64(0x1.8512e5905da68p-4));
    p = FMA(p, d, C_f64(-0x1.2feeeb98a7a32p-3));
    p = FMA(p, d, C_f64(0x1.eca189b8e6d99p-3));
    p = FMA(p, d, C_f64(-0x1.b1cb63005ee98p-2));
    return FMA(p, d, C_f64(0x1.e6f0cbb873617p-1));
}

// 2^-54.
FN R_f64 psi_far_f64(R_f64 v) {
    R_f64 p = FMA(C_f64(0x1.1f0e9420bbd3p-10), v, C_f64(-0x1.0d9709025ae82p-7));
    p = FMA(p, v, C_f64(0x1.94a349174c2dfp-6));
    p = FMA(p, v, C_f64(-0x1.4fee29cfb755bp-5));
    p = FMA(p, v, C_f64(0x1.5327d5e0c72d4p-5));
    p = FMA(p, v, C_f64(-0x1.8c11c09e1d45p-6));
    p = FMA(p, v, C_f64(0x1.2c920fcd51c64p-8));
    p = FMA(p, v, C_f64(0x1.aac208819969fp-9));
    p = FMA(p, v, C_f64(0x1.12bdbc396651bp-13));
    p = FMA(p, v, C_f64(-0x1.04f291cb3bbabp-8));
    p = FMA(p, v, C_f64(0x1.03429cffa99dp-20));
    p = FMA(p, v, C_f64(0x1.1110aede1f155p-7));
    p = FMA(p, v, C_f64(0x1.69c97f3b79c9bp-30));
    p = FMA(p, v, C_f64(-0x1.55555556b1248p-4));
    return FMA(p, v, C_f64(-0x1.ffffffffff852p-2));
}

//: for T in f16 bf16 for N in gammaln loggamma gamma psi
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

//: for T in f16 bf16 for N in beta betaln binom
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

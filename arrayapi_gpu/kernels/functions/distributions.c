// Distribution functions. The arguments of I(a, b, x) are in two registers, so that nothing is lost where x is
// near 1.

//: for T in f32 f64
FN R_$T chdtr_$T(R_$T v, R_$T x) { return gammainc_$T(v * C_$T(0.5), x * C_$T(0.5)); }

FN R_$T chdtrc_$T(R_$T v, R_$T x) { return gammaincc_$T(v * C_$T(0.5), x * C_$T(0.5)); }

// The F distribution: I(m / 2, n / 2, m x / (n + m x)).
FN R_$T f_pair_$T(R_$T m, R_$T n, R_$T x, R_$T *upper) {
    R_$T zero = C_$T(0), half_of = C_$T(0.5), slope, p2, q2, s2, y2, z2;
    R_b8 large = GT(x, C_$T(1));
    R_$T p = product_pair_$T(m, WHERE_$T(large, C_$T(1), x), &p2);
    R_$T q = quotient_pair_$T(n, zero, WHERE_$T(large, x, C_$T(1)), &q2);
    R_$T s = sum_pair_$T(p, q, &s2);
    s2 = s2 + (p2 + q2);
    R_$T y = p / s, z = q / s;
    y2 = (FMA(-y, s, p) + FMA(-y, s2, p2)) / s;
    z2 = (FMA(-z, s, q) + FMA(-z, s2, q2)) / s;
    R_$T lower = beta_pair_$T(m * half_of, n * half_of, y, y2, z, z2, upper, &slope);
    R_b8 end = EQ(x, INF_$T) & GT(m, zero) & GT(n, zero);
    R_b8 valid = GT(m, zero) & GT(n, zero) & LT(m, INF_$T) & LT(n, INF_$T) & GE(x, zero);
    *upper = WHERE_$T(valid | end, WHERE_$T(end, zero, *upper), NAN_$T);
    return WHERE_$T(valid | end, WHERE_$T(end, C_$T(1), lower), NAN_$T);
}

FN R_$T fdtr_$T(R_$T m, R_$T n, R_$T x) {
    R_$T upper;
    return f_pair_$T(m, n, x, &upper);
}

FN R_$T fdtrc_$T(R_$T m, R_$T n, R_$T x) {
    R_$T upper;
    f_pair_$T(m, n, x, &upper);
    return upper;
}

// The binomial, negative binomial and Poisson distributions of whole numbers k (rounded down). From B on k + 1 may be
// no number: then a tail of k, and one term (DLMF 8.8.5 and 6, 8.17.20 and 21).

// I(j + 1, n - j, p), and in ``upper`` 1 less it. n - j may be no number either, but ``lost`` more: that is as many
// terms, each ``ratio`` times the one before.
//: for T B in f32 0x1p24  f64 0x1p53
FN R_$T binomial_tails_$T(R_$T j, R_$T n, R_$T p, R_$T *upper) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), lost, z2, slope, z = sum_pair_$T(one, -p, &z2);
    R_b8 large = GE(j, C_$T($B)) & LT(j, INF_$T);
    R_$T a = WHERE_$T(large, j, j + one), b = sum_pair_$T(n, -j, &lost);
    R_$T lower = beta_pair_$T(a, b, p, zero, z, z2, upper, &slope);
    R_b8 rounded = NE(lost, zero) & LT(ABS(lost), C_$T(100)) & LT(b, INF_$T);
    if (ANY(large | rounded)) {
        R_$T s = a + b, first = WHERE_$T(large, slope / a, zero), term = slope / WHERE_$T(rounded, b, one);
        term = WHERE_$T(large, term * (p * s / a), term);
        R_$T ratio = z * (WHERE_$T(large, s + one, s) / (b + one));
        R_$T others = lost * FMA((lost - one) * middle, ratio - one, one);
        R_$T more = FMA(WHERE_$T(rounded, term, zero), WHERE_$T(rounded, others, zero), -first);
        more = WHERE_$T(GT(slope, zero), more, zero);
        lower = lower + more;
        *upper = *upper - more;
    }
    return lower;
}

FN R_$T bdtr_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = FLOOR(k), trials = TRUNC(n), zero = C_$T(0), one = C_$T(1), y;
    binomial_tails_$T(j, trials, p, &y);
    R_b8 valid = GE(j, zero) & LE(j, trials) & LT(trials, INF_$T) & GE(p, zero) & LE(p, one);
    return WHERE_$T(valid, WHERE_$T(EQ(j, trials), one, y), NAN_$T);
}

FN R_$T bdtrc_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = FLOOR(k), trials = TRUNC(n), zero = C_$T(0), one = C_$T(1), upper;
    R_$T y = binomial_tails_$T(j, trials, p, &upper);
    R_b8 inside = GE(p, zero) & LE(p, one) & LT(ABS(trials), INF_$T), valid = inside & GE(j, zero) & LE(j, trials);
    y = WHERE_$T(valid, WHERE_$T(EQ(j, trials), zero, y), NAN_$T);
    return WHERE_$T(inside & LT(j, zero) & LE(j, trials), one, y);
}

FN R_$T nbdtr_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = TRUNC(k), one = C_$T(1), upper, slope, z2, z = sum_pair_$T(one, -p, &z2);
    R_b8 large = GE(j, C_$T($B)), valid = GE(j, C_$T(0)) & LT(j, INF_$T) & GE(n, one) & LT(n, INF_$T);
    R_$T y = beta_pair_$T(TRUNC(n), WHERE_$T(large, j, j + one), p, C_$T(0), z, z2, &upper, &slope);
    return WHERE_$T(valid, WHERE_$T(large, y + slope / j, y), NAN_$T);
}

FN R_$T pdtr_$T(R_$T k, R_$T m) {
    R_$T zero = C_$T(0), j = FLOOR(k), y, slope;
    R_b8 large = GE(j, C_$T($B));
    gamma_pair_$T(WHERE_$T(large, j, j + C_$T(1)), m, &y, &slope);
    y = WHERE_$T(large, y + slope / j, y);
    return WHERE_$T(LT(k, zero), NAN_$T, WHERE_$T(EQ(m, zero), C_$T(1), y));
}

FN R_$T pdtrc_$T(R_$T k, R_$T m) {
    R_$T zero = C_$T(0), j = FLOOR(k), upper, slope;
    R_b8 large = GE(j, C_$T($B));
    R_$T y = gamma_pair_$T(WHERE_$T(large, j, j + C_$T(1)), m, &upper, &slope);
    y = WHERE_$T(large, y - slope / j, y);
    return WHERE_$T(LT(k, zero), NAN_$T, WHERE_$T(EQ(m, zero), zero, y));
}

// Inverses of distribution functions.

//: for T in f32 f64
FN R_$T chdtri_$T(R_$T v, R_$T p) { return C_$T(2) * gammainccinv_$T(v * C_$T(0.5), p); }

// n / m times the odds of the root, whose exponents are added up, since each may be beyond the range. Z: see
// reduced_$T.
//: for T Z in f32 0x1.8p23  f64 0x1.8p52
FN R_$T fdtri_$T(R_$T m, R_$T n, R_$T p) {
    R_$T zero = C_$T(0), one = C_$T(1), middle = C_$T(0.5), z2, u2, q2, r2, ka, kb;
    R_b8 valid = GT(m, zero) & GT(n, zero) & LT(m, INF_$T) & LT(n, INF_$T), regular = valid & GT(p, zero) & LT(p, one), flip;
    R_$T a = WHERE_$T(regular, m, one), b = WHERE_$T(regular, n, one), goal = WHERE_$T(regular, p, middle);
    R_$T u = sum_pair_$T(one, -goal, &u2), half_a = a * middle, half_b = b * middle;
    half_a = WHERE_$T(GT(half_a, zero), half_a, a);
    half_b = WHERE_$T(GT(half_b, zero), half_b, b);
    R_$I k;
    R_$T y = beta_root_parts_$T(half_a, half_b, goal, zero, u, u2, &flip, &k);
    R_$T z = sum_pair_$T(one, -times_exp2_far_$T(y, k), &z2), top = WHERE_$T(flip, z, y), below = WHERE_$T(flip, y, z);
    R_$T ma = split_$T(a, &ka), mb = split_$T(b, &kb), q = quotient_pair_$T(mb, zero, ma, &q2);
    R_$T odds = quotient_pair_$T(top, WHERE_$T(flip, z2, zero), below, &r2);
    r2 = FMA(-odds, WHERE_$T(flip, zero, z2) / below, r2);
    odds = times_$T(odds, &r2, q, q2);
    R_$I whole = WHERE_$I(flip, -k, k) + AS_$I(AS_$U((kb - ka) + C_$T($Z)) - AS_$U(C_$T($Z)));
    odds = times_exp2_far_$T(odds + r2, whole);
    R_$T end = WHERE_$T(EQ(p, zero), zero, WHERE_$T(EQ(p, one), INF_$T, NAN_$T));
    return WHERE_$T(regular, odds, WHERE_$T(valid, end, NAN_$T));
}

//: for T in f16 bf16 for N in chdtr chdtrc chdtri pdtr pdtrc
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

//: for T in f16 bf16 for N in fdtr fdtrc fdtri bdtr bdtrc nbdtr
FN R_$T $N_$T(R_$T a, R_$T b, R_$T c) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b), FLOAT_$T(c))); }

// Distribution functions. The arguments of I(a, b, x) are in two registers, so that nothing is lost where x is
// near 1.

//: for T in f32 f64
FN R_$T chdtr_$T(R_$T v, R_$T x) { return gammainc_$T(v * C_$T(0.5), x * C_$T(0.5)); }

FN R_$T chdtrc_$T(R_$T v, R_$T x) { return gammaincc_$T(v * C_$T(0.5), x * C_$T(0.5)); }

// The F distribution: I(m / 2, n / 2, m x / (n + m x)).
FN R_$T f_pair_$T(R_$T m, R_$T n, R_$T x, R_$T *upper) {
    R_$T zero = C_$T(0), half_of = C_$T(0.5), p2, q2, s2, y2, z2;
    R_b8 large = GT(x, C_$T(1));
    R_$T p = product_pair_$T(m, WHERE_$T(large, C_$T(1), x), &p2);
    R_$T q = quotient_pair_$T(n, zero, WHERE_$T(large, x, C_$T(1)), &q2);
    R_$T s = sum_pair_$T(p, q, &s2);
    s2 = s2 + (p2 + q2);
    R_$T y = p / s, z = q / s;
    y2 = (FMA(-y, s, p) + FMA(-y, s2, p2)) / s;
    z2 = (FMA(-z, s, q) + FMA(-z, s2, q2)) / s;
    R_$T lower = beta_pair_$T(m * half_of, n * half_of, y, y2, z, z2, upper);
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

// Student's t distribution: t^2 has the F distribution with 1 and v degrees. From v = B on it is the normal one.
// Beyond 2^K the tail is as t^-v, so it is found at t / 2^m between 2^K and 2^(K + 1), where v / t^2 does not
// underflow.
//: for T B K in f32 0x1p40 20  f64 0x1p300 36
FN R_$T stdtr_$T(R_$T v, R_$T t) {
    R_$T zero = C_$T(0), one = C_$T(1), p2, q2, s2, y2, z2, k, outside, size = ABS(t), m = split_$T(size, &k);
    R_b8 far = GT(size, C_$T(0x1p$K)) & LT(size, INF_$T), large = GT(size, one);
    R_$T over = k - C_$T($K), n = WHERE_$T(GT(v, C_$T($B)), C_$T($B), v);
    size = WHERE_$T(far, m * C_$T(0x1p$K), size);
    R_$T unit = WHERE_$T(large, size, one), p = product_pair_$T(size, size, &p2), q = quotient_pair_$T(n, zero, unit, &q2);
    q = quotient_pair_$T(q, q2, unit, &q2);
    p = WHERE_$T(large, one, p);
    p2 = WHERE_$T(large, zero, p2);
    R_$T s = sum_pair_$T(p, q, &s2);
    s2 = s2 + (p2 + q2);
    R_$T y = p / s, z = q / s;
    y2 = (FMA(-y, s, p) + FMA(-y, s2, p2)) / s;
    z2 = (FMA(-z, s, q) + FMA(-z, s2, q2)) / s;
    beta_pair_$T(C_$T(0.5), n * C_$T(0.5), y, y2, z, z2, &outside);
    if (ANY(far)) {
        R_$T power = pow_$T(exp2_whole_$T(TO_$I(WHERE_$T(far, -over, zero))), n);
        outside = WHERE_$T(far, outside * power, outside);
    }
    outside = WHERE_$T(GT(n, zero), outside * C_$T(0.5), NAN_$T);
    return WHERE_$T(GT(t, zero), one - outside, outside);
}

// The binomial, negative binomial and Poisson distributions of whole numbers k (rounded down).
//: for T in f32 f64
FN R_$T bdtr_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = FLOOR(k), trials = TRUNC(n), zero = C_$T(0), one = C_$T(1), y = betaincc_$T(j + one, trials - j, p);
    R_b8 valid = GE(j, zero) & LE(j, trials) & LT(trials, INF_$T) & GE(p, zero) & LE(p, one);
    return WHERE_$T(valid, WHERE_$T(EQ(j, trials), one, y), NAN_$T);
}

FN R_$T bdtrc_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = FLOOR(k), trials = TRUNC(n), zero = C_$T(0), one = C_$T(1), y = betainc_$T(j + one, trials - j, p);
    R_b8 inside = GE(p, zero) & LE(p, one) & LT(ABS(trials), INF_$T), valid = inside & GE(j, zero) & LE(j, trials);
    y = WHERE_$T(valid, WHERE_$T(EQ(j, trials), zero, y), NAN_$T);
    return WHERE_$T(inside & LT(j, zero) & LE(j, trials), one, y);
}

FN R_$T nbdtr_$T(R_$T k, R_$T n, R_$T p) {
    R_$T j = TRUNC(k), y = betainc_$T(TRUNC(n), j + C_$T(1), p);
    R_b8 valid = GE(j, C_$T(0)) & LT(j, INF_$T) & GE(n, C_$T(1)) & LT(n, INF_$T);
    return WHERE_$T(valid, y, NAN_$T);
}

FN R_$T pdtr_$T(R_$T k, R_$T m) {
    R_$T zero = C_$T(0), y = gammaincc_$T(FLOOR(k) + C_$T(1), m);
    return WHERE_$T(LT(k, zero), NAN_$T, WHERE_$T(EQ(m, zero), C_$T(1), y));
}

FN R_$T pdtrc_$T(R_$T k, R_$T m) {
    R_$T zero = C_$T(0), y = gammainc_$T(FLOOR(k) + C_$T(1), m);
    return WHERE_$T(LT(k, zero), NAN_$T, WHERE_$T(EQ(m, zero), zero, y));
}

// Inverses of distribution functions.

//: for T in f32 f64
FN R_$T chdtri_$T(R_$T v, R_$T p) { return C_$T(2) * gammainccinv_$T(v * C_$T(0.5), p); }

FN R_$T fdtri_$T(R_$T m, R_$T n, R_$T p) {
    R_$T zero = C_$T(0), one = C_$T(1), z, u2;
    R_b8 valid = GT(m, zero) & GT(n, zero) & LT(m, INF_$T) & LT(n, INF_$T), regular = valid & GT(p, zero) & LT(p, one);
    R_$T a = WHERE_$T(regular, m, one), b = WHERE_$T(regular, n, one), goal = WHERE_$T(regular, p, C_$T(0.5));
    R_$T u = sum_pair_$T(one, -goal, &u2);
    R_$T y = beta_root_$T(a * C_$T(0.5), b * C_$T(0.5), goal, zero, u, u2, &z);
    R_$T end = WHERE_$T(EQ(p, zero), zero, WHERE_$T(EQ(p, one), INF_$T, NAN_$T));
    return WHERE_$T(regular, b / a * (y / z), WHERE_$T(valid, end, NAN_$T));
}

// See stdtr_$T for B. t^2 / v is y / (1 - y) with I(1/2, v/2, y) = 1 - 2 p. Beyond about 2^K, 2^j times the tail
// belongs to t / 2^(j / v), and that is where the root is looked for. H and L: log(2).
//: for T B K H L in f32 0x1p40 30 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1p300 40 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T stdtrit_$T(R_$T v, R_$T p) {
    R_$T zero = C_$T(0), one = C_$T(1), l2, z, m, e2;
    R_b8 inside = GT(p, zero) & LT(p, one), low = LT(p, C_$T(0.5)), regular = inside & GT(v, zero) & NE(p, C_$T(0.5));
    R_$T n = WHERE_$T(regular, WHERE_$T(GT(v, C_$T($B)), C_$T($B), v), one), q = WHERE_$T(low, p, one - p);
    q = WHERE_$T(regular, q + q, C_$T(0.5));
    split_$T(q, &m);
    R_$T j = FLOOR(-m - n * C_$T($K));
    R_b8 far = GT(j, zero);
    q = WHERE_$T(far, times_exp2_$T(q, TO_$I(WHERE_$T(far, j, zero))), q);
    R_$T l = sum_pair_$T(one, -q, &l2), y = beta_root_$T(C_$T(0.5), n * C_$T(0.5), l, l2, q, zero, &z);
    R_$T size = SQRT(n) * SQRT(y / z);
    if (ANY(far)) {
        R_$T e = quotient_pair_$T(j * C_$T(-$H), j * C_$T(-$L), n, &e2);
        size = WHERE_$T(far, size * exp_minus_pair_$T(e, e2), size);
    }
    R_$T end = WHERE_$T(EQ(p, zero), -INF_$T, WHERE_$T(EQ(p, one), INF_$T, NAN_$T));
    end = WHERE_$T(EQ(p, C_$T(0.5)), zero, end);
    return WHERE_$T(regular, WHERE_$T(low, -size, size), WHERE_$T(GT(v, zero), end, NAN_$T));
}

//: for T in f16 bf16 for N in chdtr chdtrc chdtri stdtr stdtrit pdtr pdtrc
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

//: for T in f16 bf16 for N in fdtr fdtrc fdtri bdtr bdtrc nbdtr
FN R_$T $N_$T(R_$T a, R_$T b, R_$T c) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b), FLOAT_$T(c))); }

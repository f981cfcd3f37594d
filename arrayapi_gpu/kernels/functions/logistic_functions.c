// Logistic functions and entropies: expressions of exponentials and logarithms.

// log(1 + a) where `one_more`, otherwise log(a): one logarithm for both. See log1p_f32.
//: for T in f32 f64
FN R_$T log_or_log1p_$T(R_b8 one_more, R_$T a) {
    R_$T one = C_$T(1), sum = one + a, part = sum - a;
    R_$T lost = (one - part) + (a - (sum - part)), u = WHERE_$T(one_more, sum, a);
    R_$T k, m = split_$T(u, &k);
    R_b8 near = one_more & EQ(k, C_$T(0));
    R_$T shrink = AS_$T(AS_$U(one) + AS_$U(m) - AS_$U(u));
    R_$T more = WHERE_$T(~one_more | near | GT(k, C_$T(60)), C_$T(0), lost * shrink);
    return or_special_$T(u, log_of_$T(k, WHERE_$T(near, a, m - one), more));
}

// k log(2) + log(1 + f) and what that loses to rounding. H and L: log(2); see log_of_$T.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20  f64 0x1.62e42fefp-1 0x1.473de6af278edp-34
FN R_$T log_pair_$T(R_$T k, R_$T f, R_$T *lost) {
    R_$T less = FMA(f * f, C_$T(0.5), -log_rest_$T(f)), part = f - less, whole = k * C_$T($H), sum = whole + part;
    *lost = FMA(k, C_$T($L), ((whole - sum) + part) + ((f - part) - less));
    return sum;
}

//: for T in f32 f64
FN R_$T expit_$T(R_$T x) {
    R_$T e = exp_$T(-ABS(x));
    return WHERE_$T(LT(x, C_$T(0)), e, C_$T(1)) / (C_$T(1) + e);
}

FN R_$T log_expit_$T(R_$T x) {
    R_$T small = log1p_$T(exp_$T(-ABS(x)));
    return WHERE_$T(LT(x, C_$T(0)), x - small, -small);
}

// log(x / (1 - x)). In the middle 2 x - 1 does not round, and is (1 - x) times what x / (1 - x) is more than 1.
FN R_$T logit_$T(R_$T x) {
    R_$T rest = C_$T(1) - x;
    R_b8 middle = GT(x, C_$T(0.25)) & LT(x, C_$T(0.75));
    return log_or_log1p_$T(middle, WHERE_$T(middle, (x - C_$T(0.5)) * C_$T(2), x) / rest);
}

FN R_$T xlogy_$T(R_$T x, R_$T y) {
    R_$T product = x * log_$T(y);
    return WHERE_$T(EQ(x, C_$T(0)) & EQ(y, y), C_$T(0), product);
}

FN R_$T xlog1py_$T(R_$T x, R_$T y) {
    R_$T product = x * log1p_$T(y);
    return WHERE_$T(EQ(x, C_$T(0)) & EQ(y, y), C_$T(0), product);
}

FN R_$T entr_$T(R_$T x) {
    R_$T y = WHERE_$T(EQ(x, C_$T(0)), C_$T(0), -x * log_$T(x));
    return WHERE_$T(LT(x, C_$T(0)), -INF_$T, y);
}

// f, what it loses to rounding, and k, with x / y = 2^k (1 + f + lost) and sqrt(1/2) <= 1 + f <= sqrt(2), of positive
// finite numbers. The difference of numbers that near does not round.
FN R_$T ratio_$T(R_$T x, R_$T y, R_$T *k, R_$T *lost) {
    R_$T i, j, m = split_$T(x, &i), n = split_$T(y, &j);
    R_b8 above = GT(m, n * C_$T(1.41421356237309504880)), below = LT(m, n * C_$T(0.70710678118654752440));
    n = WHERE_$T(above, n + n, n);
    m = WHERE_$T(below, m + m, m);
    *k = (i - j) + WHERE_$T(above, C_$T(1), C_$T(0)) - WHERE_$T(below, C_$T(1), C_$T(0));
    R_$T f = (m - n) / n;
    *lost = FMA(-f, n, m - n) / n;
    return f;
}

// rel_entr and kl_div: `inside` for positive x and y, `at_zero` for x = 0 and y >= 0, otherwise infinite.
FN R_$T entropy_of_$T(R_$T x, R_$T y, R_$T inside, R_$T at_zero) {
    R_$T zero = C_$T(0), outside = WHERE_$T(EQ(x, zero) & GE(y, zero), at_zero, INF_$T);
    R_$T result = WHERE_$T(GT(x, zero) & GT(y, zero), inside, outside);
    return WHERE_$T(NE(x, x) | NE(y, y), NAN_$T, result);
}

FN R_$T rel_entr_$T(R_$T x, R_$T y) {
    R_$T k, lost, f = ratio_$T(x, y, &k, &lost), product = x * log_of_$T(k, f, C_$T(0));
    R_$T at_infinity = WHERE_$T(EQ(x, y), NAN_$T, WHERE_$T(EQ(x, INF_$T), x, -INF_$T));
    R_b8 finite = LT(x, INF_$T) & LT(y, INF_$T);
    return entropy_of_$T(x, y, WHERE_$T(finite, product, at_infinity), C_$T(0));
}

// x log(x / y) - x + y. Where x / y = 1 + f is near 1, y ((1 + f) log(1 + f) - f) = y (f^2 / 2 + less), in which f
// cancels, and its derivative is y log(1 + f), about y (f - f^2 / 2); elsewhere with the logarithm in two registers.
//: for T in f32 f64
FN R_$T kl_div_$T(R_$T x, R_$T y) {
    R_$T k, lost, tail, f = ratio_$T(x, y, &k, &lost), square = f * f;
    R_$T halved = square * C_$T(0.5), less = FMA(FMA(f, f, -square), C_$T(0.5), lost * (f - halved));
    less = FMA(C_$T(1) + f, log_rest_$T(f), FMA(-f, halved, less));
    R_$T near = FMA(y, halved, y * less);
    R_$T sum = log_pair_$T(k, f, &tail);
    tail = tail + FMA(-f, lost, lost);
    R_$T product = x * sum, more = FMA(x, sum, -product) + x * tail;
    R_$T far = (product + (y - x)) + WHERE_$T(LT(product, INF_$T), more, C_$T(0));
    R_b8 finite = LT(x, INF_$T) & LT(y, INF_$T);
    return entropy_of_$T(x, y, WHERE_$T(finite, WHERE_$T(EQ(k, C_$T(0)), near, far), NAN_$T), y);
}

// sin(pi x) / (pi x): x less the nearest whole number is exact.
//: for T in f32 f64
FN R_$T sinc_$T(R_$T x) {
    R_$T a = ABS(x);
    return WHERE_$T(EQ(a, C_$T(0)), C_$T(1), sinpi_$T(a) / a);
}

// sin(pi a) / pi, of a >= 0.
FN R_$T sinpi_$T(R_$T a) {
    R_$T n = RINT(a), halved = n * C_$T(0.5), s = sinpi_near_$T(a - n);
    return WHERE_$T(NE(TRUNC(halved), halved), -s, s);
}

// sin(pi r) / pi for |r| <= 1/2.
FN R_$T sinpi_near_$T(R_$T r) {
    R_$T w = r * r;
    return FMA(r * w, sinpi_tail_$T(w), r);
}

// (sin(pi r) / (pi r) - 1) / r^2 over r^2 = w <= 1/4: 2^-35 ...
//: for T in f32
FN R_f32 sinpi_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(-0x1.253a34p-9), w, C_f32(0x1.abe8ecp-6));
    p = FMA(p, w, C_f32(-0x1.86a6dep-3));
    p = FMA(p, w, C_f32(0x1.9f9cacp-1));
    return FMA(p, w, C_f32(-0x1.a51a66p0));
}

// ... and 2^-61.
//: for T in f64
FN R_f64 sinpi_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.070f452f827ccp-22), w, C_f64(-0x1.d3e335c2c3946p-18));
    p = FMA(p, w, C_f64(0x1.374695b324e19p-13));
    p = FMA(p, w, C_f64(-0x1.3381696cde779p-9));
    p = FMA(p, w, C_f64(0x1.ac6805cbdb228p-6));
    p = FMA(p, w, C_f64(-0x1.86a8e47208961p-3));
    p = FMA(p, w, C_f64(0x1.9f9cb402bc3f2p-1));
    return FMA(p, w, C_f64(-0x1.a51a6625307d3p0));
}

//: for T in f16 bf16 for N in expit logit log_expit entr sinc
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

//: for T in f16 bf16 for N in xlogy xlog1py rel_entr kl_div
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

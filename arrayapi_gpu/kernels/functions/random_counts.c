// Random counts: of Poisson's, the binomial, the hypergeometric and Zipf's distribution. For the blocks that rejection
// takes see random.c.

//: for T in f32 f64

// log(x!) - (x + 1/2) log(x) + x - log(2 pi) / 2, the continued fraction of DLMF 5.10; x from 1 on.
FN R_$T stirling_rest_$T(R_$T x) {
    R_$T y = C_$T(2.2694889742049599610) + x;
    y = x + C_$T(1.5174736491532873984) / x;
    y = x + C_$T(1.0115230681268417118) / y;
    y = x + C_$T(0.52560646900269541779) / y;
    y = x + C_$T(0.25238095238095238095) / y;
    y = x + C_$T(0.033333333333333333333) / y;
    return C_$T(0.083333333333333333333) / y;
}

// x log(x / mean) - x + mean, for x from 0 on: mean ((1 + r) log(1 + r) - r) with r = (x - mean) / mean.
FN R_$T deviance_$T(R_$T x, R_$T mean) {
    R_$T distance = x - mean, r = distance / mean;
    R_$T none = WHERE_$T(EQ(x, C_$T(0)), C_$T(1), x);
    return WHERE_$T(EQ(x, C_$T(0)), mean, FMA(none, log1p_$T(r), -distance));
}

// The logarithm of Poisson's probability of x, Loader's form ("Fast and accurate computation of binomial
// probabilities", 2000).
FN R_$T log_poisson_$T(R_$T x, R_$T mean) {
    R_b8 none = EQ(x, C_$T(0));
    R_$T one = WHERE_$T(none, C_$T(1), x);
    R_$T rest = stirling_rest_$T(one) + C_$T(0.5) * log_positive_$T(C_$T(6.2831853071795864769) * one);
    return -deviance_$T(x, mean) - WHERE_$T(none, C_$T(0), rest);
}

// The numbers of Hörmann's methods from the two words of an attempt: u of [-1/2, 1/2), v of (0, 1), and 1/2 - |u|,
// never 0.
FN R_$T transformed_$T(const R_u64 *words, R_$T *u, R_$T *v) {
    *u = uniform_$U(bits_$U(words[0])) - C_$T(0.5);
    *v = ABS(tail_$U(bits_$U(words[1]))) * C_$T(2);
    R_$T near = C_$T(0.5) - ABS(*u);
    return WHERE_$T(EQ(near, C_$T(0)), C_$T(0x1p-24), near);
}

// Below 10 by inversion: probabilities are added until their sum is beyond a uniform number, 64 at most. From 10 on
// Hörmann's PTRS, "The transformed rejection method for generating Poisson random variables" (1993): an attempt takes
// two words and fails one time in 3 at most; after all the sample is the mean, rounded down.
FN R_$T poisson_$T(R_i64 block, R_$T mean, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_u64 words[4];
    R_b8 small = LT(mean, C_$T(10)), open = GE(mean, C_$T(10)) & LT(mean, INF_$T);
    R_$T x = WHERE_$T(open, FLOOR(mean), WHERE_$T(GE(mean, C_$T(0)) & small, C_$T(0), NAN_$T));
    R_$T rate = WHERE_$T(open, mean, C_$T(10)), root = SQRT(rate), b = FMA(C_$T(2.53), root, C_$T(0.931));
    R_$T a = FMA(C_$T(0.02483), b, C_$T(-0.059)), quick = C_$T(0.9277) - C_$T(3.6224) / (b - C_$T(2));
    R_$T height = log_positive_$T(C_$T(1.1239) + C_$T(1.1328) / (b - C_$T(3.4)));
    for (int attempt = 0; attempt < 48 && ANY(open); attempt++) {
        philox_attempt_u64(words, block, attempt, k, l, c, d, e, f);
        R_$T u, v, near = transformed_$T(words, &u, &v);
        R_$T trial = FLOOR(FMA(C_$T(2) * a / near + b, u, rate + C_$T(0.43)));
        R_b8 inside = GE(trial, C_$T(0)), at_once = GE(near, C_$T(0.07)) & LE(v, quick);
        R_b8 refused = LT(near, C_$T(0.013)) & GT(v, near);
        R_$T left = log_positive_$T(v / (a / (near * near) + b)) + height;
        R_b8 below = LE(left, log_poisson_$T(WHERE_$T(inside, trial, C_$T(0)), rate));
        R_b8 taken = open & inside & (at_once | (below & ~refused));
        x = WHERE_$T(taken, trial, x);
        open = open & ~taken;
    }
    philox_block_u64(words, block, k, l, c, d, e, f);
    R_$T u = uniform_$U(bits_$U(words[0])), part = exp_$T(-WHERE_$T(small, mean, C_$T(0))), total = part;
    open = small & GE(u, total);
    for (int step = 1; step < 64 && ANY(open); step++) {
        x = WHERE_$T(open, C_$T(step), x);
        part = part * mean / C_$T(step);
        total = total + part;
        open = open & GE(u, total);
    }
    return x;
}

// The logarithm of the binomial probability of x among n, from 1 on: Loader's form, as above.
FN R_$T log_binomial_$T(R_$T x, R_$T n, R_$T p) {
    R_$T y = n - x, one = WHERE_$T(EQ(x, C_$T(0)), C_$T(1), x), other = WHERE_$T(EQ(y, C_$T(0)), C_$T(1), y);
    R_$T ends = WHERE_$T(EQ(x, C_$T(0)), C_$T(0), stirling_rest_$T(one) + C_$T(0.5) * log_positive_$T(one));
    ends = ends + WHERE_$T(EQ(y, C_$T(0)), C_$T(0), stirling_rest_$T(other) + C_$T(0.5) * log_positive_$T(other));
    R_b8 edge = EQ(x, C_$T(0)) | EQ(y, C_$T(0));
    R_$T level = WHERE_$T(edge, C_$T(0), C_$T(-0.91893853320467274178));
    R_$T whole = stirling_rest_$T(n) + C_$T(0.5) * log_positive_$T(n);
    return whole + level - ends - deviance_$T(x, n * p) - deviance_$T(y, n * (C_$T(1) - p));
}

// Of p up to 1/2 (above, the failures are counted). Below n p = 10 by inversion as `poisson`. From there on Hörmann's
// BTRS, "The generation of binomial random variates", J. Stat. Comput. Simul. 46 (1993), with words as `poisson`; after
// all attempts the sample is the mode.
FN R_$T binomial_$T(R_i64 block, R_$T n, R_$T chance, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_u64 words[4];
    R_b8 upper = GT(chance, C_$T(0.5)), valid = GE(n, C_$T(0)) & GE(chance, C_$T(0)) & LE(chance, C_$T(1));
    R_$T p = WHERE_$T(upper, C_$T(1) - chance, chance), mean = n * p;
    R_b8 open = valid & GE(mean, C_$T(10)), small = valid & ~open;
    R_$T count = WHERE_$T(open, n, C_$T(20)), part = WHERE_$T(open, p, C_$T(0.5)), q = C_$T(1) - part;
    R_$T center = count * part, root = SQRT(center * q), b = FMA(C_$T(2.53), root, C_$T(1.15));
    R_$T a = FMA(C_$T(0.0248), b, FMA(C_$T(0.01), part, C_$T(-0.0873))), quick = C_$T(0.92) - C_$T(4.2) / b;
    R_$T height = (C_$T(2.83) + C_$T(5.1) / b) * root, mode = FLOOR(FMA(count, part, part));
    R_$T x = WHERE_$T(open, mode, WHERE_$T(valid, C_$T(0), NAN_$T)), top = log_binomial_$T(mode, count, part);
    for (int attempt = 0; attempt < 48 && ANY(open); attempt++) {
        philox_attempt_u64(words, block, attempt, k, l, c, d, e, f);
        R_$T u, v, near = transformed_$T(words, &u, &v);
        R_$T trial = FLOOR(FMA(C_$T(2) * a / near + b, u, center + C_$T(0.5)));
        R_b8 inside = GE(trial, C_$T(0)) & LE(trial, count), at_once = GE(near, C_$T(0.07)) & LE(v, quick);
        R_$T left = log_positive_$T(v * height / (a / (near * near) + b));
        R_b8 below = LE(left, log_binomial_$T(WHERE_$T(inside, trial, C_$T(0)), count, part) - top);
        R_b8 taken = open & inside & (at_once | below);
        x = WHERE_$T(taken, trial, x);
        open = open & ~taken;
    }
    philox_block_u64(words, block, k, l, c, d, e, f);
    R_$T odds = p / (C_$T(1) - p), u = uniform_$U(bits_$U(words[0]));
    R_$T term = exp_$T(n * log1p_$T(-WHERE_$T(small, p, C_$T(0)))), total = term;
    open = small & GE(u, total);
    for (int step = 1; step < 64 && ANY(open); step++) {
        x = WHERE_$T(open, C_$T(step), x);
        term = term * (n - C_$T(step - 1)) / C_$T(step) * odds;
        total = total + term;
        open = open & GE(u, total) & LT(x, n);
    }
    return WHERE_$T(upper, n - x, x);
}

// Of a population of ``good`` and ``bad``, how many of a sample are good. Good and bad change places, as do the sample
// and the rest, and the sample and the good, until g <= total / 2 are good and s <= g are drawn. Below s = 10 by
// inversion. From there on Stadlober's ratio of uniforms, "The ratio of uniforms approach for generating discrete
// random variates", J. Comput. Appl. Math. 31 (1990); after all attempts the mode. The probability is Loader's (see
// `log_binomial`): that of two binomial numbers, given their sum.
FN R_$T hypergeometric_$T(
    R_i64 block, R_$T good, R_$T bad, R_$T sample, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f
) {
    R_u64 words[4];
    R_$T total = good + bad, zero = C_$T(0), one = C_$T(1);
    R_b8 valid = GE(good, zero) & GE(bad, zero) & GE(sample, zero) & LE(sample, total) & LT(total, INF_$T);
    R_$T rest = total - sample, m = WHERE_$T(LT(sample, rest), sample, rest), fewer = WHERE_$T(LT(good, bad), good, bad);
    R_b8 swapped = LT(fewer, m);
    R_$T s = WHERE_$T(swapped, fewer, m), g = WHERE_$T(swapped, m, fewer);
    R_b8 open = valid & GE(s, C_$T(10)), small = valid & ~open;
    R_$T n = WHERE_$T(open, total, C_$T(40)), drawn = WHERE_$T(open, s, C_$T(10)), kind = WHERE_$T(open, g, C_$T(20));
    R_$T others = n - kind, share = drawn / n, mean = kind * share;
    R_$T spread = SQRT((n - drawn) * share * (kind / n) * (others / (n - one)) + C_$T(0.5));
    R_$T width = FMA(C_$T(1.7155277699214135), spread, C_$T(0.8989161620588988)), middle = mean + C_$T(0.5);
    R_$T mode = FLOOR((drawn + one) * ((kind + one) / (n + C_$T(2)))), x = WHERE_$T(open, mode, zero);
    R_$T top = log_binomial_$T(mode, kind, share) + log_binomial_$T(drawn - mode, others, share);
    for (int attempt = 0; attempt < 48 && ANY(open); attempt++) {
        philox_attempt_u64(words, block, attempt, k, l, c, d, e, f);
        R_$T u = fraction_$T(tail_$U(bits_$U(words[1])));
        R_$T trial = FLOOR(middle + width * (uniform_$U(bits_$U(words[0])) - C_$T(0.5)) / u);
        R_b8 inside = GE(trial, zero) & LE(trial, drawn);
        R_$T at = WHERE_$T(inside, trial, mode);
        R_$T chance = log_binomial_$T(at, kind, share) + log_binomial_$T(drawn - at, others, share);
        R_b8 taken = open & inside & LE(C_$T(2) * log_positive_$T(u), chance - top);
        x = WHERE_$T(taken, trial, x);
        open = open & ~taken;
    }
    philox_block_u64(words, block, k, l, c, d, e, f);
    R_$T size = WHERE_$T(small, total, one), u = uniform_$U(bits_$U(words[0])), part = one;
    for (int step = 0; step < 9; step++) {
        R_$T next = part * ((total - g - C_$T(step)) / (size - C_$T(step)));
        part = WHERE_$T(small & LT(C_$T(step), s), next, part);
    }
    R_$T sum = part;
    open = small & GE(u, sum);
    for (int step = 1; step < 10 && ANY(open); step++) {
        R_$T before = C_$T(step - 1), ways = (g - before) * (s - before);
        open = open & LE(C_$T(step), s);
        x = WHERE_$T(open, C_$T(step), x);
        part = part * ways / (C_$T(step) * (total - g - s + C_$T(step)));
        sum = sum + part;
        open = open & GE(u, sum);
    }
    x = WHERE_$T(GT(good, bad), m - x, x);
    x = WHERE_$T(GT(sample, rest), good - x, x);
    return WHERE_$T(valid, x, NAN_$T);
}

// Devroye, "Non-uniform random variate generation" (1986), X.6.1: an attempt takes two words and fails one time in 2 at
// most; after all the sample is 1. Beyond an exponent of 64 a number other than 1 is less likely than 2^-63.
FN R_$T zipf_$T(R_i64 block, R_$T a, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_u64 words[4];
    R_b8 open = GT(a, C_$T(1));
    R_$T one = C_$T(1), x = WHERE_$T(open, one, NAN_$T), s = WHERE_$T(open, a, C_$T(2)) - one;
    s = WHERE_$T(LT(s, C_$T(64)), s, C_$T(64));
    R_$T power = C_$T(0.69314718055994530942) * s, height = expm1_$T(power);
    R_b8 heavy = LT(s, C_$T(0.5));  // whose trials may well be 2^63 and more: those uniform numbers are left out
    R_$T width = -expm1_$T(C_$T(-63) * power);
    for (int attempt = 0; attempt < 48 && ANY(open); attempt++) {
        philox_attempt_u64(words, block, attempt, k, l, c, d, e, f);
        R_$T u = fraction_$T(tail_$U(bits_$U(words[0]))), v = uniform_$U(bits_$U(words[1]));
        R_$T log_u = WHERE_$T(heavy, log1p_$T(-width * (one - u)), log_positive_$T(u));
        R_$T trial = FLOOR(exp_$T(-log_u / s));
        R_b8 inside = LT(trial, C_$T(0x1p63)) & GE(trial, one);
        R_$T at = WHERE_$T(inside, trial, one), rise = expm1_$T(s * log1p_$T(one / at));
        R_b8 taken = open & inside & LE(v * at * rise * (height + one), (rise + one) * height);
        x = WHERE_$T(taken, trial, x);
        open = open & ~taken;
    }
    return x;
}

// Gamma functions and their relatives.

// sin(pi r) / pi for |r| <= 1/2, and its tail.
//: for T in f32 f64
FN R_$T sinpi_near_pair_$T(R_$T r, R_$T *tail) {
    R_$T w = r * r, c = r * w, t = sinpi_tail_$T(w), s = FMA(c, t, r);
    *tail = FMA(c, t, r - s);
    return s;
}

// log(gamma(z)) for z >= 0 is (z - 1) (z - 2) R(z - 1) up to 3, R(z) z (z - 1) - log(z) for z < 1, and Stirling's
// series beyond, DLMF 5.11.1, with the logarithm in two parts, so that little is lost where it is near 1; and its tail.
// H and L: see log_of_f32. Not for z below 2^-100.
//: for T H L in f32 0x1.62e4p-1 0x1.7f7d1cp-20
FN R_f32 gammaln_right_f32(R_f32 z, R_f32 *tail) {
    R_f32 one = C_f32(1), zero = C_f32(0), v = one / z, k, m = split_normal_f32(z, &k), f = m - one;
    R_b8 small = LT(z, one);
    R_f32 high = k * C_f32($H), rest = FMA(f * f, C_f32(0.5), -log_rest_f32(f)), low = FMA(k, C_f32($L), f - rest);
    R_f32 e = z - WHERE_f32(small, zero, one), less = e - one, a = z - C_f32(0.5);
    R_f32 q2, q = product_pair_f32(e, less, &q2), rational = gammaln_near_f32(less), l2, l = high + low;
    l2 = WHERE_f32(small, (l - high) - low, zero);
    R_f32 near2, near = product_sum_f32(q, rational, WHERE_f32(small, -l, zero), FMA(q2, rational, l2), &near2);
    R_f32 series = FMA(v, gammaln_far_f32(v), C_f32(0.41893853320467274178));
    R_f32 stirling = stirling_sum_f32(a, high - one, FMA(a, low, series), tail);
    R_b8 far = GE(z, C_f32(3));
    *tail = WHERE_f32(far, *tail, near2);
    return WHERE_f32(far, stirling, near);
}

// For z > -1/2 d S(d) + log(p): for d = z - 2 in -1/2 ... 1/2 and p = 1, and by recurrence for d = z - 3 and p = z - 1,
// d = z - 1 and p = 1 / z, d = z and p = 1 / (z (z + 1)).
//: for T in f64
FN R_f64 gammaln_right_f64(R_f64 z, R_f64 *tail) {
    R_f64 one = C_f64(1), zero = C_f64(0);
    R_b8 first = LT(z, C_f64(0.5)), second = LT(z, C_f64(1.5)), third = LT(z, C_f64(2.5)), far = GE(z, C_f64(3.5));
    R_f64 near = WHERE_f64(second, one, C_f64(2)), d = z - WHERE_f64(first, zero, WHERE_f64(third, near, C_f64(3)));
    R_f64 inside = WHERE_f64(second, z, WHERE_f64(third, one, z - one));
    R_f64 p = WHERE_f64(first, ABS(z) * (z + one), WHERE_f64(far, z, inside)), v = one / z;
    R_f64 k, lost, m = split_f64(p, &k), y = or_special_f64(p, log_pair_f64(k, m - one, &lost));
    R_f64 series = FMA(v, gammaln_far_f64(v), C_f64(0.41893853320467274178));
    R_f64 a = z - C_f64(0.5), stirling = stirling_sum_f64(a, y - one, FMA(a, lost, series), tail);
    lost = WHERE_f64(second, -lost, lost);
    R_f64 beside2, beside = product_sum_f64(d, gammaln_near_f64(d), WHERE_f64(second, -y, y), lost, &beside2) + lost;
    *tail = WHERE_f64(far, *tail, beside2 - lost);
    return WHERE_f64(far, stirling, beside);
}

// a b + c, and what a b + c + d is more.
//: for T in f32 f64
FN R_$T product_sum_$T(R_$T a, R_$T b, R_$T c, R_$T d, R_$T *tail) {
    R_$T y = FMA(a, b, c), product2, product = product_pair_$T(a, b, &product2), rest, sum = sum_pair_$T(product, c, &rest);
    *tail = (sum - y) + (rest + (product2 + d));
    return y;
}

// a b + c and its tail, where c is small.
//: for T in f32 f64
FN R_$T stirling_sum_$T(R_$T a, R_$T b, R_$T c, R_$T *tail) {
    R_$T y = FMA(a, b, c), product = a * b;
    *tail = FMA(a, b, -product) + ((product - y) + c);
    return y;
}

// For x < 0 log(|gamma(x)|) is log(pi / (z |sin(pi z)|)) - log(gamma(z)) with z = -x, DLMF 5.5.3; if z is tiny
// both are -log(z).
//: for T B in f32 0x1p-100  f64 -0.5
FN R_$T gammaln_$T(R_$T x) {
    R_b8 left = LT(x, C_$T($B));
    R_$T z = WHERE_$T(left, ABS(x), x), y2, y = gammaln_right_$T(z, &y2);
    if (ANY(left)) {
        R_$T s2, s = sinpi_pair_$T(z, &s2), product2, product = product_pair_$T(s, z, &product2), size = ABS(product);
        R_$T k, m = split_normal_$T(size, &k), l2, l = log_pair_$T(k, m - C_$T(1), &l2), r2;
        l2 = l2 + FMA(s2, z, product2) / product;
        R_$T reflected = sum_pair_$T(WHERE_$T(EQ(product, C_$T(0)), INF_$T, -l), -y, &r2);
        r2 = r2 - (l2 + y2);
        reflected = reflected + WHERE_$T(LT(ABS(reflected), INF_$T), r2, C_$T(0));
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

// gamma(y + lost) / 2^k and its tail = (2 pi / e)^(1/2) (y / e)^(y - 1/2) G(1 / y), DLMF 5.11.3, for 2 <= y; the power
// by a logarithm in two registers, as in pow_$T; ``lost`` is below the last digit of y < 4. H and L: log2(e). Z as in
// reduced_$T.
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

// For z = |x|, gamma(z) is gamma(y) / p, with y = z + 2 and p = z (z + 1), with z + 1 and z, or with z and 1; for x < 0
// it is -pi / (z sin(pi z)) times its inverse, DLMF 5.5.3. B: beyond it it is infinite, or 0. Whole numbers up to N:
// their factorials have the last D bits 0. V: 2^D + 1.
//: for T B N V in f32 50 13 9  f64 200 22 33
FN R_$T gamma_$T(R_$T x) {
    R_$T one = C_$T(1), z = ABS(x), near = WHERE_$T(GT(z, C_$T($B)), C_$T($B), z);
    R_b8 first = LT(z, one), second = LT(z, C_$T(2)), left = LT(x, C_$T(0));
    R_$I k;
    R_$T up = WHERE_$T(first, C_$T(2), WHERE_$T(second, one, C_$T(0))), y = near + up;
    R_b8 tiny = LT(z, C_$T(0x1p-60));  // so that 1 / z does not overflow before the result does
    R_$T large = WHERE_$T(tiny, C_$T(0x1p60), one), up1 = z + one, zero = C_$T(0), lifted = z * large;
    R_$T m2, m = gamma_parts_$T(y, near - (y - up), &k, &m2), above = m, above2 = m2;
    R_$T factor = WHERE_$T(first, up1, one), part = WHERE_$T(second, lifted, one), below2, below = product_pair_$T(part, factor, &below2);
    if (ANY(left)) {
        R_$T turned = WHERE_$T(tiny, lifted, sinpi_$T(z)) * WHERE_$T(second, one, near), s2, s = product_pair_$T(turned, m, &s2);
        s2 = FMA(turned, m2, s2);
        above = WHERE_$T(left, -factor, above);
        above2 = WHERE_$T(left, zero, above2);
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

// For x > 0 psi(x) is (x - x0) P(x), where x0 = X + Y is its zero, for 1 <= x < 2, by recurrence for x < 1, and log(x)
// + Q beyond, DLMF 5.11.2; for x < 0 psi(1 - x) + pi cot(-pi x), DLMF 5.5.4, where the cotangent is 1 / r - r R(r^2)
// with r = -x less the nearest whole number: at zeros of psi digits are lost in any case.
//: for T X Y in f32 0x1.762d86p0 0x1.ab5f2p-27  f64 0x1.762d86356be3fp0 0x1.b86a722197829p-54
FN R_$T psi_$T(R_$T x) {
    R_$T one = C_$T(1), zero = C_$T(0), z = ABS(x), v = one / z;
    R_b8 first = LT(z, one), left = LT(x, zero);
    R_$T down = WHERE_$T(first, zero, one), d = (z - down) - C_$T(0.5);
    R_$T from_zero = (z - (C_$T($X) - WHERE_$T(first, one, zero))) - C_$T($Y);
    R_$T y = WHERE_$T(LT(z, C_$T(2)), from_zero * psi_near_$T(d), FMA(v, psi_far_$T(v), log_$T(z)));
    R_$T right = WHERE_$T(first, y - v, y);
    if (ANY(left)) {
        R_$T r = z - RINT(z), reflected = one / r + FMA(-r, cotpi_rest_$T(r * r), WHERE_$T(first, y, y + v));
        right = WHERE_$T(left, WHERE_$T(EQ(RINT(z), z), NAN_$T, reflected), right);
    }
    return WHERE_$T(EQ(z, zero), COPYSIGN(INF_$T, -x), right);
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

// (1 / r - pi cot(pi r)) / r over r^2 = w <= 1/4: 2^-25 of 1.
FN R_f32 cotpi_rest_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(0x1.842938p2), w, C_f32(0x1.f1d872p-14));
    p = FMA(p, w, C_f32(0x1.3b711ep1));
    p = FMA(p, w, C_f32(0x1.f1d656p0));
    p = FMA(p, w, C_f32(0x1.0186a6p1));
    p = FMA(p, w, C_f32(0x1.046caap1));
    p = FMA(p, w, C_f32(0x1.15132ep1));
    return FMA(p, w, C_f32(0x1.a51a66p1));
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

// 2^-54.
FN R_f64 cotpi_rest_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.002ac4c3abf81p4), w, C_f64(-0x1.c04ad851939eep3));
    p = FMA(p, w, C_f64(0x1.6a3c7a4bd8618p3));
    p = FMA(p, w, C_f64(-0x1.623b22163baaep0));
    p = FMA(p, w, C_f64(0x1.6a4c80e8140e3p1));
    p = FMA(p, w, C_f64(0x1.db637e6f60137p0));
    p = FMA(p, w, C_f64(0x1.023f05a035361p1));
    p = FMA(p, w, C_f64(0x1.ff9da14565d7fp0));
    p = FMA(p, w, C_f64(0x1.0007174526b3ep1));
    p = FMA(p, w, C_f64(0x1.000fffb1198ffp1));
    p = FMA(p, w, C_f64(0x1.00412f1923593p1));
    p = FMA(p, w, C_f64(0x1.010b36abc6e64p1));
    p = FMA(p, w, C_f64(0x1.0470984c1152ap1));
    p = FMA(p, w, C_f64(0x1.151322ac7d7d8p1));
    return FMA(p, w, C_f64(0x1.a51a6625307d3p1));
}

//: for T in f16 bf16 for N in gammaln loggamma gamma psi
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

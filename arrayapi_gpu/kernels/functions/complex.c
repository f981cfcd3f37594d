// Functions of complex numbers z = a + bj, c64 and c128. A register holds the real parts (.re) and
// the imaginary parts (.im) of its lanes. Special cases follow the standard's tables, and C99 Annex
// G where the standard leaves them open; a comment names each deviation. Unless a comment says
// otherwise, each part is accurate, not only |error| / |result|.

// Parts.

//: for T in c64 c128
FN R_$T cartesian_$T(R_$F re, R_$F im) {
    R_$T z = {re, im};
    return z;
}

FN R_$T times_i_$T(R_$T z) { return cartesian_$T(-z.im, z.re); }

FN R_$T over_i_$T(R_$T z) { return cartesian_$T(z.im, -z.re); }

FN R_$F real_$T(R_$T z) { return z.re; }

FN R_$F imag_$T(R_$T z) { return z.im; }

FN R_$T conj_$T(R_$T z) { return cartesian_$T(z.re, -z.im); }

FN R_$T positive_$T(R_$T z) { return z; }

FN R_$T negative_$T(R_$T z) { return cartesian_$T(-z.re, -z.im); }

FN R_$T round_$T(R_$T z) { return cartesian_$T(round_$F(z.re), round_$F(z.im)); }

FN R_b8 isnan_$T(R_$T z) { return isnan_$F(z.re) | isnan_$F(z.im); }

FN R_b8 isinf_$T(R_$T z) { return isinf_$F(z.re) | isinf_$F(z.im); }

FN R_b8 isfinite_$T(R_$T z) { return isfinite_$F(z.re) & isfinite_$F(z.im); }

FN R_b8 equal_$T(R_$T x, R_$T y) { return EQ(x.re, y.re) & EQ(x.im, y.im); }

FN R_b8 not_equal_$T(R_$T x, R_$T y) { return NE(x.re, y.re) | NE(x.im, y.im); }

FN R_$F abs_$T(R_$T z) { return hypot_$F(z.re, z.im); }

FN R_$F larger_part_$T(R_$T z) {
    R_$F a = ABS(z.re), b = ABS(z.im);
    return where_$F(GT(b, a), b, a);
}

// The power of two that takes z away from both ends of the exponent range: 2^S, 1 or 1/4. It is
// that near to 1 at the upper end so that a small part next to a huge one keeps its bits.
//: for T H S in c64 80 60  c128 900 200
FN R_$F scale_$T(R_$T z) {
    R_$F size = larger_part_$T(z);
    R_$F up = where_$F(LT(size, C_$F(0x1p-$H)), C_$F(0x1p$S), C_$F(1));
    return where_$F(GT(size, C_$F(0x1p$H)), C_$F(0.25), up);
}

// Arithmetic. Where a product or a quotient comes out as NaN + NaN j, C99 Annex G (G.5.1) looks for
// the infinity or the zero that is meant: an operand with an infinite part is an infinity, whatever
// its other part. That is rare, so all lanes skip it together.

//: for T in c64 c128
FN R_$T add_$T(R_$T x, R_$T y) { return cartesian_$T(x.re + y.re, x.im + y.im); }

FN R_$T subtract_$T(R_$T x, R_$T y) { return cartesian_$T(x.re - y.re, x.im - y.im); }

FN R_$T plain_product_$T(R_$T x, R_$T y) {
    return cartesian_$T(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}

// An infinite part becomes 1, a finite one 0, NaN 0; the sign stays.
FN R_$F corner_$T(R_$F part) {
    return copysign_$F(where_$F(isinf_$F(part), C_$F(1), C_$F(0)), part);
}

// In place of z where NaNs or infinities hide the direction of a result: an infinity becomes a
// corner of the unit square, in other numbers NaN becomes 0.
FN R_$T stand_in_$T(R_$T z) {
    R_$F re = where_$F(isnan_$F(z.re), copysign_$F(C_$F(0), z.re), z.re);
    R_$F im = where_$F(isnan_$F(z.im), copysign_$F(C_$F(0), z.im), z.im);
    R_$T corner = cartesian_$T(corner_$T(z.re), corner_$T(z.im));
    return where_$T(isinf_$T(z), corner, cartesian_$T(re, im));
}

FN R_$T infinite_product_$T(R_$T x, R_$T y) {
    R_$T z = plain_product_$T(stand_in_$T(x), stand_in_$T(y));
    R_b8 infinite = isinf_$T(x) | isinf_$T(y) | isinf_$F(x.re * y.re) | isinf_$F(x.im * y.im);
    infinite = infinite | isinf_$F(x.re * y.im) | isinf_$F(x.im * y.re);
    R_$F size = where_$F(infinite, INF_$F, NAN_$F);
    return cartesian_$T(size * z.re, size * z.im);
}

FN R_$T multiply_$T(R_$T x, R_$T y) {
    R_$T z = plain_product_$T(x, y);
    R_b8 lost = isnan_$F(z.re) & isnan_$F(z.im);
    if (ANY(lost)) z = where_$T(lost, infinite_product_$T(x, y), z);
    return z;
}

FN R_$T square_$T(R_$T z) { return multiply_$T(z, z); }

FN R_$T infinite_quotient_$T(R_$T x, R_$T y) {
    R_$F pole = copysign_$F(INF_$F, y.re);
    R_$T z = plain_product_$T(stand_in_$T(x), conj_$T(stand_in_$T(y)));
    R_$T infinity = cartesian_$T(INF_$F * z.re, INF_$F * z.im);
    R_$T zero = cartesian_$T(copysign_$F(C_$F(0), z.re), copysign_$F(C_$F(0), z.im));
    R_$T result = cartesian_$T(NAN_$F, NAN_$F);
    result = where_$T(isfinite_$T(x) & isinf_$T(y), zero, result);
    result = where_$T(isinf_$T(x) & isfinite_$T(y), infinity, result);
    R_b8 by_zero = EQ(y.re, C_$F(0)) & EQ(y.im, C_$F(0));
    return where_$T(by_zero, cartesian_$T(pole * x.re, pole * x.im), result);
}

// R. L. Smith, Algorithm 116: Complex division, CACM 5 (1962), with operands scaled away from
// overflow and underflow as M. Baudin and R. L. Smith propose (A robust complex division in Scilab,
// 2012). Where |c| < |d| both operands are divided by j first. The error is small against |result|;
// a part may lose digits where its two terms cancel, as in the textbook formula, or where d/c
// underflows, which Baudin and Smith repair with two more divisions.
FN R_$T divide_$T(R_$T x, R_$T y) {
    R_$F m = scale_$T(x), n = scale_$T(y), unscale = n / m;
    R_b8 steep = LT(ABS(y.re), ABS(y.im));
    R_$T u = where_$T(steep, over_i_$T(x), x), v = where_$T(steep, over_i_$T(y), y);
    R_$F a = u.re * m, b = u.im * m, c = v.re * n, d = v.im * n;
    R_$F ratio = d / c, size = c + d * ratio;
    R_$T z = cartesian_$T((a + b * ratio) / size * unscale, (b - a * ratio) / size * unscale);
    R_b8 lost = isnan_$F(z.re) & isnan_$F(z.im);
    if (ANY(lost)) z = where_$T(lost, infinite_quotient_$T(x, y), z);
    return z;
}

FN R_$T reciprocal_$T(R_$T z) { return divide_$T(cartesian_$T(C_$F(1), C_$F(0)), z); }

// z / |z|. An infinity without NaN has the direction of its corner: the standard leaves it to
// division, and that to the library.
FN R_$T sign_$T(R_$T z) {
    R_$T u = where_$T(isinf_$T(z), stand_in_$T(z), z);
    R_$F scale = scale_$T(u), a = u.re * scale, b = u.im * scale, size = hypot_$F(a, b);
    size = where_$F(isnan_$T(z), NAN_$F, size);
    R_b8 zero = EQ(size, C_$F(0));
    return cartesian_$T(where_$F(zero, C_$F(0), a / size), where_$F(zero, C_$F(0), b / size));
}

// W. Kahan, Branch cuts for complex elementary functions (1987): with t = sqrt((|a| + |z|) / 2) the
// root is t + b/2t j, or for a < 0 |b|/2t +- t j.
FN R_$T sqrt_$T(R_$T z) {
    R_$F scale = scale_$T(z), a = ABS(z.re) * scale, b = ABS(z.im) * scale;
    R_$F t = sqrt_$F((a + hypot_$F(a, b)) * C_$F(0.5)), s = b / (C_$F(2) * t);
    R_$F unscale = sqrt_$F(C_$F(1) / scale);
    R_b8 left = LT(z.re, C_$F(0)), infinite = isinf_$F(z.im), zero = EQ(t, C_$F(0));
    R_$F re = where_$F(left, s, t) * unscale, im = where_$F(left, t, s) * unscale;
    re = where_$F(infinite, INF_$F, where_$F(zero, C_$F(0), re));
    im = where_$F(infinite | zero, z.im, im);
    return cartesian_$T(re, copysign_$F(im, z.im));
}

// Exponentials. exp(a) can overflow where its product with cos(b) or sin(b) does not. So up to two
// factors exp(G) = E are held back, and multiplied last; a - G and a - 2G are exact.

//: for T G E in c64 80 5.5406223843935100526e34  c128 700 1.0142320547350045095e304
FN R_$F held_back_$T(R_$F a) {
    R_$F one = where_$F(GT(a, C_$F($G)), C_$F($G), C_$F(0));
    return where_$F(GT(a, C_$F(2 * $G)), C_$F(2 * $G), one);
}

FN R_$F give_back_$T(R_$F x, R_$F held) {
    R_$F one = where_$F(GT(held, C_$F(0)), C_$F($E), C_$F(1));
    return x * one * where_$F(GT(held, C_$F($G)), C_$F($E), C_$F(1));
}

// cos(b) and sin(b). Where a is infinite and b is infinite or NaN, the factor of exp(a) becomes 1
// and NaN, or 1 and 0 if exp(a) is 0, which is what exp, cosh and sinh need there.
//: for T in c64 c128
FN R_$T cis_$T(R_$T z) {
    R_b8 aimless = isinf_$F(z.re) & ~isfinite_$F(z.im);
    R_$F im = where_$F(aimless & LT(z.re, C_$F(0)), C_$F(0), sin_$F(z.im));
    return cartesian_$T(where_$F(aimless, C_$F(1), cos_$F(z.im)), im);
}

// exp(z), given cis(z). The sine of zero is written out, for infinity * 0 is NaN.
FN R_$T exp_cis_$T(R_$T z, R_$T cis) {
    R_$F held = held_back_$T(z.re), size = exp_$F(z.re - held);
    R_$F im = give_back_$T(size * cis.im, held);
    return cartesian_$T(give_back_$T(size * cis.re, held), where_$F(EQ(z.im, C_$F(0)), z.im, im));
}

FN R_$T exp_$T(R_$T z) { return exp_cis_$T(z, cis_$T(z)); }

// Re = expm1(a) cos(b) + (cos(b) - 1), with cos(b) - 1 = -sin(b)^2 / (1 + cos(b)) where that
// cancels. Where the two terms themselves cancel (a near b^2/2) the error of Re is small only
// against |result|.
FN R_$T expm1_$T(R_$T z) {
    R_$T u = cis_$T(z), e = exp_cis_$T(z, u);
    R_$F versine = where_$F(GT(u.re, C_$F(0)), u.im * u.im / (C_$F(1) + u.re), C_$F(1) - u.re);
    R_$F near = expm1_$F(z.re) * u.re + (C_$F(0) - versine);
    return cartesian_$T(where_$F(LT(ABS(z.re), C_$F(1)), near, e.re - C_$F(1)), e.im);
}

// cosh(a) and sinh(a) for a >= 0, divided by exp(held).
FN R_$T hyperbola_$T(R_$F a, R_$F held) {
    R_$F m = expm1_$F(a - held), e = m + C_$F(1), large = C_$F(0.5) * e;
    R_b8 is_large = GT(held, C_$F(0));
    R_$F re = where_$F(is_large, large, C_$F(1) + C_$F(0.5) * (m * (m / e)));
    return cartesian_$T(re, where_$F(is_large, large, C_$F(0.5) * (m + m / e)));
}

// cosh(a) cos(b) + sinh(a) sin(b) j. A factor that is zero wins over one that is infinite or NaN.
FN R_$T cosh_$T(R_$T z) {
    R_$F held = held_back_$T(ABS(z.re));
    R_$T u = cis_$T(z), h = hyperbola_$T(ABS(z.re), held);
    R_b8 flat = EQ(z.re, C_$F(0)) | EQ(z.im, C_$F(0));
    R_$F im = where_$F(flat, copysign_$F(C_$F(0), u.im), give_back_$T(h.im * u.im, held));
    return cartesian_$T(give_back_$T(h.re * u.re, held), copysign_$F(C_$F(1), z.re) * im);
}

// sinh(a) cos(b) + cosh(a) sin(b) j.
FN R_$T sinh_$T(R_$T z) {
    R_$F held = held_back_$T(ABS(z.re));
    R_$T u = cis_$T(z), h = hyperbola_$T(ABS(z.re), held);
    R_$F zero = copysign_$F(C_$F(0), u.re), re = give_back_$T(h.im * u.re, held);
    re = where_$F(EQ(z.re, C_$F(0)), zero, re);
    R_$F im = where_$F(EQ(z.im, C_$F(0)), z.im, give_back_$T(h.re * u.im, held));
    return cartesian_$T(copysign_$F(C_$F(1), z.re) * re, im);
}

// (sinh(a) cosh(a) + sin(b) cos(b) j) / (sinh(a)^2 + cos(b)^2): no term cancels, not even at the
// poles; away from them 1 - sin(b)^2 errs less than cos(b)^2. From |a| = L on the real part is 1. The
// standard wants tanh(+infinity + bj) = 1 + 0j for every b > 0, where C99 has the sign of sin(2b).
//: for T L G in c64 10 80  c128 22 700
FN R_$T tanh_$T(R_$T z) {
    R_$F a = ABS(z.re), b = z.im, s = sin_$F(b), c = cos_$F(b), wave = s * c;
    R_$T h = hyperbola_$T(where_$F(GT(a, C_$F($G)), C_$F($G), a), C_$F(0));
    R_$F size = where_$F(LT(ABS(s), C_$F(0.7)), C_$F(1) + (h.im - s) * (h.im + s), h.im * h.im + c * c);
    R_b8 large = GT(a, C_$F($L)), infinite = isinf_$F(a);
    R_$F re = where_$F(large, C_$F(1) + C_$F(0) * wave, h.im * h.re / size);
    re = where_$F(infinite, C_$F(1), where_$F(EQ(a, C_$F(0)), a, re));
    R_$F im = where_$F(large, wave / h.im / h.im, wave / size);
    im = where_$F(EQ(b, C_$F(0)) | infinite, copysign_$F(C_$F(0), b), im);
    return cartesian_$T(copysign_$F(re, z.re), im);
}

//: for T in c64 c128
FN R_$T cos_$T(R_$T z) { return cosh_$T(times_i_$T(z)); }

FN R_$T sin_$T(R_$T z) { return over_i_$T(sinh_$T(times_i_$T(z))); }

FN R_$T tan_$T(R_$T z) { return over_i_$T(tanh_$T(times_i_$T(z))); }

// Logarithms.

// x^2 minus its rounded value: T. J. Dekker, Numer. Math. 18 (1971), with G. W. Veltkamp's
// splitting.
//: for T K in c64 4097  c128 134217729
FN R_$F square_error_$T(R_$F x) {
    R_$F spread = C_$F($K) * x, high = spread - (spread - x), low = x - high;
    return ((high * high - x * x) + C_$F(2) * high * low) + low * low;
}

// log|x + tail + yj|, where tail is below the last digit of x >= 0, and y >= 0. Where the modulus m
// is near 1 this is log1p(m^2 - 1) / 2 with m^2 - 1 in twice the precision (Kahan 1987 asks for
// that); elsewhere +-log1p(m^+-2 - 1) / 2, so that one logarithm serves all. D = S log(2).
//: for T H S D in c64 50 100 69.314718055994530942  c128 500 600 415.88830833596718565
FN R_$F log_modulus_$T(R_$F x, R_$F tail, R_$F y) {
    R_$F one = C_$F(1), top = where_$F(GT(y, x), y, x);
    R_b8 huge = GT(top, C_$F(0x1p$H)), tiny = LT(top, C_$F(0x1p-$H));
    R_$F scale = where_$F(huge, C_$F(0x1p-$S), where_$F(tiny, C_$F(0x1p$S), one));
    R_$F shift = where_$F(huge, C_$F($D), where_$F(tiny, C_$F(-$D), C_$F(0)));
    R_$F big = top * scale, small = where_$F(GT(y, x), x, y) * scale;
    R_$F p = big * big, q = small * small, sum = p + q;
    R_$F head = p - one, head_error = p - (head + one);
    R_$F total = head + q, part = total - head, total_error = (head - (total - part)) + (q - part);
    R_$F rest = tail * scale, cross = rest * (C_$F(2) * (x * scale) + rest);
    R_$F errors = square_error_$T(big) + square_error_$T(small) + cross;
    R_b8 low = LE(sum, C_$F(0.5)), near = GT(sum, C_$F(0.5)) & LT(sum, C_$F(3));
    R_$F far = where_$F(low, one / sum, sum) - one;
    R_$F excess = where_$F(near, total + (head_error + total_error + errors), far);
    return where_$F(low, C_$F(-0.5), C_$F(0.5)) * log1p_$F(excess) + shift;
}

//: for T in c64 c128
FN R_$T log_$T(R_$T z) {
    R_$F re = log_modulus_$T(ABS(z.re), C_$F(0), ABS(z.im));
    return cartesian_$T(where_$F(isinf_$T(z), INF_$F, re), atan2_$F(z.im, z.re));
}

// 1 + a is x + tail exactly (Dekker's fast two-sum).
FN R_$T log1p_$T(R_$T z) {
    R_$F one = C_$F(1), x = one + z.re;
    R_$F tail = where_$F(GT(ABS(z.re), one), (z.re - x) + one, (one - x) + z.re);
    R_$F re = log_modulus_$T(ABS(x), where_$F(LT(x, C_$F(0)), -tail, tail), ABS(z.im));
    return cartesian_$T(where_$F(isinf_$T(z), INF_$F, re), atan2_$F(z.im, x));
}

//: for T in c64 c128 for N D in 2 0.69314718055994530942  10 2.3025850929940456840
FN R_$T log$N_$T(R_$T z) {
    R_$T w = log_$T(z);
    return cartesian_$T(w.re / C_$F($D), w.im / C_$F($D));
}

// exp(y log(x)), so the error over |result| grows with |y log(x)|. The powers 0, 1 and 2 are
// exact or one product: in particular 0**0 and NaN**0 are 1.
//: for T in c64 c128
FN R_$T pow_$T(R_$T x, R_$T y) {
    R_$T z = exp_$T(multiply_$T(y, log_$T(x)));
    R_b8 real = EQ(y.im, C_$F(0));
    z = where_$T(real & EQ(y.re, C_$F(0)), cartesian_$T(C_$F(1), C_$F(0)), z);
    z = where_$T(real & EQ(y.re, C_$F(1)), x, z);
    return where_$T(real & EQ(y.re, C_$F(2)), square_$T(x), z);
}

// Inverse functions.

// With p = sqrt(1 - z) and q = sqrt(1 + z), Kahan (1987) has
//     asin(z) = atan(a / Re(p q)) + asinh(Im(conj(p) q)) j
//     acos(z) = 2 atan(Re(p) / Re(q)) + asinh(Im(conj(q) p)) j
// where no term cancels. For huge z, p and q come from z / 4, so that their product cannot
// overflow: the factor `shrink` is 1/4 there and 1 elsewhere.
//: for T in c64 c128
FN R_$F shrink_$T(R_$T z) {
    R_$F scale = scale_$T(z);
    return where_$F(LT(scale, C_$F(1)), scale, C_$F(1));
}

FN R_$T sqrt_1m_$T(R_$T z, R_$F shrink) {
    return sqrt_$T(cartesian_$T(shrink - z.re * shrink, -z.im * shrink));
}

// Im(asin(z)); asinh(y) = asinh(y / 4) + log(4) for huge y. Infinities lie in the direction of b.
FN R_$F height_$T(R_$T z, R_$T p, R_$T q, R_$F shrink) {
    R_$F y = p.re * q.im - p.im * q.re;
    R_$F lift = where_$F(LT(shrink, C_$F(1)), C_$F(1.3862943611198906188), C_$F(0));
    return where_$F(isinf_$T(z), copysign_$F(INF_$F, z.im), asinh_$F(y) + copysign_$F(lift, y));
}

// asin(z) = z below E, whose cube is beyond the last digit.
//: for T E in c64 0x1p-13  c128 0x1p-27
FN R_$T asin_$T(R_$T z) {
    R_$F shrink = shrink_$T(z);
    R_$T p = sqrt_1m_$T(z, shrink), q = sqrt_1m_$T(negative_$T(z), shrink);
    R_$F x = where_$F(isinf_$T(z), ABS(z.im), p.re * q.re - p.im * q.im);
    R_$F re = where_$F(EQ(z.re, C_$F(0)), z.re, atan2_$F(z.re * shrink, x));
    R_$T result = cartesian_$T(re, height_$T(z, p, q, shrink));
    return where_$T(LT(larger_part_$T(z), C_$F($E)) & ~isnan_$T(z), z, result);
}

//: for T in c64 c128
FN R_$T acos_$T(R_$T z) {
    R_$F shrink = shrink_$T(z);
    R_$T p = sqrt_1m_$T(z, shrink), q = sqrt_1m_$T(negative_$T(z), shrink);
    R_b8 infinite = isinf_$T(z);
    R_$F angle = atan2_$F(where_$F(infinite, ABS(z.im), p.re), where_$F(infinite, z.re, q.re));
    R_$F re = where_$F(infinite, angle, C_$F(2) * angle);
    R_b8 axis = EQ(z.re, C_$F(0)) & isnan_$F(z.im);
    re = where_$F(axis, C_$F(1.5707963267948966192), re);
    return cartesian_$T(re, -height_$T(z, p, q, shrink));
}

FN R_$T asinh_$T(R_$T z) { return over_i_$T(asin_$T(times_i_$T(z))); }

FN R_$T acosh_$T(R_$T z) {
    R_$T w = acos_$T(z);
    return cartesian_$T(ABS(w.im), copysign_$F(w.re, z.im));
}

// atanh(z) = log1p(4a / ((1-a)^2 + b^2)) / 4 + atan2(2b, (1-a)(1+a) - b^2) / 2 j for a >= 0 (Kahan
// 1987). Everything is divided by the larger of |1-a| and |b|, so that no square overflows or
// vanishes. Next to the pole at 1, where 4 / b^2 may overflow, Re = log(2 / |b|) / 2, with b scaled
// by 2^S; D = S log(2) / 2.
//: for T P S D in c64 -50 24 8.3177661667193437130  c128 -500 60 20.794415416798359283
FN R_$T atanh_$T(R_$T z) {
    R_$F one = C_$F(1), zero = C_$F(0), a = ABS(z.re), b = z.im, d = one - a;
    R_b8 flat = LT(ABS(b), ABS(d)), pole = EQ(d, zero) & LT(ABS(b), C_$F(0x1p$P));
    R_$F big = where_$F(flat, ABS(d), ABS(b)), small = where_$F(flat, ABS(b), ABS(d));
    R_$F ratio = C_$F(4) * (a / big) / (big + small * (small / big));
    R_$F excess = where_$F(pole, C_$F(2) / (big * C_$F(0x1p$S)) - one, ratio);
    R_$F growth = log1p_$F(excess);
    R_$F re = where_$F(pole, C_$F(0.5) * growth + C_$F($D), C_$F(0.25) * growth);
    R_$F unit = where_$F(EQ(big, zero), one, big), y = b / unit;
    R_$F im = C_$F(0.5) * atan2_$F(C_$F(2) * y, d / unit * (one + a) - y * b);
    R_b8 infinite = isinf_$T(z);
    re = where_$F(infinite, zero, where_$F(EQ(a, zero), a, re));
    im = where_$F(infinite, where_$F(isnan_$F(b), b, C_$F(1.5707963267948966192)), im);
    return cartesian_$T(copysign_$F(re, z.re), copysign_$F(im, b));
}

//: for T in c64 c128
FN R_$T atan_$T(R_$T z) { return over_i_$T(atanh_$T(times_i_$T(z))); }

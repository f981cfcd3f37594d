// float16 and bfloat16: each function computes in float32 and rounds once, to the nearest.

//: for T in f16 bf16 for N in remainder floor_divide pow atan2 hypot logaddexp
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

//: for T in f16 bf16 for N in reciprocal sqrt log1p asin acos atan sinh cosh asinh acosh atanh
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

//: for N in exp expm1 log log2 log10 sin cos tan tanh
FN R_bf16 $N_bf16(R_bf16 a) { return ROUND_bf16($N_f32(a)); }

//: for T in f16 bf16
FN R_$T add_$T(R_$T a, R_$T b) { return ADD_$T(a, b); }

FN R_$T subtract_$T(R_$T a, R_$T b) { return SUBTRACT_$T(a, b); }

FN R_$T multiply_$T(R_$T a, R_$T b) { return MULTIPLY_$T(a, b); }

FN R_$T divide_$T(R_$T a, R_$T b) { return DIVIDE_$T(a, b); }

FN R_$T square_$T(R_$T a) { return MULTIPLY_$T(a, a); }

// These give a value that the dtype holds.
//: for T in f16 bf16 for N in sign floor ceil trunc round
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

// Where functions are expensive in float32, halves need less. All arguments were tried: the functions below give the
// very halves that float32 would, or nearer ones.

// r and 2^k with x = k log(2) + r, of an x of moderate size.
//: for T in f16
FN R_f32 without_log2_f16(R_f32 x, R_f32 *power) {
    R_f32 shifted = FMA(x, C_f32(0x1.715476p0), C_f32(0x1.8p23));
    *power = exp2_whole_f32(AS_i32(shifted));
    return FMA(shifted - C_f32(0x1.8p23), C_f32(-0x1.62e43p-1), x);
}

// Beyond -18 and 12 exp is 0 and infinite. The polynomial is good to 2^-23.
FN R_f16 exp_f16(R_f16 a) {
    R_f32 power, r = without_log2_f16(BETWEEN_f16(a, -18, 12), &power);
    R_f32 p = FMA(C_f32(0x1.106276p-7), r, C_f32(0x1.572a1p-5));
    p = FMA(FMA(p, r, C_f32(0x1.5557aep-3)), r, C_f32(0x1.fffdfcp-2));
    return NEAREST_f16(FMA(FMA(p, r, C_f32(1)), r, C_f32(1)) * power);
}

// exp(x) - 1, of an x of moderate size.
FN R_f32 expm1_near_f16(R_f32 x) {
    R_f32 power, r = without_log2_f16(x, &power);
    return FMA(FMA(r * r, exp_tail_f32(r), r), power, power - C_f32(1));
}

FN R_f16 expm1_f16(R_f16 a) {
    return COPYSIGN_f16(NEAREST_f16(expm1_near_f16(BETWEEN_f16(a, -18, 12))), a);
}

// With m = 1 - exp(-2|x|), tanh(x) is m / (2 - m). A polynomial for 1 / (2 - m) errs by 0.2 %, and the product with
// 1 + e + e^2 by e^3, which costs less than to divide. From |x| = 10 on it is 1.
FN R_f16 tanh_f16(R_f16 a) {
    R_f32 near = BETWEEN_f16(a, -10, 10), m = -expm1_near_f16(ABS(near) * C_f32(-2));
    R_f32 inverse = FMA(FMA(m * m, C_f32(0x1.c6541p-3), C_f32(0x1.1bf496p-2)), m, C_f32(0x1.ff1bbep-2));
    R_f32 e = FMA(m - C_f32(2), inverse, C_f32(1)), q = m * inverse;
    return COPYSIGN_f16(NEAREST_f16(FMA(q, FMA(e, e, e), q)), a);
}

// log(m) and k with x = 2^k m, of a positive finite x. See log_f32; no half is subnormal in float32.
FN R_f32 log_parts_f16(R_f32 x, R_f32 *k) {
    R_i32 exponent = AS_i32(AS_u32(x) - C_u32(0x3f3504f3)) >> C_i32(23);
    R_f32 f = AS_f32(AS_u32(x) - (AS_u32(exponent) << C_u32(23))) - C_f32(1);
    R_f32 p = FMA(C_f32(0x1.65c77ap-4), f, C_f32(-0x1.2504a4p-3));
    p = FMA(p, f, C_f32(0x1.318526p-3));
    p = FMA(p, f, C_f32(-0x1.535d3p-3));
    p = FMA(p, f, C_f32(0x1.98d2cp-3));
    p = FMA(p, f, C_f32(-0x1.00049ap-2));
    p = FMA(p, f, C_f32(0x1.5556f4p-2));
    p = FMA(p, f, C_f32(-0x1.fffffap-2));
    *k = TO_f32(exponent);
    return f * FMA(p, f, C_f32(1));
}

FN R_f16 log_f16(R_f16 a) {
    R_f32 x = FLOAT_f16(a), k, y = log_parts_f16(x, &k);
    return NEAREST_f16(or_special_f32(x, FMA(k, C_f32(0x1.62e43p-1), y)));
}

FN R_f16 log2_f16(R_f16 a) {
    R_f32 x = FLOAT_f16(a), k, y = log_parts_f16(x, &k);
    return NEAREST_f16(or_special_f32(x, FMA(y, C_f32(0x1.715476p0), k)));
}

FN R_f16 log10_f16(R_f16 a) {
    R_f32 x = FLOAT_f16(a), k, y = log_parts_f16(x, &k);
    R_f32 rest = FMA(y, C_f32(-0x1.5b235ep-27), k * C_f32(-0x1.ec10cp-27));
    return NEAREST_f16(or_special_f32(x, FMA(k, C_f32(0x1.344136p-2), FMA(y, C_f32(0x1.bcb7b2p-2), rest))));
}

// q and r with x = (q + r') pi, r = r' pi: no half is large. Odd q turn the sign of what follows.
FN R_f32 half_turn_f16(R_f32 x, R_f32 q) { return FMA(q, C_f32(0x1.777a5cp-24), FMA(q, C_f32(-0x1.921fb6p1), x)); }

// sin(r) for |r| <= pi / 2: 2^-27.
FN R_f32 sine_f16(R_f32 r) {
    R_f32 w = r * r, p = FMA(C_f32(0x1.5db89ap-19), w, C_f32(-0x1.9f6f96p-13));
    p = FMA(p, w, C_f32(0x1.110ed2p-7));
    return FMA(r * w, FMA(p, w, C_f32(-0x1.55554cp-3)), r);
}

FN R_f16 sin_f16(R_f16 a) {
    R_f32 x = FLOAT_f16(a), shifted = FMA(ABS(x), C_f32(0x1.45f306p-2), C_f32(0x1.8p23));
    R_f32 size = sine_f16(half_turn_f16(ABS(x), shifted - C_f32(0x1.8p23)));
    R_u32 turned = AS_u32(shifted) << C_u32(31) ^ AS_u32(x);
    return NEAREST_f16(AS_f32(AS_u32(size) ^ (turned & C_u32(0x80000000u))));
}

// -sin(x - pi / 2).
FN R_f16 cos_f16(R_f16 a) {
    R_f32 x = ABS(FLOAT_f16(a)), shifted = FMA(x, C_f32(0x1.45f306p-2), C_f32(-0.5)) + C_f32(0x1.8p23);
    R_f32 size = sine_f16(half_turn_f16(x, (shifted - C_f32(0x1.8p23)) + C_f32(0.5)));
    return NEAREST_f16(AS_f32(AS_u32(size) ^ ~AS_u32(shifted) << C_u32(31)));
}

// See quarter_f32.
FN R_f16 tan_f16(R_f16 a) {
    R_f32 x = FLOAT_f16(a), size = ABS(x), shifted = FMA(size, C_f32(0x1.45f306p-1), C_f32(0x1.8p23));
    R_f32 n = shifted - C_f32(0x1.8p23), r = FMA(n, C_f32(0x1.777a5cp-25), FMA(n, C_f32(-0x1.921fb6p0), size));
    return NEAREST_f16(tan_of_f32(x, AS_u32(shifted), r));
}

// Functions of the bits alone.
//: for T in f16 bf16
FN R_$T positive_$T(R_$T a) { return a; }

FN R_$T negative_$T(R_$T a) { return NEGATIVE_$T(a); }

FN R_$T abs_$T(R_$T a) { return ABS_$T(a); }

FN R_$T copysign_$T(R_$T a, R_$T b) { return COPYSIGN_$T(a, b); }

FN R_b8 signbit_$T(R_$T a) { return LT(FLOAT_$T(COPYSIGN_$T(C_$T(1), a)), C_f32(0)); }

// See maximum_f32.
FN R_$T maximum_$T(R_$T a, R_$T b) {
    R_f32 x = FLOAT_$T(a), y = FLOAT_$T(b);
    return WHERE_$T(NE(y, y), NAN_$T, WHERE_$T(GT(y, x), b, a));
}

FN R_$T minimum_$T(R_$T a, R_$T b) {
    R_f32 x = FLOAT_$T(a), y = FLOAT_$T(b);
    return WHERE_$T(NE(y, y), NAN_$T, WHERE_$T(LT(y, x), b, a));
}

//: for T in f16 bf16 for N in isnan isinf isfinite
FN R_b8 $N_$T(R_$T a) { return $N_f32(FLOAT_$T(a)); }

//: for T in f16 bf16 for N in equal not_equal less less_equal greater greater_equal
FN R_b8 $N_$T(R_$T a, R_$T b) { return $N_f32(FLOAT_$T(a), FLOAT_$T(b)); }

// The next of the dtype, not the next float; see nextafter_f32.
//: for T in f16 bf16
FN R_$T nextafter_$T(R_$T a, R_$T b) {
    R_f32 x = FLOAT_$T(a), y = FLOAT_$T(b);
    R_u16 bits = PACK_$T(a), sign = PACK_$T(COPYSIGN_$T(C_$T(0), b));
    R_b8 inward = GT(x, y) ^ LT(x, C_f32(0));
    R_$T step = UNPACK_$T(AS_u16(WHERE_u16(inward, bits - C_u16(1), bits + C_u16(1))));
    step = WHERE_$T(EQ(x, C_f32(0)), UNPACK_$T(AS_u16(sign | C_u16(1))), step);
    return WHERE_$T(EQ(x, y), b, WHERE_$T(NE(x, x) | NE(y, y), NEAREST_$T(x + y), step));
}

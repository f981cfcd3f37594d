// float16: each function computes in float32 and rounds once to the nearest half.

//: for N in add subtract multiply divide remainder floor_divide pow atan2 hypot logaddexp
FN R_f16 $N_f16(R_f16 a, R_f16 b) { return NEAREST_f16($N_f32(a, b)); }

//: for N in square reciprocal sqrt expm1 log log1p log2 log10 sin cos tan
FN R_f16 $N_f16(R_f16 a) { return NEAREST_f16($N_f32(a)); }

//: for N in asin acos atan sinh cosh tanh asinh acosh atanh
FN R_f16 $N_f16(R_f16 a) { return NEAREST_f16($N_f32(a)); }

// See exp_f32. Of halves 2^k is in a float's range, and x - k log(2) needs no second rounding.
//: for T in f16
FN R_f16 exp_f16(R_f16 a) {
    R_f32 least = WHERE_f32(LT(a, C_f32(-18)), C_f32(-18), a), near = WHERE_f32(GT(least, C_f32(12)), C_f32(12), least);
    R_f32 shifted = FMA(near, C_f32(0x1.715476p0), C_f32(0x1.8p23));
    R_f32 r = FMA(shifted - C_f32(0x1.8p23), C_f32(-0x1.62e43p-1), near);
    return NEAREST_f16(FMA(FMA(exp_tail_f32(r), r, C_f32(1)), r, C_f32(1)) * exp2_whole_f32(AS_i32(shifted)));
}

// These give a value that a half holds.
//: for N in negative positive abs sign floor ceil trunc round
FN R_f16 $N_f16(R_f16 a) { return $N_f32(a); }

//: for N in copysign maximum minimum
FN R_f16 $N_f16(R_f16 a, R_f16 b) { return $N_f32(a, b); }

//: for N in signbit isnan isinf isfinite
FN R_b8 $N_f16(R_f16 a) { return $N_f32(a); }

// The next half, not the next float; see nextafter_f32.
//: for T in f16
FN R_f16 nextafter_f16(R_f16 a, R_f16 b) {
    R_u16 bits = PACK_f16(a), sign = PACK_f16(COPYSIGN(C_f32(0), b));
    R_b8 inward = GT(a, b) ^ LT(a, C_f32(0));
    R_f16 step = UNPACK_f16(AS_u16(WHERE_u16(inward, bits - C_u16(1), bits + C_u16(1))));
    step = WHERE_f16(EQ(a, C_f32(0)), UNPACK_f16(AS_u16(sign | C_u16(1))), step);
    return WHERE_f16(EQ(a, b), b, WHERE_f16(NE(a, a) | NE(b, b), a + b, step));
}

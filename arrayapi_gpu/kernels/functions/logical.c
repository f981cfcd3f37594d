// Comparison, selection and logic.

//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FN R_b8 equal_$T(R_$T a, R_$T b) { return EQ(a, b); }

FN R_b8 not_equal_$T(R_$T a, R_$T b) { return NE(a, b); }

FN R_b8 less_$T(R_$T a, R_$T b) { return LT(a, b); }

FN R_b8 less_equal_$T(R_$T a, R_$T b) { return LE(a, b); }

FN R_b8 greater_$T(R_$T a, R_$T b) { return GT(a, b); }

FN R_b8 greater_equal_$T(R_$T a, R_$T b) { return GE(a, b); }

//: for T in b8 i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64
FN R_$T where_$T(R_b8 mask, R_$T a, R_$T b) { return WHERE_$T(mask, a, b); }

//: for T in c64 c128
FN R_$T where_$T(R_b8 mask, R_$T a, R_$T b) {
    R_$T result = {where_$F(mask, a.re, b.re), where_$F(mask, a.im, b.im)};
    return result;
}

// False is 0, true is -1: the order of masks is the reverse of that of truth values.
//: for T in b8
FN R_b8 equal_b8(R_b8 a, R_b8 b) { return ~(a ^ b); }

FN R_b8 not_equal_b8(R_b8 a, R_b8 b) { return a ^ b; }

FN R_b8 less_b8(R_b8 a, R_b8 b) { return ~a & b; }

FN R_b8 less_equal_b8(R_b8 a, R_b8 b) { return ~a | b; }

FN R_b8 greater_b8(R_b8 a, R_b8 b) { return a & ~b; }

FN R_b8 greater_equal_b8(R_b8 a, R_b8 b) { return a | ~b; }

//: for N in bitwise logical
FN R_b8 $N_and_b8(R_b8 a, R_b8 b) { return a & b; }

FN R_b8 $N_or_b8(R_b8 a, R_b8 b) { return a | b; }

FN R_b8 $N_xor_b8(R_b8 a, R_b8 b) { return a ^ b; }

//: for T in b8
FN R_b8 positive_b8(R_b8 a) { return a; }

//: for N in logical_not bitwise_invert
FN R_b8 $N_b8(R_b8 a) { return ~a; }

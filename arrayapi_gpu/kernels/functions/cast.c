// cast_<from>_<to> for every pair of dtypes.

//: for T in b8 i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64 c64 c128
FN R_$T cast_$T_$T(R_$T a) { return a; }

// Integers wrap when they narrow.
//: for S in i8 u8 for T in i16 u16 i32 u32 i64 u64 f32 f64
FN R_$T cast_$S_$T(R_$S a) { return TO_$T(a); }

//: for S in i16 u16 for T in i8 u8 i32 u32 i64 u64 f32 f64
FN R_$T cast_$S_$T(R_$S a) { return TO_$T(a); }

//: for S in i32 u32 for T in i8 u8 i16 u16 i64 u64 f32 f64
FN R_$T cast_$S_$T(R_$S a) { return TO_$T(a); }

//: for S in i64 u64 for T in i8 u8 i16 u16 i32 u32 f32 f64
FN R_$T cast_$S_$T(R_$S a) { return TO_$T(a); }

//: for S T in i8 u8  u8 i8  i16 u16  u16 i16  i32 u32  u32 i32  i64 u64  u64 i64
FN R_$T cast_$S_$T(R_$S a) { return AS_$T(a); }

// A true mask is -1.
//: for T in i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T cast_b8_$T(R_b8 a) { return TO_$T(a & C_i8(1)); }

//: for T in bf16 f16 f32 f64
FN R_$T cast_b8_$T(R_b8 a) { return where_$T(a, C_$T(1), C_$T(0)); }

//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
FN R_b8 cast_$T_b8(R_$T a) { return NE(a, C_$T(0)); }

//: for S in bf16 f16 for T in b8 i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T cast_$S_$T(R_$S a) { return cast_f32_$T(FLOAT_$S(a)); }

// No integer that a half can hold comes near the end of what float32 counts exactly.
//: for S in i8 i16 i32 i64 u8 u16 u32 u64
FN R_f16 cast_$S_f16(R_$S a) { return NEAREST_f16(TO_f32(a)); }

//: for S in i8 i16 u8 u16
FN R_bf16 cast_$S_bf16(R_$S a) { return ROUND_bf16(TO_f32(a)); }

//: for T in i64
FN R_bf16 cast_i64_bf16(R_i64 a) {
    R_b8 negative = LT(a, C_i64(0));
    R_f32 size = cast_u64_bf16(AS_u64(where_i64(negative, -a, a)));
    return where_f32(negative, -size, size);
}

FN R_bf16 cast_i32_bf16(R_i32 a) { return cast_i64_bf16(TO_i64(a)); }

FN R_bf16 cast_u32_bf16(R_u32 a) { return cast_u64_bf16(TO_u64(a)); }

// See cast_f64_f16.
FN R_bf16 cast_u64_bf16(R_u64 a) {
    R_f32 nearest = TO_f32(a);
    R_b8 inside = LT(nearest, C_f32(0x1p64f));
    R_u64 back = TO_u64(where_f32(inside, nearest, C_f32(0)));
    return ROUND_bf16(odd_f32(nearest, inside & NE(back, a), GT(back, a)));
}

// Floats saturate, NaN gives 0. E is the first value that is too large; -E and 0 are themselves fine.
//: for S in f32 f64 for T E in i8 0x1p7 i16 0x1p15 i32 0x1p31 i64 0x1p63
FN R_$T cast_$S_$T(R_$S a) {
    R_b8 fits = GE(a, C_$S(-$E)) & LT(a, C_$S($E));
    R_$T whole = TO_$T(where_$S(fits, a, C_$S(0)));
    return where_$T(fits, whole, where_$T(LT(a, C_$S(0)), MIN_$T, where_$T(GT(a, C_$S(0)), MAX_$T, whole)));
}

//: for S in f32 f64 for T E in u8 0x1p8 u16 0x1p16 u32 0x1p32 u64 0x1p64
FN R_$T cast_$S_$T(R_$S a) {
    R_b8 fits = GE(a, C_$S(0)) & LT(a, C_$S($E));
    R_$T whole = TO_$T(where_$S(fits, a, C_$S(0)));
    return where_$T(GE(a, C_$S($E)), MAX_$T, whole);
}

//: for T in f32
FN R_f32 cast_f16_f32(R_f16 a) { return FLOAT_f16(a); }

FN R_f16 cast_f32_f16(R_f32 a) { return ROUND_f16(a); }

FN R_f64 cast_f32_f64(R_f32 a) { return TO_f64(a); }

FN R_f64 cast_f16_f64(R_f16 a) { return TO_f64(FLOAT_f16(a)); }

FN R_f32 cast_f64_f32(R_f64 a) { return TO_f32(a); }

FN R_bf16 cast_f16_bf16(R_f16 a) { return ROUND_bf16(FLOAT_f16(a)); }

FN R_f16 cast_bf16_f16(R_bf16 a) { return ROUND_f16(a); }

FN R_f32 cast_bf16_f32(R_bf16 a) { return a; }

FN R_bf16 cast_f32_bf16(R_f32 a) { return ROUND_bf16(a); }

FN R_f64 cast_bf16_f64(R_bf16 a) { return TO_f64(a); }

// Rounded to float32 so that the second rounding sees what the first dropped: toward zero, last bit set
// when inexact ("round to odd"). ``above``: the nearest float32 lies farther from zero than the number.
FN R_f32 odd_f32(R_f32 nearest, R_b8 inexact, R_b8 above) {
    R_u32 bits = AS_u32(nearest);
    R_u32 toward_zero = bits - WHERE_u32(above, C_u32(1), C_u32(0));
    return AS_f32(where_u32(inexact, toward_zero | C_u32(1), bits));
}

//: for T in f16 bf16
FN R_$T cast_f64_$T(R_f64 a) {
    R_f32 nearest = TO_f32(a);
    R_f64 back = TO_f64(nearest);
    return ROUND_$T(odd_f32(nearest, NE(back, a) & EQ(a, a), GT(ABS(back), ABS(a))));
}

//: for S in b8 i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64 for T in c64 c128
FN R_$T cast_$S_$T(R_$S a) {
    R_$T result = {cast_$S_$F(a), C_$F(0)};
    return result;
}

//: for T in c64 c128 for S in i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64
FN R_$S cast_$T_$S(R_$T a) { return cast_$F_$S(a.re); }

//: for T in c64 c128
FN R_b8 cast_$T_b8(R_$T a) { return NE(a.re, C_$F(0)) | NE(a.im, C_$F(0)); }

//: for S T in c64 c128  c128 c64
FN R_$T cast_$S_$T(R_$S a) {
    R_$T result = {TO_$F(a.re), TO_$F(a.im)};
    return result;
}

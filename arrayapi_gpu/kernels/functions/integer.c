// Integers. Arithmetic wraps, so it is done on unsigned registers; no operation traps or is undefined.

//: for T in i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T add_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) + AS_$U(b)); }

FN R_$T subtract_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) - AS_$U(b)); }

FN R_$T multiply_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) * AS_$U(b)); }

FN R_$T negative_$T(R_$T a) { return AS_$T(C_$U(0) - AS_$U(a)); }

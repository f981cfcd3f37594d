// Functions of C that the namespace does not have, for users' kernels.

// Rounded toward zero; 0 where the divisor is.
//: for T in u32 u64
FN R_$T quotient_$T(R_$T a, R_$T b) { return floor_divide_$T(a, b); }

FN R_$T rest_$T(R_$T a, R_$T b) { return remainder_$T(a, b); }

//: for T in i32 i64
FN R_$T quotient_$T(R_$T a, R_$T b) {
    R_$U x = AS_$U(abs_$T(a)), y = AS_$U(abs_$T(b)), quotient = floor_divide_$U(x, y);
    return AS_$T(WHERE_$U(LT(a ^ b, C_$T(0)), C_$U(0) - quotient, quotient));
}

FN R_$T rest_$T(R_$T a, R_$T b) {
    R_$U x = AS_$U(abs_$T(a)), y = AS_$U(abs_$T(b)), rest = remainder_$U(x, y);
    return AS_$T(WHERE_$U(LT(a, C_$T(0)), C_$U(0) - rest, rest));
}

// A NaN is no number to be compared with: the other one is the result.
//: for T in f32 f64
FN R_$T fmin_$T(R_$T a, R_$T b) { return WHERE_$T(isnan_$T(a), b, WHERE_$T(isnan_$T(b), a, minimum_$T(a, b))); }

FN R_$T fmax_$T(R_$T a, R_$T b) { return WHERE_$T(isnan_$T(a), b, WHERE_$T(isnan_$T(b), a, maximum_$T(a, b))); }

FN R_$T fma_$T(R_$T a, R_$T b, R_$T c) { return FMA(a, b, c); }

FN R_$T rsqrt_$T(R_$T a) { return C_$T(1) / SQRT(a); }

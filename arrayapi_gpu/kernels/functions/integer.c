// Integers. Arithmetic wraps, so it is done on unsigned registers; no operation traps or is undefined.

//: for T in i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T add_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) + AS_$U(b)); }

FN R_$T subtract_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) - AS_$U(b)); }

FN R_$T multiply_$T(R_$T a, R_$T b) { return AS_$T(AS_$U(a) * AS_$U(b)); }

FN R_$T negative_$T(R_$T a) { return AS_$T(C_$U(0) - AS_$U(a)); }

FN R_$T square_$T(R_$T a) { return multiply_$T(a, a); }

FN R_$T maximum_$T(R_$T a, R_$T b) { return WHERE_$T(GT(a, b), a, b); }

FN R_$T minimum_$T(R_$T a, R_$T b) { return WHERE_$T(LT(a, b), a, b); }

FN R_$T bitwise_and_$T(R_$T a, R_$T b) { return a & b; }

FN R_$T bitwise_or_$T(R_$T a, R_$T b) { return a | b; }

FN R_$T bitwise_xor_$T(R_$T a, R_$T b) { return a ^ b; }

FN R_$T bitwise_invert_$T(R_$T a) { return ~a; }

FN R_$T remainder_$T(R_$T a, R_$T b) {
    R_$T result = subtract_$T(a, multiply_$T(b, floor_divide_$T(a, b)));
    return WHERE_$T(EQ(b, C_$T(0)), C_$T(0), result);
}

// By squaring: as many rounds as the largest exponent has bits. Of a negative exponent only the lowest
// bit counts, for bases 1 and -1; any other base then gives 0, its power rounded toward zero.
FN R_$T pow_$T(R_$T a, R_$T b) {
    R_$U base = AS_$U(a), result = C_$U(1), exponent = AS_$U(b);
    R_b8 inverse = LT(b, C_$T(0));
    exponent = WHERE_$U(inverse, exponent & C_$U(1), exponent);
    while (ANY(NE(exponent, C_$U(0)))) {
        result = WHERE_$U(NE(exponent & C_$U(1), C_$U(0)), AS_$U(result * base), result);
        base = AS_$U(base * base);
        exponent = AS_$U(exponent >> C_$U(1));
    }
    R_b8 unit = EQ(a, C_$T(1)) | EQ(a, C_$T(-1));
    return WHERE_$T(inverse & ~unit, C_$T(0), AS_$T(result));
}

//: for N in positive round floor ceil trunc for T in i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T $N_$T(R_$T a) { return a; }

//: for T in u8 u16 u32 u64
FN R_$T abs_$T(R_$T a) { return a; }

FN R_$T sign_$T(R_$T a) { return WHERE_$T(NE(a, C_$T(0)), C_$T(1), C_$T(0)); }

//: for T in i8 i16 i32 i64
FN R_$T abs_$T(R_$T a) { return WHERE_$T(LT(a, C_$T(0)), negative_$T(a), a); }

FN R_$T sign_$T(R_$T a) { return TO_$T(LT(a, C_$T(0))) - TO_$T(GT(a, C_$T(0))); }

// No quotient of small integers is so near below a whole number that float32, which divides vectors in
// one instruction, rounds it up.
//: for T in i8 i16 u8 u16
FN R_$T floor_divide_$T(R_$T a, R_$T b) {
    R_b8 zero = EQ(b, C_$T(0));
    R_f32 quotient = TO_f32(a) / TO_f32(WHERE_$T(zero, C_$T(1), b));
    return WHERE_$T(zero, C_$T(0), TO_$T(TO_i32(FLOOR(quotient))));
}

//: for T in u32 u64
FN R_$T floor_divide_$T(R_$T a, R_$T b) {
    R_b8 zero = EQ(b, C_$T(0));
    return WHERE_$T(zero, C_$T(0), a / WHERE_$T(zero, C_$T(1), b));
}

// On magnitudes, which no quotient of overflows: MIN // -1 is 2^(bits - 1), that is MIN again.
//: for T in i32 i64
FN R_$T floor_divide_$T(R_$T a, R_$T b) {
    R_$U x = AS_$U(abs_$T(a)), y = AS_$U(abs_$T(b));
    R_b8 zero = EQ(b, C_$T(0)), opposite = LT(a ^ b, C_$T(0));
    y = WHERE_$U(zero, C_$U(1), y);
    R_$U quotient = x / y;
    R_$U up = WHERE_$U(NE(quotient * y, x), C_$U(1), C_$U(0));
    R_$T result = AS_$T(WHERE_$U(opposite, C_$U(0) - quotient - up, quotient));
    return WHERE_$T(zero, C_$T(0), result);
}

// By Euclid. Remainders by 0 are 0, so that lanes that have ended stay as they are.
//: for T in i8 i16 i32 i64 u8 u16 u32 u64
FN R_$T gcd_$T(R_$T a, R_$T b) {
    R_$U x = AS_$U(abs_$T(a)), y = AS_$U(abs_$T(b));
    while (ANY(NE(y, C_$U(0)))) {
        R_$U rest = remainder_$U(x, y);
        x = WHERE_$U(NE(y, C_$U(0)), y, x);
        y = rest;
    }
    return AS_$T(x);
}

// A shift count as large as the width, or negative, shifts everything out.
//: for T W in i8 8  i16 16  i32 32  i64 64  u8 8  u16 16  u32 32  u64 64
FN R_$T bitwise_left_shift_$T(R_$T a, R_$T b) {
    R_$U shifted = AS_$U(AS_$U(a) << (AS_$U(b) & C_$U($W - 1)));
    return AS_$T(WHERE_$U(LT(AS_$U(b), C_$U($W)), shifted, C_$U(0)));
}

//: for T W in u8 8  u16 16  u32 32  u64 64
FN R_$T bitwise_right_shift_$T(R_$T a, R_$T b) {
    return WHERE_$T(LT(b, C_$T($W)), AS_$T(a >> (b & C_$T($W - 1))), C_$T(0));
}

//: for T W in i8 8  i16 16  i32 32  i64 64
FN R_$T bitwise_right_shift_$T(R_$T a, R_$T b) {
    return a >> AS_$T(WHERE_$U(LT(AS_$U(b), C_$U($W)), AS_$U(b), C_$U($W - 1)));
}

// int64 and uint64: a negative number is less than all of uint64, and any other is compared as uint64.
//: for T U in i64 u64
FN R_b8 equal_$T$U(R_$T a, R_$U b) { return GE(a, C_$T(0)) & EQ(AS_$U(a), b); }

FN R_b8 not_equal_$T$U(R_$T a, R_$U b) { return LT(a, C_$T(0)) | NE(AS_$U(a), b); }

FN R_b8 less_$T$U(R_$T a, R_$U b) { return LT(a, C_$T(0)) | LT(AS_$U(a), b); }

FN R_b8 less_equal_$T$U(R_$T a, R_$U b) { return LT(a, C_$T(0)) | LE(AS_$U(a), b); }

FN R_b8 greater_$T$U(R_$T a, R_$U b) { return GE(a, C_$T(0)) & GT(AS_$U(a), b); }

FN R_b8 greater_equal_$T$U(R_$T a, R_$U b) { return GE(a, C_$T(0)) & GE(AS_$U(a), b); }

FN R_b8 equal_$U$T(R_$U a, R_$T b) { return equal_$T$U(b, a); }

FN R_b8 not_equal_$U$T(R_$U a, R_$T b) { return not_equal_$T$U(b, a); }

FN R_b8 less_$U$T(R_$U a, R_$T b) { return greater_$T$U(b, a); }

FN R_b8 less_equal_$U$T(R_$U a, R_$T b) { return greater_equal_$T$U(b, a); }

FN R_b8 greater_$U$T(R_$U a, R_$T b) { return less_$T$U(b, a); }

FN R_b8 greater_equal_$U$T(R_$U a, R_$T b) { return less_equal_$T$U(b, a); }

// Logistic functions and entropies: expressions of exponentials and logarithms.

//: for T in f32 f64
FN R_$T expit_$T(R_$T x) {
    R_$T e = exp_$T(-ABS(x));
    return WHERE_$T(LT(x, C_$T(0)), e, C_$T(1)) / (C_$T(1) + e);
}

FN R_$T xlogy_$T(R_$T x, R_$T y) {
    R_$T product = x * log_$T(y);
    return WHERE_$T(EQ(x, C_$T(0)) & EQ(y, y), C_$T(0), product);
}

//: for T in f16 bf16 for N in expit
FN R_$T $N_$T(R_$T a) { return NEAREST_$T($N_f32(FLOAT_$T(a))); }

//: for T in f16 bf16 for N in xlogy
FN R_$T $N_$T(R_$T a, R_$T b) { return NEAREST_$T($N_f32(FLOAT_$T(a), FLOAT_$T(b))); }

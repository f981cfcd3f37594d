// Real floating-point functions.

//: for T in f32 f64
FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

FN R_$T subtract_$T(R_$T a, R_$T b) { return a - b; }

FN R_$T multiply_$T(R_$T a, R_$T b) { return a * b; }

FN R_$T divide_$T(R_$T a, R_$T b) { return a / b; }

FN R_$T negative_$T(R_$T a) { return -a; }

FN R_$T abs_$T(R_$T a) { return ABS(a); }

FN R_$T sqrt_$T(R_$T a) { return SQRT(a); }

FN R_$T exp_$T(R_$T a) { return EXP(a); }

FN R_$T log_$T(R_$T a) { return LOG(a); }

FN R_$T sin_$T(R_$T a) { return SIN(a); }

FN R_$T cos_$T(R_$T a) { return COS(a); }

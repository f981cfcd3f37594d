// Numbers in two registers: a result, and in ``tail`` what it loses to rounding.

//: for T in f32 f64
// After D. E. Knuth, The Art of Computer Programming 2 (1969), 4.2.2.
FN R_$T sum_pair_$T(R_$T a, R_$T b, R_$T *tail) {
    R_$T sum = a + b, part = sum - a;
    *tail = (a - (sum - part)) + (b - part);
    return sum;
}

FN R_$T product_pair_$T(R_$T a, R_$T b, R_$T *tail) {
    R_$T product = a * b;
    *tail = FMA(a, b, -product);
    return product;
}

// (a + a2) / b.
FN R_$T quotient_pair_$T(R_$T a, R_$T a2, R_$T b, R_$T *tail) {
    R_$T quotient = a / b;
    *tail = (FMA(-quotient, b, a) + a2) / b;
    return quotient;
}

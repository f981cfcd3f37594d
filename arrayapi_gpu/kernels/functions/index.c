//: for T in i64
// An index as Python has it, counted from the end where it is negative, kept inside 0 ... n - 1 whatever it is.
FN R_$T wrap_index_$T(R_$T i, R_$T n) {
    R_$T j = where_$T(less_$T(i, C_$T(0)), add_$T(i, n), i);
    j = where_$T(less_$T(j, C_$T(0)), C_$T(0), j);
    return where_$T(less_$T(j, n), j, subtract_$T(n, C_$T(1)));
}

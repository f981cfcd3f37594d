// The scatter kernel; see scatter.py. Nothing is defined before it, but these statements are put into it:
//   scalars      the parameters of the expression, each in a register
//   rows         the place of the row, c0, c1, ..., along the outer dimensions
//   operands     registers of the operands, from element i of the row on
//   arithmetic   the values of the expression, $place and $value among them

//: scatter
$described
KERNEL void $kernel($arguments) {
    S_i64 from = GID * p.span, to = from + p.span < p.registers ? from + p.span : p.registers;
    S_i64 chunks = (p.n + LANES - 1) / LANES;
    $scalars
    for (S_i64 at = from; at < to; at++) {
        S_i64 row = at / chunks, i = (at % chunks) * LANES;
        int n = p.n - i < LANES ? (int)(p.n - i) : LANES;
        $rows
        $operands
        $arithmetic
        STOREG_$T(o0, $place + SPLAT_i64(p.o0), less_i64(IOTA, SPLAT_i64(n)), $value);
    }
}

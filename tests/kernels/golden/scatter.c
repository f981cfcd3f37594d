typedef struct {S_i64 n; S_i64 registers; S_i64 span; S_i64 d0; S_i64 o0; S_i64 x0_0; S_i64 x1_0; S_i64 x0_s0; S_i64 x1_s0; S_i64 s0; S_i64 s1; S_f32 s2;} Parameters;
// t0 = wrap_index(x1, s1); t1 = multiply(t0, s0); t2 = add(x0, t1)
KERNEL void scatter_wrap_index_multiply_add_2d_i64(GLOBAL M_f32* o0, GLOBAL M_i64* px1, const Parameters p) {
    S_i64 from = GID * p.span, to = from + p.span < p.registers ? from + p.span : p.registers;
    S_i64 chunks = (p.n + LANES - 1) / LANES;
    R_i64 s0 = SPLAT_i64(p.s0);
    R_i64 s1 = SPLAT_i64(p.s1);
    R_f32 s2 = SPLAT_f32(p.s2);
    for (S_i64 at = from; at < to; at++) {
        S_i64 row = at / chunks, i = (at % chunks) * LANES;
        int n = p.n - i < LANES ? (int)(p.n - i) : LANES;
        S_i64 c0 = row;
        S_i64 x0_b = p.x0_0 + c0 * p.x0_s0;
        R_i64 x0;
        x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
        S_i64 x1_b = p.x1_0 + c0 * p.x1_s0;
        R_i64 x1;
        x1 = LOAD1_i64(px1, x1_b);
        R_i64 t0 = wrap_index_i64(x1, s1);
        R_i64 t1 = multiply_i64(t0, s0);
        R_i64 t2 = add_i64(x0, t1);
        STOREG_f32(o0, t2 + SPLAT_i64(p.o0), less_i64(IOTA, SPLAT_i64(n)), s2);
    }
}

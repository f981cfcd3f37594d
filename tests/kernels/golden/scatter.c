typedef struct {S_i32 n; S_i32 o0_0; S_f32 s0;} Parameters;
// a copy
KERNEL void elementwise_1d_f32(GLOBAL M_f32* o0, const Parameters p) {
  S_i32 first = ((S_i32)GID) * 16 * LANES;
  S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
  R_f32 s0 = SPLAT_f32(p.s0);
  for (S_i32 i = first; i < last; i += LANES) {
    int n = last - i < LANES ? (int)(last - i) : LANES;
    if (n == LANES) STORE_f32(o0, p.o0_0 + i, s0); else STOREN_f32(o0, p.o0_0 + i, 1, n, s0);
  }
}

typedef struct {S_i64 n; S_i64 registers; S_i64 span; S_i64 d0; S_i64 o0; S_i64 x0_0; S_i64 x1_0; S_i64 x2_0; S_i64 x0_s0; S_i64 x1_s0; S_i64 x2_s0; S_i64 s0; S_i64 s1;} Parameters;
// t0 = wrap_index(x1, s1); t1 = multiply(t0, s0); t2 = add(x0, t1)
KERNEL void scatter_wrap_index_multiply_add_2d_i64(GLOBAL M_f32* o0, GLOBAL M_i64* px1, GLOBAL M_f32* px2, const Parameters p) {
    S_i64 from = GID * p.span, to = from + p.span < p.registers ? from + p.span : p.registers;
    S_i64 chunks = (p.n + LANES - 1) / LANES;
    R_i64 s0 = SPLAT_i64(p.s0);
    R_i64 s1 = SPLAT_i64(p.s1);
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
        S_i64 x2_b = p.x2_0 + c0 * p.x2_s0;
        R_f32 x2;
        if (n == LANES) x2 = LOAD_f32(px2, x2_b + i); else x2 = LOADN_f32(px2, x2_b + i, 1, n);
        R_i64 t0 = wrap_index_i64(x1, s1);
        R_i64 t1 = multiply_i64(t0, s0);
        R_i64 t2 = add_i64(x0, t1);
        STOREG_f32(o0, t2 + SPLAT_i64(p.o0), less_i64(IOTA, SPLAT_i64(n)), x2);
    }
}

typedef struct {S_i64 m0; S_i64 s1; S_i64 s2; S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0; S_f32 s0;} Parameters;
// t0 = wrap_index(x1, s2); t1 = multiply(t0, s1); t2 = add(x0, t1); t3 = loadg(m0, t2); t4 = multiply(t3, s0)
KERNEL void elementwise_wrap_index_multiply_add_loadg_and_1_more_2d_f32(GLOBAL M_f32* o0, GLOBAL M_i64* px1, GLOBAL M_f32* m0, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 first = (item % p.spans) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + c0 * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    R_f32 s0 = SPLAT_f32(p.s0);
    R_i64 s1 = SPLAT_i64(p.s1);
    R_i64 s2 = SPLAT_i64(p.s2);
    R_i64 x1 = LOAD1_i64(px1, x1_b);
    R_i64 t0 = wrap_index_i64(x1, s2);
    R_i64 t1 = multiply_i64(t0, s1);
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_i64 x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
        R_i64 t2 = add_i64(x0, t1);
        R_f32 t3 = LOADG_f32(m0 + p.m0, n == LANES ? t2 : where_i64(less_i64(IOTA, SPLAT_i64(n)), t2, SPLAT_i64(0)));
        R_f32 t4 = multiply_f32(t3, s0);
        if (n == LANES) STORE_f32(o0, o0_b + i, t4); else STOREN_f32(o0, o0_b + i, 1, n, t4);
    }
}

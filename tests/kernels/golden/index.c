typedef struct {S_i64 s1; S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 x2_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0; S_i32 x2_s0; S_f32 s0;} Parameters;
// t0 = subtract(x1, x2); t1 = less_equal(t0, s1); t2 = where(t1, x0, s0)
KERNEL void elementwise_subtract_less_equal_where_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 first = (item % p.spans) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + c0 * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    S_i32 x2_b = p.x2_0 + c0 * p.x2_s0;
    R_f32 s0 = SPLAT_f32(p.s0);
    R_i64 s1 = SPLAT_i64(p.s1);
    R_i64 x2 = SPLAT_i64(x2_b);
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
        R_i64 x1 = SPLAT_i64(x1_b + i) + IOTA * SPLAT_i64(1);
        R_i64 t0 = subtract_i64(x1, x2);
        R_b8 t1 = less_equal_i64(t0, s1);
        R_f32 t2 = where_f32(t1, x0, s0);
        if (n == LANES) STORE_f32(o0, o0_b + i, t2); else STOREN_f32(o0, o0_b + i, 1, n, t2);
    }
}

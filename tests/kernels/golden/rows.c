typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0;} Parameters;
// t0 = add(x0, x1)
KERNEL void elementwise_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 first = (item % p.spans) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + c0 * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
        R_f32 x1;
        if (n == LANES) x1 = LOAD_f32(px1, x1_b + i); else x1 = LOADN_f32(px1, x1_b + i, 1, n);
        R_f32 t0 = add_f32(x0, x1);
        if (n == LANES) STORE_f32(o0, o0_b + i, t0); else STOREN_f32(o0, o0_b + i, 1, n, t0);
    }
}

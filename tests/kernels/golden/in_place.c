typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0;} Parameters;
// t0 = add(x0, x1)
KERNEL void elementwise_add_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 first = ((S_i32)GID) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOADS_f32(px0, p.x0_0 + i * p.x0_s0, p.x0_s0); else x0 = LOADN_f32(px0, p.x0_0 + i * p.x0_s0, p.x0_s0, n);
        R_f32 x1;
        if (n == LANES) x1 = LOADS_f32(px1, p.x1_0 + i * p.x1_s0, p.x1_s0); else x1 = LOADN_f32(px1, p.x1_0 + i * p.x1_s0, p.x1_s0, n);
        R_f32 t0 = add_f32(x0, x1);
        if (n == LANES) STORES_f32(o0, p.o0_0 + i * p.o0_s0, p.o0_s0, t0); else STOREN_f32(o0, p.o0_0 + i * p.o0_s0, p.o0_s0, n, t0);
    }
}

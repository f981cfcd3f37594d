typedef struct {S_i32 n; S_i32 o0_0; S_i32 o1_0; S_i32 x0_0; S_i32 x1_0; S_f32 s0;} Parameters;
// t0 = add(x0, x1); t1 = multiply(t0, s0)
KERNEL void elementwise_add_multiply_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* o1, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 first = ((S_i32)GID) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    R_f32 s0 = SPLAT_f32(p.s0);
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, p.x0_0 + i); else x0 = LOADN_f32(px0, p.x0_0 + i, 1, n);
        R_f32 x1;
        if (n == LANES) x1 = LOAD_f32(px1, p.x1_0 + i); else x1 = LOADN_f32(px1, p.x1_0 + i, 1, n);
        R_f32 t0 = add_f32(x0, x1);
        R_f32 t1 = multiply_f32(t0, s0);
        if (n == LANES) STORE_f32(o0, p.o0_0 + i, t1); else STOREN_f32(o0, p.o0_0 + i, 1, n, t1);
        if (n == LANES) STORE_f32(o1, p.o1_0 + i, t0); else STOREN_f32(o1, p.o1_0 + i, 1, n, t0);
    }
}

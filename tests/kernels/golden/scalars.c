typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_f32 s0; S_f32 s1;} Parameters;
// t0 = multiply(s1, x0); t1 = add(t0, s0)
KERNEL void elementwise_multiply_add_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i32 first = ((S_i32)GID) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    R_f32 s0 = SPLAT_f32(p.s0);
    R_f32 s1 = SPLAT_f32(p.s1);
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, p.x0_0 + i); else x0 = LOADN_f32(px0, p.x0_0 + i, 1, n);
        R_f32 t0 = multiply_f32(s1, x0);
        R_f32 t1 = add_f32(t0, s0);
        if (n == LANES) STORE_f32(o0, p.o0_0 + i, t1); else STOREN_f32(o0, p.o0_0 + i, 1, n, t1);
    }
}

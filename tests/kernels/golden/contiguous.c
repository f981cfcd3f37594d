typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0;} Parameters;
// t0 = multiply(x0, x0); t1 = multiply(x1, x1); t2 = add(t0, t1); t3 = sqrt(t2)
KERNEL void elementwise_multiply_multiply_add_sqrt_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 first = ((S_i32)GID) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, p.x0_0 + i); else x0 = LOADN_f32(px0, p.x0_0 + i, 1, n);
        R_f32 x1;
        if (n == LANES) x1 = LOAD_f32(px1, p.x1_0 + i); else x1 = LOADN_f32(px1, p.x1_0 + i, 1, n);
        R_f32 t0 = multiply_f32(x0, x0);
        R_f32 t1 = multiply_f32(x1, x1);
        R_f32 t2 = add_f32(t0, t1);
        R_f32 t3 = sqrt_f32(t2);
        if (n == LANES) STORE_f32(o0, p.o0_0 + i, t3); else STOREN_f32(o0, p.o0_0 + i, 1, n, t3);
    }
}

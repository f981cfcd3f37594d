typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0;} Parameters;
VECTORS(f32, 4, W_16)
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = multiply(x0, x0); t1 = multiply(x1, x1); t2 = add(t0, t1); t3 = sqrt(t2)
KERNEL void elementwise_multiply_multiply_add_sqrt_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 i = ((S_i32)GID) * 4 * LANES;
    if (i >= p.n) return;
    S_i32 at[4];
    EACH at[k] = i + k;
    int n[4];
    EACH n[k] = at[k] < p.n;
    V_f32 x0_v = FETCH_f32(px0, p.x0_0 + i, p.n - i);
    V_f32 x1_v = FETCH_f32(px1, p.x1_0 + i, p.n - i);
    R_f32 x0[4]; FROMV_f32(x0_v, x0);
    R_f32 x1[4]; FROMV_f32(x1_v, x1);
    R_f32 t0[4];
    EACH t0[k] = multiply_f32(x0[k], x0[k]);
    R_f32 t1[4];
    EACH t1[k] = multiply_f32(x1[k], x1[k]);
    R_f32 t2[4];
    EACH t2[k] = add_f32(t0[k], t1[k]);
    R_f32 t3[4];
    EACH t3[k] = sqrt_f32(t2[k]);
    R_f32 r0[4];
    EACH r0[k] = t3[k];
    if (n[3]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
}

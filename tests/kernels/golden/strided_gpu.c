typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_i32 x0_s0; S_f32 s0;} Parameters;
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = add(x0, s0)
KERNEL void elementwise_add_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i32 i = ((S_i32)GROUP * 4) * GROUP_SIZE + LID;
    R_f32 s0 = SPLAT_f32(p.s0);
    S_i32 at[4];
    EACH at[k] = i + k * GROUP_SIZE;
    int n[4];
    EACH n[k] = at[k] < p.n;
    R_f32 x0[4];
    EACH if (n[k] == LANES) x0[k] = LOADS_f32(px0, p.x0_0 + at[k] * p.x0_s0, p.x0_s0); else x0[k] = LOADN_f32(px0, p.x0_0 + at[k] * p.x0_s0, p.x0_s0, n[k]);
    R_f32 t0[4];
    EACH t0[k] = add_f32(x0[k], s0);
    EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], t0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], t0[k]);
}

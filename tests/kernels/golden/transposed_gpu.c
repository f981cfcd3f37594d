typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0; S_i32 x1_s1;} Parameters;
#define EACH UNROLL for (int k = 0; k < 8; k++)
// t0 = add(x0, x1)
KERNEL GROUPS_OF(512) void elementwise_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    // Neighbouring groups take neighbouring tiles of a row. Staged operands are read along their own rows, which are
    // columns here.
    S_i32 span = (S_i32)GROUP % p.spans, strip = (S_i32)GROUP / p.spans;
    S_i32 i = span * 64 + LID % 64;
    S_i32 c0 = strip;
    c0 *= 64;
    S_i32 down = c0 + LID % 64, across[8];
    EACH across[k] = span * 64 + LID / 64 + k * 8;
    // Beyond the array there are zeros, because values there take part in computations, to no effect.
    LOCAL R_f32 x1_tile[64][64 + 1];  // so that a column lies in all banks
    EACH x1_tile[LID / 64 + k * 8][LID % 64] = LOADN_f32(px1, p.x1_0 + down * p.x1_s0 + across[k] * p.x1_s1, 1, down < p.d0 && across[k] < p.n);
    BARRIER;
    c0 += LID / 64;
    // Rows past the end are the last one again, to no effect.
    S_i32 row[8];
    EACH row[k] = c0 + k * 8 < p.d0 ? c0 + k * 8 : p.d0 - 1;
    S_i32 o0_b[8];
    EACH o0_b[k] = p.o0_0 + row[k] * p.o0_s0;
    S_i32 x0_b[8];
    EACH x0_b[k] = p.x0_0 + row[k] * p.x0_s0;
    int n[8];
    EACH n[k] = c0 + k * 8 < p.d0 && i < p.n ? 1 : 0;
    R_f32 x0[8];
    EACH if (n[k] == LANES) x0[k] = LOAD_f32(px0, x0_b[k] + i); else x0[k] = LOADN_f32(px0, x0_b[k] + i, 1, n[k]);
    R_f32 x1[8];
    EACH x1[k] = x1_tile[LID % 64][LID / 64 + k * 8];
    R_f32 t0[8];
    EACH t0[k] = add_f32(x0[k], x1[k]);
    EACH if (n[k] == LANES) STORE_f32(o0, o0_b[k] + i, t0[k]); else STOREN_f32(o0, o0_b[k] + i, 1, n[k], t0[k]);
}

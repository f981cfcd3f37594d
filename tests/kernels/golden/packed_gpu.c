typedef struct {S_i32 n; S_i32 o0_0; S_i32 x0_0; S_i32 x0_s0; S_i32 width; S_i32 reciprocal; S_i32 x0_row;} Parameters;
VECTORS(f32, 4, W_16)
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = positive(x0)
KERNEL void elementwise_positive_1d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i32 i = ((S_i32)GID) * 4 * LANES;
    if (i >= p.n) return;
    S_i32 at[4];
    EACH at[k] = i + k;
    int n[4];
    EACH n[k] = at[k] < p.n;
    S_i32 whole = i / p.width, column = i - whole * p.width;
    S_i32 x0_at[4];
    x0_at[0] = p.x0_0 + whole * p.x0_row + column * p.x0_s0;
    const S_i32 x0_over = p.x0_row - (p.width - 1) * p.x0_s0;  // from the end of a row to the next one
    UNROLL for (int k = 1; k < 4; k++) {
        const int over = ++column == p.width;
        if (over) column = 0;
        x0_at[k] = x0_at[k - 1] + (over ? x0_over : p.x0_s0);
    }
    R_f32 x0[4];
    if (n[4 - 1]) EACH x0[k] = LOADS_f32(px0, x0_at[k], p.x0_s0); // all of them, without a question for each
    else EACH x0[k] = LOADN_f32(px0, x0_at[k], p.x0_s0, n[k]);
    R_f32 t0[4];
    EACH t0[k] = positive_f32(x0[k]);
    R_f32 r0[4];
    EACH r0[k] = t0[k];
    if (n[3]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
}

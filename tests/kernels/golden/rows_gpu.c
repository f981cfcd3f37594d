typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x1_s0;} Parameters;
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = add(x0, x1)
KERNEL void elementwise_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 i = (item % p.spans) * LANES;
    S_i32 c0 = strip;
    c0 *= 4;
    // Rows past the end are the last one again, to no effect.
    S_i32 row[4];
    EACH row[k] = c0 + k < p.d0 ? c0 + k : p.d0 - 1;
    S_i32 o0_b[4];
    EACH o0_b[k] = p.o0_0 + row[k] * p.o0_s0;
    S_i32 x0_b[4];
    EACH x0_b[k] = p.x0_0 + row[k] * p.x0_s0;
    S_i32 x1_b = p.x1_0;
    int n[4];
    EACH n[k] = c0 + k < p.d0 ? p.n - i < LANES ? (int)(p.n - i) : LANES : 0;
    R_f32 x1;
    if (LANES == LANES) x1 = LOAD_f32(px1, x1_b + i); else x1 = LOADN_f32(px1, x1_b + i, 1, LANES);
    R_f32 x0[4];
    EACH if (LANES == LANES) x0[k] = LOAD_f32(px0, x0_b[k] + i); else x0[k] = LOADN_f32(px0, x0_b[k] + i, 1, LANES);
    R_f32 t0[4];
    EACH t0[k] = add_f32(x0[k], x1);
    EACH if (n[k] == LANES) STORE_f32(o0, o0_b[k] + i, t0[k]); else STOREN_f32(o0, o0_b[k] + i, 1, n[k], t0[k]);
}

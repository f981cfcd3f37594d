typedef struct {S_u64 s1; S_u64 s2; S_u64 s3; S_u64 s4; S_u64 s5; S_u64 s6; S_i32 n; S_i32 o0_0; S_i32 x0_0; S_f32 s0;} Parameters;
VECTORS(f32, 8, W_32)
#define EACH UNROLL for (int k = 0; k < 8; k++)
// t0 = philox(x0, s1, s2, s3, s4, s5, s6); t1 = uniform(t0); t2 = multiply(t1, s0)
KERNEL void elementwise_philox_uniform_multiply_1d_f32(GLOBAL M_f32* o0, const Parameters p) {
    R_f32 s0 = SPLAT_f32(p.s0);
    R_u64 s1 = SPLAT_u64(p.s1);
    R_u64 s2 = SPLAT_u64(p.s2);
    R_u64 s3 = SPLAT_u64(p.s3);
    R_u64 s4 = SPLAT_u64(p.s4);
    R_u64 s5 = SPLAT_u64(p.s5);
    R_u64 s6 = SPLAT_u64(p.s6);
    S_i64 next = (S_i64)GID * 8;
    if (((int)((p.x0_0) & 7)) == 0) {
        const int over0 = 0;
        for (; next + 8 <= p.n; next += (S_i64)GROUPS * GROUP_SIZE * 8) {
            const S_i32 i = (S_i32)next;
            S_i32 at[8];
            EACH at[k] = i + k;
            int n[8];
            EACH n[k] = 1;
            R_i64 x0[8];
            EACH x0[k] = SPLAT_i64(p.x0_0 + at[k]) + IOTA * SPLAT_i64(1);
            R_u32 t0[8];
            philox_run_u32(t0 + 0, over0, 8, p.x0_0 + i + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
            R_f32 t1[8];
            EACH t1[k] = uniform_u32(t0[k]);
            R_f32 t2[8];
            EACH t2[k] = multiply_f32(t1[k], s0);
            R_f32 r0[8];
            EACH r0[k] = t2[k];
            if (n[7]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
        }
    } else {
        const int over0 = (int)((p.x0_0) & 7);
        for (; next + 8 <= p.n; next += (S_i64)GROUPS * GROUP_SIZE * 8) {
            const S_i32 i = (S_i32)next;
            S_i32 at[8];
            EACH at[k] = i + k;
            int n[8];
            EACH n[k] = 1;
            R_i64 x0[8];
            EACH x0[k] = SPLAT_i64(p.x0_0 + at[k]) + IOTA * SPLAT_i64(1);
            R_u32 t0[8];
            philox_run_u32(t0 + 0, over0, 8, p.x0_0 + i + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
            R_f32 t1[8];
            EACH t1[k] = uniform_u32(t0[k]);
            R_f32 t2[8];
            EACH t2[k] = multiply_f32(t1[k], s0);
            R_f32 r0[8];
            EACH r0[k] = t2[k];
            if (n[7]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
        }
    }
    if (next < p.n) {
        const int over0 = (int)((p.x0_0) & 7);
        const S_i32 i = (S_i32)next;
        S_i32 at[8];
        EACH at[k] = i + k;
        int n[8];
        EACH n[k] = at[k] < p.n;
        R_i64 x0[8];
        EACH x0[k] = SPLAT_i64(p.x0_0 + at[k]) + IOTA * SPLAT_i64(1);
        R_u32 t0[8];
        philox_run_u32(t0 + 0, over0, 8, p.x0_0 + i + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
        R_f32 t1[8];
        EACH t1[k] = uniform_u32(t0[k]);
        R_f32 t2[8];
        EACH t2[k] = multiply_f32(t1[k], s0);
        R_f32 r0[8];
        EACH r0[k] = t2[k];
        if (n[7]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
    }
}

typedef struct {S_u64 s1; S_u64 s2; S_u64 s3; S_u64 s4; S_u64 s5; S_u64 s6; S_u64 q0_0; S_u64 q0_1; S_u64 q0_2; S_u64 q0_3; S_u64 q0_4; S_u64 q0_5; S_u64 q0_6; S_u64 q0_7; S_u64 q0_8; S_u64 q0_9; S_u64 q0_10; S_u64 q0_11; S_u64 q0_12; S_u64 q0_13; S_u64 q0_14; S_u64 q0_15; S_u64 q0_16; S_u64 q0_17; S_u64 q0_18; S_u64 q0_19; S_i32 n; S_i32 o0_0; S_i32 x0_0; S_f32 s0;} Parameters;
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
  const S_u64 q0[] = {p.q0_0, p.q0_1, p.q0_2, p.q0_3, p.q0_4, p.q0_5, p.q0_6, p.q0_7, p.q0_8, p.q0_9, p.q0_10, p.q0_11, p.q0_12, p.q0_13, p.q0_14, p.q0_15, p.q0_16, p.q0_17, p.q0_18, p.q0_19};
  S_i64 next = (S_i64)GID * 8;
  for (; next + 8 <= p.n; next += (S_i64)GROUPS * GROUP_SIZE * 8) {
    const S_i32 i = (S_i32)next;
    S_i32 at[8];
    EACH at[k] = i + k;
    int n[8];
    EACH n[k] = 1;
    R_i64 x0[8];
    EACH x0[k] = SPLAT_i64(p.x0_0 + at[k]) + IOTA * SPLAT_i64(1);
    R_u32 t0[8];
    philox_whole_u32(t0 + 0, p.x0_0 + i + 0, p.s3, q0);
    R_f32 t1[8];
    EACH t1[k] = uniform_u32(t0[k]);
    R_f32 t2[8];
    EACH t2[k] = multiply_f32(t1[k], s0);
    R_f32 r0[8];
    EACH r0[k] = t2[k];
    if (n[7]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
  }
  if (next < p.n) {
    const S_i32 i = (S_i32)next;
    S_i32 at[8];
    EACH at[k] = i + k;
    int n[8];
    EACH n[k] = at[k] < p.n;
    R_i64 x0[8];
    EACH x0[k] = SPLAT_i64(p.x0_0 + at[k]) + IOTA * SPLAT_i64(1);
    R_u32 t0[8];
    philox_whole_u32(t0 + 0, p.x0_0 + i + 0, p.s3, q0);
    R_f32 t1[8];
    EACH t1[k] = uniform_u32(t0[k]);
    R_f32 t2[8];
    EACH t2[k] = multiply_f32(t1[k], s0);
    R_f32 r0[8];
    EACH r0[k] = t2[k];
    if (n[7]) STOREV_f32(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, p.o0_0 + at[k], r0[k]); else STOREN_f32(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
  }
}

typedef struct {S_u64 s1; S_u64 s2; S_u64 s3; S_u64 s4; S_u64 s5; S_u64 s6; S_i32 n; S_i32 o0_0; S_i32 x0_0; S_f32 s0;} Parameters;
// t0 = philox(x0, s1, s2, s3, s4, s5, s6); t1 = uniform(t0); t2 = multiply(t1, s0)
KERNEL void elementwise_philox_uniform_multiply_1d_f32(GLOBAL M_f32* o0, const Parameters p) {
    S_i32 first = ((S_i32)GID) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    R_f32 s0 = SPLAT_f32(p.s0);
    R_u64 s1 = SPLAT_u64(p.s1);
    R_u64 s2 = SPLAT_u64(p.s2);
    R_u64 s3 = SPLAT_u64(p.s3);
    R_u64 s4 = SPLAT_u64(p.s4);
    R_u64 s5 = SPLAT_u64(p.s5);
    R_u64 s6 = SPLAT_u64(p.s6);
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_i64 x0 = SPLAT_i64(p.x0_0 + i) + IOTA * SPLAT_i64(1);
        R_u32 t0;
        { philox_run_u32(&t0, (int)((p.x0_0 + i) & 7), 1, p.x0_0 + i, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6); }
        R_f32 t1 = uniform_u32(t0);
        R_f32 t2 = multiply_f32(t1, s0);
        if (n == LANES) STORE_f32(o0, p.o0_0 + i, t2); else STOREN_f32(o0, p.o0_0 + i, 1, n, t2);
    }
}

typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x0_s1; S_i32 x1_s0; S_i32 x0_w0; S_i32 x0_w1;} Parameters;
// The place of element `i` in an operand that continues at the beginning after `n` elements; the same for the first
// `count` lanes of a register whose first element is at place `j`.
#define WRAPPED(i, n) ((i) < (n) ? (i) : (i) - (n))
#define WRAPPED_FROM(j, n) \
  where_i64(less_i64(SPLAT_i64(j) + IOTA, SPLAT_i64(n)), SPLAT_i64(j) + IOTA, SPLAT_i64((j) - (n)) + IOTA)
#define WRAPPED_LANES(j, n, count) where_i64(less_i64(IOTA, SPLAT_i64(count)), WRAPPED_FROM(j, n), SPLAT_i64(0))
// t0 = add(x0, x1)
KERNEL void elementwise_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 first = (item % p.spans) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + WRAPPED(c0 + p.x0_w0, p.d0) * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        R_f32 x0;
        { S_i32 j = WRAPPED(i + p.x0_w1, p.n); if (n == LANES && (LANES == 1 || j + LANES <= p.n)) x0 = LANES > 1 && p.x0_s1 == 1 ? LOAD_f32(px0, x0_b + j) : LOADS_f32(px0, x0_b + j * p.x0_s1, p.x0_s1); else x0 = LOADG_f32(px0 + x0_b, WRAPPED_LANES(j, p.n, n) * SPLAT_i64(p.x0_s1)); }
        R_f32 x1;
        if (n == LANES) x1 = LOAD_f32(px1, x1_b + i); else x1 = LOADN_f32(px1, x1_b + i, 1, n);
        R_f32 t0 = add_f32(x0, x1);
        if (n == LANES) STORE_f32(o0, o0_b + i, t0); else STOREN_f32(o0, o0_b + i, 1, n, t0);
    }
}

typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x0_s1; S_i32 x1_s0; S_i32 x0_w0; S_i32 x0_w1;} Parameters;
VECTORS(f32, 4, W_16)
// The place of element `i` in an operand that continues at the beginning after `n` elements; the same for the first
// `count` lanes of a register whose first element is at place `j`.
#define WRAPPED(i, n) ((i) < (n) ? (i) : (i) - (n))
#define WRAPPED_FROM(j, n) \
  where_i64(less_i64(SPLAT_i64(j) + IOTA, SPLAT_i64(n)), SPLAT_i64(j) + IOTA, SPLAT_i64((j) - (n)) + IOTA)
#define WRAPPED_LANES(j, n, count) where_i64(less_i64(IOTA, SPLAT_i64(count)), WRAPPED_FROM(j, n), SPLAT_i64(0))
// The elements that begin `over` elements behind the first of two accesses, less than one takes.
FN V_f32 between_f32(V_f32 first, V_f32 second, int over) {
    union { V_f32 parts[2]; M_f32 units[2 * 4]; } both;
    both.parts[0] = first;
    both.parts[1] = second;
    UNROLL for (int step = 4 / 2; step > 0; step /= 2) if (over / 1 & step)
        UNROLL for (int k = 0; k < 2 * 4 - step; k++) both.units[k] = both.units[k + step];
    return both.parts[0];
}
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = add(x0, x1)
KERNEL void elementwise_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 i = (item % p.spans) * 4 * LANES;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + WRAPPED(c0 + p.x0_w0, p.d0) * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    S_i32 at[4];
    EACH at[k] = i + k;
    int n[4];
    EACH n[k] = 1;
    const S_i32 x0_j = WRAPPED(i + p.x0_w1, p.n);
    const int x0_over = (int)(x0_j & (4 - 1));
    V_f32 x0_v = FETCH_f32(px0, x0_b + x0_j - x0_over, 4);
    V_f32 x0_w = FETCH_f32(px0, x0_b + WRAPPED(x0_j - x0_over + 4, p.n), 4);
    V_f32 x1_v = FETCH_f32(px1, x1_b + i, 4);
    R_f32 x0[4];
    FROMV_f32(between_f32(x0_v, x0_w, x0_over), x0);
    R_f32 x1[4]; FROMV_f32(x1_v, x1);
    R_f32 t0[4];
    EACH t0[k] = add_f32(x0[k], x1[k]);
    R_f32 r0[4];
    EACH r0[k] = t0[k];
    STOREV_f32(o0, o0_b + i, r0);
}

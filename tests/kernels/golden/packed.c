typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 x1_0; S_i32 o0_s0; S_i32 x0_s0; S_i32 x0_s1; S_i32 x1_s0; S_i32 x1_s1; S_i32 width; S_i32 reciprocal; S_i32 x0_row; S_i32 x1_row;} Parameters;
// The packed rows before element `i`; for each lane of the register that begins with it, the rows from there to the
// lane, and its column; and the places of these elements in an operand. The distance of a lane from the beginning of
// its row is so small that the product is exact.
#define PACKED(i) \
  const S_i64 whole = (i) / p.width; \
  const R_i32 distance = SPLAT_i32((int)((i) - whole * p.width)) + cast_i64_i32(IOTA); \
  const R_i32 over = (distance * SPLAT_i32((int)p.reciprocal)) >> SPLAT_i32(16); \
  const R_i64 further = cast_i32_i64(over), column = cast_i32_i64(distance - over * SPLAT_i32((int)p.width));
#define PACKED_AT(base, row, step) \
  (SPLAT_i64((base) + whole * (row)) + further * SPLAT_i64(row) + column * SPLAT_i64(step))
#define PACKED_LANES(base, row, step, count) \
  where_i64(less_i64(IOTA, SPLAT_i64(count)), PACKED_AT(base, row, step), SPLAT_i64(base))
// t0 = multiply(x0, x1)
KERNEL void elementwise_multiply_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 first = (item % p.spans) * 16 * LANES;
    S_i32 last = first + 16 * LANES < p.n ? first + 16 * LANES : p.n;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + c0 * p.x0_s0;
    S_i32 x1_b = p.x1_0 + c0 * p.x1_s0;
    for (S_i32 i = first; i < last; i += LANES) {
        int n = last - i < LANES ? (int)(last - i) : LANES;
        PACKED(i)
        R_f32 x0 = LOADG_f32(px0, PACKED_LANES(x0_b, p.x0_row, p.x0_s1, n));
        R_f32 x1 = LOADG_f32(px1, PACKED_LANES(x1_b, p.x1_row, p.x1_s1, n));
        R_f32 t0 = multiply_f32(x0, x1);
        if (n == LANES) STORE_f32(o0, o0_b + i, t0); else STOREN_f32(o0, o0_b + i, 1, n, t0);
    }
}

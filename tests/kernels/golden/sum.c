typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 d0; S_i64 e0; S_i64 o0_0; S_i64 x0_0; S_i64 x1_0; S_i64 x0_k0; S_i64 x0_r0; S_i64 x1_k0; S_i64 x1_r0; S_f32 s0;} Parameters;
// t0 = multiply(x0, x1); t1 = add(t0, s0)
KERNEL void sum_multiply_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
  R_f32 s0 = SPLAT_f32(p.s0);
  const int column = 0, share = 0;
  const S_i64 item = GID, chunk = item / p.segments, segment = item % p.segments;
  const S_i64 row = chunk * 1 + column;
  if (item >= p.outputs * p.segments) return;
  S_i64 rest = row;
  S_i64 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i64 x1_b = p.x1_0 + (S_i64)c0 * p.x1_k0;
  S_i64 first = segment * p.length;
  S_i64 last = first + p.length < p.n ? first + p.length : p.n;
  const int lane = share, own = lane * 4 * LANES;
  R_f32 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(0); }
  const int strip = 4 * LANES;
  for (S_i64 block = first; block < last; block += 16 * strip) {
    S_i64 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    R_f32 part0[4];
    UNROLL for (int u = 0; u < 4; u++) { part0[u] = SPLAT_f32(0); }
    for (; r + strip <= end; r += strip) {
      UNROLL for (int u = 0; u < 4; u++) {
        S_i64 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        R_f32 x1;
        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
        if (n == LANES) x1 = LOAD_f32(px1, x1_b + i); else x1 = LOADN_f32(px1, x1_b + i, 1, n);
        R_f32 t0 = multiply_f32(x0, x1);
        R_f32 t1 = add_f32(t0, s0);
        R_f32 v0 = t1;
        part0[u] = add_f32(part0[u], v0);
      }
    }
    if (r < end) UNROLL for (int u = 0; u < 4; u++) {
      S_i64 i = r + own + u * LANES;
      const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
      if (n == 0) break;
      R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
      R_f32 x0;
      R_f32 x1;
      if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
      if (n == LANES) x1 = LOAD_f32(px1, x1_b + i); else x1 = LOADN_f32(px1, x1_b + i, 1, n);
      R_f32 t0 = multiply_f32(x0, x1);
      R_f32 t1 = add_f32(t0, s0);
      R_f32 v0 = t1;
      v0 = where_f32(valid, v0, SPLAT_f32(0));
      part0[u] = add_f32(part0[u], v0);
    }
    UNROLL for (int u = 0; u < 4; u++) { total0[u] = add_f32(total0[u], part0[u]); }
  }
  R_f32 total = total0[0];
  UNROLL for (int u = 1; u < 4; u++) { R_f32 other = total0[u]; total = add_f32(total, other); }
  { R_f32 other = ROTATE_f32(total, 8); total = add_f32(total, other); }
  { R_f32 other = ROTATE_f32(total, 4); total = add_f32(total, other); }
  { R_f32 other = ROTATE_f32(total, 2); total = add_f32(total, other); }
  { R_f32 other = ROTATE_f32(total, 1); total = add_f32(total, other); }
  {
    STOREN_f32(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, total);
  }
}

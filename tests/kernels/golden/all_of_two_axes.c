typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 d0; S_i64 e0; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0; S_f32 s0;} Parameters;
// t0 = greater(x0, s0)
KERNEL void all_greater_2d_b8(GLOBAL M_b8* o0, GLOBAL M_f32* px0, const Parameters p) {
  R_f32 s0 = SPLAT_f32(p.s0);
  const int column = 0, share = 0;
  const S_i64 item = GID, chunk = item / p.segments, segment = item % p.segments;
  const S_i64 row = chunk * 1 + column;
  if (item >= p.outputs * p.segments) return;
  S_i64 rest = row;
  S_i64 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i64 first = segment * p.length;
  S_i64 last = first + p.length < p.n ? first + p.length : p.n;
  const int lane = share, own = lane * 4 * LANES;
  R_b8 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_b8(1); }
  const int strip = 4 * LANES;
  for (S_i64 block = first; block < last; block += 16 * strip) {
    S_i64 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    for (; r + strip <= end; r += strip) {
      UNROLL for (int u = 0; u < 4; u++) {
        S_i64 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
        R_b8 t0 = greater_f32(x0, s0);
        R_b8 v0 = t0;
        total0[u] = logical_and_b8(total0[u], v0);
      }
    }
    if (r < end) UNROLL for (int u = 0; u < 4; u++) {
      S_i64 i = r + own + u * LANES;
      const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
      if (n == 0) break;
      R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
      R_f32 x0;
      if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
      R_b8 t0 = greater_f32(x0, s0);
      R_b8 v0 = t0;
      v0 = where_b8(valid, v0, SPLAT_b8(1));
      total0[u] = logical_and_b8(total0[u], v0);
    }
  }
  R_b8 total = total0[0];
  UNROLL for (int u = 1; u < 4; u++) { R_b8 other = total0[u]; total = logical_and_b8(total, other); }
  { R_b8 other = ROTATE_b8(total, 8); total = logical_and_b8(total, other); }
  { R_b8 other = ROTATE_b8(total, 4); total = logical_and_b8(total, other); }
  { R_b8 other = ROTATE_b8(total, 2); total = logical_and_b8(total, other); }
  { R_b8 other = ROTATE_b8(total, 1); total = logical_and_b8(total, other); }
  {
    STOREN_b8(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, total);
  }
}

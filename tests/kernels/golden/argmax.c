typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 d0; S_i64 e0; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0;} Parameters;
// a copy
KERNEL void argmax_2d_f32(GLOBAL M_i64* o0, GLOBAL M_f32* px0, const Parameters p) {
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
  R_f32 total0[4]; R_i32 total1[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(-INFINITY); total1[u] = SPLAT_i32(0); }
  const int strip = 4 * LANES;
  for (S_i64 block = first; block < last; block += 16 * strip) {
    S_i64 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    for (; r + strip <= end; r += strip) {
      UNROLL for (int u = 0; u < 4; u++) {
        S_i64 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
        R_f32 v0 = x0;
        { R_b8 wins = ~less_equal_f32(v0, total0[u]) & equal_f32(total0[u], total0[u]); total0[u] = where_f32(wins, v0, total0[u]); total1[u] = where_i32(wins, SPLAT_i32((int)(r - first)), total1[u]); }
      }
    }
    if (r < end) UNROLL for (int u = 0; u < 4; u++) {
      S_i64 i = r + own + u * LANES;
      const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
      if (n == 0) break;
      R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
      R_f32 x0;
      if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
      R_f32 v0 = x0;
      v0 = where_f32(valid, v0, SPLAT_f32(-INFINITY));
      { R_b8 wins = ~less_equal_f32(v0, total0[u]) & equal_f32(total0[u], total0[u]); total0[u] = where_f32(wins, v0, total0[u]); total1[u] = where_i32(wins, SPLAT_i32((int)(r - first)), total1[u]); }
    }
  }
  R_f32 total = total0[0];
  R_i64 total_at = cast_i32_i64(total1[0]) + IOTA + SPLAT_i64(first + own + 0 * LANES);
  UNROLL for (int u = 1; u < 4; u++) { R_f32 other = total0[u]; R_i64 other_at = cast_i32_i64(total1[u]) + IOTA + SPLAT_i64(first + own + u * LANES); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  { R_f32 other = ROTATE_f32(total, 8); R_i64 other_at = ROTATE_i64(total_at, 8); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  { R_f32 other = ROTATE_f32(total, 4); R_i64 other_at = ROTATE_i64(total_at, 4); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  { R_f32 other = ROTATE_f32(total, 2); R_i64 other_at = ROTATE_i64(total_at, 2); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  { R_f32 other = ROTATE_f32(total, 1); R_i64 other_at = ROTATE_i64(total_at, 1); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  {
    STOREN_i64(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, total_at);
  }
}

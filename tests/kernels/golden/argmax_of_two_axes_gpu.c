typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 to_output; S_i32 to_segment; S_i32 k0; S_i32 r0; S_i32 r1; S_i32 d0; S_i32 d1; S_i32 e0; S_i32 e1; S_i32 x0_k0; S_i32 x0_r0; S_i32 x0_r1;} Parameters;
// a copy
KERNEL void argmax_3d_f32(GLOBAL M_i64* o0, GLOBAL M_f32* px0, const Parameters p) {
  const int column = LID / 256, share = LID % 256;
  const S_i32 item = GROUP, chunk = item / p.segments, segment = item % p.segments;
  const S_i32 row = chunk * 1 + column;
  S_i32 rest = row;
  S_i32 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i32 first = segment * p.length;
  S_i32 last = first + p.length < p.n ? first + p.length : p.n;
  if (row >= p.outputs) last = first;
  LOCAL R_f32 totals[256];
  LOCAL R_i64 places[256];
  const int lane = share, own = lane * 4 * LANES;
  R_f32 total0[4]; R_i32 total1[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(-INFINITY); total1[u] = SPLAT_i32(0); }
  S_i32 at = first + own;
  S_i32 a1 = at % p.r1; at /= p.r1;
  S_i32 a0 = at;
  const int strip = 1024 * LANES;
  for (S_i32 block = first; block < last; block += 16 * strip) {
    S_i32 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    for (; r + strip <= end; r += strip) {
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
        R_f32 x0;
        i = a1;
        if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
        R_f32 v0 = x0;
        { R_b8 wins = ~less_equal_f32(v0, total0[u]) & equal_f32(total0[u], total0[u]); total0[u] = where_f32(wins, v0, total0[u]); total1[u] = where_i32(wins, SPLAT_i32((int)(r - first)), total1[u]); }
        int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
      }
      int over = 0; a1 += p.e1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.e0 + over;
    }
    if (r < end) UNROLL for (int u = 0; u < 4; u++) {
      S_i32 i = r + own + u * LANES;
      const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
      R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
      S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
      R_f32 x0;
      i = a1;
      if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
      R_f32 v0 = x0;
      v0 = where_f32(valid, v0, SPLAT_f32(-INFINITY));
      { R_b8 wins = ~less_equal_f32(v0, total0[u]) & equal_f32(total0[u], total0[u]); total0[u] = where_f32(wins, v0, total0[u]); total1[u] = where_i32(wins, SPLAT_i32((int)(r - first)), total1[u]); }
      int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
    }
  }
  R_f32 total = total0[0];
  R_i64 total_at = cast_i32_i64(total1[0]) + IOTA + SPLAT_i64(first + own + 0 * LANES);
  UNROLL for (int u = 1; u < 4; u++) { R_f32 other = total0[u]; R_i64 other_at = cast_i32_i64(total1[u]) + IOTA + SPLAT_i64(first + own + u * LANES); { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } }
  const int own_place = lane * 1 + column;
  totals[own_place] = total; places[own_place] = total_at;
  for (int away = 128; away >= 8; away /= 2) {
    BARRIER;
    int e = LID; if (e < away * 1) { R_f32 total = totals[e]; R_f32 other = totals[e + away * 1]; R_i64 total_at = places[e]; R_i64 other_at = places[e + away * 1]; { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } totals[e] = total; places[e] = total_at; }
  }
  BARRIER;
  if (row < p.outputs && share == 0) {
    R_f32 q[8]; R_i64 q_at[8];
    UNROLL for (int e = 0; e < 8; e++) { q[e] = totals[e * 1 + column]; q_at[e] = places[e * 1 + column]; }
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int e = 0; e < 4; e++) if (e < away) { R_f32 total = q[e]; R_f32 other = q[e + away]; R_i64 total_at = q_at[e]; R_i64 other_at = q_at[e + away]; { R_b8 wins = (greater_f32(other, total) | (not_equal_f32(other, other) & equal_f32(total, total))) | ((equal_f32(other, total) | (not_equal_f32(other, other) & ~equal_f32(total, total))) & less_i64(other_at, total_at)); total = where_f32(wins, other, total); total_at = where_i64(wins, other_at, total_at); } q[e] = total; q_at[e] = total_at; }
    R_f32 whole = q[0]; R_i64 whole_at = q_at[0];
    STOREN_i64(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, whole_at);
  }
}

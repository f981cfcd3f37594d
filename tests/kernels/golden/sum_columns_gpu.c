typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 to_output; S_i32 to_segment; S_i32 k0; S_i32 r0; S_i32 d0; S_i32 e0; S_i32 x0_k0; S_i32 x0_r0;} Parameters;
// a copy
KERNEL void sum_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
  const int column = LID % 32, share = LID / 32;
  const S_i32 item = GROUP, chunk = item % ((p.outputs + 31) / 32), segment = item / ((p.outputs + 31) / 32);
  const S_i32 row = chunk * 32 + column;
  S_i32 rest = row;
  S_i32 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i32 first = segment * p.length;
  S_i32 last = first + p.length < p.n ? first + p.length : p.n;
  if (row >= p.outputs) last = first;
  LOCAL R_f32 totals[256];
  const int lane = share, own = lane * 4 * LANES;
  R_f32 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(0); }
  const int strip = 32 * LANES;
  R_f32 x0_ahead[4][4];
  UNROLL for (int a = 0; a < 4; a++) if (first + (a + 1) * strip <= last) {
    UNROLL for (int u = 0; u < 4; u++) { if (LANES == LANES) x0_ahead[a][u] = LOADS_f32(px0, x0_b + (first + a * strip + own + u * LANES) * p.x0_r0, p.x0_r0); else x0_ahead[a][u] = LOADN_f32(px0, x0_b + (first + a * strip + own + u * LANES) * p.x0_r0, p.x0_r0, LANES); }
  }
  for (S_i32 block = first; block < last; block += 16 * strip) {
    S_i32 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    R_f32 part0[4];
    UNROLL for (int u = 0; u < 4; u++) { part0[u] = SPLAT_f32(0); }
    while (r + 4 * strip <= end) UNROLL for (int a = 0; a < 4; a++) {
      R_f32 x0_v[4];
      UNROLL for (int u = 0; u < 4; u++) {
        x0_v[u] = x0_ahead[a][u];
      }
      if (r + 5 * strip <= last) {
        UNROLL for (int u = 0; u < 4; u++) { if (LANES == LANES) x0_ahead[a][u] = LOADS_f32(px0, x0_b + (r + 4 * strip + own + u * LANES) * p.x0_r0, p.x0_r0); else x0_ahead[a][u] = LOADN_f32(px0, x0_b + (r + 4 * strip + own + u * LANES) * p.x0_r0, p.x0_r0, LANES); }
      }
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        x0 = x0_v[u];
        R_f32 v0 = x0;
        part0[u] = add_f32(part0[u], v0);
      }
      r += strip;
    }
    UNROLL for (int a = 0; a < 3; a++) if (r + strip <= end) {
      R_f32 x0_v[4];
      UNROLL for (int u = 0; u < 4; u++) {
        x0_v[u] = x0_ahead[a][u];
      }
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        x0 = x0_v[u];
        R_f32 v0 = x0;
        part0[u] = add_f32(part0[u], v0);
      }
      r += strip;
    }
    if (r < end) UNROLL for (int u = 0; u < 4; u++) {
      S_i32 i = r + own + u * LANES;
      const int n = LANES;
      R_b8 valid = less_i64(i, end);
      if (i >= end) i = end - 1;
      R_f32 x0;
      if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
      R_f32 v0 = x0;
      v0 = where_f32(valid, v0, SPLAT_f32(0));
      part0[u] = add_f32(part0[u], v0);
    }
    UNROLL for (int u = 0; u < 4; u++) { total0[u] = add_f32(total0[u], part0[u]); }
  }
  R_f32 total = total0[0];
  UNROLL for (int u = 1; u < 4; u++) { R_f32 other = total0[u]; total = add_f32(total, other); }
  const int own_place = lane * 32 + column;
  totals[own_place] = total; 
  BARRIER;
  if (row < p.outputs && share == 0) {
    R_f32 q[8];
    UNROLL for (int e = 0; e < 8; e++) { q[e] = totals[e * 32 + column]; }
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int e = 0; e < 4; e++) if (e < away) { R_f32 total = q[e]; R_f32 other = q[e + away]; total = add_f32(total, other); q[e] = total; }
    R_f32 whole = q[0];
    STOREN_f32(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, whole);
  }
}

typedef struct {S_i64 o0_0; S_i64 x0_0; S_i64 x1_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 to_output; S_i32 to_segment; S_i32 k0; S_i32 r0; S_i32 d0; S_i32 e0; S_i32 x0_k0; S_i32 x0_r0; S_i32 x1_k0; S_i32 x1_r0; S_f32 s0;} Parameters;
// t0 = multiply(x0, x1); t1 = add(t0, s0)
KERNEL void sum_multiply_add_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
  R_f32 s0 = SPLAT_f32(p.s0);
  const int column = LID / 256, share = LID % 256;
  const S_i32 item = GROUP, chunk = item / p.segments, segment = item % p.segments;
  const S_i32 row = chunk * 1 + column;
  S_i32 rest = row;
  S_i32 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i64 x1_b = p.x1_0 + (S_i64)c0 * p.x1_k0;
  S_i32 first = segment * p.length;
  S_i32 last = first + p.length < p.n ? first + p.length : p.n;
  if (row >= p.outputs) last = first;
  LOCAL R_f32 totals[256];
  const int lane = share, own = lane * 4 * LANES;
  R_f32 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(0); }
  const int strip = 1024 * LANES;
  R_f32 x0_ahead[2][4];
  R_f32 x1_ahead[2][4];
  UNROLL for (int a = 0; a < 2; a++) if (first + (a + 1) * strip <= last) {
    LOADV_f32(px0, x0_b + first + a * strip + own + 0, x0_ahead[a] + 0);
    LOADV_f32(px1, x1_b + first + a * strip + own + 0, x1_ahead[a] + 0);
  }
  for (S_i32 block = first; block < last; block += 16 * strip) {
    S_i32 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    R_f32 part0[4];
    UNROLL for (int u = 0; u < 4; u++) { part0[u] = SPLAT_f32(0); }
    while (r + 2 * strip <= end) UNROLL for (int a = 0; a < 2; a++) {
      R_f32 x0_v[4];
      R_f32 x1_v[4];
      UNROLL for (int u = 0; u < 4; u++) {
        x0_v[u] = x0_ahead[a][u];
        x1_v[u] = x1_ahead[a][u];
      }
      if (r + 3 * strip <= last) {
        LOADV_f32(px0, x0_b + r + 2 * strip + own + 0, x0_ahead[a] + 0);
        LOADV_f32(px1, x1_b + r + 2 * strip + own + 0, x1_ahead[a] + 0);
      }
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        R_f32 x1;
        x0 = x0_v[u];
        x1 = x1_v[u];
        R_f32 t0 = multiply_f32(x0, x1);
        R_f32 t1 = add_f32(t0, s0);
        R_f32 v0 = t1;
        part0[u] = add_f32(part0[u], v0);
      }
      r += strip;
    }
    UNROLL for (int a = 0; a < 1; a++) if (r + strip <= end) {
      R_f32 x0_v[4];
      R_f32 x1_v[4];
      UNROLL for (int u = 0; u < 4; u++) {
        x0_v[u] = x0_ahead[a][u];
        x1_v[u] = x1_ahead[a][u];
      }
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        R_f32 x0;
        R_f32 x1;
        x0 = x0_v[u];
        x1 = x1_v[u];
        R_f32 t0 = multiply_f32(x0, x1);
        R_f32 t1 = add_f32(t0, s0);
        R_f32 v0 = t1;
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
  const int own_place = lane * 1 + column;
  totals[own_place] = total; 
  for (int away = 128; away >= 8; away /= 2) {
    BARRIER;
    int e = LID; if (e < away * 1) { R_f32 total = totals[e]; R_f32 other = totals[e + away * 1]; total = add_f32(total, other); totals[e] = total;  }
  }
  BARRIER;
  if (row < p.outputs && share == 0) {
    R_f32 q[8];
    UNROLL for (int e = 0; e < 8; e++) { q[e] = totals[e * 1 + column]; }
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int e = 0; e < 4; e++) if (e < away) { R_f32 total = q[e]; R_f32 other = q[e + away]; total = add_f32(total, other); q[e] = total; }
    R_f32 whole = q[0];
    STOREN_f32(o0, p.o0_0 + row * p.to_output + segment * p.to_segment, 1, 1, whole);
  }
}

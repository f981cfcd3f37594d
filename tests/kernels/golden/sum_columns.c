typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 pages; S_i64 width; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0;} Parameters;
// a copy
KERNEL void sum_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
  S_i64 item = GID, page = item % p.pages; item /= p.pages;
  S_i64 segment = item % p.segments, row = item / p.segments;
  if (row >= p.outputs / p.k0) return;
  S_i64 column = page * p.width * LANES;
  S_i64 left = (p.k0 - column + LANES - 1) / LANES;
  const int n = LANES, width = left < p.width ? left : p.width;
  S_i64 x0_b = p.x0_0;
  S_i64 first = segment * p.length;
  S_i64 last = first + p.length < p.n ? first + p.length : p.n;
  R_f32 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(0); }
  for (S_i64 block = first; block < last; block += 8) {
    const int rows = last - block < 8 ? last - block : 8;
    S_i64 x0_r[8];
    for (int b = 0; b < rows; b++) {
      S_i64 a0 = block + b;
      x0_r[b] = x0_b + (S_i64)a0 * p.x0_r0;
    }
    for (int c = 0; c < width; c += 4) {
      const S_i64 begin = column + c * LANES < p.k0 - 4 * LANES ? column + c * LANES : p.k0 - 4 * LANES;
      R_f32 part0[4];
      UNROLL for (int u = 0; u < 4; u++) { part0[u] = SPLAT_f32(0); }
      for (int b = 0; b < rows; b++) {
        UNROLL for (int u = 0; u < 4; u++) {
          const S_i64 i = begin + u * LANES;
          R_f32 x0;
          if (n == LANES) x0 = LOAD_f32(px0, x0_r[b] + i); else x0 = LOADN_f32(px0, x0_r[b] + i, 1, n);
          R_f32 v0 = x0;
          part0[u] = add_f32(part0[u], v0);
        }
      }
      UNROLL for (int u = 0; u < 4; u++) { total0[c + u] = add_f32(total0[c + u], part0[u]); }
    }
  }
  for (int c = 0; c < width; c += 4) {
    const S_i64 begin = column + c * LANES < p.k0 - 4 * LANES ? column + c * LANES : p.k0 - 4 * LANES;
    UNROLL for (int u = 0; u < 4; u++) {
      const S_i64 i = begin + u * LANES;
      if (n == LANES) STORE_f32(o0, p.o0_0 + segment * p.to_segment + row * p.k0 + i, total0[c + u]); else STOREN_f32(o0, p.o0_0 + segment * p.to_segment + row * p.k0 + i, 1, n, total0[c + u]);
    }
  }
}

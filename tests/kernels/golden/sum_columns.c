typedef struct {S_i64 n; S_i64 segments; S_i64 k0; S_i64 r0; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0;} Parameters;
KERNEL void reduction(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
  S_i64 item = GID;
  S_i64 chunks = (p.k0 + 1 * LANES - 1) / (1 * LANES);
  S_i64 chunk = item % chunks; item /= chunks;
  S_i64 segment = item % p.segments, row = item / p.segments;
  if (row >= 1) return;
  S_i64 output = row, rest = row;
  S_i64 x0_b = p.x0_0;
  S_i64 first = segment * 256, last = first + 256 < p.n ? first + 256 : p.n;
R_f32 total0[1];
for (int u = 0; u < 1; u++) { total0[u] = SPLAT_f32(0); }
  for (S_i64 block = first; block < last; block += 16 * 1) {
    S_i64 end = block + 16 * 1 < last ? block + 16 * 1 : last;
R_f32 part0[1];
for (int u = 0; u < 1; u++) { part0[u] = SPLAT_f32(0); }
    for (S_i64 r = block; r < end; r += 1) {
      S_i64 at = r;
      S_i64 a0 = at;
      S_i64 x0_r = x0_b + a0 * p.x0_r0;
      for (int u = 0; u < 1; u++) {
      S_i64 i = (chunk * 1 + u) * LANES; int n = i >= p.k0 ? 0 : p.k0 - i < LANES ? (int)(p.k0 - i) : LANES;
      R_f32 x0;
      if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i * p.x0_k0, p.x0_k0, n);
      R_f32 v0 = x0;
      part0[u] = add_f32(part0[u], v0);
      }
    }
for (int u = 0; u < 1; u++) {
total0[u] = add_f32(total0[u], part0[u]);
}
  }
  for (int u = 0; u < 1; u++) { S_i64 i = (chunk * 1 + u) * LANES; int n = i >= p.k0 ? 0 : p.k0 - i < LANES ? (int)(p.k0 - i) : LANES; STOREN_f32(o0, p.o0_0 + (segment * (1) + output) * p.k0 + i, 1, n, total0[u]); }
}

typedef struct {S_i64 n; S_i64 segments; S_i64 k0; S_i64 r0; S_i64 o0_0; S_i64 x0_0; S_i64 x1_0; S_i64 x0_k0; S_i64 x0_r0; S_i64 x1_k0; S_i64 x1_r0;} Parameters;
KERNEL void reduction(GLOBAL M_i64* o0, GLOBAL M_f32* px0, const Parameters p) {
  S_i64 item = GID;
  S_i64 segment = item % p.segments, row = item / p.segments;
  if (row >= p.k0) return;
  S_i64 output = row, rest = row;
  S_i64 c0 = rest % p.k0; rest /= p.k0;
  S_i64 x0_b = p.x0_0 + c0 * p.x0_k0;
  S_i64 x1_b = p.x1_0 + c0 * p.x1_k0;
  S_i64 first = segment * 4096, last = first + 4096 < p.n ? first + 4096 : p.n;
R_f32 total0;
R_i64 total1;
 { total0 = SPLAT_f32(-INFINITY); total1 = SPLAT_i64(9223372036854775807L); }
  for (S_i64 block = first; block < last; block += 16 * LANES) {
    S_i64 end = block + 16 * LANES < last ? block + 16 * LANES : last;
R_f32 part0;
R_i64 part1;
 { part0 = SPLAT_f32(-INFINITY); part1 = SPLAT_i64(9223372036854775807L); }
    for (S_i64 r = block; r < end; r += LANES) {
       {
      int n = end - r < LANES ? (int)(end - r) : LANES;
      R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
      S_i64 i = r;
      R_f32 x0;
      if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
      R_i64 x1;
      x1 = SPLAT_i64(x1_b + i * p.x1_r0) + IOTA * SPLAT_i64(p.x1_r0);
      R_f32 v0 = x0;
      if (n < LANES) v0 = where_f32(valid, v0, SPLAT_f32(-INFINITY));
      R_i64 v1 = x1;
      if (n < LANES) v1 = where_i64(valid, v1, SPLAT_i64(9223372036854775807L));
      { R_b8 wins = (greater_f32(v0, part0) | (not_equal_f32(v0, v0) & equal_f32(part0, part0))) | ((equal_f32(v0, part0) | (not_equal_f32(v0, v0) & ~equal_f32(part0, part0))) & less_i64(v1, part1));
        part0 = where_f32(wins, v0, part0); part1 = where_i64(wins, v1, part1); }
      }
    }
 {
{ R_b8 wins = (greater_f32(part0, total0) | (not_equal_f32(part0, part0) & equal_f32(total0, total0))) | ((equal_f32(part0, total0) | (not_equal_f32(part0, part0) & ~equal_f32(total0, total0))) & less_i64(part1, total1));
  total0 = where_f32(wins, part0, total0); total1 = where_i64(wins, part1, total1); }
}
  }
  if (LANES > 8) { R_f32 turn0 = ROTATE_f32(total0, 8); R_i64 turn1 = ROTATE_i64(total1, 8); { R_b8 wins = (greater_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & equal_f32(total0, total0))) | ((equal_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & ~equal_f32(total0, total0))) & less_i64(turn1, total1));   total0 = where_f32(wins, turn0, total0); total1 = where_i64(wins, turn1, total1); } }
  if (LANES > 4) { R_f32 turn0 = ROTATE_f32(total0, 4); R_i64 turn1 = ROTATE_i64(total1, 4); { R_b8 wins = (greater_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & equal_f32(total0, total0))) | ((equal_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & ~equal_f32(total0, total0))) & less_i64(turn1, total1));   total0 = where_f32(wins, turn0, total0); total1 = where_i64(wins, turn1, total1); } }
  if (LANES > 2) { R_f32 turn0 = ROTATE_f32(total0, 2); R_i64 turn1 = ROTATE_i64(total1, 2); { R_b8 wins = (greater_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & equal_f32(total0, total0))) | ((equal_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & ~equal_f32(total0, total0))) & less_i64(turn1, total1));   total0 = where_f32(wins, turn0, total0); total1 = where_i64(wins, turn1, total1); } }
  if (LANES > 1) { R_f32 turn0 = ROTATE_f32(total0, 1); R_i64 turn1 = ROTATE_i64(total1, 1); { R_b8 wins = (greater_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & equal_f32(total0, total0))) | ((equal_f32(turn0, total0) | (not_equal_f32(turn0, turn0) & ~equal_f32(total0, total0))) & less_i64(turn1, total1));   total0 = where_f32(wins, turn0, total0); total1 = where_i64(wins, turn1, total1); } }
  STOREN_i64(o0, p.o0_0 + output * p.segments + segment, 1, 1, total1);
}

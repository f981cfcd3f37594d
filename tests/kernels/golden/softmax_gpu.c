typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 outputs; S_i32 many; S_i32 k0; S_i32 o0_k0; S_i32 o0_r; S_i32 x0_k0; S_i32 x0_r;} Parameters;
VECTORS(f32, 4, W_16)
// t0 = max(x0); t1 = subtract(x0, t0); t2 = exp(t1); t3 = sum(t2); t4 = divide(t2, t3)
KERNEL CROWDS_OF(256, 4) void rows_max_subtract_exp_sum_and_1_more_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
  LOCAL R_f32 totals0[256];
  LOCAL R_f32 totals3[256];
  const int column = LID / 8, share = LID % 8; const S_i64 own = share * 4;
  S_i32 row = GROUP * 32 + column;
  const int live = row < p.outputs;
  if (!live) row = p.outputs - 1;
  S_i32 rest = row;
  S_i32 c0 = rest;
  S_i64 o0_b = p.o0_0 + (S_i64)c0 * p.o0_k0;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  R_f32 x0_h[8];
  R_f32 t2_h[8];
  R_f32 total0[4]; UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f32(-INFINITY); }
  UNROLL for (int k = 0; k < 2; k++) {
    const S_i64 first = k * 32 + own;
    R_f32 x0_v[4];
    LOADV_f32(px0, x0_b + first + 0, x0_v + 0);
    UNROLL for (int u = 0; u < 4; u++) {
      const S_i64 i = first + u; const int n = LANES;
      R_f32 x0 = x0_v[u];
      x0_h[k * 4 + u] = x0;
      total0[u] = maximum_f32(total0[u], x0);
    }
  }
  R_f32 w0 = total0[0];
  UNROLL for (int u = 1; u < 4; u++) w0 = maximum_f32(w0, total0[u]);
  totals0[LID] = w0;
  BARRIER;
  {
    R_f32 q[8];
    UNROLL for (int j = 0; j < 8; j++) q[j] = totals0[column * 8 + 0 + j * 1];
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int j = 0; j < 4; j++) if (j < away) q[j] = maximum_f32(q[j], q[j + away]);
    w0 = q[0];
  }
  R_f32 t0 = w0;
  R_f32 total3[4]; UNROLL for (int u = 0; u < 4; u++) { total3[u] = SPLAT_f32(0); }
  R_f32 part3[4]; UNROLL for (int u = 0; u < 4; u++) { part3[u] = SPLAT_f32(0); }
  UNROLL for (int k = 0; k < 2; k++) {
    const S_i64 first = k * 32 + own;
    UNROLL for (int u = 0; u < 4; u++) {
      const S_i64 i = first + u; const int n = LANES;
      R_f32 x0 = x0_h[k * 4 + u];
      R_f32 t1 = subtract_f32(x0, t0);
      R_f32 t2 = exp_f32(t1);
      t2_h[k * 4 + u] = t2;
      part3[u] = add_f32(part3[u], t2);
    }
  }
  UNROLL for (int u = 0; u < 4; u++) { total3[u] = add_f32(total3[u], part3[u]); }
  R_f32 w3 = total3[0];
  UNROLL for (int u = 1; u < 4; u++) w3 = add_f32(w3, total3[u]);
  totals3[LID] = w3;
  BARRIER;
  {
    R_f32 q[8];
    UNROLL for (int j = 0; j < 8; j++) q[j] = totals3[column * 8 + 0 + j * 1];
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int j = 0; j < 4; j++) if (j < away) q[j] = add_f32(q[j], q[j + away]);
    w3 = q[0];
  }
  R_f32 t3 = w3;
  UNROLL for (int k = 0; k < 2; k++) {
    const S_i64 first = k * 32 + own;
    R_f32 o0_v[4];
    UNROLL for (int u = 0; u < 4; u++) {
      const S_i64 i = first + u; const int n = LANES;
      R_f32 t2 = t2_h[k * 4 + u];
      R_f32 t4 = divide_f32(t2, t3);
      o0_v[u] = t4;
    }
    if (live) STOREV_f32(o0, o0_b + first + 0, o0_v + 0);
  }
}

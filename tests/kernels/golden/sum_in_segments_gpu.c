typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 told_0; S_i32 k0; S_i32 r0; S_i32 r1; S_i32 d0; S_i32 d1; S_i32 e0; S_i32 e1; S_i32 x0_k0; S_i32 x0_r0; S_i32 x0_r1;} Parameters;
typedef struct __attribute__((packed)) { R_f64 value; } Found;
// A value of type Found is told in words of 64 bits, which stay in memory that outlives the launch (see scratch.py). Half
// of a word is a part of the value; the other half says what is told, a number; what earlier launches left there is 0
// or another number.
// A word is whole, and a value is if all of its words say the same, so no fence is needed.
#define PARTS ((int)(sizeof(Found) + 3) / 4)
typedef union { Found value; M_u32 parts[PARTS]; } Told;

FN void tell(GLOBAL M_u64* words, S_i64 place, int what, Found value) {
    Told told;
    told.parts[PARTS - 1] = 0;
    told.value = value;
    UNROLL for (int k = 0; k < PARTS; k++) POST(u64, words, place * PARTS + k, (M_u64)what << 32 | told.parts[k]);
}

FN void forget(GLOBAL M_u64* words, S_i64 place) {
    UNROLL for (int k = 0; k < PARTS; k++) POST(u64, words, place * PARTS + k, 0);
}

// What is told by now; 0 while its words differ.
FN int told_by_now(GLOBAL M_u64* words, S_i64 place, Found* value) {
    Told told;
    M_u64 word = PEEK(u64, words, place * PARTS);
    int what = (int)(word >> 32);
    told.parts[0] = (M_u32)word;
    UNROLL for (int k = 1; k < PARTS; k++) {
        word = PEEK(u64, words, place * PARTS + k);
        if ((int)(word >> 32) != what) what = 0;
        told.parts[k] = (M_u32)word;
    }
    *value = told.value;
    return what;
}

// Wait for what is told, from `least` to `most`, and return which it is.
FN int ask(GLOBAL M_u64* words, S_i64 place, int least, int most, Found* value) {
    int what = 0;
    while (what < least || what > most) what = told_by_now(words, place, value);
    return what;
}


// t0 = cast_f32(x0)
KERNEL void sum_cast_f32_3d_f64(GLOBAL M_f64* o0, GLOBAL M_f32* px0, GLOBAL M_u64* words, const Parameters p) {
  GLOBAL M_u64* const memory = words; words += 1024;
  const int column = LID / 256, share = LID % 256;
  const S_i32 item = GROUP, chunk = item / p.segments, segment = item % p.segments;
  const S_i32 row = chunk * 1 + column;
  S_i32 rest = row;
  S_i32 c0 = rest;
  S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
  S_i32 first = segment * p.length;
  S_i32 last = first + p.length < p.n ? first + p.length : p.n;
  if (row >= p.outputs) last = first;
  LOCAL R_f64 totals[256];
  LOCAL int is_last;
  const int lane = share, own = lane * 4 * LANES;
  R_f64 total0[4];
  UNROLL for (int u = 0; u < 4; u++) { total0[u] = SPLAT_f64(0); }
  S_i32 at = first + own;
  S_i32 a1 = at % p.r1; at /= p.r1;
  S_i32 a0 = at;
  const int strip = 1024 * LANES;
  for (S_i32 block = first; block < last; block += 16 * strip) {
    S_i32 end = block + 16 * strip < last ? block + 16 * strip : last, r = block;
    R_f64 part0[4];
    UNROLL for (int u = 0; u < 4; u++) { part0[u] = SPLAT_f64(0); }
    for (; r + strip <= end; r += strip) {
      UNROLL for (int u = 0; u < 4; u++) {
        S_i32 i = r + own + u * LANES; const int n = LANES;
        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
        R_f32 x0;
        i = a1;
        if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
        R_f64 t0 = cast_f32_f64(x0);
        R_f64 v0 = t0;
        part0[u] = add_f64(part0[u], v0);
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
      R_f64 t0 = cast_f32_f64(x0);
      R_f64 v0 = t0;
      v0 = where_f64(valid, v0, SPLAT_f64(0));
      part0[u] = add_f64(part0[u], v0);
      int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
    }
    UNROLL for (int u = 0; u < 4; u++) { total0[u] = add_f64(total0[u], part0[u]); }
  }
  R_f64 total = total0[0];
  UNROLL for (int u = 1; u < 4; u++) { R_f64 other = total0[u]; total = add_f64(total, other); }
  const int own_place = lane * 1 + column;
  totals[own_place] = total; 
  for (int away = 128; away >= 8; away /= 2) {
    BARRIER;
    int e = LID; if (e < away * 1) { R_f64 total = totals[e]; R_f64 other = totals[e + away * 1]; total = add_f64(total, other); totals[e] = total;  }
  }
  BARRIER;
  if (row < p.outputs && share == 0) {
    R_f64 q[8];
    UNROLL for (int e = 0; e < 8; e++) { q[e] = totals[e * 1 + column]; }
    UNROLL for (int away = 4; away > 0; away /= 2)
      UNROLL for (int e = 0; e < 4; e++) if (e < away) { R_f64 total = q[e]; R_f64 other = q[e + away]; total = add_f64(total, other); q[e] = total; }
    R_f64 whole = q[0];
    Found found; found.value = whole; tell(words, segment * p.outputs + row, 1, found); }
  GLOBAL M_u32* counters = (GLOBAL M_u32*)memory;
  S_i32 n = p.segments, place = segment;
  while (n > 1) {
    const S_i32 part = place / 256, rest = n - part * 256;
    BARRIER;
    if (LID == 0) {
      GLOBAL M_u32* counter = counters + part * p.outputs + chunk;
      is_last = ATOMIC_ADD(counter, 1) == (rest < 256 ? rest : 256) - 1;
      if (is_last) ATOMIC_XCHG(counter, 0);
    }
    BARRIER;
    if (!is_last) return;
    counters += (n + 255) / 256 * p.outputs;
    place = part;
    R_f64 total = SPLAT_f64(0); 
    const S_i32 own = place * 256 + share;
    if (row < p.outputs && own < n) {
      Found found[1];
      const int left = (int)((n - own + 255) / 256), count = left < 1 ? left : 1;
      int all = 0;
      while (!all) {
        all = 1;
        UNROLL for (int e = 0; e < 1; e++)
          all &= told_by_now(words, (own + (e < count ? e : 0) * 256) * p.outputs + row, &found[e]);
      }
      UNROLL for (int e = 0; e < 1; e++) if (e < count) {
        R_f64 other = found[e].value;  total = add_f64(total, other);
        forget(words, (own + e * 256) * p.outputs + row);
      }
    }
    words += n * p.outputs * PARTS;
    n = (n + 255) / 256;
    const int own_place = share * 1 + column;
    totals[own_place] = total; 
    for (int away = 128; away >= 8; away /= 2) {
      BARRIER;
      int e = LID; if (e < away * 1) { R_f64 total = totals[e]; R_f64 other = totals[e + away * 1]; total = add_f64(total, other); totals[e] = total;  }
    }
    BARRIER;
    if (row < p.outputs && share == 0) {
      R_f64 q[8];
      UNROLL for (int e = 0; e < 8; e++) { q[e] = totals[e * 1 + column]; }
      UNROLL for (int away = 4; away > 0; away /= 2)
        UNROLL for (int e = 0; e < 4; e++) if (e < away) { R_f64 total = q[e]; R_f64 other = q[e + away]; total = add_f64(total, other); q[e] = total; }
      R_f64 whole = q[0];
      if (n > 1) { Found found; found.value = whole; tell(words, place * p.outputs + row, 1, found); }
      else {
        STOREN_f64(o0, p.o0_0 + row, 1, 1, whole);
      }
    }
  }
}

typedef struct {S_u64 s0; S_i32 n; S_i32 o0_0;} Parameters;
VECTORS(u64, 2, W_16)
#define EACH UNROLL for (int k = 0; k < 2; k++)
// a copy
KERNEL void elementwise_1d_u64(GLOBAL M_u64* o0, const Parameters p) {
  S_i32 i = ((S_i32)GID) * 2 * LANES;
  if (i >= p.n) return;
  R_u64 s0 = SPLAT_u64(p.s0);
  S_i32 at[2];
  EACH at[k] = i + k;
  int n[2];
  EACH n[k] = at[k] < p.n;
  R_u64 r0[2];
  EACH r0[k] = s0;
  if (n[1]) STOREV_u64(o0, p.o0_0 + i, r0); else EACH if (n[k] == LANES) STORE_u64(o0, p.o0_0 + at[k], r0[k]); else STOREN_u64(o0, p.o0_0 + at[k], 1, n[k], r0[k]);
}

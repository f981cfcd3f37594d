typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 published_0; S_i32 k0; S_i32 r0; S_i32 r1; S_i32 d0; S_i32 d1; S_i32 e0; S_i32 e1; S_i32 x0_k0; S_i32 x0_r0; S_i32 x0_r1;} Parameters;
#define GPU 1
#define ACCUMULATORS 4
#define UNROLLED UNROLL
#define NEIGHBOURS 4
#define BLOCK 16
#define SEPARATE 1
#define LANES_PER_OUTPUT 256
#define LANES_PER_ITEM 1
#define ITEMS 256
#define OUTPUTS 1
#define COLUMNS 1
#define OUTPUT_MAJOR 0
#define CHUNKS p.outputs
#define AHEAD 4
#define COORDINATES 1
#define PUBLISHED 1
#define GROUP_ITEMS 256
#define RESULTS_PER_ITEM 8
#define FAN_IN 256
#define MANY 1
#define COUNTERS 2048
VECTORS(f32, 4, W_16)
typedef struct { R_f64 value; } Accumulator;
typedef Accumulator Total;
typedef Accumulator Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = SPLAT_f64(0);
    return none;
}

FN Accumulator take(Accumulator before, R_f64 value, R_i32 at) {
    before.value = add_f64(before.value, value);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, SPLAT_i32(0)); }

FN Total combined(Total total, Total other) { return take(total, other.value, SPLAT_i32(0)); }

#define NOTHING nothing()
#define TOTAL(accumulator, from) (accumulator)
#define ROTATED(total, k) ((Total){ROTATE_f64((total).value, k)})
#define PACKED(total) (total)
#define UNPACKED(published) (published)

// Totals of `lanes` lanes for each output, in local memory; those of one lane are neighbours for all OUTPUTS. Each is
// combined with the one half of the remaining lanes further on. The group combines all except for a few of an output,
// which one work-item combines alone, because waiting for each other would take longer.
GROUP_FN void narrow(SHARED Total* totals, int lanes, int rounds) {
    for (int away = lanes / 2; away >= RESULTS_PER_ITEM; away /= 2) {
        BARRIER;
        for (int round = 0, e = LID; round < rounds && e < away * OUTPUTS; round++, e += GROUP_ITEMS)
            totals[e] = combined(totals[e], totals[e + away * OUTPUTS]);
    }
    BARRIER;
}

GROUP_FN Total rest_of(const SHARED Total* totals, int lanes, int column) {
    Total part[RESULTS_PER_ITEM];
    UNROLL for (int e = 0; e < RESULTS_PER_ITEM; e++) if (e < lanes) part[e] = totals[e * OUTPUTS + column];
    UNROLL for (int away = RESULTS_PER_ITEM / 2; away > 0; away /= 2)
        UNROLL for (int e = 0; e < RESULTS_PER_ITEM / 2; e++)
            if (e < away && away < lanes) part[e] = combined(part[e], part[e + away]);
    return part[0];
}

// A value of type Published is published in words of 64 bits, which stay in memory that outlives the launch (see scratch.py).
// Half of a word is a part of the value; the other half is its status, a number. Earlier launches left 0 or another
// number there.
// A word is whole, and a value is if all of its words have one status, so no fence is needed.
#define VALUE_WORDS ((int)(sizeof(Published) + 3) / 4)
typedef union { Published value; M_u32 parts[VALUE_WORDS]; } Bits;

FN void publish(GLOBAL M_u64* words, S_i64 place, int status, Published value) {
    Bits bits;
    bits.parts[VALUE_WORDS - 1] = 0;
    bits.value = value;
    words += place * VALUE_WORDS;
    UNROLL for (int k = 0; k < VALUE_WORDS; k++) POST(u64, words, k, (M_u64)status << 32 | bits.parts[k]);
}

FN void clear(GLOBAL M_u64* words, S_i64 place) {
    UNROLL for (int k = 0; k < VALUE_WORDS; k++) POST(u64, words, place * VALUE_WORDS + k, 0);
}

// The status of a value, and the value; 0 while its words differ.
FN int poll(GLOBAL M_u64* words, S_i64 place, Published* value) {
    Bits bits;
    M_u64 word = PEEK(u64, words, place * VALUE_WORDS);
    int status = (int)(word >> 32);
    bits.parts[0] = (M_u32)word;
    UNROLL for (int k = 1; k < VALUE_WORDS; k++) {
        word = PEEK(u64, words, place * VALUE_WORDS + k);
        if ((int)(word >> 32) != status) status = 0;
        bits.parts[k] = (M_u32)word;
    }
    *value = bits.value;
    return status;
}

// Wait for a value with a status from `least` to `most`, and return its status.
FN int wait_for(GLOBAL M_u64* words, S_i64 place, int least, int most, Published* value) {
    int status = 0;
    while (status < least || status > most) status = poll(words, place, value);
    return status;
}

// t0 = cast_f32(x0)
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void sum_cast_f32_3d_f64(GLOBAL M_f64* o0, GLOBAL M_f32* px0, GLOBAL M_u64* words, const Parameters p) {
#if PUBLISHED
    GLOBAL M_u64* const counts = words;
    words += COUNTERS / 2;
#endif
    // The work-item is for `segment` of output `row`, or of the outputs of that row.
#if GPU
    // The output in its group that the work-item is for, and its number among the work-items of that output.
    const int column = OUTPUT_MAJOR ? LID % OUTPUTS : LID / ITEMS, item = OUTPUT_MAJOR ? LID / OUTPUTS : LID % ITEMS;
    const S_i32 number = GROUP;
#else
    const int column = 0, item = 0;
    const S_i32 number = GID;
    if (number >= p.outputs * p.segments) return;
#endif
    const S_i32 chunk = OUTPUT_MAJOR ? number % CHUNKS : number / p.segments;
    const S_i32 segment = OUTPUT_MAJOR ? number / CHUNKS : number % p.segments;
    const S_i32 row = chunk * OUTPUTS + column;
    S_i32 rest = row;
    S_i32 c0 = rest;
    S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
    S_i32 first = segment * p.length;
    S_i32 last = first + p.length < p.n ? first + p.length : p.n;
#if GPU
    if (row * COLUMNS >= p.outputs) last = first;
#if LANES_PER_OUTPUT > 1
    LOCAL Total totals[COLUMNS][GROUP_ITEMS * LANES_PER_ITEM];
#endif
#endif
    Total total[COLUMNS];
    for (int turn = 0; turn < LANES_PER_ITEM; turn++) {
        const int lane = item + turn * ITEMS, own = lane * NEIGHBOURS * LANES;
        const int strip = NEIGHBOURS * LANES_PER_OUTPUT * LANES;
        Accumulator best[COLUMNS][ACCUMULATORS];
        EACH_COLUMN EACH_ACCUMULATOR best[c][u] = nothing();
        S_i32 at = first + own;
        S_i32 a1 = at % p.r1; at /= p.r1;
        S_i32 a0 = at;
        S_i32 f0 = a0;
        S_i32 f1 = a1;
        V_f32 x0_ahead[AHEAD][1];
#if AHEAD
        UNROLL for (int a = 0; a < AHEAD; a++) if (first + (a + 1) * strip <= last) {
            const S_i32 from = first + a * strip + own;
            x0_ahead[a][0] = FETCH_f32(px0, (x0_b + (S_i64)f0 * p.x0_r0) + f1 + 0, 4);
            int over = 0; f1 += p.e1; over = f1 >= p.r1; if (over) f1 -= p.r1; f0 += p.e0 + over;
        }
#endif
        for (S_i32 block = first; block < last; block += BLOCK * strip) {
            S_i32 end = block + BLOCK * strip < last ? block + BLOCK * strip : last, r = block;
            Accumulator part[COLUMNS][ACCUMULATORS];
#if SEPARATE
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = nothing();
#else
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = best[c][u];
#endif
#if AHEAD
            while (r + AHEAD * strip <= end) UNROLL for (int a = 0; a < AHEAD; a++) {
                R_f32 x0_v[NEIGHBOURS];
                FROMV_f32(x0_ahead[a][0], x0_v + 0);
                if (r + (AHEAD + 1) * strip <= last) {
                    const S_i32 from = r + AHEAD * strip + own;
                    x0_ahead[a][0] = FETCH_f32(px0, (x0_b + (S_i64)f0 * p.x0_r0) + f1 + 0, 4);
                    int over = 0; f1 += p.e1; over = f1 >= p.r1; if (over) f1 -= p.r1; f0 += p.e0 + over;
                }
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                        R_f32 x0;
                        i = a1 + u;
                        x0 = x0_v[u];
                        R_f64 t0 = cast_f32_f64(x0);
                        R_f64 v = t0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                int over = 0; a1 += p.e1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.e0 + over;
                r += strip;
            }
            UNROLL for (int a = 0; a < AHEAD - 1; a++) if (r + strip <= end) {
                R_f32 x0_v[NEIGHBOURS];
                FROMV_f32(x0_ahead[a][0], x0_v + 0);
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                        R_f32 x0;
                        i = a1 + u;
                        x0 = x0_v[u];
                        R_f64 t0 = cast_f32_f64(x0);
                        R_f64 v = t0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                int over = 0; a1 += p.e1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.e0 + over;
                r += strip;
            }
#else
            for (; r + strip <= end; r += strip) {
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                        R_f32 x0;
                        i = a1 + u;
                        x0 = x0_v[u];
                        R_f64 t0 = cast_f32_f64(x0);
                        R_f64 v = t0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                int over = 0; a1 += p.e1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.e0 + over;
            }
#endif
            if (r < end) EACH {
                S_i32 i = r + own + u * LANES;
#if GPU && !COORDINATES // no branches, so that the loads are on their way together
                const int n = LANES;
                R_b8 valid = less_i64(i, end);
                if (i >= end) i = end - 1;
#else
                const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
                if (!GPU && n == 0) break;
                R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
#endif
                EACH_COLUMN {
                    S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                    R_f32 x0;
                    i = a1 + u;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
                    R_f64 t0 = cast_f32_f64(x0);
                    R_f64 v = t0;
                    part[c][u % ACCUMULATORS] = take(
                        part[c][u % ACCUMULATORS], where_f64(valid, v, SPLAT_f64(0)), SPLAT_i32((int)(r - first)));
                }
            }
#if SEPARATE
            EACH_COLUMN EACH_ACCUMULATOR best[c][u] = merged(best[c][u], part[c][u]);
#else
            EACH_COLUMN EACH_ACCUMULATOR best[c][u] = part[c][u];
#endif
        }
        EACH_COLUMN {
            Total sum = TOTAL(best[c][0], first + own);
            UNROLLED for (int u = 1; u < ACCUMULATORS; u++)
                sum = combined(sum, TOTAL(best[c][u], first + own + u * LANES));
#if LANES > 1
            sum = combined(sum, ROTATED(sum, 8));
            sum = combined(sum, ROTATED(sum, 4));
            sum = combined(sum, ROTATED(sum, 2));
            sum = combined(sum, ROTATED(sum, 1));
#endif
            total[c] = sum;
#if LANES_PER_OUTPUT > 1
            totals[c][lane * OUTPUTS + column] = sum;
#endif
        }
    }
#if LANES_PER_OUTPUT > 1
    for (int c = 0; c < COLUMNS; c++) narrow(totals[c], LANES_PER_OUTPUT, LANES_PER_ITEM);
#endif
    // The first work-items, those of few warps, have an output each.
    const int mine = GPU ? LID : 0;
    const S_i32 its = (chunk * OUTPUTS + mine) * COLUMNS;
    if (mine < OUTPUTS && its < p.outputs) EACH_COLUMN {
        const S_i32 output = its + c;
#if LANES_PER_OUTPUT > 1
        total[c] = rest_of(totals[c], LANES_PER_OUTPUT, mine);
#endif
        publish(words, segment * p.outputs + output, 1, PACKED(total[c]));
    }
    // FAN_IN segments are combined into a longer one by the last of the groups that publish them; so are these, until one
    // is left.
    GLOBAL M_u32* counters = (GLOBAL M_u32*)counts;
    S_i32 n = p.segments, place = segment;
    LOCAL int is_last;
    while (n > 1) {
        const S_i32 longer = place / FAN_IN, rest = n - longer * FAN_IN;
        BARRIER;
        if (LID == 0) {
            GLOBAL M_u32* counter = counters + longer * CHUNKS + chunk;
            is_last = ATOMIC_ADD(counter, 1) == (rest < FAN_IN ? rest : FAN_IN) - 1;
            if (is_last) ATOMIC_XCHG(counter, 0);
        }
        BARRIER;
        if (!is_last) return;
        counters += (n + FAN_IN - 1) / FAN_IN * CHUNKS;
        place = longer;
        // The longer segment number `place`: the published results of its segments, among `n` in all, are combined
        // and cleared. Its own result is published too; that of the only one is stored.
        const S_i32 own = place * FAN_IN + item, fewer = (n + FAN_IN - 1) / FAN_IN;
        GLOBAL M_u64* words_of_longer = words + n * p.outputs * VALUE_WORDS;
        for (int c = 0; c < COLUMNS; c++) {
            const S_i32 output = row * COLUMNS + c;
            Total whole = NOTHING;
            if (output < p.outputs && own < n) {
                Published found[MANY];
                const int left = (int)((n - own + ITEMS - 1) / ITEMS), count = left < MANY ? left : MANY;
                int all = 0;
                while (!all) {
                    all = 1;
                    UNROLL for (int e = 0; e < MANY; e++)
                    all &= poll(words, (own + (e < count ? e : 0) * ITEMS) * p.outputs + output, &found[e]);
                }
                UNROLL for (int e = 0; e < MANY; e++) if (e < count) {
                    whole = combined(whole, UNPACKED(found[e]));
                    clear(words, (own + e * ITEMS) * p.outputs + output);
                }
            }
#if ITEMS > 1
            totals[c][item * OUTPUTS + column] = whole;
            narrow(totals[c], ITEMS, 1);
#endif
            if (item == 0 && output < p.outputs) {
#if ITEMS > 1
                whole = rest_of(totals[c], ITEMS, column);
#endif
                if (fewer > 1) publish(words_of_longer, place * p.outputs + output, 1, PACKED(whole));
                else {
                    STOREN_f64(o0, p.o0_0 + output, 1, 1, whole.value);
                }
            }
        }
        words = words_of_longer;
        n = fewer;
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

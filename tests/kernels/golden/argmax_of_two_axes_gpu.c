typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 to_output; S_i32 to_segment; S_i32 k0; S_i32 r0; S_i32 r1; S_i32 d0; S_i32 d1; S_i32 e0; S_i32 e1; S_i32 x0_k0; S_i32 x0_r0; S_i32 x0_r1;} Parameters;
#define GPU 1
#define ACCUMULATORS 4
#define UNROLLED UNROLL
#define NEIGHBOURS 4
#define BLOCK 16
#define SEPARATE 0
#define LANES_PER_OUTPUT 256
#define LANES_PER_ITEM 1
#define ITEMS 256
#define OUTPUTS 1
#define COLUMNS 1
#define OUTPUT_MAJOR 0
#define CHUNKS p.outputs
#define AHEAD 0
#define COORDINATES 1
#define PUBLISHED 0
#define GROUP_ITEMS 256
#define RESULTS_PER_ITEM 8
// An accumulator counts the strips of its segment; a total has the place in the reduced index. The first NaN wins, and
// of equal values the first.
typedef struct { R_f32 value; R_i32 at; } Accumulator;
typedef struct { R_f32 value; R_i32 at; } Total;
typedef struct __attribute__((packed)) { R_f32 value; R_i32 at; } Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = SPLAT_f32(-INFINITY);
    none.at = SPLAT_i32(0);
    return none;
}

FN Accumulator take(Accumulator before, R_f32 value, R_i32 at) {
    R_b8 wins = ~less_equal_f32(value, before.value) & equal_f32(before.value, before.value);
    before.value = where_f32(wins, value, before.value);
    before.at = where_i32(wins, at, before.at);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, part.at); }

FN Total combined(Total total, Total other) {
    R_b8 wins = greater_f32(other.value, total.value) | (not_equal_f32(other.value, other.value) & equal_f32(total.value, total.value)), same = equal_f32(other.value, total.value) | (not_equal_f32(other.value, other.value) & ~equal_f32(total.value, total.value));
    wins = wins | (same & less_i32(other.at, total.at));
    total.value = where_f32(wins, other.value, total.value);
    total.at = where_i32(wins, other.at, total.at);
    return total;
}

FN Total total_of(Accumulator found, S_i64 from) {
    Total total;
    total.value = found.value;
    total.at = found.at + SPLAT_i32(from);
    return total;
}

FN Published packed_total(Total total) {
    Published published;
    published.value = total.value;
    published.at = total.at;
    return published;
}

FN Total unpacked_total(Published published) {
    Total total;
    total.value = published.value;
    total.at = published.at;
    return total;
}

#define NOTHING total_of(nothing(), 0)
#define TOTAL(accumulator, from) total_of(accumulator, from)
#define ROTATED(total, k) ((Total){ROTATE_f32((total).value, k), ROTATE_i32((total).at, k)})
#define PACKED(total) packed_total(total)
#define UNPACKED(published) unpacked_total(published)

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

// a copy
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void argmax_3d_f32(GLOBAL M_i64* o0, GLOBAL M_f32* px0, const Parameters p) {
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
#if AHEAD
        UNROLL for (int a = 0; a < AHEAD; a++) if (first + (a + 1) * strip <= last) {
            const S_i32 from = first + a * strip + own;
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
                if (r + (AHEAD + 1) * strip <= last) {
                    const S_i32 from = r + AHEAD * strip + own;
                }
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                        R_f32 x0;
                        i = a1;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                    int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
                }
                int over = 0; a1 += p.e1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.e0 + over;
                r += strip;
            }
            UNROLL for (int a = 0; a < AHEAD - 1; a++) if (r + strip <= end) {
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        S_i64 x0_r = x0_b + (S_i64)a0 * p.x0_r0;
                        R_f32 x0;
                        i = a1;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                    int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
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
                        i = a1;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                    int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
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
                    i = a1;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_r + i); else x0 = LOADN_f32(px0, x0_r + i, 1, n);
                    R_f32 v = x0;
                    part[c][u % ACCUMULATORS] = take(
                        part[c][u % ACCUMULATORS], where_f32(valid, v, SPLAT_f32(-INFINITY)), SPLAT_i32((int)(r - first)));
                }
                int over = 0; a1 += p.d1; over = a1 >= p.r1; if (over) a1 -= p.r1; a0 += p.d0 + over;
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
        STOREN_i64(o0, p.o0_0 + output * p.to_output + segment * p.to_segment, 1, 1, cast_i32_i64(total[c].at));
    }
}

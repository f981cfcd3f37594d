typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 d0; S_i64 e0; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0;} Parameters;
#define GPU 0
#define ACCUMULATORS 4
#define UNROLLED UNROLL
#define NEIGHBOURS 4
#define BLOCK 16
#define SEPARATE 0
#define LANES_PER_OUTPUT 1
#define LANES_PER_ITEM 1
#define ITEMS 1
#define OUTPUTS 1
#define COLUMNS 1
#define OUTPUT_MAJOR 0
#define CHUNKS p.outputs
#define AHEAD 0
#define COORDINATES 0
#define PUBLISHED 0
// An accumulator counts the strips of its segment; a total has the place in the reduced index. The first NaN wins, and
// of equal values the first.
typedef struct { R_f32 value; R_i32 at; } Accumulator;
typedef struct { R_f32 value; R_i64 at; } Total;
typedef struct __attribute__((packed)) { R_f32 value; R_i64 at; } Published;

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
    wins = wins | (same & less_i64(other.at, total.at));
    total.value = where_f32(wins, other.value, total.value);
    total.at = where_i64(wins, other.at, total.at);
    return total;
}

FN Total total_of(Accumulator found, S_i64 from) {
    Total total;
    total.value = found.value;
    total.at = cast_i32_i64(found.at) + IOTA + SPLAT_i64(from);
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
#define ROTATED(total, k) ((Total){ROTATE_f32((total).value, k), ROTATE_i64((total).at, k)})
#define PACKED(total) packed_total(total)
#define UNPACKED(published) unpacked_total(published)

// a copy
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void argmax_2d_f32(GLOBAL M_i64* o0, GLOBAL M_f32* px0, const Parameters p) {
#if PUBLISHED
    GLOBAL M_u64* const counts = words;
    words += COUNTERS / 2;
#endif
    // The work-item is for `segment` of output `row`, or of the outputs of that row.
#if GPU
    // The output in its group that the work-item is for, and its number among the work-items of that output.
    const int column = OUTPUT_MAJOR ? LID % OUTPUTS : LID / ITEMS, item = OUTPUT_MAJOR ? LID / OUTPUTS : LID % ITEMS;
    const S_i64 number = GROUP;
#else
    const int column = 0, item = 0;
    const S_i64 number = GID;
    if (number >= p.outputs * p.segments) return;
#endif
    const S_i64 chunk = OUTPUT_MAJOR ? number % CHUNKS : number / p.segments;
    const S_i64 segment = OUTPUT_MAJOR ? number / CHUNKS : number % p.segments;
    const S_i64 row = chunk * OUTPUTS + column;
    S_i64 rest = row;
    S_i64 c0 = rest;
    S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
    S_i64 first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
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
#if AHEAD
        UNROLL for (int a = 0; a < AHEAD; a++) if (first + (a + 1) * strip <= last) {
            const S_i64 from = first + a * strip + own;
        }
#endif
        for (S_i64 block = first; block < last; block += BLOCK * strip) {
            S_i64 end = block + BLOCK * strip < last ? block + BLOCK * strip : last, r = block;
            Accumulator part[COLUMNS][ACCUMULATORS];
#if SEPARATE
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = nothing();
#else
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = best[c][u];
#endif
#if AHEAD
            while (r + AHEAD * strip <= end) UNROLL for (int a = 0; a < AHEAD; a++) {
                if (r + (AHEAD + 1) * strip <= last) {
                    const S_i64 from = r + AHEAD * strip + own;
                }
                EACH {
                    S_i64 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_f32 x0;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                r += strip;
            }
            UNROLL for (int a = 0; a < AHEAD - 1; a++) if (r + strip <= end) {
                EACH {
                    S_i64 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_f32 x0;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                r += strip;
            }
#else
            for (; r + strip <= end; r += strip) {
                EACH {
                    S_i64 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_f32 x0;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                        R_f32 v = x0;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
            }
#endif
            if (r < end) EACH {
                S_i64 i = r + own + u * LANES;
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
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                    R_f32 v = x0;
                    part[c][u % ACCUMULATORS] = take(
                        part[c][u % ACCUMULATORS], where_f32(valid, v, SPLAT_f32(-INFINITY)), SPLAT_i32((int)(r - first)));
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
    const S_i64 its = (chunk * OUTPUTS + mine) * COLUMNS;
    if (mine < OUTPUTS && its < p.outputs) EACH_COLUMN {
        const S_i64 output = its + c;
#if LANES_PER_OUTPUT > 1
        total[c] = rest_of(totals[c], LANES_PER_OUTPUT, mine);
#endif
        STOREN_i64(o0, p.o0_0 + output * p.to_output + segment * p.to_segment, 1, 1, total[c].at);
    }
}

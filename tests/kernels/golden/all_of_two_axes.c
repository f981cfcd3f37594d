typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 d0; S_i64 e0; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0; S_f32 s0;} Parameters;
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
typedef struct { R_b8 value; } Accumulator;
typedef Accumulator Total;
typedef Accumulator Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = SPLAT_b8(1);
    return none;
}

FN Accumulator take(Accumulator before, R_b8 value, R_i32 at) {
    before.value = logical_and_b8(before.value, value);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, SPLAT_i32(0)); }

FN Total combined(Total total, Total other) { return take(total, other.value, SPLAT_i32(0)); }

#define NOTHING nothing()
#define TOTAL(accumulator, from) (accumulator)
#define ROTATED(total, k) ((Total){ROTATE_b8((total).value, k)})
#define PACKED(total) (total)
#define UNPACKED(published) (published)

// t0 = greater(x0, s0)
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void all_greater_2d_b8(GLOBAL M_b8* o0, GLOBAL M_f32* px0, const Parameters p) {
    R_f32 s0 = SPLAT_f32(p.s0);
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
                        if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
                        R_b8 t0 = greater_f32(x0, s0);
                        R_b8 v = t0;
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
                        if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
                        R_b8 t0 = greater_f32(x0, s0);
                        R_b8 v = t0;
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
                        if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
                        R_b8 t0 = greater_f32(x0, s0);
                        R_b8 v = t0;
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
                    if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r0, p.x0_r0); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r0, p.x0_r0, n);
                    R_b8 t0 = greater_f32(x0, s0);
                    R_b8 v = t0;
                    part[c][u % ACCUMULATORS] = take(
                        part[c][u % ACCUMULATORS], where_b8(valid, v, SPLAT_b8(1)), SPLAT_i32((int)(r - first)));
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
        STOREN_b8(o0, p.o0_0 + output * p.to_output + segment * p.to_segment, 1, 1, total[c].value);
    }
}

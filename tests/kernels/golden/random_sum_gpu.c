typedef struct {S_i64 o0_0; S_i64 x0_0; S_u64 s1; S_u64 s2; S_u64 s3; S_u64 s4; S_u64 s5; S_u64 s6; S_i32 n; S_i32 length; S_i32 segments; S_i32 outputs; S_i32 to_output; S_i32 to_segment; S_i32 k0; S_i32 r0; S_i32 d0; S_i32 e0; S_i32 x0_k0; S_i32 x0_r0; S_f32 s0;} Parameters;
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
#define AHEAD 0
#define COORDINATES 0
#define PUBLISHED 0
#define GROUP_ITEMS 256
#define RESULTS_PER_ITEM 8
typedef struct { R_f32 value; } Accumulator;
typedef Accumulator Total;
typedef Accumulator Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = SPLAT_f32(0);
    return none;
}

FN Accumulator take(Accumulator before, R_f32 value, R_i32 at) {
    before.value = add_f32(before.value, value);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, SPLAT_i32(0)); }

FN Total combined(Total total, Total other) { return take(total, other.value, SPLAT_i32(0)); }

#define NOTHING nothing()
#define TOTAL(accumulator, from) (accumulator)
#define ROTATED(total, k) ((Total){ROTATE_f32((total).value, k)})
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

// t0 = philox(x0, s1, s2, s3, s4, s5, s6); t1 = uniform(t0); t2 = multiply(t1, s0)
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void sum_philox_uniform_multiply_2d_f32(GLOBAL M_f32* o0, const Parameters p) {
    R_f32 s0 = SPLAT_f32(p.s0);
    R_u64 s1 = SPLAT_u64(p.s1);
    R_u64 s2 = SPLAT_u64(p.s2);
    R_u64 s3 = SPLAT_u64(p.s3);
    R_u64 s4 = SPLAT_u64(p.s4);
    R_u64 s5 = SPLAT_u64(p.s5);
    R_u64 s6 = SPLAT_u64(p.s6);
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
                R_u32 t0_run[NEIGHBOURS];
                philox_run_u32(t0_run + 0, (int)((x0_b + r + own + 0) & 7), 4, x0_b + r + own + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_i64 x0;
                        x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
                        R_u32 t0 = t0_run[u];
                        R_f32 t1 = uniform_u32(t0);
                        R_f32 t2 = multiply_f32(t1, s0);
                        R_f32 v = t2;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                r += strip;
            }
            UNROLL for (int a = 0; a < AHEAD - 1; a++) if (r + strip <= end) {
                R_u32 t0_run[NEIGHBOURS];
                philox_run_u32(t0_run + 0, (int)((x0_b + r + own + 0) & 7), 4, x0_b + r + own + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_i64 x0;
                        x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
                        R_u32 t0 = t0_run[u];
                        R_f32 t1 = uniform_u32(t0);
                        R_f32 t2 = multiply_f32(t1, s0);
                        R_f32 v = t2;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
                r += strip;
            }
#else
            for (; r + strip <= end; r += strip) {
                R_u32 t0_run[NEIGHBOURS];
                philox_run_u32(t0_run + 0, (int)((x0_b + r + own + 0) & 7), 4, x0_b + r + own + 0, p.s1, p.s2, p.s3, p.s4, p.s5, p.s6);
                EACH {
                    S_i32 i = r + own + u * LANES;
                    const int n = LANES;
                    EACH_COLUMN {
                        R_i64 x0;
                        x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
                        R_u32 t0 = t0_run[u];
                        R_f32 t1 = uniform_u32(t0);
                        R_f32 t2 = multiply_f32(t1, s0);
                        R_f32 v = t2;
                        part[c][u % ACCUMULATORS] = take(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
                    }
                }
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
                    R_i64 x0;
                    x0 = SPLAT_i64(x0_b + i) + IOTA * SPLAT_i64(1);
                    R_u32 t0 = philox_u32(x0, s1, s2, s3, s4, s5, s6);
                    R_f32 t1 = uniform_u32(t0);
                    R_f32 t2 = multiply_f32(t1, s0);
                    R_f32 v = t2;
                    part[c][u % ACCUMULATORS] = take(
                        part[c][u % ACCUMULATORS], where_f32(valid, v, SPLAT_f32(0)), SPLAT_i32((int)(r - first)));
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
        STOREN_f32(o0, p.o0_0 + output * p.to_output + segment * p.to_segment, 1, 1, total[c].value);
    }
}

// The kernels of the reduction; see reduce.py. Defined before each:
//   GPU                     whether a register holds one element, and work-items combine results in local memory
//   ACCUMULATORS  BLOCK     accumulators of a work-item; strips whose elements are combined separately
//   NEIGHBOURS              registers that a work-item takes at a time, which its accumulators share
//   SEPARATE                whether blocks have accumulators of their own: combining rounds, or theirs have a dtype of
//                           their own, $P
//   LANES_PER_OUTPUT  LANES_PER_ITEM  ITEMS  OUTPUTS   lanes of an output; lanes whose work an item does one after the
//                           other; work-items of an output; outputs of a group
//   COLUMNS                 neighbouring outputs that a lane computes; OUTPUTS counts these as one
//   OUTPUT_MAJOR            whether neighbouring work-items take neighbouring outputs, not neighbours of one
//   CHUNKS                  how many groups, or on CPUs work-items, a segment of all outputs takes
//   AHEAD                   strips that are read before they are combined
//   COORDINATES             whether several axes are reduced, so that elements have coordinates a0, a1, ...
//   PUBLISHED               whether groups publish the results of their segments, for others to combine
//   FAN_IN  MANY            published segments that a group combines into a longer one, and those of one work-item
//   UNROLLED                UNROLL, or nothing where compilers take too long
// $T is the dtype of the accumulators, $I counts elements, $J is that of a place among them.

//: plain
typedef struct { R_$T value; } Accumulator;
typedef Accumulator Total;
typedef Accumulator Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = $identity;
    return none;
}

FN Accumulator take(Accumulator before, R_$T value, R_i32 at) {
    before.value = ${function}_$T(before.value, value);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, SPLAT_i32(0)); }

FN Total combined(Total total, Total other) { return take(total, other.value, SPLAT_i32(0)); }

#define NOTHING nothing()
#define TOTAL(accumulator, from) (accumulator)
#define ROTATED(total, k) ((Total){ROTATE_$T((total).value, k)})
#define PACKED(total) (total)
#define UNPACKED(published) (published)

//: indexed
// An accumulator counts the strips of its segment; a total has the place in the reduced index. The first NaN wins, and
// of equal values the first.
typedef struct { R_$T value; R_i32 at; } Accumulator;
typedef struct { R_$T value; R_$J at; } Total;
typedef struct __attribute__((packed)) { R_$T value; R_$J at; } Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = $identity;
    none.at = SPLAT_i32(0);
    return none;
}

FN Accumulator take(Accumulator before, R_$T value, R_i32 at) {
    R_b8 wins = $wins;
    before.value = where_$T(wins, value, before.value);
    before.at = where_i32(wins, at, before.at);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, part.at); }

FN Total combined(Total total, Total other) {
    R_b8 wins = $combines, same = $same;
    wins = wins | (same & less_$J(other.at, total.at));
    total.value = where_$T(wins, other.value, total.value);
    total.at = where_$J(wins, other.at, total.at);
    return total;
}

FN Total total_of(Accumulator found, S_i64 from) {
    Total total;
    total.value = found.value;
    total.at = $at;
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
#define ROTATED(total, k) ((Total){ROTATE_$T((total).value, k), ROTATE_$J((total).at, k)})
#define PACKED(total) packed_total(total)
#define UNPACKED(published) unpacked_total(published)

//: tree
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

//: parts
// The accumulators of a block, in a dtype of their own.
typedef struct { R_$P value; } Part;

FN Part no_part(void) {
    Part none;
    none.value = $no_value;
    return none;
}

FN Part take_part(Part before, R_$P value, R_i32 at) {
    before.value = ${function}_$P(before.value, value);
    return before;
}

FN Accumulator merged_part(Accumulator before, Part part) {
    return take(before, cast_${P}_$T(part.value), SPLAT_i32(0));
}

//: strip
$runs
EACH {
    S_$I i = r + own + u * LANES;
    const int n = LANES;
    EACH_COLUMN {
        $loads
        $value
        part[c][u % ACCUMULATORS] = ${take}(part[c][u % ACCUMULATORS], v, SPLAT_i32((int)(r - first)));
    }
    $advance
}
$advance_lanes

//: along
#define EACH UNROLLED for (int u = 0; u < NEIGHBOURS; u++)
#define EACH_ACCUMULATOR UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
#define EACH_COLUMN UNROLL for (int c = 0; c < COLUMNS; c++)
KERNEL void $kernel($arguments) {
    $scalars
#if PUBLISHED
    GLOBAL M_u64* const counts = words;
    words += COUNTERS / 2;
#endif
    $place
    $outputs
    S_$I first = segment * p.length;
    S_$I last = first + p.length < p.n ? first + p.length : p.n;
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
        $coordinates
        $ahead
#if AHEAD
        UNROLL for (int a = 0; a < AHEAD; a++) if (first + (a + 1) * strip <= last) {
            const S_$I from = first + a * strip + own;
            $read_ahead
        }
#endif
        for (S_$I block = first; block < last; block += BLOCK * strip) {
            S_$I end = block + BLOCK * strip < last ? block + BLOCK * strip : last, r = block;
            $Part part[COLUMNS][ACCUMULATORS];
#if SEPARATE
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = ${none}();
#else
            EACH_COLUMN EACH_ACCUMULATOR part[c][u] = best[c][u];
#endif
#if AHEAD
            while (r + AHEAD * strip <= end) UNROLL for (int a = 0; a < AHEAD; a++) {
                $from_ahead
                if (r + (AHEAD + 1) * strip <= last) {
                    const S_$I from = r + AHEAD * strip + own;
                    $read_ahead
                }
                $strip
                r += strip;
            }
            UNROLL for (int a = 0; a < AHEAD - 1; a++) if (r + strip <= end) {
                $from_ahead
                $strip
                r += strip;
            }
#else
            for (; r + strip <= end; r += strip) {
                $strip
            }
#endif
            if (r < end) EACH {
                S_$I i = r + own + u * LANES;
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
                    $masked_loads
                    $value
                    part[c][u % ACCUMULATORS] = ${take}(
                        part[c][u % ACCUMULATORS], where_$P(valid, v, $no_value), SPLAT_i32((int)(r - first)));
                }
                $advance
            }
#if SEPARATE
            EACH_COLUMN EACH_ACCUMULATOR best[c][u] = ${merged}(best[c][u], part[c][u]);
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
    const S_$I its = (chunk * OUTPUTS + mine) * COLUMNS;
    if (mine < OUTPUTS && its < p.outputs) EACH_COLUMN {
        const S_$I output = its + c;
#if LANES_PER_OUTPUT > 1
        total[c] = rest_of(totals[c], LANES_PER_OUTPUT, mine);
#endif
        $results
    }
    $combine_in_launch
}

//: item
// The output in its group that the work-item is for, and its number among the work-items of that output.
const int column = OUTPUT_MAJOR ? LID % OUTPUTS : LID / ITEMS, item = OUTPUT_MAJOR ? LID / OUTPUTS : LID % ITEMS;

//: place
// The work-item is for `segment` of output `row`, or of the outputs of that row.
#if GPU
$item
const S_$I number = GROUP;
#else
const int column = 0, item = 0;
const S_$I number = GID;
if (number >= p.outputs * p.segments) return;
#endif
const S_$I chunk = OUTPUT_MAJOR ? number % CHUNKS : number / p.segments;
const S_$I segment = OUTPUT_MAJOR ? number / CHUNKS$more : number % p.segments$more;
const S_$I row = chunk * OUTPUTS + column;

//: combine_in_launch
// FAN_IN segments are combined into a longer one by the last of the groups that publish them; so are these, until one
// is left.
GLOBAL M_u32* counters = (GLOBAL M_u32*)counts;
S_$I n = p.segments, place = segment;
LOCAL int is_last;
while (n > 1) {
    const S_$I longer = place / FAN_IN, rest = n - longer * FAN_IN;
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
    $combine
}

//: combine
// The longer segment number `place`: the published results of its segments, among `n` in all, are combined
// and cleared. Its own result is published too; that of the only one is stored.
const S_$I own = place * FAN_IN + item, fewer = (n + FAN_IN - 1) / FAN_IN;
GLOBAL M_u64* words_of_longer = words + n * p.outputs * VALUE_WORDS;
for (int c = 0; c < COLUMNS; c++) {
    const S_$I output = row * COLUMNS + c;
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
            $stores
        }
    }
}
words = words_of_longer;
n = fewer;

//: combine_launch
// Combines segments into longer ones in a launch that takes the same arguments.
KERNEL void combine_segments($arguments) {
    $item
    S_$I n = p.segments, place = GROUP / CHUNKS;
    const S_$I row = GROUP % CHUNKS * OUTPUTS + column;
    LOCAL Total totals[COLUMNS][GROUP_ITEMS * LANES_PER_ITEM];
    words += COUNTERS / 2 + p.published_0 * VALUE_WORDS;
    $combine
}

//: across
#define EACH UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
KERNEL void $kernel($arguments) {
    $scalars
    S_$I number = GID, page = number % p.pages;
    number /= p.pages;
    S_$I segment = number % p.segments$more, row = number / p.segments;
    if (row >= p.outputs / $extent) return;
    S_$I column = page * p.width * LANES, left = ($extent - column + LANES - 1) / LANES;
    const int width = left < p.width ? left : p.width;
    $outputs
    S_$I first = segment * p.length;
    S_$I last = first + p.length < p.n ? first + p.length : p.n;
    Accumulator total[PAGE];
    $each_of_page total[u] = nothing();
    for (S_$I block = first; block < last; block += BLOCK_ACROSS) {
        const int rows = last - block < BLOCK_ACROSS ? last - block : BLOCK_ACROSS;
        $row_starts
        for (int b = 0; b < rows; b++) {
            $coordinates
            $row_places
        }
        for (int c = 0; c < width; c += ACCUMULATORS) {
            $begin
            Accumulator part[ACCUMULATORS];
            EACH part[u] = nothing();
            for (int b = 0; b < rows; b++) {
                EACH {
                    const S_$I i = begin + u * LANES;
                    $loads
                    $value
                    part[u] = take(part[u], v, SPLAT_i32(block + b - first));
                }
            }
            EACH total[c + u] = merged(total[c + u], part[u]);
        }
    }
    for (int c = 0; c < width; c += ACCUMULATORS) {
        $begin
        EACH {
            const S_$I i = begin + u * LANES;
            $stores
        }
    }
}

//: short
// A work-item has all ELEMENTS of OUTPUTS neighbouring outputs; the last one those of the outputs that are left. The
// rows of a group may go through local memory, CHUNK elements; then each work-item finds the elements of a row there.
#define EACH_OUTPUT UNROLL for (int c = 0; c < OUTPUTS; c++)
#define STRIP (ACCUMULATORS * LANES_PER_OUTPUT)
#define STRIPS ((ELEMENTS + STRIP - 1) / STRIP)
KERNEL void $kernel($arguments) {
    $scalars
    $brought
    const S_$I first = GID * OUTPUTS;
    if (first >= p.outputs) return;
    const int left = p.outputs - first < OUTPUTS ? (int)(p.outputs - first) : OUTPUTS;
    S_$I row = first;
    $outputs
    $declared
    if (left == OUTPUTS) {
        $whole
    } else {
        $part
    }
    $results
    EACH_OUTPUT {
#if IN_PARTS // in any order
        Part parts[ACCUMULATORS];
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) parts[u] = no_part();
        UNROLL for (int e = 0; e < ELEMENTS; e++) {
            $element
            $value
            parts[e % ACCUMULATORS] = take_part(parts[e % ACCUMULATORS], v, 0);
        }
        UNROLL for (int u = 1; u < ACCUMULATORS; u++) parts[0] = take_part(parts[0], parts[u].value, 0);
        const Total total = merged_part(nothing(), parts[0]);
#else
        Total of_lanes[LANES_PER_OUTPUT];
        UNROLL for (int lane = 0; lane < LANES_PER_OUTPUT; lane++) {
            UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
                const int own = lane * ACCUMULATORS + u, n = LANES;
                Accumulator part = nothing();
                UNROLL for (int k = 0; k < STRIPS; k++) { // of a constant number, so that arrays stay in registers
                    const int e = own + k * STRIP;
                    if (e < ELEMENTS) {
                        $element
                        $value
                        part = take(part, v, SPLAT_i32(k * STRIP));
                    }
                }
                Total sum = TOTAL(ROUNDED ? merged(nothing(), part) : part, own);
                of_lanes[lane] = u ? combined(of_lanes[lane], sum) : sum;
            }
        }
        UNROLL for (int away = LANES_PER_OUTPUT / 2; away > 0; away /= 2)
            UNROLL for (int k = 0; k < LANES_PER_OUTPUT / 2; k++)
                if (k < away) of_lanes[k] = combined(of_lanes[k], of_lanes[k + away]);
        const Total total = of_lanes[0];
#endif
        $stored
    }
    if (left == OUTPUTS) {
        $store_whole
    } else {
        $store_part
    }
}

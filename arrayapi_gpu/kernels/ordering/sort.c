// The kernels of sorting; see sort.py. Defined before each:
// SIGNED  FLOATS  DESCENDING   of the order: of integers with a sign, of the bits of floating-point numbers; or neither
//   WIDTH                 bits of an element
//   SIGN  INFINITE        the sign bit, and the bits of infinity
//   POSITIONS             whether positions, M_$J, move along with the elements
//   BINS                  values of a digit
//   SHORT                 the longest row that is sorted by a network, with vectors
// and for groups that sort together (without vectors)
//   SIZE  OWN  RESIDENT      work-items, elements of each, and groups that a multiprocessor should have room for
//   LAST                  an element that no other comes after, which stands for those past the end
//   DIGITS  COPIES        digits of an element; counts of each in a histogram
//   CHAINED  LINE         see scatter_together; words before those of the first tile
// Elements only move, so they are read as M_$K, their bits.

//: words
// The places of elements in the order, as numbers: equal for both zeros; the largest for NaN.
FN R_$K keys(R_$K bits) {
    R_$K k = bits, size = bits & ~C_$K(SIGN);
    if (SIGNED) k ^= C_$K(SIGN);
    if (FLOATS) {
        k ^= AS_$K(AS_$I(bits) >> C_$I(WIDTH - 1)) | C_$K(SIGN); // the signs' bits in all places
        k = WHERE_$K(EQ(size, C_$K(0)), C_$K(SIGN), k);
    }
    if (DESCENDING) k = ~k;
    return FLOATS ? WHERE_$K(GT(size, C_$K(INFINITE)), ~C_$K(0), k) : k;
}

#define DIGIT(bits, shift) (keys(bits) >> C_$K(shift) & C_$K(BINS - 1))
#define VALID(left) ((left) < LANES ? (int)(left) : LANES)

FN R_$K take(const GLOBAL M_$K* p, S_i64 i, int n) {
    return n < LANES ? LOADN_$K(p, i, 1, n) : LOAD_$K(p, i);
}

// Move elements to the places of their digits. Each digit's next cache line is prefetched in time.
FN void move(
    GLOBAL M_$K* to, const GLOBAL M_$K* from, GLOBAL M_$J* to_j, const GLOBAL M_$J* from_j,
    S_i64 first, S_i64 last, int shift, int fresh, S_i64* places) {
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        M_$K digits[LANES];
        SPILL(DIGIT(take(from, i, n), shift), digits);
        for (int k = 0; k < n; k++) {
            S_i64 place = places[digits[k]]++;
            to[place] = from[i + k];
            PREFETCH(to + place + 64 / sizeof(M_$K));
            if (!POSITIONS) continue;
            to_j[place] = fresh ? i + k : from_j[i + k];
            PREFETCH(to_j + place + 64 / sizeof(M_$J));
        }
    }
}

//: network
// Each lane sorts a row of its own by exchanges (Batcher's merge exchange, which takes any length;
// Knuth, The Art of Computer Programming, 5.2.2 M). Positions decide between equal keys, unless
// those have equal elements, which keys() then turns back into.
#define PLACED (POSITIONS || FLOATS)

KERNEL void network(GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, const Parameters p) {
    S_i64 row = GID * LANES;
    if (row >= p.rows) return;
    int n = (int)p.n, lanes = VALID(p.rows - row);
    from += p.from_0 + row * n;
    to += row * n, to_j += row * n;
    R_$K order[SHORT];
    R_u8 places[SHORT];
    for (int i = 0; i < n; i++) {
        order[i] = keys(lanes < LANES ? LOADN_$K(from, i, n, lanes) : LOADS_$K(from, i, n));
        places[i] = C_u8(i);
    }
    int top = 1;
    while (2 * top < n) top *= 2;
    for (int step = top; step; step /= 2)
        for (int span = top, gap = step, part = 0; gap; part = step) {
            for (int i = 0; i + gap < n; i++) {
                if ((i & step) != part) continue;
                R_$K x = order[i], y = order[i + gap];
                R_u8 j = places[i], k = places[i + gap];
                R_b8 swap = GT(x, y);
                if (PLACED) swap |= EQ(x, y) & GT(j, k);
                order[i] = WHERE_$K(swap, y, x), order[i + gap] = WHERE_$K(swap, x, y);
                if (!PLACED) continue;
                places[i] = WHERE_u8(swap, k, j), places[i + gap] = WHERE_u8(swap, j, k);
            }
            gap = span - step, span /= 2;
        }
    R_i64 rows = WHERE_i64(LT(IOTA, SPLAT_i64(lanes)), IOTA * SPLAT_i64(n), C_i64(0));
    for (int i = 0; i < n; i++) {
        R_$K bits = PLACED ? LOADG_$K(from, rows + TO_i64(places[i])) : keys(order[i]);
        if (POSITIONS) STOREN_$J(to_j, i, n, lanes, TO_$J(places[i]));
        else STOREN_$K(to, i, n, lanes, bits);
    }
}

//: differ
// The bits in which the keys of a segment differ from the first key of the row.
KERNEL void differ(GLOBAL M_$K* out, GLOBAL M_$K* from, const Parameters p) {
    if (GID >= p.rows * p.segments) return;
    S_i64 first = GID % p.segments * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + GID / p.segments * p.n;
    R_$K start = keys(LOAD1_$K(from, 0)), bits = C_$K(0);
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        R_$K other = keys(take(from, i, n)) ^ start;
        bits |= n < LANES ? WHERE_$K(LT(IOTA, SPLAT_i64(n)), other, C_$K(0)) : other;
    }
    bits |= ROTATE_$K(bits, 8);
    bits |= ROTATE_$K(bits, 4);
    bits |= ROTATE_$K(bits, 2);
    bits |= ROTATE_$K(bits, 1);
    STOREN_$K(out, GID, 1, 1, bits);
}

//: count
KERNEL void count(GLOBAL M_i64* counts, GLOBAL M_$K* from, const Parameters p) {
    if (GID >= p.rows * p.segments) return;
    S_i64 segment = GID % p.segments, row = GID / p.segments, first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + row * p.n;
    M_u32 bins[2][BINS]; // two, so that equal neighbours need not wait for each other
    for (int d = 0; d < BINS; d++) bins[0][d] = bins[1][d] = 0;
    for (; first < last; first += LANES) {
        int n = VALID(last - first);
        M_$K digits[LANES];
        SPILL(DIGIT(take(from, first, n), p.shift), digits);
        UNROLL for (int k = 0; k < LANES; k++)
            if (k < n) bins[k & 1][digits[k]]++;
    }
    for (int d = 0; d < BINS; d++)
        counts[(row * BINS + d) * p.segments + segment] = bins[0][d] + bins[1][d];
}

//: scatter
KERNEL void scatter(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, GLOBAL M_$J* from_j,
    GLOBAL M_i64* starts, const Parameters p) {
    if (GID >= p.rows * p.segments) return;
    S_i64 segment = GID % p.segments, row = GID / p.segments, first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + row * p.n;
    to += row * p.n, to_j += row * p.n, from_j += row * p.n;
    S_i64 places[BINS];
    for (int d = 0; d < BINS; d++)
        places[d] = starts[(row * BINS + d) * p.segments + segment];
    move(to, from, to_j, from_j, first, last, (int)p.shift, (int)p.first, places);
}

//: network_together
// A row takes a power of two of slots, p.length, and a work-item has OWN neighbouring slots: of several rows, or of one
// that neighbouring work-items of its warp share. Slots past the end of a row have numbers that come last. A work-item
// sorts its slots by the exchanges of a network, in registers. Then rows of pairs of work-items are merged, of fours and
// so on: each number is compared with that of the mirrored slot (`turned`), and then with those at half the distance,
// and so on. Memory is read and written a warp's rows at a time, from and to neighbouring places.
#define PLACED (POSITIONS || FLOATS)
#define AT(slot) ((slot) + (slot) / WARP) // of a tile: work-items that read their own slots find different banks
#define AREA AT(WARP * OWN)

#define BEFORE(x, j, y, k) ((x) < (y) || (PLACED && (x) == (y) && (j) < (k)))
#define EXCHANGE(a, b)                                                                             \
    {                                                                                              \
        M_$O x = order[a], y = order[b];                                                           \
        M_u32 j = places[a], k = places[b];                                                        \
        int swap = BEFORE(y, k, x, j);                                                             \
        order[a] = swap ? y : x, order[b] = swap ? x : y;                                          \
        if (PLACED) places[a] = swap ? k : j, places[b] = swap ? j : k;                            \
    }

GROUP_FN void across(
    M_$O* order, M_u32* places, SHARED M_$O* tile, SHARED M_u16* tile_j, int lane, int other, int turned) {
    UNROLL for (int k = 0; k < OWN; k++) {
        tile[k * WARP + lane] = order[k];
        if (PLACED) tile_j[k * WARP + lane] = places[k];
    }
    WARP_BARRIER;
    UNROLL for (int k = 0; k < OWN; k++) {
        int at = (turned ? OWN - 1 - k : k) * WARP + other;
        M_$O x = tile[at];
        M_u32 j = PLACED ? tile_j[at] : 0;
        int take = BEFORE(x, j, order[k], places[k]) == (lane < other);
        order[k] = take ? x : order[k];
        if (PLACED) places[k] = take ? j : places[k];
    }
    WARP_BARRIER;
}

KERNEL RESIDENT_GROUPS_OF(SIZE, RESIDENT) void network_together(GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_i64* to_j, const Parameters p) {
    LOCAL M_$O tiles[SIZE / WARP * AREA];
    LOCAL M_u16 tiles_j[PLACED ? SIZE / WARP * AREA : 1];
    SHARED M_$O* tile = tiles + LID / WARP * AREA;
    SHARED M_u16* tile_j = tiles_j + (PLACED ? LID / WARP * AREA : 0);
    int lane = LID % WARP, n = (int)p.n, slots = (int)p.length, rows = WARP * OWN / slots;
    S_i64 row = GID / WARP * rows;
    if (p.rows - row < rows) rows = p.rows > row ? (int)(p.rows - row) : 0;
    int count = rows * n, own = AT(lane * OWN);
    from += p.from_0 + row * n, to += row * n, to_j += row * n;
    // From element i of a row, in a slot, to the one WARP elements further on.
    int i = lane % n, slot = lane / n * slots + i, rest = WARP % n, step = WARP / n * slots + rest;
#define WALK slot += step, i += rest; if (i >= n) i -= n, slot += slots - n

    M_$K bits[OWN];
    UNROLL for (int k = 0; k < OWN; k++) bits[k] = lane + k * WARP < count ? from[lane + k * WARP] : 0;
    UNROLL for (int k = 0; k < OWN; k++) {
        if (lane + k * WARP < count) tile[AT(slot)] = keys(bits[k]);
        WALK;
    }
    WARP_BARRIER;
    M_$O order[OWN];
    M_u32 places[OWN];
    UNROLL for (int k = 0; k < OWN; k++) {
        places[k] = lane * OWN + k & slots - 1;
        order[k] = (int)places[k] < n && lane * OWN + k < rows * slots ? tile[own + k] : ~(M_$O)0;
    }
    WARP_BARRIER;
    $exchanges
    for (int share = 2; share * OWN <= slots; share *= 2) {
        across(order, places, tile, tile_j, lane, lane ^ share - 1, 1);
        for (int far = share / 4; far; far /= 2) across(order, places, tile, tile_j, lane, lane ^ far, 0);
        $merges
    }
    UNROLL for (int k = 0; k < OWN; k++) {
        if (PLACED) tile_j[own + k] = places[k];
        else tile[own + k] = order[k];
    }
    WARP_BARRIER;
    i = lane % n, slot = lane / n * slots + i;
    UNROLL for (int k = 0; k < OWN; k++) {
        int j = lane + k * WARP;
        if (j < count) {
            int place = PLACED ? tile_j[AT(slot)] : 0;
            if (POSITIONS) to_j[j] = place;
            else to[j] = PLACED ? from[j - i + place] : keys(tile[AT(slot)]);
        }
        WALK;
    }
}

//: together
// Common parts of the kernels in which a group sorts tiles. Element k of a work-item lies WARP behind element k - 1, so
// that warps read neighbours; the first BINS work-items do the work for the digits. Numbers of elements are M_$W.
#define TILE (SIZE * OWN)
#define WARPS (SIZE / WARP)
#define FIRST (LID / WARP * WARP * OWN + LID % WARP)

// The digits become the number of earlier elements of the same digit in the warp, with the digit in the low bits;
// counts[warp][digit] becomes the number of all of them.
GROUP_FN void rank(SHARED M_u16* counts, SHARED M_u32* table, M_u32* digits) {
    for (int j = LID; j < WARPS * BINS; j += SIZE) counts[j] = 0;
    BARRIER;
    counts += LID / WARP * BINS;
    M_u32 lower = (1U << LID % WARP) - 1;
    UNROLL for (int k = 0; k < OWN; k++) {
        M_u32 digit = digits[k], same = PEERS(table, digit), earlier = POPCOUNT(same & lower), sum = counts[digit];
        WARP_BARRIER;
        if (!earlier) counts[digit] = sum + POPCOUNT(same);
        WARP_BARRIER;
        digits[k] = (sum + earlier) * BINS + digit;
    }
    BARRIER;
}

// The number of elements with the work-item's digit; in counts, the number of those in the warps before.
GROUP_FN M_u32 over_warps(SHARED M_u16* counts) {
    M_u32 sum = 0;
    UNROLL for (int j = LID; j < WARPS * BINS; j += BINS) {
        M_u32 own = counts[j];
        counts[j] = sum;
        sum += own;
    }
    return sum;
}

// The results of rank() become places in the order of the digits; `start` is that of the work-item's digit.
GROUP_FN void spread(SHARED M_u16* counts, M_u32* places, M_u32 start) {
    if (LID < BINS)
        UNROLL for (int j = LID; j < WARPS * BINS; j += BINS) counts[j] += start;
    BARRIER;
    counts += LID / WARP * BINS;
    UNROLL for (int k = 0; k < OWN; k++) places[k] = places[k] / BINS + counts[places[k] % BINS];
}

//: row_together
// A group sorts a tile, which is a row or a segment of one. UNIQUE: it writes the first of equal elements alone, each NaN,
// and in to_j the number of these.
KERNEL void row_together(GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_i64* to_j, const Parameters p) {
    LOCAL M_$K tile[TILE];
    LOCAL M_u16 tile_j[POSITIONS ? TILE : 1], counts[WARPS * BINS];
    LOCAL M_u32 table[PEERS_ROOM(SIZE)];
    LOCAL M_$W sums[SIZE];
    S_i64 first = GROUP % p.segments * p.length, start = GROUP / p.segments * p.n + first;
    int n = (int)(p.n - first < p.length ? p.n - first : p.length);
    from += p.from_0 + start, to += start, to_j += start;
    M_$K bits[OWN];
    M_u16 origins[OWN];
    M_u32 places[OWN];
    for (int j = LID; j < PEERS_ROOM(SIZE); j += SIZE) table[j] = 0;
    UNROLL for (int k = 0; k < OWN; k++) {
        origins[k] = FIRST + WARP * k;
        bits[k] = origins[k] < n ? from[origins[k]] : LAST;
    }
    for (int shift = 0; shift < 8 * (int)sizeof(M_$K); shift += 8) {
        UNROLL for (int k = 0; k < OWN; k++) places[k] = DIGIT(bits[k], shift);
        rank(counts, table, places);
        spread(counts, places, sum_before(sums, LID < BINS ? over_warps(counts) : 0));
        UNROLL for (int k = 0; k < OWN; k++) {
            tile[places[k]] = bits[k];
            if (POSITIONS) tile_j[places[k]] = origins[k];
        }
        BARRIER;
        UNROLL for (int k = 0; k < OWN; k++) {
            int j = FIRST + WARP * k;
            bits[k] = tile[j];
            origins[k] = POSITIONS ? tile_j[j] : j;
        }
        BARRIER;
    }
    if (UNIQUE) {
        M_u8 begins[OWN];
        M_u32 sum = 0;
        UNROLL for (int k = 0; k < OWN; k++) {
            int j = LID * OWN + k;
            M_$K key = keys(tile[j]);
            begins[k] = j < n && (!j || keys(tile[j - 1]) != key || (FLOATS && key == (M_$K)~(M_$K)0));
            sum += begins[k];
        }
        M_$W at = sum_before(sums, sum);
        if (LID == SIZE - 1) to_j[0] = at + sum;
        UNROLL for (int k = 0; k < OWN; k++)
            if (begins[k]) to[at++] = tile[LID * OWN + k];
        return;
    }
    UNROLL for (int k = 0; k < OWN; k++) {
        int j = FIRST + WARP * k;
        if (j >= n) continue;
        if (POSITIONS) to_j[j] = origins[k];
        if (!POSITIONS || p.segments > 1) to[j] = bits[k];
    }
}

//: merge_together
// Each element of the sorted segments of a row goes to its place: behind those of its own that are before it, and those of
// the others that come before it, among equal ones those of earlier segments. AHEAD segments are searched at a time.
#define AHEAD 4

KERNEL void merge_together(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_i64* to_j, GLOBAL M_i64* from_j, const Parameters p) {
    if (GID >= p.rows * p.n) return;
    S_i64 row = GID / p.n;
    int n = (int)p.n, length = (int)p.length, at = (int)(GID - row * n), own = at / length, top = 1;
    from += row * n, to += row * n, from_j += row * n, to_j += row * n;
    while (2 * top <= length) top *= 2;
    M_$K bits = from[at], key = keys(bits);
    int place = at - own * length;
    for (int first = 0; first < n; first += AHEAD * length) {
        int before[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) before[k] = 0;
        for (int step = top; step; step /= 2)
            UNROLL for (int k = 0; k < AHEAD; k++) {
                int start = first + k * length, next = before[k] + step;
                if (next > length || start + next > n || first / length + k == own) continue;
                M_$K other = keys(from[start + next - 1]);
                if (start < at ? other <= key : other < key) before[k] = next;
            }
        UNROLL for (int k = 0; k < AHEAD; k++) place += before[k];
    }
    if (POSITIONS) to_j[place] = own * length + from_j[at];
    else to[place] = bits;
}

//: histogram_together
// Count all digits of a segment. Work-items have COPIES counts of each, so that few wait for an equal digit.
KERNEL void histogram_together(GLOBAL M_$W* counts, GLOBAL M_$K* from, const Parameters p) {
    LOCAL M_u32 bins[DIGITS * BINS * COPIES];
    S_i64 first = GROUP % p.segments * p.length, row = GROUP / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + row * p.n;
    for (int j = LID; j < DIGITS * BINS * COPIES; j += SIZE) bins[j] = 0;
    BARRIER;
    for (S_i64 i = first + LID; i < last; i += 8 * SIZE) {
        M_$K bits[8];
        UNROLL for (int k = 0; k < 8; k++) bits[k] = i + k * SIZE < last ? from[i + k * SIZE] : 0;
        UNROLL for (int k = 0; k < 8; k++) {
            if (i + k * SIZE >= last) continue;
            M_$K key = keys(bits[k]);
            UNROLL for (int d = 0; d < DIGITS; d++)
                ATOMIC_ADD(&bins[(d * BINS + (int)(key >> 8 * d & BINS - 1)) * COPIES + LID % COPIES], 1);
        }
    }
    BARRIER;
    counts += row * DIGITS * BINS;
    for (int j = LID; j < DIGITS * BINS; j += SIZE) {
        M_u32 sum = 0;
        for (int k = 0; k < COPIES; k++) sum += bins[j * COPIES + k];
        if (!sum) continue;
        // Where counts have 64 bits, the upper half takes the carry of the lower one.
        GLOBAL M_u32* count = (GLOBAL M_u32*)(counts + j);
        M_u32 was = ATOMIC_ADD(count, sum);
        if (sizeof(M_$W) > sizeof sum && was + sum < was) ATOMIC_ADD(count + 1, 1);
    }
}

//: plan_together
// The place in its row at which each digit begins, and the digits that have a turn: those in which the row's elements
// differ; if none does, the lowest. turns[row][digit]: the number of turns before, or -1; behind these, that of all.
KERNEL void plan_together(GLOBAL M_$W* counts, GLOBAL M_i32* turns, const Parameters p) {
    LOCAL M_$W sums[SIZE];
    LOCAL M_u32 same[DIGITS];
    counts += GROUP * DIGITS * BINS, turns += GROUP * (DIGITS + 1);
    if (LID < DIGITS) same[LID] = 0;
    BARRIER;
    for (int d = 0; d < DIGITS; d++) {
        M_$W count = LID < BINS ? counts[d * BINS + LID] : 0;
        if (count == (M_$W)p.n) same[d] = 1;
        count = sum_before(sums, count);
        if (LID < BINS) counts[d * BINS + LID] = count;
    }
    BARRIER;
    if (LID) return;
    int number = 0;
    for (int d = 0; d < DIGITS; d++) turns[d] = same[d] ? -1 : number++;
    if (!number) turns[0] = number++;
    turns[DIGITS] = number;
}

//: count_together
// The number of elements with each digit in a tile.
KERNEL void count_together(
    GLOBAL M_$W* counts, GLOBAL M_$K* even, GLOBAL M_$K* odd, GLOBAL M_$K* from, GLOBAL M_i32* turns,
    const Parameters p) {
    LOCAL M_u32 bins[BINS];
    S_i64 segment = GROUP % p.segments, row = GROUP / p.segments, first = segment * TILE;
    int n = p.n - first < TILE ? (int)(p.n - first) : TILE;
    turns += row * (DIGITS + 1);
    int before = turns[p.shift / 8], after = turns[DIGITS] - 1 - before;
    if (before < 0) n = 0; // no tile needs these counts, but they are scanned
    from = before ? (after & 1 ? even : odd) : from + p.from_0;
    from += row * p.n + first;
    for (int d = LID; d < BINS; d += SIZE) bins[d] = 0;
    BARRIER;
    for (int j = LID; j < n; j += SIZE) ATOMIC_ADD(&bins[DIGIT(from[j], p.shift)], 1);
    BARRIER;
    for (int d = LID; d < BINS; d += SIZE) counts[(row * BINS + d) * p.segments + segment] = bins[d];
}

//: scatter_together
// Each group sorts a tile by a digit, then writes runs of equal digits. The row goes to and fro between `even` and
// `odd`, by the number of turns that are left; positions end in `result`.
//
// The place of each run: with CHAINED, words[tile][digit] has the number of elements with the digit in the tile (SOME),
// or up to its end (ALL), as soon as its group knows it; the numbers have the same sum in any order. Tiles are numbered
// as groups begin, so no group waits for one that has not begun. Otherwise words[row][digit][tile] is the place itself.
#define SHIFT (8 * (int)sizeof(M_$W) - 2)
#define SOME ((M_$W)1 << SHIFT)
#define ALL_OF ((M_$W)2 << SHIFT)
#define AHEAD 4 // tiles whose words are read at a time

// The number of elements with the work-item's digit in the `tiles` of the row before the one with these words.
GROUP_FN M_$W before_tile(GLOBAL M_$W* words, int tiles) {
    M_$W sum = 0;
    words += LID;
    while (tiles) {
        M_$W seen[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) seen[k] = k < tiles ? PEEK($W, words, -(k + 1) * BINS) : 0;
        UNROLL for (int k = 0; k < AHEAD; k++) {
            if (!(seen[k] >> SHIFT)) break;
            sum += seen[k] & (SOME - 1);
            if (seen[k] >= ALL_OF) return sum;
            words -= BINS, tiles--;
        }
    }
    return sum;
}

KERNEL RESIDENT_GROUPS_OF(SIZE, RESIDENT) void scatter_together(
    GLOBAL M_$K* even, GLOBAL M_$K* odd, GLOBAL M_$K* from, GLOBAL M_i64* result, GLOBAL M_$J* even_j,
    GLOBAL M_$J* odd_j, GLOBAL M_$W* starts, GLOBAL M_i32* turns, GLOBAL M_$W* words, const Parameters p) {
    LOCAL M_$E tile[TILE]; // of elements, then of positions
    LOCAL M_u16 counts[WARPS * BINS];
    LOCAL M_u32 table[PEERS_ROOM(SIZE)], number;
    LOCAL M_$W sums[SIZE], runs[BINS];
    M_u32 group = (M_u32)GROUP, segments = (M_u32)p.segments; // memory holds no more tiles
    if (CHAINED) {
        if (LID == 0) number = ATOMIC_ADD((GLOBAL M_u32*)(words + p.words_0), 1);
        words += p.words_0 + LINE;
        BARRIER;
        group = number;
    }
    S_i64 segment = group % segments, row = group / segments, first = segment * TILE;
    int n = p.n - first < TILE ? (int)(p.n - first) : TILE, digit = (int)p.shift / 8;
    turns += row * (DIGITS + 1);
    int before = turns[digit], after = turns[DIGITS] - 1 - before;
    if (before < 0) return;
    GLOBAL M_$K* to = after & 1 ? odd : even;
    GLOBAL M_$J* to_j = after & 1 ? odd_j : even_j;
    from = before ? (after & 1 ? even : odd) : from + p.from_0;
    from += row * p.n + first;
    GLOBAL M_$J* from_j = (after & 1 ? even_j : odd_j) + row * p.n + first;

    M_$K bits[OWN];
    M_u32 places[OWN];
    for (int j = LID; j < PEERS_ROOM(SIZE); j += SIZE) table[j] = 0;
    if (n == TILE)
        UNROLL for (int k = 0; k < OWN; k++) bits[k] = from[FIRST + WARP * k];
    else
        UNROLL for (int k = 0; k < OWN; k++) bits[k] = FIRST + WARP * k < n ? from[FIRST + WARP * k] : LAST;
    UNROLL for (int k = 0; k < OWN; k++) places[k] = DIGIT(bits[k], p.shift);
    rank(counts, table, places);
    M_$W total = LID < BINS ? over_warps(counts) : 0;
    if (CHAINED && LID < BINS) POST($W, words, (S_i64)group * BINS + LID, (segment ? SOME : ALL_OF) | total);
    M_$W start = sum_before(sums, total);
    spread(counts, places, (M_u32)start);
    UNROLL for (int k = 0; k < OWN; k++) tile[places[k]] = bits[k];
    M_$J positions[OWN];
    if (POSITIONS)
        UNROLL for (int k = 0; k < OWN; k++) {
            int j = FIRST + WARP * k;
            positions[k] = !before ? first + j : j < n ? from_j[j] : 0;
        }
    if (LID < BINS) {
        M_$W place = 0;
        if (CHAINED) {
            place = before_tile(words + (S_i64)group * BINS, (int)segment);
            if (segment) POST($W, words, (S_i64)group * BINS + LID, ALL_OF | (place + total));
            place += starts[(row * DIGITS + digit) * BINS + LID];
        } else {
            place = words[(row * BINS + LID) * p.segments + segment];
        }
        runs[LID] = row * (M_$W)p.n + place - start;
    }
    BARRIER;
    M_$W targets[OWN];
    UNROLL for (int k = 0; k < OWN; k++) targets[k] = runs[DIGIT(tile[LID + SIZE * k], p.shift)] + LID + SIZE * k;
    if (!POSITIONS || after) {
        if (n == TILE)
            UNROLL for (int k = 0; k < OWN; k++) to[targets[k]] = tile[LID + SIZE * k];
        else
            UNROLL for (int k = 0; k < OWN; k++)
                if (LID + SIZE * k < n) to[targets[k]] = tile[LID + SIZE * k];
    }
    if (!POSITIONS) return;
    BARRIER;
    UNROLL for (int k = 0; k < OWN; k++) tile[places[k]] = positions[k];
    BARRIER;
    UNROLL for (int k = 0; k < OWN; k++) {
        int j = LID + SIZE * k;
        if (j < n && after) to_j[targets[k]] = tile[j];
        if (j < n && !after) result[targets[k]] = tile[j];
    }
}

//: rows
// A work-item sorts a row, digit by digit, to and fro between `to` and `other`.
KERNEL void rows(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, GLOBAL M_$K* other, GLOBAL M_$J* other_j,
    const Parameters p) {
    if (GID >= p.rows) return;
    const int digits = sizeof(M_$K);
    S_i64 n = p.n, at = GID * n;
    from += p.from_0 + at;
    to += at, to_j += at, other += at, other_j += at;
    M_u32 counts[sizeof(M_$K)][BINS];
    for (int d = 0; d < digits; d++)
        for (int b = 0; b < BINS; b++) counts[d][b] = 0;
    M_$K own[LANES];
    for (S_i64 i = 0; i < n; i += LANES) {
        int m = VALID(n - i);
        SPILL(keys(take(from, i, m)), own);
        UNROLL for (int k = 0; k < LANES; k++)
            UNROLL for (int d = 0; d < digits; d++)
                if (k < m) counts[d][own[k] >> 8 * d & 255]++;
    }
    int passes = 0;
    SPILL(keys(LOAD1_$K(from, 0)), own);
    for (int d = 0; d < digits; d++) passes += counts[d][own[0] >> 8 * d & 255] != n;
    const GLOBAL M_$K* source = from;
    const GLOBAL M_$J* source_j = to_j;
    for (int d = 0, pass = passes ? passes : 1; pass; d++) {
        // A digit that all elements share is left out, but if all are, each still has to move.
        if (passes && counts[d][own[0] >> 8 * d & 255] == n) continue;
        GLOBAL M_$K* target = --pass & 1 ? other : to;
        GLOBAL M_$J* target_j = pass & 1 ? other_j : to_j;
        S_i64 places[BINS], sum = 0;
        for (int b = 0; b < BINS; b++) places[b] = sum, sum += counts[d][b];
        move(target, source, target_j, source_j, 0, n, 8 * d, source == from, places);
        source = target, source_j = target_j;
    }
}

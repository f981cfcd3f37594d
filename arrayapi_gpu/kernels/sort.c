// The kernels of sorting; see sort.py. Defined before each:
//   KIND  DESCENDING      of the order: 'u', 'i' or 'f' (bits of a float)
//   SIGN  INFINITE        the sign bit, and the bits of infinity
//   POSITIONS             whether positions, M_$J, move along with the elements
//   BINS                  values of a digit
//   SHORT                 the longest row that is sorted by a network
//   SIZE  OWN             work-items of a group, and elements of each (without vectors)
// Elements only move, so they are seen as M_$K, their bits.

//: words
// The places of elements in the order, as numbers: equal for both zeros; the largest for NaN.
FN R_$K keys(R_$K bits) {
    R_$K k = bits, size = bits & ~C_$K(SIGN);
    if (KIND == 'i') k ^= C_$K(SIGN);
    if (KIND == 'f') {
        k = WHERE_$K(NE(size, bits), ~bits, bits | C_$K(SIGN));
        k = WHERE_$K(EQ(size, C_$K(0)), C_$K(SIGN), k);
    }
    if (DESCENDING) k = ~k;
    return KIND == 'f' ? WHERE_$K(GT(size, C_$K(INFINITE)), ~C_$K(0), k) : k;
}

#define DIGIT(bits, shift) (keys(bits) >> C_$K(shift) & C_$K(BINS - 1))
#define VALID(left) ((left) < LANES ? (int)(left) : LANES)

FN R_$K take(const GLOBAL M_$K* p, S_i64 i, int n) {
    return n < LANES ? LOADN_$K(p, i, 1, n) : LOAD_$K(p, i);
}

// Move elements to the places of their digits. Each digit's next cache line is asked for in time.
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
#define PLACED (POSITIONS || KIND == 'f')

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
        for (int span = top, apart = step, part = 0; apart; part = step) {
            for (int i = 0; i + apart < n; i++) {
                if ((i & step) != part) continue;
                R_$K x = order[i], y = order[i + apart];
                R_u8 j = places[i], k = places[i + apart];
                R_b8 swap = GT(x, y);
                if (PLACED) swap |= EQ(x, y) & GT(j, k);
                order[i] = WHERE_$K(swap, y, x), order[i + apart] = WHERE_$K(swap, x, y);
                if (!PLACED) continue;
                places[i] = WHERE_u8(swap, k, j), places[i + apart] = WHERE_u8(swap, j, k);
            }
            apart = span - step, span /= 2;
        }
    R_i64 rows = WHERE_i64(LT(IOTA, SPLAT_i64(lanes)), IOTA * SPLAT_i64(n), C_i64(0));
    for (int i = 0; i < n; i++) {
        R_$K bits = PLACED ? LOADG_$K(from, rows + TO_i64(places[i])) : keys(order[i]);
        if (POSITIONS) STOREN_$J(to_j, i, n, lanes, TO_$J(places[i]));
        else STOREN_$K(to, i, n, lanes, bits);
    }
}

//: differ
// Which bits of the keys in a segment are not the same as in its row's first.
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

//: differ_together
KERNEL void differ_together(GLOBAL M_$K* out, GLOBAL M_$K* from, const Parameters p) {
    LOCAL M_$K all[SIZE];
    S_i64 first = GROUP % p.segments * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + GROUP / p.segments * p.n;
    M_$K start = keys(from[0]), bits = 0;
    for (S_i64 i = first + LID; i < last; i += SIZE) bits |= keys(from[i]) ^ start;
    all[LID] = bits;
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest) all[LID] |= all[LID + rest];
    }
    if (LID == 0) out[GROUP] = all[0];
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

//: count_together
KERNEL void count_together(GLOBAL M_i64* counts, GLOBAL M_$K* from, const Parameters p) {
    LOCAL M_u16 bins[BINS * SIZE];
    S_i64 segment = GROUP % p.segments, row = GROUP / p.segments;
    S_i64 first = segment * SIZE * OWN;
    S_i64 last = first + SIZE * OWN < p.n ? first + SIZE * OWN : p.n;
    from += p.from_0 + row * p.n;
    for (int d = 0; d < BINS; d++) bins[d * SIZE + LID] = 0;
    for (S_i64 i = first + LID; i < last; i += SIZE) bins[DIGIT(from[i], p.shift) * SIZE + LID]++;
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest)
            for (int d = 0; d < BINS; d++) bins[d * SIZE + LID] += bins[d * SIZE + LID + rest];
    }
    BARRIER;
    if (LID < BINS) counts[(row * BINS + LID) * p.segments + segment] = bins[LID * SIZE];
}

//: scatter_together
// The group sorts its elements by the digit in local memory, then writes runs of equal digits. Gaps
// in local memory let the stretches that work-items read lie in different banks.
#define TILE(j) ((j) + (j) / OWN)
#define BIN(j) ((j) + (j) / BINS * 2)

KERNEL void scatter_together(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, GLOBAL M_$J* from_j,
    GLOBAL M_i64* starts, const Parameters p) {
    LOCAL M_$K tile[TILE(SIZE * OWN)];
    LOCAL M_$J tile_j[POSITIONS ? TILE(SIZE * OWN) : 1];
    LOCAL M_u16 bins[BIN(BINS * SIZE)], sums[SIZE];
    LOCAL M_i64 runs[BINS];
    S_i64 segment = GROUP % p.segments, row = GROUP / p.segments, first = segment * SIZE * OWN;
    int n = p.n - first < SIZE * OWN ? (int)(p.n - first) : SIZE * OWN, own = LID * OWN;
    from += p.from_0 + row * p.n;
    to += row * p.n, to_j += row * p.n, from_j += row * p.n;
    for (int j = LID; j < n; j += SIZE) {
        tile[TILE(j)] = from[first + j];
        if (POSITIONS) tile_j[TILE(j)] = p.first ? first + j : from_j[first + j];
    }
    for (int d = 0; d < BINS; d++) bins[BIN(d * SIZE + LID)] = 0;
    BARRIER;
    M_$K mine[OWN];
    M_$J mine_j[OWN];
    for (int k = 0; k < OWN; k++)
        if (own + k < n) {
            mine[k] = tile[TILE(own + k)];
            if (POSITIONS) mine_j[k] = tile_j[TILE(own + k)];
            bins[BIN(DIGIT(mine[k], p.shift) * SIZE + LID)]++;
        }
    BARRIER;
    // How many elements come before those of a digit and a work-item: a running sum over all bins.
    M_u16 sum = 0;
    for (int k = 0; k < BINS; k++) sum += bins[BIN(LID * BINS + k)];
    sums[LID] = sum;
    for (int step = 1; step < SIZE; step *= 2) {
        BARRIER;
        if (LID >= step) sum += sums[LID - step];
        BARRIER;
        sums[LID] = sum;
    }
    for (int k = BINS - 1; k >= 0; k--) {
        sum -= bins[BIN(LID * BINS + k)];
        bins[BIN(LID * BINS + k)] = sum;
    }
    BARRIER;
    if (LID < BINS)
        runs[LID] = starts[(row * BINS + LID) * p.segments + segment] - bins[BIN(LID * SIZE)];
    BARRIER;
    for (int k = 0; k < OWN; k++)
        if (own + k < n) {
            int place = bins[BIN(DIGIT(mine[k], p.shift) * SIZE + LID)]++;
            tile[TILE(place)] = mine[k];
            if (POSITIONS) tile_j[TILE(place)] = mine_j[k];
        }
    BARRIER;
    for (int j = LID; j < n; j += SIZE) {
        S_i64 place = runs[DIGIT(tile[TILE(j)], p.shift)] + j;
        to[place] = tile[TILE(j)];
        if (POSITIONS) to_j[place] = tile_j[TILE(j)];
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

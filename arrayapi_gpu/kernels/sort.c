// The kernels of sorting; see sort.py. Defined before each:
//   KIND  DESCENDING      of the order: 'u', 'i' or 'f' (bits of a float)
//   SIGN  INFINITE        the sign bit, and the bits of infinity
//   PAIRS                 whether positions, M_$J, move along with the elements, M_$K
//   BINS                  values of a digit
//   SHORT                 the longest row that is sorted by insertion
//   SIZE  OWN             work-items of a group, and elements of each (without vectors)

//: words
// The place of an element in the order, as a number: equal for both zeros; the largest for NaN.
FN M_$K key(M_$K bits) {
    M_$K k = bits;
    if (KIND == 'i') k ^= SIGN;
    if (KIND == 'f') {
        M_$K size = bits & (M_$K)~SIGN;
        k = bits & SIGN ? ~bits : bits | SIGN;
        k = size == 0 ? SIGN : k;
        if (DESCENDING) k = ~k;
        return size > INFINITE ? (M_$K)~(M_$K)0 : k;
    }
    return DESCENDING ? ~k : k;
}

#define DIGIT(bits, shift) ((int)(key(bits) >> (shift) & (BINS - 1)))

//: insertion
KERNEL void insertion(GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, const Parameters p) {
    if (GID >= p.rows) return;
    M_$K keys[SHORT];
    from += p.from_0 + GID * p.n;
    to += GID * p.n, to_j += GID * p.n;
    for (int i = 0; i < p.n; i++) {
        M_$K bits = from[i], k = key(bits);
        int j = i;
        for (; j > 0 && keys[j - 1] > k; j--) {
            keys[j] = keys[j - 1];
            if (PAIRS) to_j[j] = to_j[j - 1];
            else to[j] = to[j - 1];
        }
        keys[j] = k;
        if (PAIRS) to_j[j] = i;
        else to[j] = bits;
    }
}

//: differ
// Which bits of the keys in a segment are not the same as in its row's first.
KERNEL void differ(GLOBAL M_$K* out, GLOBAL M_$K* from, const Parameters p) {
    if (GID >= p.rows * p.segments) return;
    S_i64 first = GID % p.segments * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + GID / p.segments * p.n;
    M_$K start = key(from[0]), bits = 0;
    for (S_i64 i = first; i < last; i++) bits |= key(from[i]) ^ start;
    out[GID] = bits;
}

//: count
KERNEL void count(GLOBAL M_i64* counts, GLOBAL M_$K* from, const Parameters p) {
    if (GID >= p.rows * p.segments) return;
    S_i64 segment = GID % p.segments, row = GID / p.segments, first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    from += p.from_0 + row * p.n;
    M_u32 bins[BINS], more[BINS]; // two, so that equal neighbours need not wait for each other
    for (int d = 0; d < BINS; d++) bins[d] = more[d] = 0;
    for (; first + 1 < last; first += 2) {
        bins[DIGIT(from[first], p.shift)]++;
        more[DIGIT(from[first + 1], p.shift)]++;
    }
    if (first < last) bins[DIGIT(from[first], p.shift)]++;
    for (int d = 0; d < BINS; d++)
        counts[(row * BINS + d) * p.segments + segment] = bins[d] + more[d];
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
    for (S_i64 i = first; i < last; i++) {
        M_$K bits = from[i];
        S_i64 place = places[DIGIT(bits, p.shift)]++;
        to[place] = bits;
        if (PAIRS) to_j[place] = p.first ? i : from_j[i];
    }
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
// The group sorts its elements by the digit in local memory, then writes runs of equal digits.
KERNEL void scatter_together(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, GLOBAL M_$J* from_j,
    GLOBAL M_i64* starts, const Parameters p) {
    LOCAL M_$K tile[SIZE * OWN];
    LOCAL M_$J tile_j[PAIRS ? SIZE * OWN : 1];
    LOCAL M_u16 bins[BINS * SIZE], sums[SIZE];
    LOCAL M_i64 runs[BINS];
    S_i64 segment = GROUP % p.segments, row = GROUP / p.segments, first = segment * SIZE * OWN;
    int n = p.n - first < SIZE * OWN ? (int)(p.n - first) : SIZE * OWN, own = LID * OWN;
    from += p.from_0 + row * p.n;
    to += row * p.n, to_j += row * p.n, from_j += row * p.n;
    for (int j = LID; j < n; j += SIZE) {
        tile[j] = from[first + j];
        if (PAIRS) tile_j[j] = p.first ? first + j : from_j[first + j];
    }
    for (int d = 0; d < BINS; d++) bins[d * SIZE + LID] = 0;
    BARRIER;
    M_$K mine[OWN];
    M_$J mine_j[OWN];
    for (int k = 0; k < OWN; k++)
        if (own + k < n) {
            mine[k] = tile[own + k];
            if (PAIRS) mine_j[k] = tile_j[own + k];
            bins[DIGIT(mine[k], p.shift) * SIZE + LID]++;
        }
    BARRIER;
    // How many elements come before those of a digit and a work-item: a running sum over all bins.
    M_u16 sum = 0;
    for (int k = 0; k < BINS; k++) sum += bins[LID * BINS + k];
    sums[LID] = sum;
    for (int step = 1; step < SIZE; step *= 2) {
        BARRIER;
        if (LID >= step) sum += sums[LID - step];
        BARRIER;
        sums[LID] = sum;
    }
    for (int k = BINS - 1; k >= 0; k--) {
        sum -= bins[LID * BINS + k];
        bins[LID * BINS + k] = sum;
    }
    BARRIER;
    if (LID < BINS)
        runs[LID] = starts[(row * BINS + LID) * p.segments + segment] - bins[LID * SIZE];
    BARRIER;
    for (int k = 0; k < OWN; k++)
        if (own + k < n) {
            int place = bins[DIGIT(mine[k], p.shift) * SIZE + LID]++;
            tile[place] = mine[k];
            if (PAIRS) tile_j[place] = mine_j[k];
        }
    BARRIER;
    for (int j = LID; j < n; j += SIZE) {
        S_i64 place = runs[DIGIT(tile[j], p.shift)] + j;
        to[place] = tile[j];
        if (PAIRS) to_j[place] = tile_j[j];
    }
}

//: rows
// A work-item sorts a row, digit by digit, to and fro between `to` and `other`.
KERNEL void rows(
    GLOBAL M_$K* to, GLOBAL M_$K* from, GLOBAL M_$J* to_j, GLOBAL M_$K* other, GLOBAL M_$J* other_j,
    const Parameters p) {
    if (GID >= p.rows) return;
    S_i64 n = p.n;
    from += p.from_0 + GID * n;
    to += GID * n, to_j += GID * n, other += GID * n, other_j += GID * n;
    M_$K start = key(from[0]), differ = 0;
    for (S_i64 i = 0; i < n; i++) differ |= key(from[i]) ^ start;
    if (!differ) differ = 1;
    int passes = 0;
    for (int shift = 0; shift < 8 * (int)sizeof(M_$K); shift += 8)
        passes += (differ >> shift & 255) != 0;
    int pass = 0;
    const GLOBAL M_$K* source = from;
    const GLOBAL M_$J* source_j = other_j;
    for (int shift = 0; shift < 8 * (int)sizeof(M_$K); shift += 8) {
        if (!(differ >> shift & 255)) continue;
        pass++;
        GLOBAL M_$K* target = passes - pass & 1 ? other : to;
        GLOBAL M_$J* target_j = passes - pass & 1 ? other_j : to_j;
        M_u32 places[BINS];
        for (int d = 0; d < BINS; d++) places[d] = 0;
        for (S_i64 i = 0; i < n; i++) places[DIGIT(source[i], shift)]++;
        M_u32 sum = 0;
        for (int d = 0; d < BINS; d++) {
            M_u32 count = places[d];
            places[d] = sum;
            sum += count;
        }
        for (S_i64 i = 0; i < n; i++) {
            M_$K bits = source[i];
            M_u32 place = places[DIGIT(bits, shift)]++;
            target[place] = bits;
            if (PAIRS) target_j[place] = pass == 1 ? i : source_j[i];
        }
        source = target;
        source_j = target_j;
    }
}

// The kernels of unique integers; see distinct.py. Defined before those that mark:
//   MARK_LOCALLY        whether the range is short, so that a group marks in its own memory first
//   BYTES       numbers of a short range, with vectors
//   SIZE  BITS  without vectors: work-items of a group, and numbers of a part of a short range

//: mark_bytes
KERNEL void mark_bytes(GLOBAL M_u8* marks, GLOBAL M_$T* x, const Parameters p) {
    S_i64 first = GID * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    x += p.x_0;
#if MARK_LOCALLY
    M_u8 own[BYTES];
    for (int j = 0; j < p.extent; j++) own[j] = 0;
#else
    GLOBAL M_u8* own = marks;
#endif
    for (S_i64 i = first; i < last; i++) own[(M_u64)x[i] - p.low] = 1;
#if MARK_LOCALLY
    for (int j = 0; j < p.extent; j++)
        if (own[j]) marks[j] = 1;
#endif
}

//: mark_bits
#define HASH 10 // bits
#define AHEAD 8 // elements that a work-item reads before it marks them

// Groups that take the same elements, each for another part of the range, are neighbours, and share the cache.
KERNEL void mark_bits(GLOBAL M_u32* words, GLOBAL M_$T* x, const Parameters p) {
    LOCAL M_u32 latest[1 << HASH]; // the last number with each hash
    LOCAL M_u32 own[MARK_LOCALLY ? BITS / 32 : 1];
    S_i64 first = GROUP / p.parts * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    M_u32 part = (M_u32)(GROUP % p.parts) * BITS;
    x += p.x_0, words += part / 32;
    for (int j = LID; j < 1 << HASH; j += SIZE) latest[j] = ~0U;
    if (MARK_LOCALLY)
        for (int j = LID; j < BITS / 32; j += SIZE) own[j] = 0;
    BARRIER;
    for (S_i64 i = first + LID; i < last; i += AHEAD * SIZE) {
        M_$T v[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) v[k] = i + k * SIZE < last ? x[i + k * SIZE] : 0;
        UNROLL for (int k = 0; k < AHEAD; k++) {
            M_u32 number = (M_u32)((M_u64)v[k] - p.low) - part;
            if (i + k * SIZE >= last || (MARK_LOCALLY && number >= BITS)) continue;
            if (ATOMIC_XCHG(latest + (number * 0x9E3779B1U >> 32 - HASH), number) == number) continue;
            if (MARK_LOCALLY) ATOMIC_OR(own + number / 32, 1U << number % 32);
            else ATOMIC_OR(words + number / 32, 1U << number % 32);
        }
    }
    if (!MARK_LOCALLY) return;
    BARRIER;
    for (int j = LID; j < BITS / 32; j += SIZE)
        if (own[j]) ATOMIC_OR(words + j, own[j]);
}

//: collect
// A group writes the numbers of few words, a work-item those of neighbouring words.
KERNEL void collect(GLOBAL M_$T* out, GLOBAL M_u32* words, GLOBAL M_i64* total, const Parameters p) {
    LOCAL M_u32 sums[SIZE];
    S_i64 each = (p.n + SIZE - 1) / SIZE, first = LID * each, last = first + each < p.n ? first + each : p.n;
    M_u32 sum = 0;
    for (S_i64 j = first; j < last; j++) sum += POPCOUNT(words[j]);
    M_u32 at = sum_before(sums, sum);
    if (LID == SIZE - 1) *total = at + sum;
    for (S_i64 j = first; j < last; j++)
        for (M_u32 word = words[j]; word; word &= word - 1) // without its lowest bit
            out[at++] = (M_$T)(p.low + 32 * (M_u64)j + POPCOUNT((word & -word) - 1));
}

//: spread
// A work-item makes four bytes of four bits.
KERNEL void spread(GLOBAL M_u32* marks, GLOBAL M_u32* words, const Parameters p) {
    if (GID < p.n) marks[GID] = (words[GID / 8] >> GID % 8 * 4 & 15) * 0x00204081 & 0x01010101;
}

//: begin
// Whether elements differ from the one before. NaN differs from all, and zeros of both signs are equal.
KERNEL void begin(GLOBAL M_u8* marks, GLOBAL M_$T* x, const Parameters p) {
    x += p.x_0;
    if (GID < p.n) marks[GID] = GID == 0 || $number(LOAD1_$T(x, GID)) != $number(LOAD1_$T(x, GID - 1));
}

//: ends
// The least and the greatest element of those that a group reads.
KERNEL void ends(GLOBAL M_$T* out, GLOBAL M_$T* x, const Parameters p) {
    LOCAL M_$T lows[SIZE];
    LOCAL M_$T highs[SIZE];
    x += p.x_0;
    M_$T low = x[GID < p.n ? GID : p.n - 1], high = low;
    for (S_i64 i = GID; i < p.n; i += p.groups * SIZE) {
        M_$T v = x[i];
        if (v < low) low = v;
        if (v > high) high = v;
    }
    lows[LID] = low, highs[LID] = high;
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID >= rest) continue;
        if (lows[LID + rest] < lows[LID]) lows[LID] = lows[LID + rest];
        if (highs[LID + rest] > highs[LID]) highs[LID] = highs[LID + rest];
    }
    if (LID == 0) out[GROUP] = lows[0], out[p.groups + GROUP] = highs[0];
}

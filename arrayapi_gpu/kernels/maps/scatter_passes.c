// The passes of scatters to places that may repeat; see scatter_passes.py. Bits of `marks` stand for the places from
// p.low on: p.words of them say that a place was met, as many after these that it was met again, and the last word
// that this was so of any. `turns` has, of a place that was met again, 1 + the position of its last value.
// Defined before: SIZE, the work-items of a group; AHEAD, the elements that each takes at a time; WRITES, whether the
// first pass writes values, too.

//: mark
// Values are written before it is known whether their places repeat, since those of such places are written again.
// Marks are read before they are set where places have repeated already: many settings of one word would have to wait
// for each other.
KERNEL void mark(GLOBAL M_$T* target, GLOBAL M_$T* values, GLOBAL M_i64* places, GLOBAL M_u32* marks,
                 GLOBAL M_u32* turns, const Parameters p) {
    GLOBAL M_u32* again = marks + p.words;
    S_i64 first = GROUP * p.length + LID, last = (GROUP + 1) * p.length < p.n ? (GROUP + 1) * p.length : p.n;
    places += p.places_0, values += p.values_0, target += p.target_0 + p.low;
    for (S_i64 i = first; i < last; i += AHEAD * SIZE) {
        M_u64 place[AHEAD];
        M_u32 met[AHEAD];
        M_$T value[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) {
            int inside = i + k * SIZE < last;
            place[k] = inside ? (M_u64)(places[i + k * SIZE] - p.low) : ~0UL;
            if (WRITES && inside) value[k] = values[i + k * SIZE];
        }
        int repeated = again[p.words] != 0;
        UNROLL for (int k = 0; k < AHEAD; k++) {
            met[k] = 0;
            if (place[k] >= (M_u64)p.span) continue;
            M_u32 bit = 1U << place[k] % 32;
            GLOBAL M_u32* word = marks + place[k] / 32;
            if (repeated) met[k] = *word & bit;
            if (WRITES && !met[k]) target[place[k]] = value[k];
            if (!met[k]) met[k] = ATOMIC_OR(word, bit) & bit;
        }
        UNROLL for (int k = 0; k < AHEAD; k++) {
            if (!met[k]) continue;
            turns[place[k]] = 0;
            if (!(again[place[k] / 32] & met[k])) ATOMIC_OR(again + place[k] / 32, met[k]);
            again[p.words] = 1;
        }
    }
}

//: rank
// The last value of each place that repeats. Positions are taken from the last to the first, so that most values for a
// place come after its last one.
KERNEL void rank(GLOBAL M_u32* turns, GLOBAL M_i64* places, GLOBAL M_u32* marks, const Parameters p) {
    GLOBAL M_u32* again = marks + p.words;
    if (!again[p.words]) return;
    S_i64 first = GROUP * p.length + LID, last = (GROUP + 1) * p.length < p.n ? (GROUP + 1) * p.length : p.n;
    places += p.places_0 + p.n - 1;
    for (S_i64 i = first; i < last; i += AHEAD * SIZE) {
        M_u64 place[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++)
            place[k] = i + k * SIZE < last ? (M_u64)(places[-(i + k * SIZE)] - p.low) : ~0UL;
        UNROLL for (int k = 0; k < AHEAD; k++) {
            if (place[k] >= (M_u64)p.span || !(again[place[k] / 32] >> place[k] % 32 & 1)) continue;
            // The largest number stays, because a larger one that is taken out is put back.
            M_u32 mine = (M_u32)(p.n - i - k * SIZE);
            while (turns[place[k]] < mine) {
                M_u32 was = ATOMIC_XCHG(turns + place[k], mine);
                if (was > mine) mine = was;
            }
        }
    }
}

//: settle
KERNEL void settle(GLOBAL M_$T* target, GLOBAL M_$T* values, GLOBAL M_i64* places, GLOBAL M_u32* marks,
                   GLOBAL M_u32* turns, const Parameters p) {
    GLOBAL M_u32* again = marks + p.words;
    if (!again[p.words]) return;
    S_i64 first = GROUP * p.length + LID, last = (GROUP + 1) * p.length < p.n ? (GROUP + 1) * p.length : p.n;
    places += p.places_0, values += p.values_0, target += p.target_0 + p.low;
    for (S_i64 i = first; i < last; i += SIZE) {
        M_u64 place = (M_u64)(places[i] - p.low);
        if (place < (M_u64)p.span && again[place / 32] >> place % 32 & 1 && turns[place] == (M_u32)i + 1)
            target[place] = values[i];
    }
}

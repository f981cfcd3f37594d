// Sums within a group, and values that groups publish to each other: in front of kernels without vectors.

//: published
// A value of type $V is published in words of 64 bits, which stay in memory that outlives the launch (see scratch.py).
// Half of a word is a part of the value; the other half is its status, a number. Earlier launches left 0 or another
// number there.
// A word is whole, and a value is if all of its words have one status, so no fence is needed.
#define VALUE_WORDS ((int)(sizeof($V) + 3) / 4)
typedef union { $V value; M_u32 parts[VALUE_WORDS]; } Bits;

FN void publish(GLOBAL M_u64* words, S_i64 place, int status, $V value) {
    Bits bits;
    bits.parts[VALUE_WORDS - 1] = 0;
    bits.value = value;
    words += place * VALUE_WORDS;
    UNROLL for (int k = 0; k < VALUE_WORDS; k++) POST(u64, words, k, (M_u64)status << 32 | bits.parts[k]);
}

FN void clear(GLOBAL M_u64* words, S_i64 place) {
    UNROLL for (int k = 0; k < VALUE_WORDS; k++) POST(u64, words, place * VALUE_WORDS + k, 0);
}

// The status of a value, and the value; 0 while its words differ.
FN int poll(GLOBAL M_u64* words, S_i64 place, $V* value) {
    Bits bits;
    M_u64 word = PEEK(u64, words, place * VALUE_WORDS);
    int status = (int)(word >> 32);
    bits.parts[0] = (M_u32)word;
    UNROLL for (int k = 1; k < VALUE_WORDS; k++) {
        word = PEEK(u64, words, place * VALUE_WORDS + k);
        if ((int)(word >> 32) != status) status = 0;
        bits.parts[k] = (M_u32)word;
    }
    *value = bits.value;
    return status;
}

// Wait for a value with a status from `least` to `most`, and return its status.
FN int wait_for(GLOBAL M_u64* words, S_i64 place, int least, int most, $V* value) {
    int status = 0;
    while (status < least || status > most) status = poll(words, place, value);
    return status;
}

//: sum_before
// Defined before: SIZE, the work-items of the group, whole warps.
// The sum of the numbers of the work-items before this one. All work-items of the group call it.
GROUP_FN M_$W sum_before(SHARED M_$W* sums, M_$W own) {
    M_$W sum = own;
    for (int step = 1; step < WARP; step *= 2) {
        sums[LID] = sum;
        WARP_BARRIER;
        if (LID % WARP >= step) sum += sums[LID - step];
        WARP_BARRIER;
    }
    sums[LID] = sum;
    BARRIER;
    sum -= own;
    for (int warp = 0; warp < LID / WARP; warp++) sum += sums[warp * WARP + WARP - 1];
    BARRIER;
    return sum;
}

//: staged
// Elements that lie together in memory, on their way to local memory and back: CHUNK of them, or the first `left`; zeros
// stand for the others. Whole chunks go by accesses of 16 bytes, neighbouring work-items next to each other, where memory
// is aligned to these. Defined before: CHUNK; SIZE, the work-items of the group. All of them call these functions.
// In local memory rows of $row elements begin $pitch elements after each other, so that they begin in different banks.
#define UNITS_$T (CHUNK * (int)sizeof(M_$T) / 16)
#define ACCESS_$T (16 / (int)sizeof(M_$T)) // elements
#define PITCH_$T $pitch
#define ROOM_$T PLACED_$T(CHUNK)
#define PLACED_$T(k) ((k) + (k) / $row * ($pitch - $row)) // where element k is there
GROUP_FN void bring_$T(SHARED M_$T* to, const GLOBAL M_$T* from, S_i64 left) {
    if (left >= CHUNK && ((S_i64)from & 15) == 0) {
        M_16 units[(UNITS_$T + SIZE - 1) / SIZE];
        UNROLL for (int k = 0; k * SIZE < UNITS_$T; k++)
            if (k * SIZE + LID < UNITS_$T) units[k] = ((const GLOBAL M_16*)from)[k * SIZE + LID];
        UNROLL for (int k = 0; k * SIZE < UNITS_$T; k++) {
            const int unit = k * SIZE + LID;
            if (unit < UNITS_$T) ((SHARED M_16*)to)[PLACED_$T(unit * ACCESS_$T) / ACCESS_$T] = units[k];
        }
    } else {
        M_$T none = {0};
        for (int k = LID; k < CHUNK; k += SIZE) to[PLACED_$T(k)] = k < left ? from[k] : none;
    }
}

GROUP_FN void send_$T(GLOBAL M_$T* to, const SHARED M_$T* from, S_i64 left) {
    if (left >= CHUNK && ((S_i64)to & 15) == 0) {
        UNROLL for (int k = 0; k * SIZE < UNITS_$T; k++) {
            const int unit = k * SIZE + LID;
            if (unit < UNITS_$T) ((GLOBAL M_16*)to)[unit] = ((const SHARED M_16*)from)[PLACED_$T(unit * ACCESS_$T) / ACCESS_$T];
        }
    } else {
        for (int k = LID; k < CHUNK && k < left; k += SIZE) to[k] = from[PLACED_$T(k)];
    }
}

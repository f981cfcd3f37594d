// What work-items of a group find out together, and what groups tell each other; put in front of kernels without
// vectors.

//: told
// A value of type $V is told in words of 64 bits, which stay in memory that outlives the launch (see scratch.py). Half
// of a word is a part of the value; the other half says what is told, a number; what earlier launches left there is 0
// or another number.
// A word is whole, and a value is if all of its words say the same, so no fence is needed.
#define PARTS ((int)(sizeof($V) + 3) / 4)
typedef union { $V value; M_u32 parts[PARTS]; } Told;

FN void tell(GLOBAL M_u64* words, S_i64 place, int what, $V value) {
    Told told;
    told.parts[PARTS - 1] = 0;
    told.value = value;
    UNROLL for (int k = 0; k < PARTS; k++) POST(u64, words, place * PARTS + k, (M_u64)what << 32 | told.parts[k]);
}

FN void forget(GLOBAL M_u64* words, S_i64 place) {
    UNROLL for (int k = 0; k < PARTS; k++) POST(u64, words, place * PARTS + k, 0);
}

// What is told by now; 0 while its words differ.
FN int told_by_now(GLOBAL M_u64* words, S_i64 place, $V* value) {
    Told told;
    M_u64 word = PEEK(u64, words, place * PARTS);
    int what = (int)(word >> 32);
    told.parts[0] = (M_u32)word;
    UNROLL for (int k = 1; k < PARTS; k++) {
        word = PEEK(u64, words, place * PARTS + k);
        if ((int)(word >> 32) != what) what = 0;
        told.parts[k] = (M_u32)word;
    }
    *value = told.value;
    return what;
}

// Wait for what is told, from `least` to `most`, and return which it is.
FN int ask(GLOBAL M_u64* words, S_i64 place, int least, int most, $V* value) {
    int what = 0;
    while (what < least || what > most) what = told_by_now(words, place, value);
    return what;
}

//: sum_before
// Defined before: SIZE, the work-items of the group, whole warps.
// The sum of what the work-items before this one give. All of the group ask.
GROUP_FN M_$W sum_before(SHARED M_$W* sums, M_$W own) {
    M_$W sum = own;
    for (int step = 1; step < 32; step *= 2) {
        sums[LID] = sum;
        WARP_BARRIER;
        if (LID % 32 >= step) sum += sums[LID - step];
        WARP_BARRIER;
    }
    sums[LID] = sum;
    BARRIER;
    sum -= own;
    for (int warp = 0; warp < LID / 32; warp++) sum += sums[warp * 32 + 31];
    BARRIER;
    return sum;
}

// The kernels of the scan; see scan.py. Defined before each:
//   OP(x, y)  IDENTITY     of the monoid
// and for groups that scan a tile together (without vectors)
//   SIZE  TURNS  NEAR      work-items; how often each takes so many neighbours
//   CHAINED  WINDOW  LINE  see scan_together
//   WHOLE  VECTORS(...)    whether neighbours are contiguous and aligned, and are read and written by one access
// source[row, i, lane] is combined along i; a segment of a row is p.length elements long.

//: words
// How many of a register's lanes are among `left` elements.
#define VALID(left) ((left) < LANES ? (int)(left) : LANES)

// Elements as the values that are combined; lanes beyond n hold nothing of use.
FN R_$A take(const GLOBAL M_$S* p, S_i64 i, S_i64 step, int n) {
    R_$S v;
    if (n < LANES) v = LOADN_$S(p, i, step, n);
    else if (step == 1) v = LOAD_$S(p, i);
    else v = LOADS_$S(p, i, step);
    return cast_${T}_$A(cast_${S}_$T(v));
}

FN void put(GLOBAL M_$T* p, S_i64 i, S_i64 step, int n, R_$A v) {
    R_$T w = cast_${A}_$T(v);
    if (n < LANES) STOREN_$T(p, i, step, n, w);
    else if (step == 1) STORE_$T(p, i, w);
    else STORES_$T(p, i, step, w);
}

//: totals_along
KERNEL void totals_along(GLOBAL M_$A* out, GLOBAL M_$S* source, const Parameters p) {
    S_i64 first = GID % p.segments * p.length, row = GID / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    R_$A total = IDENTITY;
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        R_$A v = take(source, i * p.source_step, p.source_step, n);
        if (n < LANES) v = where_$A(LT(IOTA, SPLAT_i64(n)), v, IDENTITY);
        total = OP(total, v);
    }
    total = OP(total, ROTATE_$A(total, 8));
    total = OP(total, ROTATE_$A(total, 4));
    total = OP(total, ROTATE_$A(total, 2));
    total = OP(total, ROTATE_$A(total, 1));
    STOREN_$A(out, GID, 1, 1, total);
}

//: scan_along
// Combine each lane with the one that lies k before it.
#define SHIFT(v, k) where_$A(LT(IOTA, C_i64(k)), v, OP(ROTATE_$A(v, LANES - k), v))

KERNEL void scan_along(
    GLOBAL M_$T* out, GLOBAL M_$S* source, GLOBAL M_$A* carries, const Parameters p) {
    S_i64 first = GID % p.segments * p.length, row = GID / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    out += p.out_0 + row * p.out_row;
    R_$A carry = IDENTITY;
    if (p.segments > 1) carry = LOAD1_$A(carries, GID);
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        R_$A v = take(source, i * p.source_step, p.source_step, n);
        v = SHIFT(v, 1);
        v = SHIFT(v, 2);
        v = SHIFT(v, 4);
        v = SHIFT(v, 8);
        R_$A next = OP(carry, LAST_$A(v));
        v = OP(carry, v);
        if ($exclusive) v = where_$A(EQ(IOTA, C_i64(0)), carry, ROTATE_$A(v, LANES - 1));
        put(out, i * p.out_step, p.out_step, n, v);
        carry = next;
    }
}

//: together
// Neighbours of a work-item: of the elements from i on, the first n.
FN void takes(const GLOBAL M_$S* p, S_i64 i, S_i64 step, S_i64 n, R_$A* values) {
    R_$S own[NEAR];
#if WHOLE
    if (n >= NEAR) LOADV_$S(p, i, own);
    else
#endif
        UNROLL for (int k = 0; k < NEAR; k++) own[k] = LOADN_$S(p, (i + k) * step, 1, k < n);
    UNROLL for (int k = 0; k < NEAR; k++) values[k] = k < n ? cast_${T}_$A(cast_${S}_$T(own[k])) : IDENTITY;
}

FN void puts(GLOBAL M_$T* p, S_i64 i, S_i64 step, S_i64 n, const R_$A* values) {
    R_$T own[NEAR];
    UNROLL for (int k = 0; k < NEAR; k++) own[k] = cast_${A}_$T(values[k]);
#if WHOLE
    if (n >= NEAR) STOREV_$T(p, i, own);
    else
#endif
        UNROLL for (int k = 0; k < NEAR; k++) STOREN_$T(p, (i + k) * step, 1, k < n, own[k]);
}

//: totals_together
KERNEL void totals_together(GLOBAL M_$A* out, GLOBAL M_$S* source, const Parameters p) {
    LOCAL R_$A totals[SIZE];
    S_i64 first = GROUP % p.segments * p.length, row = GROUP / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    R_$A total = IDENTITY;
    for (S_i64 i = first + LID * NEAR; i < last; i += SIZE * NEAR) {
        R_$A v[NEAR];
        takes(source, i, p.source_step, last - i, v);
        UNROLL for (int k = 0; k < NEAR; k++) total = OP(total, v[k]);
    }
    totals[LID] = total;
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest) totals[LID] = OP(totals[LID], totals[LID + rest]);
    }
    if (LID == 0) STORE_$A(out, GROUP, totals[0]);
}

//: scan_together
// What the group has told of a tile, or of WINDOW tiles together, in words of 64 bits, of which each has 32 bits of the
// value, and whether that is all up to the end (ALL_OF) or its own alone (SOME). Words are whole; a value is if all of
// its words say the same.
#define PARTS ((int)(sizeof(R_$A) + 3) / 4)
#define SOME 1
#define ALL_OF 2
#define AT(j) ((j) + (j) / 32) // so that every TURNS-th lies in another bank
typedef union { R_$A value; M_u32 parts[PARTS]; } Told;

FN void tell(GLOBAL M_u64* words, S_i64 place, int what, R_$A value) {
    Told told;
    told.parts[PARTS - 1] = 0;
    told.value = value;
    UNROLL for (int k = 0; k < PARTS; k++) POST(u64, words, place * PARTS + k, (M_u64)what << 32 | told.parts[k]);
}

// Wait for what is told, `least` or more, and return which it is.
FN int ask(GLOBAL M_u64* words, S_i64 place, int least, R_$A* value) {
    Told told;
    int what = 0;
    while (what < least) {
        M_u64 word = PEEK(u64, words, place * PARTS);
        what = (int)(word >> 32);
        told.parts[0] = (M_u32)word;
        UNROLL for (int k = 1; k < PARTS; k++) {
            word = PEEK(u64, words, place * PARTS + k);
            if ((int)(word >> 32) != what) what = 0;
            told.parts[k] = (M_u32)word;
        }
    }
    *value = told.value;
    return what;
}

// A tile is TURNS times SIZE times NEAR elements; one turn after another work-items take neighbours side by side.
// Their sums are scanned in local memory, where each combines those of TURNS neighbours.
//
// With CHAINED, a group takes one tile, and learns what comes before it from others ("decoupled look-back": Merrill and
// Garland, NVR-2016-002). So that bits do not depend on who told what when, that is defined: windows of WINDOW tiles
// are combined from the left, and so are the tiles in the last one. Whoever ends a window tells of it; all that is told
// of windows is SOME, then ALL_OF. Tiles are numbered as groups begin, so nobody waits for a group that has not.
KERNEL void scan_together(
    GLOBAL M_$T* out, GLOBAL M_$S* source, GLOBAL M_$A* carries, GLOBAL M_u64* words, const Parameters p) {
    LOCAL R_$A sums[AT(SIZE * TURNS)], scans[SIZE], earlier[WINDOW], passed;
    LOCAL int whats[WINDOW];
    LOCAL M_u32 number;
    S_i64 group = GROUP;
    if (CHAINED && p.segments > 1) {
        if (LID == 0) number = ATOMIC_ADD((GLOBAL M_u32*)words, 1);
        words += LINE;
        BARRIER;
        group = number;
    }
    S_i64 segment = group % p.segments, row = group / p.segments, first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    out += p.out_0 + row * p.out_row;
    R_$A carry = IDENTITY;
    if (!CHAINED && p.segments > 1) carry = LOAD1_$A(carries, group);
    for (; first < last; first += TURNS * SIZE * NEAR) {
        R_$A v[TURNS][NEAR];
        UNROLL for (int turn = 0; turn < TURNS; turn++) {
            S_i64 i = first + (turn * SIZE + LID) * NEAR;
            takes(source, i, p.source_step, last - i, v[turn]);
        }
        UNROLL for (int turn = 0; turn < TURNS; turn++) {
            R_$A sum = v[turn][0];
            UNROLL for (int k = 1; k < NEAR; k++) sum = OP(sum, v[turn][k]);
            sums[AT(turn * SIZE + LID)] = sum;
        }
        BARRIER;
        R_$A own = sums[AT(LID * TURNS)];
        UNROLL for (int k = 1; k < TURNS; k++) own = OP(own, sums[AT(LID * TURNS + k)]);
        for (int step = 1; step < 32; step *= 2) {
            scans[LID] = own;
            WARP_BARRIER;
            if (LID % 32 >= step) own = OP(scans[LID - step], own);
            WARP_BARRIER;
        }
        scans[LID] = own;
        BARRIER;
        R_$A total = scans[31], before = IDENTITY;
        if (LID >= 32) before = total;
        UNROLL for (int warp = 1; warp < SIZE / 32; warp++) {
            total = OP(total, scans[warp * 32 + 31]);
            if (LID / 32 > warp) before = total;
        }
        int chained = CHAINED && p.segments > 1, place = (int)(segment % WINDOW);
        if (chained && LID == 0) tell(words, group, SOME, total);
        if (LID % 32) before = OP(before, scans[LID - 1]);
        UNROLL for (int k = 0; k < TURNS; k++) {
            R_$A sum = sums[AT(LID * TURNS + k)];
            sums[AT(LID * TURNS + k)] = before;
            before = OP(before, sum);
        }
        if (chained) {
            GLOBAL M_u64* windows = words + p.rows * p.segments * PARTS;
            S_i64 window = row * ((p.segments + WINDOW - 1) / WINDOW) + segment / WINDOW;
            S_i64 back = segment / WINDOW - WINDOW + LID; // of the windows before, the work-item's
            R_$A told, here = IDENTITY;
            if (LID < place) {
                ask(words, group - place + LID, SOME, &told);
                earlier[LID] = told;
            }
            BARRIER;
            if (LID == 0) {
                for (int k = 0; k < place; k++) here = OP(here, earlier[k]);
                if (place == WINDOW - 1) tell(windows, window, SOME, OP(here, total));
            }
            BARRIER;
            if (LID < WINDOW) {
                whats[LID] = 0;
                // The first has to tell all, so that nobody needs to look further back.
                if (back >= 0) {
                    whats[LID] = ask(windows, window - WINDOW + LID, LID ? SOME : ALL_OF, &told);
                    earlier[LID] = told;
                }
            }
            BARRIER;
            if (LID == 0) {
                for (int k = 0; k < WINDOW; k++)
                    if (whats[k]) carry = whats[k] == ALL_OF ? earlier[k] : OP(carry, earlier[k]);
                if (place == WINDOW - 1) tell(windows, window, ALL_OF, OP(carry, OP(here, total)));
                passed = OP(carry, here);
            }
            BARRIER;
            carry = passed;
        } else {
            BARRIER;
        }
        UNROLL for (int turn = 0; turn < TURNS; turn++) {
            R_$A sum = OP(carry, sums[AT(turn * SIZE + LID)]);
            UNROLL for (int k = 0; k < NEAR; k++) {
                R_$A here = sum;
                sum = OP(sum, v[turn][k]);
                v[turn][k] = $exclusive ? here : sum;
            }
            S_i64 i = first + (turn * SIZE + LID) * NEAR;
            puts(out, i, p.out_step, last - i, v[turn]);
        }
        carry = OP(carry, total);
        BARRIER;
    }
}

//: totals_across
KERNEL void totals_across(GLOBAL M_$A* out, GLOBAL M_$S* source, const Parameters p) {
    S_i64 chunks = (p.width + LANES - 1) / LANES, lane = GID % chunks * LANES;
    S_i64 segment = GID / chunks % p.segments, row = GID / chunks / p.segments;
    if (row >= p.rows) return;
    S_i64 first = segment * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    int n = VALID(p.width - lane);
    source += p.source_0 + row * p.source_row + lane * p.source_lane;
    R_$A total = IDENTITY;
    for (S_i64 i = first; i < last; i++)
        total = OP(total, take(source, i * p.source_step, p.source_lane, n));
    STOREN_$A(out, (row * p.segments + segment) * p.width + lane, 1, n, total);
}

//: scan_across
KERNEL void scan_across(
    GLOBAL M_$T* out, GLOBAL M_$S* source, GLOBAL M_$A* carries, const Parameters p) {
    S_i64 chunks = (p.width + LANES - 1) / LANES, lane = GID % chunks * LANES;
    S_i64 segment = GID / chunks % p.segments, row = GID / chunks / p.segments;
    if (row >= p.rows) return;
    S_i64 first = segment * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    int n = VALID(p.width - lane);
    source += p.source_0 + row * p.source_row + lane * p.source_lane;
    out += p.out_0 + row * p.out_row + lane * p.out_lane;
    R_$A total = IDENTITY;
    if (p.segments > 1)
        total = LOADN_$A(carries, (row * p.segments + segment) * p.width + lane, 1, n);
    for (S_i64 i = first; i < last; i++) {
        R_$A before = total;
        total = OP(total, take(source, i * p.source_step, p.source_lane, n));
        put(out, i * p.out_step, p.out_lane, n, $exclusive ? before : total);
    }
}

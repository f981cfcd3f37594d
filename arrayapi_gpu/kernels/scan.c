// The kernels of the scan; see scan.py. Defined before each:
//   OP(x, y)  IDENTITY     of the monoid
//   SIZE  OWN              work-items of a group, and elements of each (without vectors)
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

//: totals_together
KERNEL void totals_together(GLOBAL M_$A* out, GLOBAL M_$S* source, const Parameters p) {
    LOCAL R_$A totals[SIZE];
    S_i64 first = GROUP % p.segments * p.length, row = GROUP / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    R_$A total = IDENTITY;
    for (S_i64 i = first + LID; i < last; i += SIZE)
        total = OP(total, take(source, i * p.source_step, p.source_step, 1));
    totals[LID] = total;
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest) totals[LID] = OP(totals[LID], totals[LID + rest]);
    }
    if (LID == 0) STORE_$A(out, GROUP, totals[0]);
}

//: scan_together
// A tile in local memory: work-items read and write neighbouring elements, but each combines a
// stretch of its own. One element is left free between stretches, so that banks differ.
#define AT(j) tile[(j) + (j) / OWN]

KERNEL void scan_together(
    GLOBAL M_$T* out, GLOBAL M_$S* source, GLOBAL M_$A* carries, const Parameters p) {
    LOCAL R_$A tile[SIZE * (OWN + 1)], totals[SIZE];
    S_i64 first = GROUP % p.segments * p.length, row = GROUP / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    source += p.source_0 + row * p.source_row;
    out += p.out_0 + row * p.out_row;
    R_$A carry = IDENTITY;
    if (p.segments > 1) carry = LOAD1_$A(carries, GROUP);
    for (; first < last; first += SIZE * OWN) {
        int n = last - first < SIZE * OWN ? (int)(last - first) : SIZE * OWN, own = LID * OWN;
        for (int j = LID; j < SIZE * OWN; j += SIZE) {
            R_$A v = IDENTITY;
            if (j < n) v = take(source, (first + j) * p.source_step, p.source_step, 1);
            AT(j) = v;
        }
        BARRIER;
        R_$A total = IDENTITY;
        for (int k = 0; k < OWN; k++) total = OP(total, AT(own + k));
        totals[LID] = total;
        for (int step = 1; step < SIZE; step *= 2) {
            BARRIER;
            if (LID >= step) total = OP(totals[LID - step], total);
            BARRIER;
            totals[LID] = total;
        }
        BARRIER;
        total = carry;
        if (LID) total = OP(carry, totals[LID - 1]);
        carry = OP(carry, totals[SIZE - 1]);
        for (int k = 0; k < OWN; k++) {
            R_$A before = total;
            total = OP(total, AT(own + k));
            AT(own + k) = $exclusive ? before : total;
        }
        BARRIER;
        for (int j = LID; j < n; j += SIZE)
            put(out, (first + j) * p.out_step, p.out_step, 1, AT(j));
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

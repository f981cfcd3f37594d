// The kernels of the scan; see scan.py. Defined before each:
//   COMBINED(x, y)  NOTHING   of the monoid: how values are combined, and the identity
//   ORDERED                whether x has to come before y: the monoid does not commute
//   a section, `values` or `segments`, that defines the combined states
// and for groups that scan a tile together (without vectors)
//   SIZE                   work-items of a group
//   VECTORS_PER_ITEM       vectors of VECTOR_WIDTH neighbours that each takes
//   ITEMS_PER_ROW          work-items of a row: SIZE, or fewer
//   CHAINED  WINDOW  LINE  see scan_together
//   AHEAD                  tiles by which the cache is ahead of the reads
//   WHOLE  VECTORS(...)    whether neighbours are contiguous and aligned, and are read and written by one access
// and for rows in local memory
//   SIZE  N  ROWS  CHUNK   work-items of a group, elements of a row, rows of a group and elements of these
//   ITEMS  STRETCH         work-items of a row, and elements of each
//   NEIGHBOURS             elements that are combined first
//   IN_PLACE  UNIT         whether results take the places of elements; elements that one access moves
// source[row, i, lane] is combined along i; a segment of a row is p.length elements long.

//: values
// A combined state is a value.
typedef R_$A State;
#define VALUE(state) (state)
#define STATE(value, begins) (value)
#define OP(x, y) COMBINED(x, y)
#define IDENTITY NOTHING
#define CHOOSE(mask, x, y) where_$A(mask, x, y)
#define TURN(v, k) ROTATE_$A(v, k)
#define FINAL(v) LAST_$A(v)
// The source, as kernels and functions take it, and as it is passed on and moved.
#define SOURCE GLOBAL M_$S* source
#define ANY_SOURCE const GLOBAL M_$S* source
#define GIVEN(by) source + (by)
#define MOVE(by) source += (by)
#define START source += p.source_0
#define BEGINS(place) C_b8(0)
#define BEGIN_LANES(i, step, n) C_b8(0)
#define TOTALS GLOBAL M_$A* out
#define STORE_TOTAL(i, n, total) STOREN_$A(out, i, 1, n, total)

//: segments
// A combined state is a value, and whether a segment begins with it or within it: then states before do not count.
// `starts` is true where segments begin; it has the layout of the source.
typedef struct { R_$A value; R_b8 begins; } State;
#define VALUE(state) ((state).value)
FN State STATE(R_$A value, R_b8 begins) {
    State made = {value, begins};
    return made;
}
FN State OP(State x, State y) {
#ifdef CROSSING
    return STATE(CROSSING(x.value, y.value, y.begins), x.begins | y.begins);
#else
    return STATE(where_$A(y.begins, y.value, COMBINED(x.value, y.value)), x.begins | y.begins);
#endif
}
#define IDENTITY STATE(NOTHING, C_b8(0))
#define CHOOSE(mask, x, y) STATE(where_$A(mask, (x).value, (y).value), where_b8(mask, (x).begins, (y).begins))
#define TURN(v, k) STATE(ROTATE_$A((v).value, k), ROTATE_b8((v).begins, k))
#define FINAL(v) STATE(LAST_$A((v).value), LAST_b8((v).begins))
#define SOURCE GLOBAL M_$S* source, GLOBAL M_b8* starts
#define ANY_SOURCE const GLOBAL M_$S* source, const GLOBAL M_b8* starts
#define GIVEN(by) source + (by), starts + (by)
#define MOVE(by) source += (by), starts += (by)
#define START source += p.source_0, starts += p.starts_0
#define BEGINS(place) LOAD1_b8(starts, place)
#define BEGIN_LANES(i, step, n) \
    ((n) < LANES ? LOADN_b8(starts, i, step, n) : (step) == 1 ? LOAD_b8(starts, i) : LOADS_b8(starts, i, step))
#define TOTALS GLOBAL M_$A* out, GLOBAL M_b8* begun
#define STORE_TOTAL(i, n, total) STOREN_$A(out, i, 1, n, (total).value), STOREN_b8(begun, i, 1, n, (total).begins)

//: words
// The number of a register's lanes among `left` elements.
#define VALID(left) ((left) < LANES ? (int)(left) : LANES)
#define BATCH (LANES == 1 ? 8 : 1) // elements across rows that are on their way at a time

// Elements as the values that are combined; lanes beyond n hold nothing of use.
FN State take(ANY_SOURCE, S_i64 i, S_i64 step, int n) {
    R_$S v;
    if (n < LANES) v = LOADN_$S(source, i, step, n);
    else if (step == 1) v = LOAD_$S(source, i);
    else v = LOADS_$S(source, i, step);
    return STATE(cast_${T}_$A(cast_${S}_$T(v)), BEGIN_LANES(i, step, n));
}

FN void put(GLOBAL M_$T* p, S_i64 i, S_i64 step, int n, State v) {
    R_$T w = cast_${A}_$T(VALUE(v));
    if (n < LANES) STOREN_$T(p, i, step, n, w);
    else if (step == 1) STORE_$T(p, i, w);
    else STORES_$T(p, i, step, w);
}

//: totals_along
KERNEL void totals_along(TOTALS, SOURCE, const Parameters p) {
    S_i64 first = GID % p.segments * p.length, row = GID / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    START;
    MOVE(row * p.source_row);
    State total = IDENTITY;
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        State v = take(GIVEN(0), i * p.source_step, p.source_step, n);
        if (n < LANES) v = CHOOSE(LT(IOTA, SPLAT_i64(n)), v, IDENTITY);
#if ORDERED
        v = OP(v, TURN(v, 1));
        v = OP(v, TURN(v, 2));
        v = OP(v, TURN(v, 4));
        v = OP(v, TURN(v, 8));
#endif
        total = OP(total, v);
    }
#if !ORDERED
    total = OP(total, TURN(total, 8));
    total = OP(total, TURN(total, 4));
    total = OP(total, TURN(total, 2));
    total = OP(total, TURN(total, 1));
#endif
    STORE_TOTAL(GID, 1, total); // of the first lane
}

//: scan_along
// Combine each lane with the one that lies k before it.
#define SHIFT(v, k) CHOOSE(LT(IOTA, C_i64(k)), v, OP(TURN(v, LANES - k), v))

KERNEL void scan_along(
    GLOBAL M_$T* out, SOURCE, GLOBAL M_$A* carries, const Parameters p) {
    S_i64 first = GID % p.segments * p.length, row = GID / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    START;
    MOVE(row * p.source_row);
    out += p.out_0 + row * p.out_row;
    State carry = IDENTITY;
    if (p.number) carry = STATE(LOAD1_$A(carries, GID), C_b8(0));
    for (S_i64 i = first; i < last; i += LANES) {
        int n = VALID(last - i);
        State v = take(GIVEN(0), i * p.source_step, p.source_step, n);
        v = SHIFT(v, 1);
        v = SHIFT(v, 2);
        v = SHIFT(v, 4);
        v = SHIFT(v, 8);
        State next = OP(carry, FINAL(v));
        v = OP(carry, v);
        if ($exclusive) v = CHOOSE(EQ(IOTA, C_i64(0)), carry, TURN(v, LANES - 1));
        put(out, i * p.out_step, p.out_step, n, v);
        carry = next;
    }
}

//: together
// Neighbours of a work-item: by one access where they are contiguous and aligned (`whole`), otherwise the first n.
FN void takes(ANY_SOURCE, S_i64 i, S_i64 step, int n, int whole, State* values) {
    R_$S own[VECTOR_WIDTH];
#if WHOLE
    if (whole || n >= VECTOR_WIDTH) LOADV_$S(source, i, own);
    else
#endif
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) own[k] = LOADN_$S(source, (i + k) * step, 1, k < n);
    UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) {
        if (whole || k < n) values[k] = STATE(cast_${T}_$A(cast_${S}_$T(own[k])), BEGINS((i + k) * step));
        else values[k] = IDENTITY;
    }
}

FN void puts(GLOBAL M_$T* p, S_i64 i, S_i64 step, int n, int whole, const State* values) {
    R_$T own[VECTOR_WIDTH];
    UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) own[k] = cast_${A}_$T(VALUE(values[k]));
#if WHOLE
    if (whole || n >= VECTOR_WIDTH) STOREV_$T(p, i, own);
    else
#endif
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) STOREN_$T(p, (i + k) * step, 1, k < n, own[k]);
}

// The number of elements of a tile behind the first `skip`, if `left` elements are left.
#define REST(left, skip) ((left) >= (skip) + VECTOR_WIDTH ? VECTOR_WIDTH : (int)((left) - (skip)))

//: totals_together
KERNEL void totals_together(TOTALS, SOURCE, const Parameters p) {
    LOCAL State totals[SIZE];
    S_i64 first = GROUP % p.segments * p.length, row = GROUP / p.segments;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    START;
    MOVE(row * p.source_row);
    State total = IDENTITY;
#if ORDERED // each work-item takes a stretch
    S_i64 stretch = (p.length + SIZE - 1) / SIZE;
    first += LID * stretch;
    if (first + stretch < last) last = first + stretch;
    for (S_i64 i = first; i < last; i += VECTOR_WIDTH) {
#else
    for (S_i64 i = first + LID * VECTOR_WIDTH; i < last; i += SIZE * VECTOR_WIDTH) {
#endif
        State v[VECTOR_WIDTH];
        takes(GIVEN(0), i, p.source_step, REST(last - i, 0), 0, v);
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) total = OP(total, v[k]);
    }
    totals[LID] = total;
#if ORDERED
    for (int step = 1; step < SIZE; step *= 2) {
        BARRIER;
        if (LID % (2 * step) == 0) totals[LID] = OP(totals[LID], totals[LID + step]);
    }
#else
    for (int rest = SIZE / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest) totals[LID] = OP(totals[LID], totals[LID + rest]);
    }
#endif
    if (LID == 0) STORE_TOTAL(GROUP, 1, totals[0]);
}

//: scan_together
// The status of a tile, or of WINDOW tiles, in this launch: its own value is published, or all up to its end.
#define SOME (2 * p.number)
#define ALL_OF (2 * p.number + 1)
// Vectors that a work-item reads at a time: fewer where each element has an address of its own.
#define VECTORS_IN_FLIGHT (VECTORS_PER_ITEM < 4 ? VECTORS_PER_ITEM : WHOLE ? 4 : 2)
#define FAR (SIZE / WINDOW - 1) // of windows so far before, only the published totals are read
#define AT(j) ((j) + (j) / 32) // so that every VECTORS_PER_ITEM-th lies in another bank
// The place of neighbours in a tile, the number of their row in it, and their place in that row.
#define DOWN(slot) (ITEMS_PER_ROW < SIZE ? (slot) / (ITEMS_PER_ROW * VECTORS_PER_ITEM) : 0)
#define ALONG(slot) ((ITEMS_PER_ROW < SIZE ? (slot) % (ITEMS_PER_ROW * VECTORS_PER_ITEM) : (slot)) * VECTOR_WIDTH)
#define KEPT(vector, item, k) (((vector) * VECTOR_WIDTH + (k)) * SIZE + (item))
// The owner of the k-th element that a work-item reads in a vector, if the reads of its warp are contiguous.
#define OWNER(k) (LID / WARP * WARP + ((k) * WARP + LID % WARP) / VECTOR_WIDTH)

// A tile is VECTORS_PER_ITEM times SIZE times VECTOR_WIDTH elements, of one row or of several; ITEMS_PER_ROW work-items
// take a row. One vector after another, work-items take neighbours, and keep them in local memory, which has more room
// than registers, because the reads on their way must last for the time that groups wait. The group scans the sums of
// neighbours. Where one access cannot read neighbours, they are sorted in local memory.
GROUP_FN void begin(
    ANY_SOURCE, S_i64 rows, S_i64 row_step, S_i64 step, S_i64 left, int whole, SHARED State* kept, SHARED State* sums) {
    for (int vector = 0; vector < VECTORS_PER_ITEM; vector += VECTORS_IN_FLIGHT) {
        State v[VECTORS_IN_FLIGHT][VECTOR_WIDTH];
        UNROLL for (int ahead = 0; ahead < VECTORS_IN_FLIGHT; ahead++) {
#if WHOLE
            int slot = (vector + ahead) * SIZE + LID, down = DOWN(slot), skip = ALONG(slot);
            S_i64 rest = ITEMS_PER_ROW == SIZE || down < rows ? left : 0;
            takes(GIVEN(down * row_step), skip, step, REST(rest, skip), whole, v[ahead]);
#else
            UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) {
                int slot = (vector + ahead) * SIZE + OWNER(k), down = DOWN(slot);
                int skip = ALONG(slot) + LID % VECTOR_WIDTH;
                int inside = skip < left && (ITEMS_PER_ROW == SIZE || down < rows);
                R_$S own = LOADN_$S(source, down * row_step + skip * step, 1, inside);
                if (inside) v[ahead][k] = STATE(cast_${T}_$A(cast_${S}_$T(own)), BEGINS(down * row_step + skip * step));
                else v[ahead][k] = IDENTITY;
            }
#endif
        }
#if !WHOLE
        UNROLL for (int ahead = 0; ahead < VECTORS_IN_FLIGHT; ahead++)
            UNROLL for (int k = 0; k < VECTOR_WIDTH; k++)
                kept[KEPT(vector + ahead, OWNER(k), LID % VECTOR_WIDTH)] = v[ahead][k];
        WARP_BARRIER;
#endif
        UNROLL for (int ahead = 0; ahead < VECTORS_IN_FLIGHT; ahead++) {
#if WHOLE
            UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) kept[KEPT(vector + ahead, LID, k)] = v[ahead][k];
#else
            UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) v[ahead][k] = kept[KEPT(vector + ahead, LID, k)];
#endif
            State sum = v[ahead][0];
            UNROLL for (int k = 1; k < VECTOR_WIDTH; k++) sum = OP(sum, v[ahead][k]);
            sums[AT((vector + ahead) * SIZE + LID)] = sum;
        }
    }
}

// The results, given the carries of the tile and of neighbours in it.
GROUP_FN void finish(
    GLOBAL M_$T* out, S_i64 rows, S_i64 row_step, S_i64 step, S_i64 left, int whole, SHARED State* kept,
    const SHARED State* sums, State carry) {
    for (int vector = 0; vector < VECTORS_PER_ITEM; vector++) {
        State v[VECTOR_WIDTH], sum = OP(carry, sums[AT(vector * SIZE + LID)]);
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) {
            State here = sum;
            sum = OP(sum, kept[KEPT(vector, LID, k)]);
            v[k] = $exclusive ? here : sum;
        }
#if WHOLE
        int slot = vector * SIZE + LID, down = DOWN(slot), skip = ALONG(slot);
        S_i64 rest = ITEMS_PER_ROW == SIZE || down < rows ? left : 0;
        puts(out + down * row_step, skip, step, REST(rest, skip), whole, v);
#else
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) kept[KEPT(vector, LID, k)] = v[k];
        WARP_BARRIER;
        UNROLL for (int k = 0; k < VECTOR_WIDTH; k++) {
            int slot = vector * SIZE + OWNER(k), down = DOWN(slot), skip = ALONG(slot) + LID % VECTOR_WIDTH;
            int inside = skip < left && (ITEMS_PER_ROW == SIZE || down < rows);
            R_$T own = cast_${A}_$T(VALUE(kept[KEPT(vector, OWNER(k), LID % VECTOR_WIDTH)]));
            STOREN_$T(out, down * row_step + skip * step, 1, inside, own);
        }
#endif
    }
}

// The sums are scanned in local memory, where each work-item combines those of VECTORS_PER_ITEM.
//
// With CHAINED, a group takes one tile, and gets its carry from others ("decoupled look-back": Merrill and Garland,
// NVR-2016-002). So that bits do not depend on the times of publishing, the carry is defined: windows of WINDOW tiles
// are combined from the left, and so are the tiles in the last window. The group that ends a window publishes it. The
// published statuses of windows are SOME, then ALL_OF. Tiles are numbered as groups begin, so no group waits for one
// that has not begun. The first word gives these numbers; the group with the last one sets it to 0 for the next launch.
// A launch takes p.tiles tiles from number p.tile_0 on; the words have the published results of those before.
//
// Without CHAINED, `words` are values: the carries of the segments, if p.number is 1.
KERNEL void scan_together(GLOBAL M_$T* out, SOURCE, GLOBAL M_u64* words, const Parameters p) {
    LOCAL State kept[VECTORS_PER_ITEM * VECTOR_WIDTH * SIZE], sums[AT(SIZE * VECTORS_PER_ITEM)];
    LOCAL State scans[SIZE], earlier[SIZE], passed[FAR + 1];
    LOCAL int whats[WINDOW];
    S_i64 group = GROUP;
#if CHAINED
    LOCAL M_u32 ticket;
    if (LID == 0) {
        ticket = ATOMIC_ADD((GLOBAL M_u32*)words, 1);
        if (ticket == p.tiles - 1) POST(u32, words, 0, 0);
    }
    words += LINE;
    BARRIER;
    group = p.tile_0 + ticket;
#endif
    S_i64 segment = group % p.segments, row = group / p.segments * (SIZE / ITEMS_PER_ROW), first = segment * p.length;
    S_i64 left = p.n - first, rows = p.rows - row;
    START;
#if CHAINED
    // The tile of a later group, into the cache of all groups, so that the groups after it do not wait long for its
    // total.
    S_i64 later = group + AHEAD, start = later % p.segments * p.length;
    if (later < p.tile_0 + p.tiles && p.source_step == 1) {
        const GLOBAL M_$S* next = source + later / p.segments * p.source_row + start;
        int rest = p.n - start < p.length ? (int)(p.n - start) : (int)p.length;
        const int line = 128 / (int)sizeof(M_$S);
        for (int i = LID * line; i < rest; i += SIZE * line) PREFETCH_L2(next + i);
    }
#endif
    MOVE(row * p.source_row + first * p.source_step);
    out += p.out_0 + row * p.out_row + first * p.out_step;
    State carry = IDENTITY;
    if (!CHAINED && p.number) carry = STATE(LOAD1_$A((GLOBAL M_$A*)words, group), C_b8(0));
    int whole = WHOLE && left >= VECTORS_PER_ITEM * SIZE * VECTOR_WIDTH;
    // The compiler makes two of each; one has no conditions.
    if (whole) begin(GIVEN(0), rows, 0, 1, left, 1, kept, sums);
    else begin(GIVEN(0), rows, p.source_row, p.source_step, left, 0, kept, sums);
    BARRIER;
    State own = sums[AT(LID * VECTORS_PER_ITEM)];
    UNROLL for (int k = 1; k < VECTORS_PER_ITEM; k++) own = OP(own, sums[AT(LID * VECTORS_PER_ITEM + k)]);
    for (int step = 1; step < WARP && step < ITEMS_PER_ROW; step *= 2) {
        scans[LID] = own;
        WARP_BARRIER;
        if (LID % WARP % ITEMS_PER_ROW >= step) own = OP(scans[LID - step], own);
        WARP_BARRIER;
    }
    scans[LID] = own;
    BARRIER;
    State total = scans[WARP - 1], before = IDENTITY;
    if (ITEMS_PER_ROW > WARP && LID >= WARP) before = total;
    UNROLL for (int warp = 1; warp < ITEMS_PER_ROW / WARP; warp++) {
        total = OP(total, scans[warp * WARP + WARP - 1]);
        if (LID / WARP > warp) before = total;
    }
    if (CHAINED && LID == 0) publish(words, group, SOME, total);
    if (LID % WARP % ITEMS_PER_ROW) before = OP(before, scans[LID - 1]);
    UNROLL for (int k = 0; k < VECTORS_PER_ITEM; k++) {
        State sum = sums[AT(LID * VECTORS_PER_ITEM + k)];
        sums[AT(LID * VECTORS_PER_ITEM + k)] = before;
        before = OP(before, sum);
    }
#if CHAINED
    // The first warp reads the tiles before this one in its window. The next ones read the tiles of the windows just
    // before, and so wait for totals, but not for the groups that publish windows with them. The last one reads the
    // windows before those; the first of these has ALL_OF, so that no group has to look further back.
    S_i64 windows = segment / WINDOW, window = p.rows * p.segments + windows;
    window += row * ((p.segments + WINDOW - 1) / WINDOW);
    int place = (int)(segment % WINDOW), item = LID % WINDOW, back = LID / WINDOW, last = back == FAR;
    S_i64 from = last ? window - FAR - WINDOW + 1 + item : group - place - back * WINDOW + item;
    int wanted = last ? windows + item >= FAR + WINDOW - 1 : back ? windows >= back : item < place, what = 0;
    State found = IDENTITY;
    if (wanted) what = wait_for(words, from, last && !item ? ALL_OF : SOME, ALL_OF, &found);
    earlier[LID] = found;
    if (last) whats[item] = what;
    WARP_BARRIER;
    if (!item) {
        State sum = IDENTITY;
        if (last) {
            UNROLL for (int k = 0; k < WINDOW; k++) {
                if (whats[k] == SOME) sum = OP(sum, earlier[LID + k]);
                if (whats[k] == ALL_OF) sum = earlier[LID + k];
            }
        } else {
            UNROLL for (int k = 0; k < WINDOW - 1; k++) sum = OP(sum, earlier[LID + k]);
            if (back) sum = OP(sum, earlier[LID + WINDOW - 1]);
            else if (place == WINDOW - 1) publish(words, window, SOME, OP(sum, total));
        }
        passed[back] = sum;
    }
    BARRIER;
    carry = passed[FAR];
    UNROLL for (int k = FAR - 1; k > 0; k--)
        if (windows >= k) carry = OP(carry, passed[k]);
    if (LID == 0 && place == WINDOW - 1) publish(words, window, ALL_OF, OP(carry, OP(passed[0], total)));
    carry = OP(carry, passed[0]);
#else
    BARRIER;
#endif
    if (whole) finish(out, rows, 0, 1, left, 1, kept, sums, carry);
    else finish(out, rows, p.out_row, p.out_step, left, 0, kept, sums, carry);
}

//: scan_rows
// ROWS rows of N elements, which lie together, go through local memory. ITEMS work-items share a row: each scans STRETCH
// elements. Where there are several, NEIGHBOURS elements are combined first, in the order of groups that scan together.
#define EACH_HELD UNROLL for (int k = 0; k < STRETCH; k += UNIT) if (from + k < N)
KERNEL GROUPS_OF(SIZE) void scan_rows(GLOBAL M_$T* out, SOURCE, GLOBAL M_$A* carries, const Parameters p) {
    LOCAL ALIGNED M_$S given[ROOM_$S];
#if IN_PLACE
    SHARED M_$T* const found = given;
#else
    LOCAL ALIGNED M_$T found[ROOM_$T];
#endif
#if ITEMS > 1
    LOCAL State scans[SIZE];
#endif
    const S_i64 chunk = GROUP * CHUNK, left = p.rows * p.width * N - chunk;
    bring_$S(given, source + p.source_0 + chunk, left);
    BARRIER;
    for (int turn = 0; turn < ROWS; turn += SIZE / ITEMS) {
        // Neighbouring work-items take neighbouring rows, which begin in different banks.
        const int row = turn + LID % (SIZE / ITEMS), item = ITEMS > 1 ? LID / (SIZE / ITEMS) : 0, from = item * STRETCH;
        State v[STRETCH], before = IDENTITY;
        UNROLL for (int k = 0; k < STRETCH; k++) v[k] = IDENTITY;
#if UNIT > 1
        EACH_HELD {
            R_$S own[UNIT];
            HELDV_$S(given, row * PITCH_$S + from + k, own);
            UNROLL for (int j = 0; j < UNIT; j++) v[k + j] = cast_${T}_$A(cast_${S}_$T(own[j]));
        }
#else
        EACH_HELD v[k] = cast_${T}_$A(cast_${S}_$T(FROM_$S(given[row * PITCH_$S + from + k])));
#endif
#if ITEMS > 1
        State own = IDENTITY;
        UNROLL for (int k = 0; k < STRETCH; k += NEIGHBOURS) {
            State sum = v[k];
            UNROLL for (int j = 1; j < NEIGHBOURS; j++) sum = OP(sum, v[k + j]);
            own = k ? OP(own, sum) : sum;
        }
        for (int step = 1; step < ITEMS; step *= 2) {
            scans[LID] = own;
            BARRIER;
            if (item >= step) own = OP(scans[LID - step * (SIZE / ITEMS)], own);
            BARRIER;
        }
        scans[LID] = own;
        BARRIER;
        if (item) before = OP(before, scans[LID - SIZE / ITEMS]);
#endif
        UNROLL for (int k = 0; k < STRETCH; k += NEIGHBOURS) {
            State sum = v[k], here = before;
            UNROLL for (int j = 1; j < NEIGHBOURS; j++) sum = OP(sum, v[k + j]);
            UNROLL for (int j = 0; j < NEIGHBOURS; j++) {
                State next = OP(here, v[k + j]);
                v[k + j] = $exclusive ? here : next;
                here = next;
            }
            before = OP(before, sum);
        }
#if UNIT > 1
        EACH_HELD {
            R_$T own[UNIT];
            UNROLL for (int j = 0; j < UNIT; j++) own[j] = cast_${A}_$T(v[k + j]);
            HOLDV_$T(found, row * PITCH_$T + from + k, own);
        }
#else
        EACH_HELD found[row * PITCH_$T + from + k] = INTO_$T(cast_${A}_$T(v[k]));
#endif
    }
    BARRIER;
    send_$T(out + p.out_0 + chunk, found, left);
}

//: totals_across
KERNEL void totals_across(TOTALS, SOURCE, const Parameters p) {
    S_i64 chunks = (p.width + LANES - 1) / LANES, lane = GID % chunks * LANES;
    S_i64 segment = GID / chunks % p.segments, row = GID / chunks / p.segments;
    if (row >= p.rows) return;
    S_i64 first = segment * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    int n = VALID(p.width - lane);
    START;
    MOVE(row * p.source_row + lane * p.source_lane);
    State total = IDENTITY;
    S_i64 i = first;
    for (; i + BATCH <= last; i += BATCH) {
        State v[BATCH];
        UNROLL for (int k = 0; k < BATCH; k++) v[k] = take(GIVEN(0), (i + k) * p.source_step, p.source_lane, n);
        UNROLL for (int k = 0; k < BATCH; k++) total = OP(total, v[k]);
    }
    for (; i < last; i++) total = OP(total, take(GIVEN(0), i * p.source_step, p.source_lane, n));
    STORE_TOTAL((row * p.segments + segment) * p.width + lane, n, total);
}

//: scan_across
KERNEL void scan_across(
    GLOBAL M_$T* out, SOURCE, GLOBAL M_$A* carries, const Parameters p) {
    S_i64 chunks = (p.width + LANES - 1) / LANES, lane = GID % chunks * LANES;
    S_i64 segment = GID / chunks % p.segments, row = GID / chunks / p.segments;
    if (row >= p.rows) return;
    S_i64 first = segment * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    int n = VALID(p.width - lane);
    START;
    MOVE(row * p.source_row + lane * p.source_lane);
    out += p.out_0 + row * p.out_row + lane * p.out_lane;
    State total = IDENTITY;
    if (p.number)
        total = STATE(LOADN_$A(carries, (row * p.segments + segment) * p.width + lane, 1, n), C_b8(0));
    for (S_i64 from = first; from < last; from += BATCH) {
        State v[BATCH];
        int count = last - from < BATCH ? (int)(last - from) : BATCH;
        UNROLL for (int k = 0; k < BATCH; k++)
            if (k < count) v[k] = take(GIVEN(0), (from + k) * p.source_step, p.source_lane, n);
        UNROLL for (int k = 0; k < BATCH; k++) {
            State before = total;
            if (k < count) total = OP(total, v[k]);
            if (k < count) put(out, (from + k) * p.out_step, p.out_lane, n, $exclusive ? before : total);
        }
    }
}

typedef struct {S_i64 o0_0; S_i64 x0_0; S_i32 n; S_i32 outputs; S_i32 many; S_i32 k0; S_i32 o0_k0; S_i32 o0_r; S_i32 x0_k0; S_i32 x0_r;} Parameters;
#define ACCUMULATORS 4
#define LANES_PER_ROW 1
#define ITEMS_PER_LANE 1
#define SIZE 128
#define STRIPS 2
#define WHOLE 1
#define EVEN 0
#define OUTPUT_MAJOR 0
#define N 5
#define FILLED 4
#define TURNS 3
#define CHUNK 1920
#define PITCH 1
#define RESULTS_PER_ITEM 1
// Elements that lie together in memory, on their way to local memory and back: CHUNK of them, or the first `left`; zeros
// stand for the others. Whole chunks go by accesses of 16 bytes, neighbouring work-items next to each other, where memory
// is aligned to these. Defined before: CHUNK; SIZE, the work-items of the group. All of them call these functions.
// In local memory rows of 5 elements begin 5 elements after each other, so that they begin in different banks.
#define UNITS_f32 (CHUNK * (int)sizeof(M_f32) / 16)
#define ACCESS_f32 (16 / (int)sizeof(M_f32)) // elements
#define PITCH_f32 5
#define ROOM_f32 PLACED_f32(CHUNK)
#define PLACED_f32(k) ((k) + (k) / 5 * (5 - 5)) // where element k is there
GROUP_FN void bring_f32(SHARED M_f32* to, const GLOBAL M_f32* from, S_i64 left) {
    if (left >= CHUNK && ((S_i64)from & 15) == 0) {
        M_16 units[(UNITS_f32 + SIZE - 1) / SIZE];
        UNROLL for (int k = 0; k * SIZE < UNITS_f32; k++)
            if (k * SIZE + LID < UNITS_f32) units[k] = ((const GLOBAL M_16*)from)[k * SIZE + LID];
        UNROLL for (int k = 0; k * SIZE < UNITS_f32; k++) {
            const int unit = k * SIZE + LID;
            if (unit < UNITS_f32) ((SHARED M_16*)to)[PLACED_f32(unit * ACCESS_f32) / ACCESS_f32] = units[k];
        }
    } else {
        M_f32 none = {0};
        for (int k = LID; k < CHUNK; k += SIZE) to[PLACED_f32(k)] = k < left ? from[k] : none;
    }
}

GROUP_FN void send_f32(GLOBAL M_f32* to, const SHARED M_f32* from, S_i64 left) {
    if (left >= CHUNK && ((S_i64)to & 15) == 0) {
        UNROLL for (int k = 0; k * SIZE < UNITS_f32; k++) {
            const int unit = k * SIZE + LID;
            if (unit < UNITS_f32) ((GLOBAL M_16*)to)[unit] = ((const SHARED M_16*)from)[PLACED_f32(unit * ACCESS_f32) / ACCESS_f32];
        }
    } else {
        for (int k = LID; k < CHUNK && k < left; k += SIZE) to[k] = from[PLACED_f32(k)];
    }
}
#define OWN (ACCUMULATORS / ITEMS_PER_LANE) // accumulators of a work-item, and its registers of a strip
#define ITEMS (LANES_PER_ROW * ITEMS_PER_LANE) // work-items per row
#define ROWS (SIZE / ITEMS) // of a group, at a time
#define STRIP (ACCUMULATORS * LANES_PER_ROW) // elements
#define FIRST (k * STRIP + own) // the work-item's first element of strip k
#define SLOT (k * OWN + u) // where its register u of strip k is saved
#define HELD(i) (number / PITCH * (PITCH * N) + number % PITCH + (int)(i) * PITCH) // element i in local memory
// Combine q[0] ... q[count - 1], a power of two, into q[0].
#define TREE(count, combine)                                                                       \
    UNROLL for (int away = (count) / 2; away > 0; away /= 2)                                       \
        UNROLL for (int j = 0; j < (count) / 2; j++) if (j < away) q[j] = combine(q[j], q[j + away])

// t0 = max(x0); t1 = subtract(x0, t0); t2 = exp(t1); t3 = sum(t2); t4 = divide(t2, t3)
KERNEL RESIDENT_GROUPS_OF(128, 8) void rows_max_subtract_exp_sum_and_1_more_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    LOCAL ALIGNED M_f32 o0_l[ROOM_f32];
    LOCAL ALIGNED M_f32 x0_l[ROOM_f32];
    const S_i64 chunk = GROUP * CHUNK, behind = (S_i64)p.outputs * N - chunk;
    bring_f32(x0_l, px0 + p.x0_0 + chunk, behind);
    BARRIER;
    // The number of the row in its group, and of the work-item in its row. AT: the number in the group of the work-item
    // that comes so many `after` an `item` of the row.
#if OUTPUT_MAJOR
    const int place = ITEMS > 1 ? LID % ROWS : LID, item = ITEMS > 1 ? LID / ROWS : 0;
#define AT(item, after) (((item) + (after)) * ROWS + place)
#else
    const int place = LID / ITEMS, item = LID % ITEMS;
#define AT(item, after) (place * ITEMS + (item) + (after))
#endif
    const S_i64 own = item * OWN;
#if TURNS > 1
    for (int turn = 0; turn < TURNS; turn++) {
    const int number = turn * ROWS + place;
#else
    const int number = place;
#endif
    S_i32 row = GROUP * TURNS * ROWS + number;
    const int active = row < p.outputs;
    if (!active) row = p.outputs - 1; // once more, to no effect
    S_i32 rest = row;
    S_i32 c0 = rest;
    S_i64 o0_b = p.o0_0 + (S_i64)c0 * p.o0_k0;
    S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;
    R_f32 x0_saved[8];
    R_f32 t2_saved[8];

    R_f32 total0[OWN]; UNROLL for (int u = 0; u < OWN; u++) total0[u] = SPLAT_f32(-INFINITY);
#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 x0 = FROM_f32(x0_l[PLACED_f32(HELD(i))]);
            x0_saved[SLOT] = x0;
            total0[u] = maximum_f32(total0[u], x0);
        }
    }
#endif
// The last elements: no branches, so that the loads are on their way together.
#if WHOLE < STRIPS && EVEN
    {
        const int k = WHOLE;
        S_i64 first = FIRST;
        const int inside = active && first < N;
        R_b8 valid = less_i64(first, N);
        if (first >= N) first = N - OWN;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 x0 = FROM_f32(x0_l[PLACED_f32(HELD(i))]);
            x0_saved[SLOT] = x0;
            total0[u] = maximum_f32(total0[u], where_f32(valid, x0, SPLAT_f32(-INFINITY)));
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 x0 = FROM_f32(x0_l[PLACED_f32(HELD(i))]);
        x0_saved[SLOT] = x0;
        total0[u] = maximum_f32(total0[u], where_f32(valid, x0, SPLAT_f32(-INFINITY)));
    }
#endif

#if ITEMS > 1
    LOCAL R_f32 totals0[SIZE];
#endif
    R_f32 w0 = total0[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts0[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts0[u * SIZE + LID] = total0[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts0[u % OWN * SIZE + AT(other, 0)];
            w0 = u ? maximum_f32(w0, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w0 = maximum_f32(w0, total0[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals0[LID] = w0;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals0[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, maximum_f32);
        totals0[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals0[AT(0, j)];
        TREE(RESULTS_PER_ITEM, maximum_f32);
        w0 = q[0];
    }
#endif
    R_f32 t0 = w0;

    R_f32 total3[OWN]; UNROLL for (int u = 0; u < OWN; u++) total3[u] = SPLAT_f32(0);
    R_f32 part3[OWN]; UNROLL for (int u = 0; u < OWN; u++) part3[u] = SPLAT_f32(0);
#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 x0 = x0_saved[SLOT];
            R_f32 t1 = subtract_f32(x0, t0);
            R_f32 t2 = exp_f32(t1);
            t2_saved[SLOT] = t2;
            part3[u] = add_f32(part3[u], t2);
        }
    }
#endif
// The last elements: no branches, so that the loads are on their way together.
#if WHOLE < STRIPS && EVEN
    {
        const int k = WHOLE;
        S_i64 first = FIRST;
        const int inside = active && first < N;
        R_b8 valid = less_i64(first, N);
        if (first >= N) first = N - OWN;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 x0 = x0_saved[SLOT];
            R_f32 t1 = subtract_f32(x0, t0);
            R_f32 t2 = exp_f32(t1);
            t2_saved[SLOT] = t2;
            part3[u] = add_f32(part3[u], where_f32(valid, t2, SPLAT_f32(0)));
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 x0 = x0_saved[SLOT];
        R_f32 t1 = subtract_f32(x0, t0);
        R_f32 t2 = exp_f32(t1);
        t2_saved[SLOT] = t2;
        part3[u] = add_f32(part3[u], where_f32(valid, t2, SPLAT_f32(0)));
    }
#endif
    UNROLL for (int u = 0; u < OWN; u++) total3[u] = add_f32(total3[u], part3[u]);

#if ITEMS > 1
    LOCAL R_f32 totals3[SIZE];
#endif
    R_f32 w3 = total3[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts3[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts3[u * SIZE + LID] = total3[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts3[u % OWN * SIZE + AT(other, 0)];
            w3 = u ? add_f32(w3, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w3 = add_f32(w3, total3[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals3[LID] = w3;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals3[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, add_f32);
        totals3[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals3[AT(0, j)];
        TREE(RESULTS_PER_ITEM, add_f32);
        w3 = q[0];
    }
#endif
    R_f32 t3 = w3;

#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 t2 = t2_saved[SLOT];
            R_f32 t4 = divide_f32(t2, t3);
            o0_l[PLACED_f32(HELD(i))] = INTO_f32(t4);
        }
    }
#endif
// The last elements: no branches, so that the loads are on their way together.
#if WHOLE < STRIPS && EVEN
    {
        const int k = WHOLE;
        S_i64 first = FIRST;
        const int inside = active && first < N;
        R_b8 valid = less_i64(first, N);
        if (first >= N) first = N - OWN;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 t2 = t2_saved[SLOT];
            R_f32 t4 = divide_f32(t2, t3);
            if (ANY(valid)) o0_l[PLACED_f32(HELD(i))] = INTO_f32(t4);
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 t2 = t2_saved[SLOT];
        R_f32 t4 = divide_f32(t2, t3);
        if (ANY(valid)) o0_l[PLACED_f32(HELD(i))] = INTO_f32(t4);
    }
#endif

#if TURNS > 1
    }
#endif
    BARRIER;
    send_f32(o0 + p.o0_0 + chunk, o0_l, behind);
}

typedef struct {S_i32 n; S_i32 spans; S_i32 strips; S_i32 d0; S_i32 o0_0; S_i32 x0_0; S_i32 o0_s0; S_i32 x0_s0;} Parameters;
VECTORS(f32, 4, W_16)
#define EACH UNROLL for (int k = 0; k < 4; k++)
// t0 = positive(x0)
KERNEL void elementwise_positive_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i32 item = (S_i32)GID;
    if (item >= p.strips * p.spans) return;
    S_i32 strip = item / p.spans;
    S_i32 i = (item % p.spans) * 4 * LANES;
    S_i32 c0 = strip;
    S_i32 o0_b = p.o0_0 + c0 * p.o0_s0;
    S_i32 x0_b = p.x0_0 + c0 * p.x0_s0;
    S_i32 at[4];
    EACH at[k] = i + k;
    int n[4];
    EACH n[k] = at[k] < p.n;
    V_f32 x0_v = FETCH_f32(px0, x0_b + i, p.n - i);
    R_f32 x0[4]; FROMV_f32(x0_v, x0);
    R_f32 t0[4];
    EACH t0[k] = positive_f32(x0[k]);
    R_f32 r0[4];
    EACH r0[k] = t0[k];
    if (n[3]) STOREV_f32(o0, o0_b + i, r0); else EACH if (n[k] == LANES) STORE_f32(o0, o0_b + at[k], r0[k]); else STOREN_f32(o0, o0_b + at[k], 1, n[k], r0[k]);
}

typedef struct {S_i64 o0_0; S_i64 x0_0; S_i64 x1_0; S_i32 n; S_i32 outputs; S_i32 many; S_i32 k0; S_i32 o0_k0; S_i32 o0_r; S_i32 x0_k0; S_i32 x0_r; S_i32 x1_k0; S_i32 x1_r;} Parameters;
#define ACCUMULATORS 4
#define LANES_PER_ROW 8
#define ITEMS_PER_LANE 4
#define SIZE 256
#define STRIPS 19
#define WHOLE 18
#define EVEN 0
#define OUTPUT_MAJOR 1
#define N p.n
#define FILLED 4
#define TURNS 1
#define CHUNK 0
#define PITCH 1
#define RESULTS_PER_ITEM 8
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

// t0 = add(x0, x1); t1 = max(t0); t2 = subtract(t0, t1); t3 = exp(t2); t4 = sum(t3); t5 = divide(t3, t4)
KERNEL RESIDENT_GROUPS_OF(256, 4) void rows_add_max_subtract_exp_and_2_more_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, GLOBAL M_f32* px1, const Parameters p) {
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
    S_i64 x1_b = p.x1_0 + (S_i64)c0 * p.x1_k0;
    R_f32 x1;
    x1 = LOAD1_f32(px1, x1_b);
    R_f32 t0_saved[19];
    R_f32 t3_saved[19];

    R_f32 total1[2 * OWN]; UNROLL for (int u = 0; u < 2 * OWN; u++) total1[u] = SPLAT_f32(-INFINITY);
#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 x0;
            if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r, p.x0_r); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r, p.x0_r, n);
            R_f32 t0 = add_f32(x0, x1);
            t0_saved[SLOT] = t0;
            total1[k / 10 * OWN + u] = maximum_f32(total1[k / 10 * OWN + u], t0);
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
            R_f32 x0;
            if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r, p.x0_r); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r, p.x0_r, n);
            R_f32 t0 = add_f32(x0, x1);
            t0_saved[SLOT] = t0;
            total1[k / 10 * OWN + u] = maximum_f32(total1[k / 10 * OWN + u], where_f32(valid, t0, SPLAT_f32(-INFINITY)));
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 x0;
        if (n == LANES) x0 = LOADS_f32(px0, x0_b + i * p.x0_r, p.x0_r); else x0 = LOADN_f32(px0, x0_b + i * p.x0_r, p.x0_r, n);
        R_f32 t0 = add_f32(x0, x1);
        t0_saved[SLOT] = t0;
        total1[k / 10 * OWN + u] = maximum_f32(total1[k / 10 * OWN + u], where_f32(valid, t0, SPLAT_f32(-INFINITY)));
    }
#endif

    R_f32 total1_0[OWN];
    UNROLL for (int u = 0; u < OWN; u++) total1_0[u] = total1[0 * OWN + u];
#if ITEMS > 1
    LOCAL R_f32 totals1_0[SIZE];
#endif
    R_f32 w1_0 = total1_0[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts1_0[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts1_0[u * SIZE + LID] = total1_0[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts1_0[u % OWN * SIZE + AT(other, 0)];
            w1_0 = u ? maximum_f32(w1_0, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w1_0 = maximum_f32(w1_0, total1_0[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals1_0[LID] = w1_0;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals1_0[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, maximum_f32);
        totals1_0[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals1_0[AT(0, j)];
        TREE(RESULTS_PER_ITEM, maximum_f32);
        w1_0 = q[0];
    }
#endif

    R_f32 total1_1[OWN];
    UNROLL for (int u = 0; u < OWN; u++) total1_1[u] = total1[1 * OWN + u];
#if ITEMS > 1
    LOCAL R_f32 totals1_1[SIZE];
#endif
    R_f32 w1_1 = total1_1[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts1_1[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts1_1[u * SIZE + LID] = total1_1[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts1_1[u % OWN * SIZE + AT(other, 0)];
            w1_1 = u ? maximum_f32(w1_1, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w1_1 = maximum_f32(w1_1, total1_1[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals1_1[LID] = w1_1;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals1_1[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, maximum_f32);
        totals1_1[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals1_1[AT(0, j)];
        TREE(RESULTS_PER_ITEM, maximum_f32);
        w1_1 = q[0];
    }
#endif
    R_f32 t1 = maximum_f32(w1_0, w1_1);

    R_f32 total4[2 * OWN]; UNROLL for (int u = 0; u < 2 * OWN; u++) total4[u] = SPLAT_f32(0);
    R_f32 part4[2 * OWN]; UNROLL for (int u = 0; u < 2 * OWN; u++) part4[u] = SPLAT_f32(0);
#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 t0 = t0_saved[SLOT];
            R_f32 t2 = subtract_f32(t0, t1);
            R_f32 t3 = exp_f32(t2);
            t3_saved[SLOT] = t3;
            part4[k / 10 * OWN + u] = add_f32(part4[k / 10 * OWN + u], t3);
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
            R_f32 t0 = t0_saved[SLOT];
            R_f32 t2 = subtract_f32(t0, t1);
            R_f32 t3 = exp_f32(t2);
            t3_saved[SLOT] = t3;
            part4[k / 10 * OWN + u] = add_f32(part4[k / 10 * OWN + u], where_f32(valid, t3, SPLAT_f32(0)));
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 t0 = t0_saved[SLOT];
        R_f32 t2 = subtract_f32(t0, t1);
        R_f32 t3 = exp_f32(t2);
        t3_saved[SLOT] = t3;
        part4[k / 10 * OWN + u] = add_f32(part4[k / 10 * OWN + u], where_f32(valid, t3, SPLAT_f32(0)));
    }
#endif
    UNROLL for (int u = 0; u < 2 * OWN; u++) total4[u] = add_f32(total4[u], part4[u]);

    R_f32 total4_0[OWN];
    UNROLL for (int u = 0; u < OWN; u++) total4_0[u] = total4[0 * OWN + u];
#if ITEMS > 1
    LOCAL R_f32 totals4_0[SIZE];
#endif
    R_f32 w4_0 = total4_0[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts4_0[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts4_0[u * SIZE + LID] = total4_0[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts4_0[u % OWN * SIZE + AT(other, 0)];
            w4_0 = u ? add_f32(w4_0, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w4_0 = add_f32(w4_0, total4_0[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals4_0[LID] = w4_0;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals4_0[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, add_f32);
        totals4_0[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals4_0[AT(0, j)];
        TREE(RESULTS_PER_ITEM, add_f32);
        w4_0 = q[0];
    }
#endif

    R_f32 total4_1[OWN];
    UNROLL for (int u = 0; u < OWN; u++) total4_1[u] = total4[1 * OWN + u];
#if ITEMS > 1
    LOCAL R_f32 totals4_1[SIZE];
#endif
    R_f32 w4_1 = total4_1[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_f32 parts4_1[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts4_1[u * SIZE + LID] = total4_1[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_f32 its = parts4_1[u % OWN * SIZE + AT(other, 0)];
            w4_1 = u ? add_f32(w4_1, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w4_1 = add_f32(w4_1, total4_1[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals4_1[LID] = w4_1;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_f32 q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals4_1[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, add_f32);
        totals4_1[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_f32 q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals4_1[AT(0, j)];
        TREE(RESULTS_PER_ITEM, add_f32);
        w4_1 = q[0];
    }
#endif
    R_f32 t4 = add_f32(w4_0, w4_1);

#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            R_f32 t3 = t3_saved[SLOT];
            R_f32 t5 = divide_f32(t3, t4);
            STOREN_f32(o0, o0_b + (S_i64)i * p.o0_r, 1, inside, t5);
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
            R_f32 t3 = t3_saved[SLOT];
            R_f32 t5 = divide_f32(t3, t4);
            STOREN_f32(o0, o0_b + (S_i64)i * p.o0_r, 1, inside, t5);
        }
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        R_f32 t3 = t3_saved[SLOT];
        R_f32 t5 = divide_f32(t3, t4);
        STOREN_f32(o0, o0_b + (S_i64)i * p.o0_r, 1, inside, t5);
    }
#endif

#if TURNS > 1
    }
#endif
}

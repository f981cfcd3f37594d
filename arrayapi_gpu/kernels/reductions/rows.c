// The row kernel; see rows.py. A kernel is `begin`, then for each phase `phase` and, for each reduction that ends with
// it, `combine`, and at last `end`, all of them for GPUs or all for CPUs; `segment` splits the accumulators of
// segments. Where lanes lie across the rows, `phase` combines, too: a work-item has WIDTH neighbouring registers, each
// of one element of several rows, and a value that is the same along a row is an array of as many; rows are combined in
// blocks, and blocks in SEGMENTS. Defined before:
//   ACCUMULATORS     of a lane: registers that are combined independently of each other, one strip after the other
// on GPUs
//   LANES_PER_ROW  ITEMS_PER_LANE   lanes that share a row; work-items that share a lane's accumulators
//   SIZE             work-items of a group
//   STRIPS  WHOLE    strips of a row, and how many of them have all their elements
//   EVEN             of the last one, each work-item has all elements or none, and accesses several at a time
//   OUTPUT_MAJOR     neighbouring work-items take neighbouring rows, not neighbouring elements of one
//   N  FILLED        elements of a row; accumulators of a lane that have elements
//   TURNS            rows that a work-item takes one after the other
//   CHUNK  PITCH     elements of the rows of a group, where these are in local memory, too, for arrays in which they lie
//                    together, and the distance of a row's elements there
//   RESULTS_PER_ITEM              work-items of a row that combine the results of the others, at most
// and on CPUs
//   BLOCK            strips that are combined before their result is added to the others'
// The hooks of a body: $element, the work on the register of elements from i on, with elements in n lanes; $last, the
// same where some lanes hold none (`valid`, `inside`); $loads and $stores of several elements at a time; $values, which
// are the same all along the row. An array a begins in this row at a_b. For reduction f, total$f and part$f are the
// accumulators of the row and of the block, w$f is their combination, and t$f the value.

//: begin_gpu
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

$expression
KERNEL $attribute void $kernel($arguments) {
    $scalars
    $brought
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
    S_$I row = GROUP * TURNS * ROWS + number;
    const int active = row < p.outputs;
    if (!active) row = p.outputs - 1; // once more, to no effect
    S_$I rest = row;
    $bases
    $rowwise
    $saved

//: phase_gpu
    $values
    $totals
    $parts
#if WHOLE
    UNROLL for (int k = 0; k < WHOLE; k++) {
        const int inside = active;
        const S_i64 first = FIRST;
        $loads
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            $element
        }
        $stores
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
        $loads
        UNROLL for (int u = 0; u < OWN; u++) {
            const S_i64 i = first + u; const int n = LANES;
            $last
        }
        $stores
    }
#elif WHOLE < STRIPS
    UNROLL for (int u = 0; u < OWN; u++) {
        const int k = WHOLE, n = LANES;
        S_i64 i = FIRST + u;
        R_b8 valid = less_i64(i, N);
        const int inside = active && i < N;
        if (i >= N) i = N - 1;
        $last
    }
#endif
    $sums

//: segment_gpu
    R_$T total$f[OWN];
    UNROLL for (int u = 0; u < OWN; u++) total$f[u] = $total[$segment * OWN + u];
//: combine_gpu
#if ITEMS > 1
    LOCAL R_$T totals$f[SIZE];
#endif
    R_$T w$f = total$f[0];
#if ITEMS_PER_LANE > 1
    LOCAL R_$T parts$f[SIZE * OWN];
    // A work-item for each lane gets at the accumulators of those that share the lane.
    UNROLL for (int u = 0; u < OWN; u++) parts$f[u * SIZE + LID] = total$f[u];
    BARRIER;
    if (item < LANES_PER_ROW) {
        UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
            const int other = item * ITEMS_PER_LANE + u / OWN;
            R_$T its = parts$f[u % OWN * SIZE + AT(other, 0)];
            w$f = u ? $op(w$f, its) : its;
        }
    }
#else
    UNROLL for (int u = 1; u < FILLED; u++) w$f = $op(w$f, total$f[u]);
#endif
#if ITEMS > 1
    // Some work-items combine values at the distances that these have in `reduce`, and then each does the rest.
    totals$f[LID] = w$f;
    BARRIER;
#if LANES_PER_ROW > RESULTS_PER_ITEM
    if (item < RESULTS_PER_ITEM) {
        R_$T q[LANES_PER_ROW / RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < LANES_PER_ROW / RESULTS_PER_ITEM; j++)
            q[j] = totals$f[AT(item, j * RESULTS_PER_ITEM)];
        TREE(LANES_PER_ROW / RESULTS_PER_ITEM, $op);
        totals$f[LID] = q[0];
    }
    BARRIER;
#endif
    {
        R_$T q[RESULTS_PER_ITEM];
        UNROLL for (int j = 0; j < RESULTS_PER_ITEM; j++) q[j] = totals$f[AT(0, j)];
        TREE(RESULTS_PER_ITEM, $op);
        w$f = q[0];
    }
#endif

//: end_gpu
    $values
    $stores
#if TURNS > 1
    }
#endif
    $sent
}

//: begin_cpu
#define OWN ACCUMULATORS
#define STRIP (ACCUMULATORS * LANES) // elements
#define SLOT (i / LANES) // where a register is saved

$expression
KERNEL $attribute void $kernel($arguments) {
    $scalars
    $saved
    S_$I last = (GID + 1) * p.many < p.outputs ? (GID + 1) * p.many : p.outputs;
    for (S_$I row = GID * p.many; row < last; row++) {
        S_$I rest = row;
        $bases
        $rowwise

//: phase_cpu
        $values
        $totals
        for (S_$I block = 0; block < p.n; block += BLOCK * STRIP) {
            S_$I end = block + BLOCK * STRIP < p.n ? block + BLOCK * STRIP : p.n, r = block;
            $parts
            for (; r + STRIP <= end; r += STRIP) {
                ${unroll}for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_$I i = r + u * LANES; const int n = LANES;
                    $element
                }
            }
            if (r < end)
                ${unroll}for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_$I i = r + u * LANES;
                    const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
                    if (n == 0) break;
                    R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
                    $last
                }
            $sums
        }

//: combine_cpu
        R_$T w$f = total$f[0];
        UNROLL for (int u = 1; u < ACCUMULATORS; u++) w$f = $op(w$f, total$f[u]);
        w$f = $op(w$f, ROTATE_$T(w$f, 8));
        w$f = $op(w$f, ROTATE_$T(w$f, 4));
        w$f = $op(w$f, ROTATE_$T(w$f, 2));
        w$f = $op(w$f, ROTATE_$T(w$f, 1));
        w$f = LAST_$T(ROTATE_$T(w$f, 1)); // of two zeros, lanes may have chosen differently: the first lane's counts

//: end_cpu
        $values
        $stores
    }
}

//: begin_across
#define EACH UNROLL for (int u = 0; u < WIDTH; u++)
#define COLUMN                                                                                     \
    const S_i64 i = column + u * LANES;                                                            \
    if (i >= $last) break;                                                                         \
    const int n = $last - i < LANES ? (int)($last - i) : LANES;

$expression
KERNEL $attribute void $kernel($arguments) {
    $scalars
    if (GID >= p.outputs) return;
    S_i64 rest = GID / p.many;
    const S_i64 column = GID % p.many * WIDTH * LANES;
    $saved
    $bases
    $rowwise

//: phase_across
    $values
    $totals
#if SEGMENTS
    // As `reduce` combines segments by a second launch.
    for (S_i64 from = 0; from < p.n; from += BLOCK * SEGMENT) {
        $wholes
        for (S_i64 first = from; first < from + BLOCK * SEGMENT && first < p.n; first += SEGMENT) {
            const S_i64 end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
            $segments
            for (S_i64 block = first; block < end; block += BLOCK) {
                $parts
                for (S_i64 r = block; r < block + BLOCK && r < end; r++) {
                    $places
                    EACH {
                        COLUMN
                        $element
                    }
                }
                $into_segment
            }
            $into_whole
        }
        $into_total
    }
#else
    for (S_i64 block = 0; block < p.n; block += BLOCK) {
        $parts
        for (S_i64 r = block; r < block + BLOCK && r < p.n; r++) {
            $places
            EACH {
                COLUMN
                $element
            }
        }
        $from_part
    }
#endif
    $found

//: end_across
    $values
    $stores
}

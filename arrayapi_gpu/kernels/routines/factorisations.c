// The kernels of large matrices on GPUs; see factorisations.py. Numbers are as in matrices.c, whose words stand before
// these kernels. Defined before:
//   SIDE         columns of a panel, and rows of a tile of it
//   MOST         groups that share a panel, at most
//   BLOCK        rows of a triangle in local memory
//   DOWN  RIGHT  work-items of a group of `substitution`: along a column of right-hand sides, and columns
//   LENGTH       rows of a panel of one group, at most
//   SHARING      work-items of a group of all other kernels

//: memory
#define PLACE SHARED M_$F*
#define PART(w, k) (w)[k]
#define SET_PART(w, k, v) ((w)[k] = (v))
#define UNROLLED
#define ITEMS 1
#define ME 0
#define SYNC BARRIER

//: panels
// A panel is eliminated column by column, with a launch for each: groups share its tiles, and each work-item has elements
// of one column. A launch applies step k, which the launch before has prepared (none, if k is -1), and prepares step
// k + 1, unless that is p.steps. The number k is in memory; a launch leaves it, as all that the next one needs, in one
// half of a buffer, while the other half is read.
#define STRIPES (SHARING / SIDE)
#define EACH_ROW(i) UNROLL for (int i = LID / SIDE; i < SIDE; i += STRIPES)
// Rows from number `first` on that are a work-item's own, four at a time, whose elements are read before one is written.
#define EACH_FOUR(row, first)                                                                      \
    for (int row = (first) + (stripe + STRIPES - (first) % STRIPES) % STRIPES; row < rows; row += 4 * STRIPES)
#define NEXT(row, t) ((row) + (t) * STRIPES)
#define FOUR_OF(row) {ELEMENT(row), ELEMENT(NEXT(row, 1)), ELEMENT(NEXT(row, 2)), ELEMENT(NEXT(row, 3))}
#define ELEMENT(row) ((row) < rows ? LOAD1_$T(a, (row) * p.a_down) : ZERO)
typedef struct { R_$T x0, x1, x2, x3; } Four;
#define TAKE_LEAD(k)                                                                               \
    if (column == (k) && inside) EACH_FOUR(row, k) {                                               \
        const Four x = FOUR_OF(row);                                                               \
        lead[row] = x.x0;                                                                          \
        if (NEXT(row, 1) < rows) lead[NEXT(row, 1)] = x.x1;                                        \
        if (NEXT(row, 2) < rows) lead[NEXT(row, 2)] = x.x2;                                        \
        if (NEXT(row, 3) < rows) lead[NEXT(row, 3)] = x.x3;                                        \
    }
#define HALF(k, count) (((k) & 1) * (count))

//: eliminate
// Step k of L U: row `place` of the greatest element changes places with row k. A group leaves the size of its greatest
// element in the next column, and the row of it, with its place; the group of row k + 1 leaves that row as well.
KERNEL void eliminate(GLOBAL M_$T* a, GLOBAL M_i32* order, GLOBAL M_i32* found_rows, GLOBAL M_i32* failed,
                      GLOBAL M_$F* sizes, GLOBAL M_i32* places, GLOBAL M_$T* lines, GLOBAL M_i32* count,
                      const Parameters p) {
    LOCAL R_$T tile[SIDE][SIDE + 1];
    LOCAL R_$T pivots[SIDE];
    LOCAL R_$T head[SIDE];
    LOCAL R_$T firsts[SIDE];
    LOCAL R_$T best_line[SIDE];
    LOCAL R_$F size[MOST];
    LOCAL int place[MOST];
    const int k = count[p.turn], next = k + 1, column = LID % SIDE, stripe = LID / SIDE, groups = (int)p.groups;
    const int rows = (int)p.rows, columns = (int)p.columns, steps = (int)p.steps;
    R_$T pivot = ONE;
    int at = -1;
    if (k >= 0) {
        for (int g = LID; g < MOST; g += SHARING) {
            size[g] = g < groups ? LOAD1_$F(sizes, HALF(k, MOST) + g) : C_$F(-2);
            place[g] = g < groups ? places[HALF(k, MOST) + g] : rows;
        }
        for (int rest = MOST / 2; rest; rest /= 2) {
            BARRIER;
            if (LID < rest) {
                R_$F other = size[LID + rest];
                if (other > size[LID] || (other == size[LID] && place[LID + rest] < place[LID]))
                    size[LID] = other, place[LID] = place[LID + rest];
            }
        }
        BARRIER;
        at = place[0];
        const int winner = at / SIDE % groups;
        if (LID < SIDE) {
            pivots[LID] = LOAD1_$T(lines, (HALF(k, MOST + 1) + winner) * SIDE + LID);
            head[LID] = LOAD1_$T(lines, (HALF(k, MOST + 1) + MOST) * SIDE + LID);
        }
        BARRIER;
        pivot = pivots[k];
    }
    const int regular = !EQ(SIZE(pivot), C_$F(0));
    const Divisor by = divisor(pivot);
    R_$F best = C_$F(-2);
    int best_place = rows;
    for (int from = (int)GROUP * SIDE; from < rows; from += groups * SIDE) {
        EACH_ROW(i) {
            const int row = from + i;
            tile[i][column] = row < rows && column < columns ? LOAD1_$T(a, p.a_0 + row * p.a_down + column) : ZERO;
        }
        BARRIER;
        if (k >= 0) {
            if (LID < SIDE) {
                R_$T first = from + LID == at ? head[k] : tile[LID][k];
                firsts[LID] = regular ? ratio(first, by) : first;
            }
            BARRIER;
            EACH_ROW(i) {
                const int row = from + i;
                R_$T x = row == k ? pivots[column] : row == at ? head[column] : tile[i][column];
                if (row > k && column == k) x = firsts[i];
                if (row > k && column > k) x = MINUS(x, firsts[i], pivots[column]);
                tile[i][column] = x;
                if (row >= k && row < rows && column < columns) STORE_$T(a, p.a_0 + row * p.a_down + column, x);
            }
        }
        BARRIER;
        if (next < steps) {
            int found = -1;
            for (int i = 0; i < SIDE; i++) {
                if (from + i < next || from + i >= rows) continue;
                R_$F mine = SIZE(tile[i][next]);
                if (from + i == next && best < C_$F(-1)) best = C_$F(-1), found = i; // also if all are NaN
                if (mine > best) best = mine, found = i;
            }
            if (found >= 0) best_place = from + found;
            if (LID < SIDE) {
                if (found >= 0) best_line[LID] = tile[found][LID];
                if (from <= next && next < from + SIDE)
                    STORE_$T(lines, (HALF(next, MOST + 1) + MOST) * SIDE + LID, tile[next - from][LID]);
            }
            BARRIER;
        }
    }
    if (k >= 0 && GROUP == 0 && LID == 0) {
        M_i32 mine = order[k];
        order[k] = order[at], order[at] = mine;
        found_rows[p.first + k] = (int)p.first + at;
        if (!regular) failed[0] = 1;
    }
    if (next < steps && best_place < rows && LID < SIDE)
        STORE_$T(lines, (HALF(next, MOST + 1) + GROUP) * SIDE + LID, best_line[LID]);
    if (GROUP == 0 && LID == 0) count[1 - p.turn] = next < steps ? next : -1;
    if (next < steps && LID == 0) {
        STORE_$F(sizes, HALF(next, MOST) + GROUP, best);
        places[HALF(next, MOST) + GROUP] = best_place;
    }
}

//: eliminate_alone
// All steps of a panel by one group, which has the column of the step in local memory. A work-item has some rows of one
// column, and nobody else reads these elements.
FN R_$T eliminated(int is_top, int is_pivots, int is_lead, int regular, Divisor by, R_$T x, R_$T first, R_$T pivot,
                   R_$T head, R_$T head_first) {
    if (is_top) return pivot;
    if (is_pivots) x = head, first = head_first;
    if (regular) first = ratio(first, by);
    return is_lead ? first : MINUS(x, first, pivot);
}

KERNEL GROUPS_OF(SHARING) void eliminate_alone(GLOBAL M_$T* a, GLOBAL M_i32* order, GLOBAL M_i32* found_rows,
                                               GLOBAL M_i32* failed, const Parameters p) {
    LOCAL R_$T lead[LENGTH];
    LOCAL R_$T pivots[SIDE];
    LOCAL R_$T head[SIDE];
    LOCAL R_$F size[SHARING];
    LOCAL int place[SHARING];
    const int column = LID % SIDE, stripe = LID / SIDE, rows = (int)p.rows, steps = (int)p.steps;
    const int inside = column < p.columns;
    a += p.a_0 + column;
    TAKE_LEAD(0);
    for (int k = 0; k < steps; k++) {
        BARRIER;
        R_$F best = C_$F(LID == 0 ? -1 : -2); // row k also if all are NaN
        int at = k;
        for (int row = k + LID; row < rows; row += SHARING) {
            R_$F mine = SIZE(lead[row]);
            if (mine > best) best = mine, at = row;
        }
        size[LID] = best, place[LID] = at;
        for (int rest = SHARING / 2; rest; rest /= 2) {
            BARRIER;
            if (LID < rest) {
                R_$F other = size[LID + rest];
                if (other > size[LID] || (other == size[LID] && place[LID + rest] < place[LID]))
                    size[LID] = other, place[LID] = place[LID + rest];
            }
        }
        BARRIER;
        at = place[0];
        if (inside && stripe == at % STRIPES) pivots[column] = LOAD1_$T(a, at * p.a_down);
        if (inside && stripe == k % STRIPES) head[column] = LOAD1_$T(a, k * p.a_down);
        BARRIER;
        const int regular = !EQ(SIZE(pivots[k]), C_$F(0));
        const Divisor by = divisor(pivots[k]);
        if (inside && column < k) {
            if (stripe == k % STRIPES) STORE_$T(a, k * p.a_down, pivots[column]);
            if (stripe == at % STRIPES && at != k) STORE_$T(a, at * p.a_down, head[column]);
        }
#define ELIMINATED(row, x)                                                                         \
    if ((row) < rows)                                                                              \
        STORE_$T(a, (row) * p.a_down, eliminated((row) == k, (row) == at, column == k, regular, by, x, lead[row], \
                                                 pivots[column], head[column], head[k]))
        if (inside && column >= k) EACH_FOUR(row, k) {
            const Four x = FOUR_OF(row);
            ELIMINATED(row, x.x0);
            ELIMINATED(NEXT(row, 1), x.x1);
            ELIMINATED(NEXT(row, 2), x.x2);
            ELIMINATED(NEXT(row, 3), x.x3);
        }
        if (LID == 0) {
            M_i32 mine = order[k];
            order[k] = order[at], order[at] = mine;
            found_rows[p.first + k] = (int)p.first + at;
            if (!regular) failed[0] = 1;
        }
        BARRIER;
        TAKE_LEAD(k + 1);
    }
}

//: number
KERNEL void number(GLOBAL M_i32* out, const Parameters p) {
    if (GID < p.rows) out[GID] = (int)GID;
}

//: reflections
// A reflection I - factor v v^H takes a column to its first element, and v takes its place; the first element of v, which
// is 1, is not written. The elements of the whole matrix are near 1, at most: a length whose square is inexact counts as
// 0. `weight`: factor^H times the product of v and another column; `inverse`: of the factor.
typedef struct { R_$T diagonal, weight, inverse; Divisor by; int is_short; } Reflection;

// From the first elements of the column and of another one, and the products of the column with both below these.
FN Reflection reflection(R_$T first, R_$T tail, R_$T other, R_$T product) {
    Reflection v;
    R_$F rest = RE(tail);
    v.is_short = LT(rest, C_$F($short)) != 0;
    if (v.is_short) rest = C_$F(0);
    const R_$F square = NORM2(rest, first), length = COPYSIGN(SQRT(square), RE(first));
    const int flat = LT(square, C_$F($short)) || (v.is_short && EQ(IM(first), C_$F(0)));
    v.is_short |= flat;
    R_$T whole = first, factor = first;
    RE(whole) = RE(first) + length;
    RE(factor) = RE(whole) / length;
#if PARTS == 2
    IM(factor) = IM(first) / length;
#endif
    v.by = divisor(whole);
    v.diagonal = FROM_RE(flat ? RE(first) : -length);
    v.inverse = FROM_RE(INF_$F), v.weight = ZERO;
    if (!flat) {
        if (!v.is_short) other = PLUS(other, ONE, ratio(product, divisor(CONJ(whole))));
        v.weight = TIMES(CONJ(factor), other);
        v.inverse = ratio(ONE, divisor(factor));
    }
    return v;
}

//: reflect
// Step k of Q R. A group leaves its part of the products of the next column with all columns, below row k + 1; the group
// of that row leaves the row.
KERNEL void reflect(GLOBAL M_$T* a, GLOBAL M_$T* inverses, GLOBAL M_$T* dots, GLOBAL M_$T* heads,
                    GLOBAL M_i32* count, const Parameters p) {
    LOCAL R_$T tile[SIDE][SIDE + 1];
    LOCAL R_$T firsts[SIDE];
    LOCAL R_$T parts[STRIPES][SIDE];
    LOCAL R_$T head[SIDE];
    const int k = count[p.turn], next = k + 1, column = LID % SIDE, stripe = LID / SIDE, groups = (int)p.groups;
    const int rows = (int)p.rows, columns = (int)p.columns, steps = (int)p.steps;
    Reflection v = reflection(ZERO, ZERO, ZERO, ZERO);
    if (k >= 0) {
        R_$T dot = ZERO;
        for (int g = stripe; g < groups; g += STRIPES)
            dot = PLUS(dot, ONE, LOAD1_$T(dots, (HALF(k, MOST) + g) * SIDE + column));
        parts[stripe][column] = dot;
        if (LID < SIDE) head[LID] = LOAD1_$T(heads, HALF(k, 1) * SIDE + LID);
        BARRIER;
        if (stripe == 0) {
            for (int t = 1; t < STRIPES; t++) dot = PLUS(dot, ONE, parts[t][column]);
            parts[0][column] = dot;
        }
        BARRIER;
        v = reflection(head[k], parts[0][k], head[column], parts[0][column]);
        if (GROUP == 0 && LID == 0) STORE_$T(inverses, p.first + k, v.inverse);
    }
    R_$T sum = ZERO;
    for (int from = (int)GROUP * SIDE; from < rows; from += groups * SIDE) {
        EACH_ROW(i) {
            const int row = from + i;
            tile[i][column] = row < rows && column < columns ? LOAD1_$T(a, p.a_0 + row * p.a_down + column) : ZERO;
        }
        BARRIER;
        if (k >= 0) {
            if (LID < SIDE) firsts[LID] = v.is_short ? ZERO : ratio(tile[LID][k], v.by);
            BARRIER;
            EACH_ROW(i) {
                const int row = from + i;
                R_$T x = tile[i][column];
                if (row == k && column == k) x = v.diagonal;
                if (row == k && column > k) x = LESS(x, v.weight);
                if (row > k && column == k) x = firsts[i];
                if (row > k && column > k) x = MINUS(x, firsts[i], v.weight);
                tile[i][column] = x;
                if (row >= k && row < rows && column < columns) STORE_$T(a, p.a_0 + row * p.a_down + column, x);
            }
        }
        BARRIER;
        if (next < steps) {
            EACH_ROW(i) {
                if (from + i > next) sum = PLUS(sum, CONJ(tile[i][next]), tile[i][column]);
                if (from + i == next) STORE_$T(heads, HALF(next, 1) * SIDE + column, tile[i][column]);
            }
        }
        BARRIER;
    }
    if (GROUP == 0 && LID == 0) count[1 - p.turn] = next < steps ? next : -1;
    if (next < steps) {
        parts[stripe][column] = sum;
        BARRIER;
        if (stripe == 0) {
            for (int t = 1; t < STRIPES; t++) sum = PLUS(sum, ONE, parts[t][column]);
            STORE_$T(dots, (HALF(next, MOST) + GROUP) * SIDE + column, sum);
        }
    }
}

//: reflect_alone
// All steps of a panel by one group, as in `eliminate_alone`.
FN R_$T reflected(Reflection v, int is_top, int is_lead, R_$T x, R_$T first) {
    if (is_top) return is_lead ? v.diagonal : LESS(x, v.weight);
    first = v.is_short ? ZERO : ratio(first, v.by);
    return is_lead ? first : MINUS(x, first, v.weight);
}

KERNEL GROUPS_OF(SHARING) void reflect_alone(GLOBAL M_$T* a, GLOBAL M_$T* inverses, const Parameters p) {
    LOCAL R_$T lead[LENGTH];
    LOCAL R_$T parts[STRIPES][SIDE];
    LOCAL R_$T head[SIDE];
    const int column = LID % SIDE, stripe = LID / SIDE, rows = (int)p.rows, steps = (int)p.steps;
    const int inside = column < p.columns;
    a += p.a_0 + column;
    TAKE_LEAD(0);
    for (int k = 0; k < steps; k++) {
        BARRIER;
        R_$T dot = ZERO;
        if (inside && column >= k) EACH_FOUR(row, k + 1) {
            const Four x = FOUR_OF(row);
            dot = PLUS(dot, CONJ(lead[row]), x.x0);
            if (NEXT(row, 1) < rows) dot = PLUS(dot, CONJ(lead[NEXT(row, 1)]), x.x1);
            if (NEXT(row, 2) < rows) dot = PLUS(dot, CONJ(lead[NEXT(row, 2)]), x.x2);
            if (NEXT(row, 3) < rows) dot = PLUS(dot, CONJ(lead[NEXT(row, 3)]), x.x3);
        }
        parts[stripe][column] = dot;
        if (inside && stripe == k % STRIPES) head[column] = LOAD1_$T(a, k * p.a_down);
        for (int rest = STRIPES / 2; rest; rest /= 2) {
            BARRIER;
            if (stripe < rest) parts[stripe][column] = PLUS(parts[stripe][column], ONE, parts[stripe + rest][column]);
        }
        BARRIER;
        const Reflection v = reflection(head[k], parts[0][k], head[column], parts[0][column]);
        if (LID == 0) STORE_$T(inverses, p.first + k, v.inverse);
#define REFLECTED(row, x)                                                                          \
    if ((row) < rows) STORE_$T(a, (row) * p.a_down, reflected(v, (row) == k, column == k, x, lead[row]))
        if (inside && column >= k) EACH_FOUR(row, k) {
            const Four x = FOUR_OF(row);
            REFLECTED(row, x.x0);
            REFLECTED(NEXT(row, 1), x.x1);
            REFLECTED(NEXT(row, 2), x.x2);
            REFLECTED(NEXT(row, 3), x.x3);
        }
        BARRIER;
        TAKE_LEAD(k + 1);
    }
}

//: root
// The lower Cholesky factor of the lower triangle of one block, in place. Columns are divided by the roots of their first
// elements at the end.
KERNEL void root(GLOBAL M_$T* a, GLOBAL M_i32* failed, const Parameters p) {
    LOCAL R_$T w[BLOCK][BLOCK + 1];
    LOCAL R_$F roots[BLOCK];
    const int n = (int)p.rows, side = 16, right = LID % side, down = LID / side;
    for (int i = down; i < n; i += SHARING / side)
        for (int j = right; j <= i; j += side) w[i][j] = LOAD1_$T(a, p.a_0 + i * p.a_down + j * p.a_right);
    for (int k = 0; k + 1 < n; k++) {
        BARRIER;
        const Divisor by = divisor(FROM_RE(RE(w[k][k])));
        for (int i = k + 1 + down; i < n; i += SHARING / side) {
            const R_$T factor = ratio(w[i][k], by);
            for (int j = k + 1 + right; j <= i; j += side) w[i][j] = MINUS(w[i][j], factor, CONJ(w[j][k]));
        }
    }
    BARRIER;
    if (LID < n) {
        roots[LID] = SQRT(RE(w[LID][LID]));
        if (LE(RE(w[LID][LID]), C_$F(0))) failed[0] = 1;
    }
    BARRIER;
    for (int i = down; i < n; i += SHARING / side)
        for (int j = right; j <= i; j += side) {
            R_$T x = FROM_RE(roots[i]);
            if (j < i) x = SCALED(w[i][j], C_$F(1) / roots[j]);
            STORE_$T(a, p.a_0 + i * p.a_down + j * p.a_right, x);
        }
}

//: substitution
// x with t x = b, in place of b: t is the lower triangle of one block. A group has RIGHT columns of b.
KERNEL void substitution(GLOBAL M_$T* b, GLOBAL M_$T* t, GLOBAL M_i32* failed, const Parameters p) {
    LOCAL R_$T triangle[BLOCK][BLOCK + 1];
    LOCAL R_$T x[BLOCK][RIGHT];
    LOCAL Divisor heads[BLOCK];
    const int n = (int)p.rows, right = LID % RIGHT, down = LID / RIGHT;
    const S_i64 column = GROUP * RIGHT + right;
    const int inside = column < p.columns;
    t += p.t_0, b += p.b_0 + column * p.b_right;
    for (int e = LID; e < n * BLOCK; e += DOWN * RIGHT) {
        const int i = e / BLOCK, j = e % BLOCK;
        if (j <= i) triangle[i][j] = LOAD1_$T(t, i * p.t_down + j * p.t_right);
    }
    for (int i = down; i < n; i += DOWN) {
        x[i][right] = ZERO;
        if (inside) x[i][right] = LOAD1_$T(b, i * p.b_down);
    }
    BARRIER;
    if (LID < n && !p.unit) {
        heads[LID] = divisor(triangle[LID][LID]);
        if (GROUP == 0 && EQ(SIZE(triangle[LID][LID]), C_$F(0))) failed[0] = 1;
    }
    for (int k = 0; k < n; k++) {
        BARRIER;
        const R_$T value = p.unit ? x[k][right] : ratio(x[k][right], heads[k]);
        if (k % DOWN == down && inside) STORE_$T(b, k * p.b_down, value);
        int i = k - k % DOWN + down;
        if (i <= k) i += DOWN;
        for (; i < n; i += DOWN) x[i][right] = MINUS(x[i][right], triangle[i][k], value);
    }
}

//: subtract
KERNEL void subtract(GLOBAL M_$T* out, GLOBAL M_$T* a, const Parameters p) {
    const S_i64 i = GID / p.columns, j = GID % p.columns;
    if (i >= p.rows) return;
    const S_i64 to = p.out_0 + i * p.out_down + j * p.out_right;
    STORE_$T(out, to, LESS(LOAD1_$T(out, to), LOAD1_$T(a, p.a_0 + GID)));
}

//: permute
KERNEL void permute(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_i32* order, const Parameters p) {
    const S_i64 i = GID / p.columns, j = GID % p.columns;
    if (i < p.rows) out[GID] = a[p.a_0 + order[p.order_0 + i] * p.a_down + j * p.a_right];
}

//: measure
// The greatest size of all elements of a group's rows.
KERNEL void measure(GLOBAL M_$T* out, GLOBAL M_$T* a, const Parameters p) {
    LOCAL R_$F sizes[SHARING];
    R_$F most = C_$F(0);
    for (S_i64 i = GROUP; i < p.rows; i += GROUPS)
        for (S_i64 j = LID; j < p.columns; j += SHARING) {
            R_$F size = SIZE(LOAD1_$T(a, p.a_0 + i * p.a_down + j * p.a_right));
            if (size > most) most = size;
        }
    sizes[LID] = most;
    for (int rest = SHARING / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest && sizes[LID + rest] > sizes[LID]) sizes[LID] = sizes[LID + rest];
    }
    if (LID == 0) STORE_$T(out, GROUP, FROM_RE(sizes[0]));
}

//: shape
// The elements from diagonal number p.low to number p.high, each or its conjugate, times the power of two of `scale` or
// its inverse; zeros elsewhere; on the diagonal ones, if p.unit.
KERNEL void shape(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* scale, const Parameters p) {
    const S_i64 i = GID / p.columns, j = GID % p.columns;
    if (i >= p.rows) return;
    R_$T x = ZERO;
    if (j - i >= p.low && j - i <= p.high) x = LOAD1_$T(a, p.a_0 + i * p.a_down + j * p.a_right);
    if (i == j && p.unit) x = ONE;
    if (p.conjugate) x = CONJ(x);
    if (p.scaled) {
        R_$F power = unit(RE(LOAD1_$T(scale, 0)));
        x = SCALED(x, p.scaled > 0 ? power : C_$F(1) / power);
    }
    STORE_$T(out, p.out_0 + i * p.out_down + j * p.out_right, x);
}

//: set_diagonal
KERNEL void set_diagonal(GLOBAL M_$T* out, GLOBAL M_$T* a, const Parameters p) {
    if (GID >= p.rows) return;
    R_$T x = LOAD1_$T(a, p.a_0 + GID);
    if (p.conjugate) x = CONJ(x);
    STORE_$T(out, GID * (p.rows + 1), x);
}

//: determinant
// Of a triangle whose rows were exchanged: the product of its diagonal, or that number's sign and logarithm, as in
// factors.c.
KERNEL void determinant(GLOBAL M_$T* out, GLOBAL M_$F* more, GLOBAL M_$T* a, GLOBAL M_i32* found_rows, const Parameters p) {
    LOCAL R_$T products[SHARING];
    LOCAL R_$I exponents[SHARING];
    R_$T product = ONE;
    R_$I exponent = C_$I(0);
    for (S_i64 k = LID; k < p.rows; k += SHARING) {
        R_$T x = LOAD1_$T(a, p.a_0 + k * (p.a_down + p.a_right));
        R_$F up = unit(SIZE(x));
        product = TIMES(product, SCALED(x, found_rows[k] == k ? up : -up));
        R_$F again = unit(SIZE(product));
        product = SCALED(product, again);
        exponent += C_$I(2 * $bias) - (AS_$I(up) >> C_$I($bits)) - (AS_$I(again) >> C_$I($bits));
    }
    products[LID] = product, exponents[LID] = exponent;
    for (int rest = SHARING / 2; rest; rest /= 2) {
        BARRIER;
        if (LID < rest) {
            product = TIMES(products[LID], products[LID + rest]);
            R_$F again = unit(SIZE(product));
            products[LID] = SCALED(product, again);
            exponents[LID] += exponents[LID + rest] + C_$I($bias) - (AS_$I(again) >> C_$I($bits));
        }
    }
    if (LID) return;
    product = products[0], exponent = exponents[0];
    const int singular = EQ(SIZE(product), C_$F(0));
    if (p.logarithm) {
#if PARTS == 1
        R_$F size = ABS(product);
        product = product / size;
#else
        R_$F size = SQRT(NORM2(C_$F(0), product));
        product = SCALED(product, C_$F(1) / size);
#endif
        R_$F logarithm = MADD(TO_$F(exponent), C_$F($ln2), log_$F(size));
        STORE_$F(more, p.out_0, singular ? -INF_$F : logarithm);
    } else {
        const R_$I most = C_$I(2 * $bias - 2);
        exponent = exponent > most ? most : exponent < -most ? -most : exponent;
        R_$I first = exponent >> C_$I(1);
        product = SCALED(product, AS_$F((first + C_$I($bias)) << C_$I($bits)));
        product = SCALED(product, AS_$F((exponent - first + C_$I($bias)) << C_$I($bits)));
    }
    STORE_$T(out, p.out_0, singular ? ZERO : product);
}

// The kernels of large matrices on GPUs; see factorisations.py. Numbers are as in matrices.c, whose words stand before
// these kernels. Defined before:
//   SIDE         columns of a panel, and rows of a tile of it
//   MOST         groups that share a panel, at most
//   BLOCK        rows of a triangle in local memory
//   DOWN  RIGHT  work-items of a group of `substitution`: along a column of right-hand sides, and columns
//   SHARING      work-items of a group of all other kernels

//: memory
#define PLACE SHARED M_$F*
#define PART(w, k) (w)[k]
#define SET_PART(w, k, v) ((w)[k] = (v))
#define UNROLLED
#define WINDOW 8
#define ITEMS 1
#define ME 0
#define SYNC BARRIER

//: panels
// A panel is eliminated column by column. Groups share its tiles, and each work-item has elements of one column. In turn k
// a group applies step k and publishes its part of what decides step k + 1, so turns -1 to steps - 1 are a panel. A launch
// has the turns from p.begin to p.end: all, where its groups may wait for each other, and otherwise one.
//
// The status of a message is the number of its column in the whole matrix, counted from 1. Messages for even columns are
// in one half of the words, those for odd columns in the other: a group that publishes for step k + 2 has read what all
// groups published for step k + 1, and these had read the messages for step k before.
#define STRIPES (SHARING / SIDE)
#define EACH_ROW(i) UNROLL for (int i = LID / SIDE; i < SIDE; i += STRIPES)
#define PLACE_OF(k, group) ((((int)p.first + (k)) % 2 * (MOST + 1) + (group)) * SIDE)
#define STATUS_OF(k) ((int)p.first + (k) + 1)
#define TOP MOST // the group number in messages that are row k
// A group with one tile has it in local memory until its last turn.
#define BRING(k) (!has_one || (k) == p.begin)
#define CHANGED(row, k) ((row) < rows && (has_one ? (k) + 1 == p.end && (row) >= p.begin : (row) >= (k)))

//: candidates
// The greatest element of a group's rows, the row's number, and an element of the row.
typedef struct { R_$T x; R_$F size; int place; } Message;

//: eliminate
// Step k of L U: row `place` of the greatest element changes places with row k.
KERNEL GROUPS_OF(SHARING) void eliminate(GLOBAL M_$T* a, GLOBAL M_i32* order, GLOBAL M_i32* found_rows,
                                         GLOBAL M_i32* failed, GLOBAL M_u64* words, const Parameters p) {
    LOCAL R_$T tile[SIDE][SIDE + 1];
    LOCAL R_$T pivots[SIDE];
    LOCAL R_$T head[SIDE];
    LOCAL R_$T firsts[SIDE];
    LOCAL R_$T best_line[SIDE];
    LOCAL R_$F size[MOST];
    LOCAL int place[MOST];
    const int column = LID % SIDE, groups = (int)p.groups, rows = (int)p.rows, columns = (int)p.columns;
    const int steps = rows < columns ? rows : columns, has_one = rows <= groups * SIDE;
    a += p.a_0 + column;
    for (int k = (int)p.begin; k < p.end; k++) {
        const int next = k + 1;
        R_$T pivot = ONE;
        int at = -1;
        if (k >= 0) {
            for (int g = LID; g < MOST; g += SHARING) {
                Message part;
                part.size = C_$F(-2), part.place = rows;
                if (g < groups) wait_for(words, PLACE_OF(k, g), STATUS_OF(k), STATUS_OF(k), &part);
                size[g] = part.size, place[g] = part.place;
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
            if (LID < 2 * SIDE) {
                Message part;
                const int group = LID < SIDE ? at / SIDE % groups : TOP;
                wait_for(words, PLACE_OF(k, group) + column, STATUS_OF(k), STATUS_OF(k), &part);
                if (LID < SIDE) pivots[column] = part.x;
                else head[column] = part.x;
            }
            BARRIER;
            pivot = pivots[k];
        }
        const int regular = !EQ(SIZE(pivot), C_$F(0));
        const Divisor by = divisor(pivot);
        R_$F best = C_$F(-2);
        int best_place = rows;
        for (int from = (int)GROUP * SIDE; from < rows; from += groups * SIDE) {
            if (BRING(k)) EACH_ROW(i) {
                const int row = from + i;
                tile[i][column] = row < rows && column < columns ? LOAD1_$T(a, row * p.a_down) : ZERO;
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
                    if (CHANGED(row, k) && column < columns) STORE_$T(a, row * p.a_down, x);
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
                    if (from <= next && next < from + SIDE) {
                        const Message part = {tile[next - from][LID], best, next};
                        publish(words, PLACE_OF(next, TOP) + LID, STATUS_OF(next), part);
                    }
                }
                BARRIER;
            }
        }
        if (next < steps && LID < SIDE) {
            const Message part = {best_place < rows ? best_line[LID] : ZERO, best, best_place};
            publish(words, PLACE_OF(next, GROUP) + LID, STATUS_OF(next), part);
        }
        if (k >= 0 && GROUP == 0 && LID == 0) {
            M_i32 mine = order[k];
            order[k] = order[at], order[at] = mine;
            found_rows[p.first + k] = (int)p.first + at;
            if (!regular) failed[0] = 1;
        }
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

//: products
typedef R_$T Message;

//: reflect
// Step k of Q R. A group publishes its part of the products of the next column with all columns, below row k + 1; the
// group of that row publishes the row.
KERNEL GROUPS_OF(SHARING) void reflect(GLOBAL M_$T* a, GLOBAL M_$T* inverses, GLOBAL M_u64* words, const Parameters p) {
    LOCAL R_$T tile[SIDE][SIDE + 1];
    LOCAL R_$T firsts[SIDE];
    LOCAL R_$T parts[STRIPES][SIDE];
    LOCAL R_$T head[SIDE];
    const int column = LID % SIDE, stripe = LID / SIDE, groups = (int)p.groups;
    const int rows = (int)p.rows, columns = (int)p.columns;
    const int steps = rows < columns ? rows : columns, has_one = rows <= groups * SIDE;
    a += p.a_0 + column;
    for (int k = (int)p.begin; k < p.end; k++) {
        const int next = k + 1;
        Reflection v = reflection(ZERO, ZERO, ZERO, ZERO);
        if (k >= 0) {
            // All parts are asked for before one is waited for.
            R_$T dots[MOST / STRIPES];
            int missing = 1;
            while (missing) {
                missing = 0;
                UNROLL for (int t = 0; t < MOST / STRIPES; t++) {
                    const int group = stripe + t * STRIPES;
                    dots[t] = ZERO;
                    if (group < groups) missing |= poll(words, PLACE_OF(k, group) + column, &dots[t]) != STATUS_OF(k);
                }
            }
            R_$T dot = ZERO;
            UNROLL for (int t = 0; t < MOST / STRIPES; t++)
                if (stripe + t * STRIPES < groups) dot = PLUS(dot, ONE, dots[t]);
            parts[stripe][column] = dot;
            if (LID < SIDE) {
                R_$T top;
                wait_for(words, PLACE_OF(k, TOP) + LID, STATUS_OF(k), STATUS_OF(k), &top);
                head[LID] = top;
            }
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
            if (BRING(k)) EACH_ROW(i) {
                const int row = from + i;
                tile[i][column] = row < rows && column < columns ? LOAD1_$T(a, row * p.a_down) : ZERO;
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
                    if (CHANGED(row, k) && column < columns) STORE_$T(a, row * p.a_down, x);
                }
            }
            BARRIER;
            if (next < steps) {
                EACH_ROW(i) {
                    if (from + i > next) sum = PLUS(sum, CONJ(tile[i][next]), tile[i][column]);
                    if (from + i == next)
                        publish(words, PLACE_OF(next, TOP) + column, STATUS_OF(next), tile[i][column]);
                }
            }
            BARRIER;
        }
        if (next < steps) {
            parts[stripe][column] = sum;
            BARRIER;
            if (stripe == 0) {
                for (int t = 1; t < STRIPES; t++) sum = PLUS(sum, ONE, parts[t][column]);
                publish(words, PLACE_OF(next, GROUP) + column, STATUS_OF(next), sum);
            }
            BARRIER;
        }
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

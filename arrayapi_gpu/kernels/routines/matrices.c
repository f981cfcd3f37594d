// The words of the kernels of small matrices; see matrices.py. The kernels are in factors.c, jacobi.c and
// tridiagonal.c. Defined before:
//   ROWS  COLUMNS         of a matrix
//   OTHERS                columns of the right-hand sides, of Q, or of U
//   MODE  VECTORS         which results: see matrices.py, and whether these are also singular or eigenvectors
//   ROOM                  numbers of a work-item's or a matrix's own memory
//   ITEMS  MATRICES       work-items of a matrix, and matrices of a group (in `grouped` and `stored`)
// A matrix has its own memory, `w`, with an element of any matrix at each place. In `laned` a place has elements of
// LANES matrices, whose arithmetic is done together; what happens to one never depends on its neighbours.

//: laned
// Memory of all work-items. Each takes one register of matrices after another.
#define PLACE GLOBAL M_$F*
#define PART(w, k) LOAD_$F(w, (S_i64)(k) * LANES)
#define SET_PART(w, k, v) STORE_$F(w, (S_i64)(k) * LANES, v)
#define OWN_MEMORY PLACE w = room + GID * p.room * LANES
#define BALLOT Ballot ballot = 0
typedef int Ballot;
#define EACH_TILE for (S_i64 tile = GID; tile * LANES < p.matrices; tile += p.items)
#define COUNT (p.matrices - tile * LANES < LANES ? (int)(p.matrices - tile * LANES) : LANES)
#define LEADING(width) ((width) | 1)
#define ITEMS 1
#define ME 0
#define SYNC
#define REPEAT(ballot, mask) ANY(mask)
#define UNROLLED
#define BLOCK 4
#define WINDOW 1
#define ROWS p.rows
#define COLUMNS p.columns
#define OTHERS p.others
#define MODE p.mode
#define VECTORS p.vectors

//: registers
// Registers of a work-item, which has one matrix: all loops have constant ends and are unrolled.
#define PLACE R_$F*
#define PART(w, k) (w)[k]
#define SET_PART(w, k, v) ((w)[k] = (v))
#define OWN_MEMORY R_$F w[ROOM]
#define BALLOT Ballot ballot = 0
typedef int Ballot;
#define EACH_TILE for (S_i64 tile = GID; tile < p.matrices; tile = p.matrices)
#define COUNT 1
#define LEADING(width) (width)
#define ITEMS 1
#define ME 0
#define SYNC
#define REPEAT(ballot, mask) ANY(mask)
#define UNROLLED UNROLL
#define BLOCK 1
#define WINDOW 1

//: grouped
// Local memory: a group has some matrices, and each of them some work-items, which reach every SYNC.
#define PLACE SHARED M_$F*
#define OWN_MEMORY                                                                                 \
    LOCAL M_$F shared[MATRICES * ROOM];                                                            \
    PLACE w = shared + LID / ITEMS * ROOM
#define EACH_TILE for (S_i64 tile = GROUP * MATRICES + LID / ITEMS, once = 1; once; once = 0)
#define COUNT (tile < p.matrices)
#define LEADING(width) ((width) | 1)
#if ITEMS > WARP
#define SYNC BARRIER
#else
#define SYNC WARP_BARRIER
#endif

//: stored
// Global memory, for matrices too large for local memory: a group has one after another. Neighbours among its
// work-items read neighbours in memory, so the matrix of eigenvectors is transposed before its columns are turned.
#define PLACE GLOBAL M_$F*
#define OWN_MEMORY PLACE w = room + GROUP * ROOM
#define EACH_TILE for (S_i64 tile = GROUP; tile < p.matrices; tile += GROUPS, SYNC)
#define COUNT 1
#define LEADING(width) (width)
#define VECTOR_AT(row, column, leading) ((column) * (leading) + (row))
#define SYNC GLOBAL_BARRIER

//: together
#define PART(w, k) (w)[k]
#define SET_PART(w, k, v) ((w)[k] = (v))
#define BALLOT                                                                                     \
    LOCAL M_i32 votes[2];                                                                          \
    Ballot ballot = {votes, 0};                                                                    \
    if (LID < 2) votes[LID] = 0;                                                                   \
    BARRIER
#define ME (LID % ITEMS)
#define REPEAT(ballot, mask) any_of_group(ballot, ANY(mask))
#define UNROLLED
#define BLOCK 1
#define WINDOW 8
typedef struct { SHARED M_i32* votes; int turn; } Ballot;
GROUP_FN int any_of_group(Ballot* ballot, int mine) {
    SHARED M_i32* votes = ballot->votes;
    int turn = ballot->turn ^= 1;
    if (mine) votes[turn] = 1;
    BARRIER;
    int found = votes[turn];
    if (LID == 0) votes[turn ^ 1] = 0;
    BARRIER;
    return found;
}

//: masks
// Masks have the width of numbers: gcc computes with narrow ones number by number.
#if LANES == 1
typedef R_b8 Mask;
#define TEST(x, op, y) MASK((x) op (y))
#define PICK(mask, x, y) WHERE_$F(mask, x, y)
#define PICK_I(mask, x, y) WHERE_$I(mask, x, y)
#else
typedef R_$I Mask;
#define TEST(x, op, y) COMPARE(x, op, y)
#define PICK(mask, x, y) AS_$F(PICK_I(mask, AS_$I(x), AS_$I(y)))
#define PICK_I(mask, x, y) ((x) & (mask) | (y) & ~(mask))
#endif
#define NEVER TEST(C_$I(0), !=, C_$I(0))
#define COUNTED TEST(TO_$I(IOTA), <, C_$I(count))

//: sums
// The host's compilers must round products, since not every processor has multiply-adds.
#if LANES == 1
#define MADD(x, y, z) FMA(x, y, z)
#define WITHOUT(x, y, z) FMA(-(x), y, z)
#else
#define MADD(x, y, z) ((x) * (y) + (z))
#define WITHOUT(x, y, z) ((z) - (x) * (y))
#endif

//: real
#define PARTS 1
#define RE(x) (x)
#define IM(x) C_$F(0)
#define FROM_RE(x) (x)
#define CONJ(x) (x)
#define SIZE(x) ABS(x)
#define TIMES(x, y) ((x) * (y))
#define SCALED(x, r) ((x) * (r))
#define MINUS(sum, x, y) WITHOUT(x, y, sum)
#define PLUS(sum, x, y) MADD(x, y, sum)
#define LESS(x, y) ((x) - (y))
#define PLAIN(x) ((x) + C_$F(0)) // without negative zeros, whose signs depend on the turns that others need
#define NORM2(sum, x) MADD(x, x, sum)
#define CHOSEN(mask, x, y) PICK(mask, x, y)
GROUP_FN R_$T get(PLACE w, int e) { return PART(w, e); }
GROUP_FN void put(PLACE w, int e, R_$T v) { SET_PART(w, e, v); }

//: complex
#define PARTS 2
#define RE(x) (x).re
#define IM(x) (x).im
#define SIZE(x) (ABS((x).re) + ABS((x).im))
#define NORM2(sum, x) MADD((x).im, (x).im, MADD((x).re, (x).re, sum))
FN R_$T PAIR(R_$F re, R_$F im) {
    R_$T z = {re, im};
    return z;
}
FN R_$T FROM_RE(R_$F x) { return PAIR(x, C_$F(0)); }
FN R_$T CONJ(R_$T x) { return PAIR(x.re, -x.im); }
FN R_$T LESS(R_$T x, R_$T y) { return PAIR(x.re - y.re, x.im - y.im); }
FN R_$T PLAIN(R_$T x) { return PAIR(x.re + C_$F(0), x.im + C_$F(0)); }
FN R_$T SCALED(R_$T x, R_$F r) { return PAIR(x.re * r, x.im * r); }
FN R_$T PLUS(R_$T sum, R_$T x, R_$T y) {
    return PAIR(WITHOUT(x.im, y.im, MADD(x.re, y.re, sum.re)), MADD(x.im, y.re, MADD(x.re, y.im, sum.im)));
}
FN R_$T MINUS(R_$T sum, R_$T x, R_$T y) {
    return PAIR(MADD(x.im, y.im, WITHOUT(x.re, y.re, sum.re)), WITHOUT(x.im, y.re, WITHOUT(x.re, y.im, sum.im)));
}
FN R_$T TIMES(R_$T x, R_$T y) { return PAIR(WITHOUT(x.im, y.im, x.re * y.re), MADD(x.im, y.re, x.re * y.im)); }
FN R_$T CHOSEN(Mask mask, R_$T x, R_$T y) {
    return PAIR(PICK(mask, x.re, y.re), PICK(mask, x.im, y.im));
}
GROUP_FN R_$T get(PLACE w, int e) { return PAIR(PART(w, 2 * e), PART(w, 2 * e + 1)); }
GROUP_FN void put(PLACE w, int e, R_$T v) {
    SET_PART(w, 2 * e, v.re);
    SET_PART(w, 2 * e + 1, v.im);
}

//: words
#define EACH(i, from, to) UNROLLED for (int i = (from); i < (to); i++)
// Those of a matrix's work-item, with rows or columns of its own.
#define OWN(i, from, to) UNROLLED for (int i = (from) + ((ME - (from)) & (ITEMS - 1)); i < (to); i += ITEMS)
// Blocks of them, whose sums all need the same number in each step.
#define OWN_BLOCKS(i, from, to) UNROLLED for (int i = (from) + ME * BLOCK; i < (to); i += ITEMS * BLOCK)
#define EACH_OF_BLOCK(b) UNROLL for (int b = 0; b < BLOCK; b++)
#ifndef VECTOR_AT // the place of a number of an eigenvector
#define VECTOR_AT(row, column, leading) ((row) * (leading) + (column))
#endif
// Windows of numbers, which are all read before one is written: no compiler knows that the write changes none of them.
#define EACH_WINDOW(i, from, to) UNROLLED for (int i = (from); i < (to); i += WINDOW)
#define EACH_OF_WINDOW(b, i, to) UNROLL for (int b = 0; b < WINDOW; b++) if (WINDOW == 1 || (i) + b < (to))
#define ZERO FROM_RE(C_$F(0))
#define ONE FROM_RE(C_$F(1))
#define EXPONENT(number) ((M_$I)(number) << $bits)

// Whole matrices, or blocks of them, between memory and places of their own: rows at a distance of `leading`, or, if
// that is 0, the lower triangle, row after row; elements above the diagonal are zero then.
FN int row_of(int leading, int i) { return leading ? i * leading : i * (i + 1) / 2; }
FN int width_of(int leading, int columns, int i) { return leading ? columns : i + 1; }
#if LANES == 1
GROUP_FN void take(PLACE w, int first, int leading, int rows, int columns, const GLOBAL M_$T* a, S_i64 from, S_i64 down,
                   S_i64 right, S_i64 stack, int count) {
    EACH(i, 0, rows) OWN(j, 0, width_of(leading, columns, i))
        put(w, first + row_of(leading, i) + j, LOADN_$T(a, from + i * down + j * right, stack, count));
}
GROUP_FN void give(PLACE w, int first, int leading, int rows, int columns, GLOBAL M_$T* out, S_i64 to, S_i64 down,
                   S_i64 right, S_i64 stack, int count) {
    EACH(i, 0, rows) OWN(j, 0, columns) {
        R_$T x = leading || j <= i ? get(w, first + row_of(leading, i) + j) : ZERO;
        STOREN_$T(out, to + i * down + j * right, stack, count, x);
    }
}
// A column whose place in each matrix is another.
GROUP_FN void give_column(PLACE w, int first, int step, int rows, GLOBAL M_$T* out, const M_$I* places, S_i64 down,
                          S_i64 stack, int count) {
    EACH(i, 0, rows) STOREN_$T(out, i * down + places[0], stack, count, get(w, first + i * step));
}
#else
// Number by number, which is faster than registers whose lanes lie far from each other; some rows of all matrices after
// others, which a processor's first cache holds.
#define EACH_BLOCK(rows, columns)                                                                  \
    for (int begin = 0, height = 1 + 255 / ((columns) * PARTS), end = height < (rows) ? height : (rows); \
         begin < (rows); begin = end, end = begin + height < (rows) ? begin + height : (rows))
// Rows that are copied so, the first ones: others have numbers side by side, at least as many as there are lanes, and
// registers hold them. As many of each matrix are transposed together, the last with some that were copied before.
#ifdef TRANSPOSE
FN int rows_by_numbers(int leading, int rows, int columns, S_i64 right) {
    if (sizeof(R_$F) > WIDTH || right != 1 || columns * PARTS < LANES) return rows;
    return leading ? 0 : LANES / PARTS - 1;
}
#define EACH_SQUARE(numbers)                                                                       \
    for (int begin = 0, at; at = begin + LANES < (numbers) ? begin : (numbers) - LANES, begin < (numbers); begin += LANES)
FN void take_squares(PLACE y, const GLOBAL M_$F* x, S_i64 stack, int numbers, int count) {
    R_$F v[LANES];
    EACH_SQUARE(numbers) {
        UNROLL for (int l = 0; l < LANES; l++) v[l] = LOAD_$F(x, at + (l < count ? l : 0) * stack);
        TRANSPOSE(v);
        UNROLL for (int l = 0; l < LANES; l++) STORE_$F(y, (at + l) * LANES, v[l]);
    }
}
FN void give_squares(PLACE y, GLOBAL M_$F* x, S_i64 stack, int numbers, int count) {
    R_$F v[LANES];
    EACH_SQUARE(numbers) {
        UNROLL for (int l = 0; l < LANES; l++) v[l] = LOAD_$F(y, (at + l) * LANES);
        TRANSPOSE(v);
        UNROLL for (int l = 0; l < LANES; l++) if (l < count) STORE_$F(x, at + l * stack, v[l]);
    }
}
#else
#define rows_by_numbers(leading, rows, columns, right) (rows)
#define take_squares(y, x, stack, numbers, count)
#define give_squares(y, x, stack, numbers, count)
#endif
GROUP_FN void take(PLACE w, int first, int leading, int rows, int columns, const GLOBAL M_$T* a, S_i64 from, S_i64 down,
                   S_i64 right, S_i64 stack, int count) {
    const int numbered = rows_by_numbers(leading, rows, columns, right);
    for (int i = numbered; i < rows; i++)
        take_squares(w + (first + row_of(leading, i)) * PARTS * LANES, (const GLOBAL M_$F*)(a + from + i * down),
                     stack * PARTS, width_of(leading, columns, i) * PARTS, count);
    EACH_BLOCK(numbered, columns) for (int l = 0; l < LANES; l++)
        for (int i = begin; i < end; i++) {
            const GLOBAL M_$F* x = (const GLOBAL M_$F*)(a + from + (l < count ? l : 0) * stack + i * down);
            PLACE y = w + (first + row_of(leading, i)) * PARTS * LANES + l;
            for (int j = 0; j < width_of(leading, columns, i); j++, x += PARTS * right)
                for (int part = 0; part < PARTS; part++, y += LANES) *y = x[part];
        }
}
GROUP_FN void give(PLACE w, int first, int leading, int rows, int columns, GLOBAL M_$T* out, S_i64 to, S_i64 down,
                   S_i64 right, S_i64 stack, int count) {
    const int numbered = rows_by_numbers(leading, rows, columns, right);
    for (int i = numbered; i < rows; i++) {
        const int width = width_of(leading, columns, i);
        GLOBAL M_$F* x = (GLOBAL M_$F*)(out + to + i * down);
        give_squares(w + (first + row_of(leading, i)) * PARTS * LANES, x, stack * PARTS, width * PARTS, count);
        for (int l = 0; l < count; l++)
            for (int k = width * PARTS; k < columns * PARTS; k++) x[l * stack * PARTS + k] = 0;
    }
    EACH_BLOCK(numbered, columns) for (int l = 0; l < count; l++)
        for (int i = begin; i < end; i++) {
            GLOBAL M_$F* x = (GLOBAL M_$F*)(out + to + l * stack + i * down);
            PLACE y = w + (first + row_of(leading, i)) * PARTS * LANES + l;
            const int width = width_of(leading, columns, i);
            for (int j = 0; j < width; j++, x += PARTS * right)
                for (int part = 0; part < PARTS; part++, y += LANES) x[part] = *y;
            for (int j = width; j < columns; j++, x += PARTS * right)
                for (int part = 0; part < PARTS; part++) x[part] = 0;
        }
}
GROUP_FN void give_column(PLACE w, int first, int step, int rows, GLOBAL M_$T* out, const M_$I* places, S_i64 down,
                          S_i64 stack, int count) {
    for (int l = 0; l < count; l++) {
        GLOBAL M_$F* x = (GLOBAL M_$F*)(out + l * stack + places[l]);
        PLACE y = w + first * PARTS * LANES + l;
        for (int i = 0; i < rows; i++, x += PARTS * down, y += step * PARTS * LANES)
            for (int part = 0; part < PARTS; part++) x[part] = y[part * LANES];
    }
}
#endif
FN void give_one(GLOBAL M_$T* out, S_i64 at, S_i64 stack, int count, R_$T v) { STOREN_$T(out, at, stack, count, v); }
FN void give_re(GLOBAL M_$F* out, S_i64 at, S_i64 stack, int count, R_$F v) { STOREN_$F(out, at, stack, count, v); }

// A power of two whose product with x is near 1, or small if x is subnormal.
FN R_$F unit(R_$F x) {
    R_$I field = AS_$I(x) & C_$I(EXPONENT(2 * $bias + 1));
    R_$I least = C_$I(EXPONENT(1)), most = C_$I(EXPONENT(2 * $bias - 1));
    field = PICK_I(TEST(field, <, least), least, field);
    field = PICK_I(TEST(field, >, most), most, field);
    return AS_$F(C_$I(EXPONENT(2 * $bias)) - field);
}

// The greater size, and the lesser; NaN if one is.
FN R_$F greater(R_$F size, R_$F x) { return PICK(TEST(x, >, size) | TEST(x, !=, x), x, size); }
FN R_$F lesser(R_$F size, R_$F x) { return PICK(TEST(x, <, size) | TEST(x, !=, x), x, size); }

// x / y is TIMES(x, inverse) times the power of two, where no step overflows before the last.
typedef struct { R_$T inverse; R_$F power; } Divisor;
FN Divisor divisor(R_$T y) {
    Divisor made;
    made.power = unit(SIZE(y));
    R_$T near = SCALED(y, made.power);
#if PARTS == 1
    made.inverse = C_$F(1) / near;
#else
    made.inverse = CHOSEN(TEST(SIZE(near), ==, INF_$F), ZERO, SCALED(CONJ(near), C_$F(1) / NORM2(C_$F(0), near)));
#endif
    return made;
}
FN R_$T ratio(R_$T x, Divisor y) { return SCALED(TIMES(x, y.inverse), y.power); }

// A column of so many elements less the multiple of another.
GROUP_FN void less_multiple(PLACE w, int column, int step, int other, int other_step, int count, R_$T factor) {
    EACH_WINDOW(i, 0, count) {
        R_$T x[WINDOW], y[WINDOW];
        EACH_OF_WINDOW(b, i, count) x[b] = get(w, column + (i + b) * step), y[b] = get(w, other + (i + b) * other_step);
        EACH_OF_WINDOW(b, i, count) put(w, column + (i + b) * step, MINUS(x[b], y[b], factor));
    }
}

// The row of the greatest element of column k, from the diagonal on.
GROUP_FN R_$I greatest(PLACE w, int leading, int k, int rows) {
    R_$F best = SIZE(get(w, k * leading + k));
    R_$I row = C_$I(k);
    EACH(i, k + 1, rows) {
        R_$F size = SIZE(get(w, i * leading + k));
        Mask larger = TEST(size, >, best);
        best = PICK(larger, size, best);
        row = PICK_I(larger, C_$I(i), row);
    }
    return row;
}

// Columns of two rows change places, from number `first` on.
GROUP_FN void exchange(PLACE w, int leading, int k, R_$I row, int first, int width) {
#ifdef REGISTERS
    EACH(i, k + 1, ROWS) {
        Mask here = TEST(row, ==, C_$I(i));
        EACH(j, first, width) {
            R_$T upper = get(w, k * leading + j), lower = get(w, i * leading + j);
            put(w, k * leading + j, CHOSEN(here, lower, upper));
            put(w, i * leading + j, CHOSEN(here, upper, lower));
        }
    }
#else
    M_$I rows[LANES];
    SPILL(row, rows);
    for (int l = 0; l < LANES; l++) {
        if (rows[l] == k) continue;
        OWN(j, first, width) for (int part = 0; part < PARTS; part++) {
            PLACE upper = w + ((k * leading + j) * PARTS + part) * LANES + l;
            PLACE lower = w + ((rows[l] * leading + j) * PARTS + part) * LANES + l;
            M_$F value = *upper;
            *upper = *lower, *lower = value;
        }
    }
#endif
}

//: reflections
// A column of so many elements, `step` from each other, becomes a reflection I - factor v v^H that leaves a real number
// of it: v takes its places except for the first, where it is 1; the number and the factor have places of their own.
GROUP_FN void reflect(PLACE w, int first, int step, int count, int number, int place) {
    R_$T head = get(w, first);
    R_$F size = SIZE(head);
    EACH(i, 1, count) size = greater(size, SIZE(get(w, first + i * step)));
    R_$F up = unit(size), tail = C_$F(0);
    EACH(i, 1, count) tail = NORM2(tail, SCALED(get(w, first + i * step), up));
    head = SCALED(head, up);
    R_$F length = COPYSIGN(SQRT(NORM2(tail, head)), RE(head));
    Mask flat = TEST(tail, ==, C_$F(0)) & TEST(IM(head), ==, C_$F(0));
    R_$T whole = head, factor;
    RE(whole) = RE(head) + length;
    Divisor by = divisor(whole);
    RE(factor) = RE(whole) / length;
#if PARTS == 2
    IM(factor) = IM(head) / length;
#endif
    SYNC;
    OWN(i, 1, count) {
        R_$T v = ratio(SCALED(get(w, first + i * step), up), by);
        put(w, first + i * step, CHOSEN(flat, ZERO, v));
    }
    if (ME == 0) {
        put(w, number, FROM_RE(PICK(flat, RE(head), -length) * (C_$F(1) / up)));
        put(w, place, CHOSEN(flat, ZERO, factor));
    }
    SYNC;
}

// Q R of the rows and columns at `w`, by reflections, whose vectors take the places below the diagonal: the diagonal of
// R and the factors have places of their own.
GROUP_FN void triangle(PLACE w, int rows, int columns, int leading, int diagonal, int factors) {
    int count = rows < columns ? rows : columns;
    EACH(k, 0, count) {
        reflect(w, k * leading + k, leading, rows - k, diagonal + k, factors + k);
        R_$T factor = get(w, factors + k);
        OWN(j, k + 1, columns) {
            R_$T dot = get(w, k * leading + j);
            EACH(i, k + 1, rows) dot = PLUS(dot, CONJ(get(w, i * leading + k)), get(w, i * leading + j));
            dot = TIMES(CONJ(factor), dot);
            R_$T top = get(w, k * leading + j);
            put(w, k * leading + j, LESS(top, dot));
            less_multiple(w, (k + 1) * leading + j, leading, (k + 1) * leading + k, leading, rows - k - 1, dot);
        }
        SYNC;
    }
}

// The first columns of Q, at place `q`.
GROUP_FN void orthonormal(PLACE w, int rows, int count, int leading, int factors, int q, int columns, int q_leading) {
    OWN(j, 0, columns) EACH(i, 0, rows) put(w, q + i * q_leading + j, i == j ? ONE : ZERO);
    EACH(step, 0, count) {
        int k = count - 1 - step;
        R_$T factor = get(w, factors + k);
        OWN(j, k, columns) {
            R_$T dot = get(w, q + k * q_leading + j);
            EACH(i, k + 1, rows) dot = PLUS(dot, CONJ(get(w, i * leading + k)), get(w, q + i * q_leading + j));
            dot = TIMES(factor, dot);
            R_$T top = get(w, q + k * q_leading + j);
            put(w, q + k * q_leading + j, LESS(top, dot));
            const int below = q + (k + 1) * q_leading + j;
            less_multiple(w, below, q_leading, (k + 1) * leading + k, leading, rows - k - 1, dot);
        }
    }
}

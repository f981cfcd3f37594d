// Kernels of small matrices that take a fixed number of steps; their words are in matrices.c.

//: elimination
// Whether the work-items of a matrix solve for a column of right-hand sides each, or share the rows.
#define BY_COLUMNS(columns) (ITEMS > 1 && 2 * (columns) >= ITEMS)

// Column j of the rows of a window less the multiples of its element in the row of the pivot.
GROUP_FN void eliminate_rows(PLACE w, int leading, int i, int j, int rows, const R_$T* factors, R_$T top) {
    R_$T x[WINDOW];
    EACH_OF_WINDOW(b, i, rows) x[b] = get(w, (i + b) * leading + j);
    EACH_OF_WINDOW(b, i, rows) put(w, (i + b) * leading + j, MINUS(x[b], factors[b], top));
}

//: lu
// Elimination with the greatest element of a column as pivot. MODE 0 solves a x = b, 1 inverts, 2 gives determinants, 3
// their signs and the logarithms of their sizes. The right-hand sides are further columns, so no factor is stored.
KERNEL void lu(GLOBAL M_$T* out, GLOBAL M_$F* more, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$T* b,
               GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    EACH_TILE {
        const int count = COUNT, n = ROWS, width = n + OTHERS, leading = LEADING(width);
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack, right = p.b_0 + tile * LANES * p.b_stack;
        take(w, 0, leading, n, n, a, from, p.a_down, p.a_right, p.a_stack, count);
        if (MODE == 0) take(w, n, leading, n, width - n, b, right, p.b_down, p.b_right, p.b_stack, count);
        else EACH(i, 0, n) OWN(j, n, width) put(w, i * leading + j, i == j - n ? ONE : ZERO);
        SYNC;
        R_$F sign = C_$F(1);
        Mask singular = NEVER;
        EACH(k, 0, n) {
            R_$I row = greatest(w, leading, k, n);
            sign = PICK(TEST(row, ==, C_$I(k)), sign, -sign);
            SYNC;
            exchange(w, leading, k, row, k, width);
            SYNC;
            R_$T head = get(w, k * leading + k);
            singular = singular | TEST(SIZE(head), ==, C_$F(0));
            Divisor pivot = divisor(head);
            EACH_WINDOW(i, k + 1, n) {
                R_$T factors[WINDOW];
                EACH_OF_WINDOW(b, i, n) factors[b] = ratio(get(w, (i + b) * leading + k), pivot);
                OWN(j, k + 1, width) eliminate_rows(w, leading, i, j, n, factors, get(w, k * leading + j));
            }
            SYNC;
        }
        if (MODE >= 2) {
            R_$T product = FROM_RE(sign);
            R_$I exponent = C_$I(0);
            EACH(k, 0, n) {
                R_$T v = get(w, k * leading + k);
                R_$F up = unit(SIZE(v));
                product = TIMES(product, SCALED(v, up));
                R_$F again = unit(SIZE(product));
                product = SCALED(product, again);
                exponent = exponent + C_$I(2 * $bias) - (AS_$I(up) >> C_$I($bits)) - (AS_$I(again) >> C_$I($bits));
            }
            if (MODE == 2) {
                const R_$I most = C_$I(2 * $bias - 2);
                exponent = PICK_I(TEST(exponent, >, most), most, exponent);
                exponent = PICK_I(TEST(exponent, <, -most), -most, exponent);
                R_$I first = exponent >> C_$I(1);
                product = SCALED(product, AS_$F((first + C_$I($bias)) << C_$I($bits)));
                product = SCALED(product, AS_$F((exponent - first + C_$I($bias)) << C_$I($bits)));
            } else {
#if PARTS == 1
                R_$F size = ABS(product);
                product = PICK(TEST(product, <, C_$F(0)), C_$F(-1), C_$F(1));
#else
                R_$F size = SQRT(NORM2(C_$F(0), product));
                product = SCALED(product, C_$F(1) / size);
#endif
                R_$F logarithm = MADD(TO_$F(exponent), C_$F($ln2), log_$F(size));
                logarithm = PICK(singular, -INF_$F, logarithm);
                if (ME == 0) give_re(more, tile * LANES, 1, count, logarithm);
            }
            product = CHOSEN(singular, ZERO, product);
            if (ME == 0) give_one(out, tile * LANES, 1, count, product);
        } else {
            const int alone = BY_COLUMNS(width - n);
            if (alone) OWN(j, n, width) EACH(step, 0, n) {
                int k = n - 1 - step;
                R_$T x = ratio(get(w, k * leading + j), divisor(get(w, k * leading + k)));
                put(w, k * leading + j, x);
                less_multiple(w, j, leading, k, leading, k, x);
            }
            SYNC;
            EACH(step, 0, alone ? 0 : n) {
                int k = n - 1 - step;
                Divisor pivot = divisor(get(w, k * leading + k));
                OWN(j, n, width) put(w, k * leading + j, ratio(get(w, k * leading + j), pivot));
                SYNC;
                OWN(i, 0, k) {
                    R_$T factor = get(w, i * leading + k);
                    EACH(j, n, width)
                        put(w, i * leading + j, MINUS(get(w, i * leading + j), factor, get(w, k * leading + j)));
                }
                SYNC;
            }
            const S_i64 to = tile * LANES * n * (width - n);
            give(w, n, leading, n, width - n, out, to, width - n, 1, n * (width - n), count);
            if (ANY(singular & COUNTED)) failed[0] = 1;
        }
    }
}

//: factor
// L U, and for each column the row of its pivot. A column of zeros gives zeros in L.
KERNEL void factor(GLOBAL M_$T* out, GLOBAL M_i32* pivots, GLOBAL M_$T* a, GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    EACH_TILE {
        const int count = COUNT, rows = ROWS, columns = COLUMNS, leading = LEADING(columns);
        const int least = rows < columns ? rows : columns;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack, size = rows * columns;
        take(w, 0, leading, rows, columns, a, from, p.a_down, p.a_right, p.a_stack, count);
        SYNC;
        EACH(k, 0, least) {
            R_$I row = greatest(w, leading, k, rows);
            if (ME == 0) STOREN_i32(pivots, tile * LANES * least + k, least, count, $row);
            SYNC;
            exchange(w, leading, k, row, 0, columns);
            SYNC;
            R_$T head = get(w, k * leading + k);
            Mask nothing = TEST(SIZE(head), ==, C_$F(0));
            Divisor pivot = divisor(head);
            OWN(i, k + 1, rows) {
                R_$T x = get(w, i * leading + k);
                put(w, i * leading + k, CHOSEN(nothing, x, ratio(x, pivot)));
            }
            SYNC;
            EACH_WINDOW(i, k + 1, rows) {
                R_$T factors[WINDOW];
                EACH_OF_WINDOW(b, i, rows) factors[b] = get(w, (i + b) * leading + k);
                OWN(j, k + 1, columns) eliminate_rows(w, leading, i, j, rows, factors, get(w, k * leading + j));
            }
            SYNC;
        }
        give(w, 0, leading, rows, columns, out, tile * LANES * size, columns, 1, size, count);
    }
}

//: forward
// x with a x = b for lower triangles a, MODE 0; with ones on their diagonals, MODE 1.
KERNEL void forward(GLOBAL M_$T* out, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$T* b, GLOBAL M_$F* room,
                    const Parameters p) {
    OWN_MEMORY;
    EACH_TILE {
        const int count = COUNT, n = ROWS, width = n + OTHERS, leading = LEADING(width);
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack, right = p.b_0 + tile * LANES * p.b_stack;
        const S_i64 to = p.out_0 + tile * LANES * p.out_stack;
        take(w, 0, leading, n, n, a, from, p.a_down, p.a_right, p.a_stack, count);
        take(w, n, leading, n, width - n, b, right, p.b_down, p.b_right, p.b_stack, count);
        SYNC;
        Mask singular = NEVER;
        EACH(k, 0, n) {
            if (MODE == 0) {
                R_$T head = get(w, k * leading + k);
                singular = singular | TEST(SIZE(head), ==, C_$F(0));
                Divisor by = divisor(head);
                OWN(j, n, width) put(w, k * leading + j, ratio(get(w, k * leading + j), by));
                SYNC;
            }
            const int below = (k + 1) * leading;
            if (BY_COLUMNS(width - n)) OWN(j, n, width)
                less_multiple(w, below + j, leading, below + k, leading, n - k - 1, get(w, k * leading + j));
            else OWN(i, k + 1, n) {
                R_$T factor = get(w, i * leading + k);
                EACH(j, n, width)
                    put(w, i * leading + j, MINUS(get(w, i * leading + j), factor, get(w, k * leading + j)));
            }
            SYNC;
        }
        give(w, n, leading, n, width - n, out, to, p.out_down, p.out_right, p.out_stack, count);
        if (ANY(singular & COUNTED)) failed[0] = 1;
    }
}

//: cholesky
// The lower factor. The lower triangle alone is copied.
KERNEL void cholesky(GLOBAL M_$T* out, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    EACH_TILE {
        const int count = COUNT, n = ROWS;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack, to = tile * LANES * n * n;
        take(w, 0, 0, n, n, a, from, p.a_down, p.a_right, p.a_stack, count);
        SYNC;
        Mask negative = NEVER;
        EACH(k, 0, n) {
            OWN_BLOCKS(i, k, n) {
                R_$T rest[BLOCK];
                int rows[BLOCK];
                EACH_OF_BLOCK(b) {
                    rows[b] = row_of(0, i + b < n ? i + b : n - 1);
                    rest[b] = get(w, rows[b] + k);
                }
                EACH(j, 0, k) {
                    R_$T factor = CONJ(get(w, row_of(0, k) + j));
                    EACH_OF_BLOCK(b) rest[b] = MINUS(rest[b], get(w, rows[b] + j), factor);
                }
                EACH_OF_BLOCK(b) if (i + b < n) put(w, rows[b] + k, rest[b]);
            }
            SYNC;
            R_$F square = RE(get(w, row_of(0, k) + k));
            negative = negative | TEST(square, <=, C_$F(0));
            R_$F root = SQRT(square), inverse = C_$F(1) / root;
            SYNC;
            OWN(i, k, n) {
                int place = row_of(0, i) + k;
                put(w, place, i == k ? FROM_RE(root) : SCALED(get(w, place), inverse));
            }
            SYNC;
        }
        give(w, 0, 0, n, n, out, to, p.out_down, p.out_right, n * n, count);
        if (ANY(negative & COUNTED)) failed[0] = 1;
    }
}

//: qr
KERNEL void qr(GLOBAL M_$T* out, GLOBAL M_$T* more, GLOBAL M_$T* a, GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    EACH_TILE {
        const int count = COUNT, rows = ROWS, columns = COLUMNS, leading = LEADING(columns);
        const int least = rows < columns ? rows : columns, others = OTHERS, q_leading = LEADING(others);
        const int diagonal = rows * leading, factors = diagonal + least, q = factors + least;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack, to = tile * LANES * rows * others;
        const S_i64 to_r = tile * LANES * others * columns;
        take(w, 0, leading, rows, columns, a, from, p.a_down, p.a_right, p.a_stack, count);
        SYNC;
        triangle(w, rows, columns, leading, diagonal, factors);
        orthonormal(w, rows, least, leading, factors, q, others, q_leading);
        give(w, q, q_leading, rows, others, out, to, others, 1, rows * others, count);
        SYNC;
        EACH(i, 0, others) OWN(j, 0, columns) {
            if (j == i) put(w, i * leading + j, get(w, diagonal + i));
            else if (j < i) put(w, i * leading + j, ZERO);
        }
        SYNC;
        give(w, 0, leading, others, columns, more, to_r, columns, 1, others * columns, count);
    }
}

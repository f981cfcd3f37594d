// The kernels of the matrix product with explicit vectors; see matmul.py. Defined before each:
//   ROWS  REGISTERS  PACKED   held by a work-item; whether b has been copied to panels
//   BLOCK  STRETCH            rows, and length of the summed index, taken at a time
// The summed index is cut into p.pieces of p.length; the product of each is written.

// For each kind of number: ZERO, the empty sum, and MADD(sum, x, y), which is sum + x * y.

//: arithmetic_u
#define ZERO C_$T(0)
#define MADD(sum, x, y) ((sum) + (x) * (y))

//: arithmetic_f
#define ZERO C_$T(0)
#define MADD(sum, x, y) FMA(x, y, sum)

//: arithmetic_c
#define ZERO C_$T(0, 0)
FN R_$T MADD(R_$T sum, R_$T x, R_$T y) {
    sum.re = FMA(-x.im, y.im, FMA(x.re, y.re, sum.re));
    sum.im = FMA(x.im, y.re, FMA(x.re, y.im, sum.im));
    return sum;
}

//: words
#define WIDTH (REGISTERS * LANES)

// Register c of a panel's row, which has `left` elements.
FN R_$T columns(const GLOBAL M_$T* p, S_i64 i, S_i64 step, int c, S_i64 left) {
    i += c * LANES * step, left -= c * LANES;
    if (left < LANES) return LOADN_$T(p, i, step, left > 0 ? (int)left : 0);
    return step == 1 ? LOAD_$T(p, i) : LOADS_$T(p, i, step);
}

FN void keep(GLOBAL M_$T* p, S_i64 i, int c, S_i64 left, R_$T v) {
    i += c * LANES, left -= c * LANES;
    if (left >= LANES) STORE_$T(p, i, v);
    else STOREN_$T(p, i, 1, left > 0 ? (int)left : 0, v);
}

//: pack
// Rows of b, in panels of WIDTH neighbouring columns: zeros where b has no more columns.
KERNEL void pack(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    S_i64 parts = (p.k + STRETCH - 1) / STRETCH, panel = GID % p.panels;
    S_i64 first = GID / p.panels % parts * STRETCH, matrix = GID / p.panels / parts;
    S_i64 last = first + STRETCH < p.k ? first + STRETCH : p.k;
    b += p.b_0 + matrix * p.b_stack + panel * WIDTH * p.b_right;
    out += (matrix * p.panels + panel) * p.k * WIDTH;
    for (S_i64 k = first; k < last; k++)
        for (int c = 0; c < REGISTERS; c++) {
            R_$T v = columns(b, k * p.b_down, p.b_right, c, p.n - panel * WIDTH);
            STORE_$T(out, k * WIDTH + c * LANES, v);
        }
}

//: panels
// Rows of the tile below the last row are computed as copies of that, and not written.
KERNEL void panels(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    S_i64 blocks = (p.m + BLOCK - 1) / BLOCK, first = GID % blocks * BLOCK;
    S_i64 panel = GID / blocks % p.panels, piece = GID / blocks / p.panels % p.pieces;
    S_i64 matrix = GID / blocks / p.panels / p.pieces, left = p.n - panel * WIDTH;
    if (matrix >= p.matrices) return;
    S_i64 last = first + BLOCK < p.m ? first + BLOCK : p.m;
    S_i64 start = piece * p.length, stop = start + p.length < p.k ? start + p.length : p.k;
    a += p.a_0 + matrix * p.a_stack;
    b += p.b_0 + matrix * p.b_stack + panel * p.b_panel;
    out += p.out_0 + (matrix * p.pieces + piece) * p.m * p.n + panel * WIDTH;
    S_i64 from = start, step = PACKED ? WIDTH : p.b_down;
    // Registers may reach into the next row of b, but not beyond the last one.
    S_i64 beyond = left >= WIDTH ? 0 : p.b_down > 0 ? (WIDTH - left + p.b_down - 1) / p.b_down : p.k, whole = p.k - beyond;
    do {
        S_i64 to = from + STRETCH < stop ? from + STRETCH : stop;
        for (S_i64 row = first; row < last; row += ROWS) {
            R_$T sums[ROWS][REGISTERS];
            S_i64 at[ROWS];
            UNROLL for (int r = 0; r < ROWS; r++) {
                S_i64 real = row + r < last ? row + r : last - 1;
                at[r] = real * p.a_down;
                UNROLL for (int c = 0; c < REGISTERS; c++)
                    sums[r][c] = from > start ? columns(out, real * p.n, 1, c, left) : ZERO;
            }
            for (S_i64 k = from; k < to; k++) {
                R_$T y[REGISTERS];
                UNROLL for (int c = 0; c < REGISTERS; c++)
                    y[c] = PACKED || k < whole ? LOAD_$T(b, k * step + c * LANES)
                                               : columns(b, k * step, 1, c, left);
                UNROLL for (int r = 0; r < ROWS; r++) {
                    R_$T x = LOAD1_$T(a, at[r] + k * p.a_right);
                    UNROLL for (int c = 0; c < REGISTERS; c++)
                        sums[r][c] = MADD(sums[r][c], x, y[c]);
                }
            }
            UNROLL for (int r = 0; r < ROWS; r++)
                UNROLL for (int c = 0; c < REGISTERS; c++)
                    if (row + r < last) keep(out, (row + r) * p.n, c, left, sums[r][c]);
        }
        from = to;
    } while (from < stop);
}

//: column
// b has one column: lanes lie along the summed index. A work-item has ROWS rows.
KERNEL void column(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    S_i64 blocks = (p.m + ROWS - 1) / ROWS;
    if (GID >= p.matrices * p.pieces * blocks) return;
    S_i64 row = GID % blocks * ROWS, rest = GID / blocks, piece = rest % p.pieces, matrix = rest / p.pieces;
    S_i64 start = piece * p.length, stop = start + p.length < p.k ? start + p.length : p.k;
    int rows = p.m - row < ROWS ? (int)(p.m - row) : ROWS;
    a += p.a_0 + matrix * p.a_stack + row * p.a_down;
    b += p.b_0 + matrix * p.b_stack;
    out += p.out_0 + rest * p.m + row;
    for (int r = 0; r < rows; r++, a += p.a_down) {
        S_i64 k = start;
        R_$T sums[4] = {ZERO, ZERO, ZERO, ZERO};
        for (; k + 4 * LANES <= stop; k += 4 * LANES)
            UNROLL for (int c = 0; c < 4; c++)
                sums[c] = MADD(sums[c], LOAD_$T(a, k + c * LANES), LOAD_$T(b, k + c * LANES));
        for (; k + LANES <= stop; k += LANES) sums[0] = MADD(sums[0], LOAD_$T(a, k), LOAD_$T(b, k));
        if (k < stop) {
            int n = (int)(stop - k);
            sums[0] = MADD(sums[0], LOADN_$T(a, k, 1, n), LOADN_$T(b, k, 1, n));
        }
        R_$T sum = add_$T(add_$T(sums[0], sums[1]), add_$T(sums[2], sums[3]));
        sum = add_$T(sum, ROTATE_$T(sum, 8));
        sum = add_$T(sum, ROTATE_$T(sum, 4));
        sum = add_$T(sum, ROTATE_$T(sum, 2));
        sum = add_$T(sum, ROTATE_$T(sum, 1));
        STOREN_$T(out, r, 1, 1, sum);
    }
}

//: column_across
// The same sums where columns of a are contiguous: lanes lie across the rows, REGISTERS of them for a work-item.
// A register may reach into the next column, but not beyond the last one. ROWS registers hold sums at a time.
#define AT_ONCE (ROWS / REGISTERS)
KERNEL void column_across(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    S_i64 panel = GID % p.panels, rest = GID / p.panels, piece = rest % p.pieces, matrix = rest / p.pieces;
    if (matrix >= p.matrices) return;
    S_i64 start = piece * p.length, stop = start + p.length < p.k ? start + p.length : p.k;
    S_i64 left = p.m - panel * WIDTH, step = p.a_right;
    a += p.a_0 + matrix * p.a_stack + panel * WIDTH;
    b += p.b_0 + matrix * p.b_stack;
    out += p.out_0 + rest * p.m + panel * WIDTH;
    R_$T sums[4 * LANES][REGISTERS];
    for (int j = 0; j < 4 * LANES; j++)
        for (int c = 0; c < REGISTERS; c++) sums[j][c] = ZERO;
    for (S_i64 from = start; from < stop; from += STRETCH) {
        S_i64 to = from + STRETCH < stop ? from + STRETCH : stop, k = from;
        S_i64 whole = from + (to - from) / (4 * LANES) * (4 * LANES);
        if ((p.k - whole) * step + left >= WIDTH) {
            for (int first = 0; first < 4 * LANES; first += AT_ONCE) {
                R_$T s[AT_ONCE][REGISTERS];
                UNROLL for (int j = 0; j < AT_ONCE; j++)
                    UNROLL for (int c = 0; c < REGISTERS; c++) s[j][c] = sums[first + j][c];
                for (k = from + first; k < whole; k += 4 * LANES)
                    UNROLL for (int j = 0; j < AT_ONCE; j++) {
                        R_$T y = LOAD1_$T(b, (k + j) * p.b_down);
                        UNROLL for (int c = 0; c < REGISTERS; c++)
                            s[j][c] = MADD(s[j][c], LOAD_$T(a, (k + j) * step + c * LANES), y);
                    }
                UNROLL for (int j = 0; j < AT_ONCE; j++)
                    UNROLL for (int c = 0; c < REGISTERS; c++) sums[first + j][c] = s[j][c];
            }
            k = whole;
        }
        for (; k < to; k++) {
            int j = (int)(k < whole ? (k - from) % (4 * LANES) : (k - whole) % LANES);
            R_$T y = LOAD1_$T(b, k * p.b_down);
            for (int c = 0; c < REGISTERS; c++) sums[j][c] = MADD(sums[j][c], columns(a, k * step, 1, c, left), y);
        }
    }
    for (int c = 0; c < REGISTERS; c++) {
        for (int j = 0; j < LANES; j++)
            sums[j][c] = add_$T(add_$T(sums[j][c], sums[LANES + j][c]), add_$T(sums[2 * LANES + j][c], sums[3 * LANES + j][c]));
        for (int near = LANES / 2; near; near /= 2)
            for (int j = 0; j < near; j++) sums[j][c] = add_$T(sums[j][c], sums[j + near][c]);
        keep(out, 0, c, left, sums[0][c]);
    }
}

// The kernels of the matrix product; see matmul.py. Defined before each:
//   ZERO  MADD(sum, x, y)   the empty sum, and sum + x * y
//   ROWS  REGISTERS  PACKED   of what a work-item holds; whether b has been copied to panels
//   BLOCK  STRETCH            rows, and length of the summed index, taken at a time
//   SIDE  DEPTH               the same, without vectors


//: words
#define WIDTH (REGISTERS * LANES)

// Register c of a panel's row, of which `left` elements exist.
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
// Rows of b, in panels of WIDTH columns side by side: zeros where b has no more columns.
KERNEL void pack(GLOBAL M_$T* out, GLOBAL M_$T* b, const Parameters p) {
    S_i64 pieces = (p.k + STRETCH - 1) / STRETCH, first = GID % pieces * STRETCH;
    S_i64 panel = GID / pieces % p.panels, matrix = GID / pieces / p.panels;
    S_i64 last = first + STRETCH < p.k ? first + STRETCH : p.k;
    b += p.b_0 + matrix * p.b_stack + panel * WIDTH * p.b_right;
    out += (matrix * p.panels + panel) * p.k * WIDTH;
    for (S_i64 k = first; k < last; k++)
        for (int c = 0; c < REGISTERS; c++) {
            R_$T v = columns(b, k * p.b_down, p.b_right, c, p.n - panel * WIDTH);
            STORE_$T(out, k * WIDTH + c * LANES, v);
        }
}

//: product
// Rows of the tile below the last row are computed as copies of that, and not written.
KERNEL void product(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    S_i64 blocks = (p.m + BLOCK - 1) / BLOCK, first = GID % blocks * BLOCK;
    S_i64 panel = GID / blocks % p.panels, matrix = GID / blocks / p.panels;
    S_i64 last = first + BLOCK < p.m ? first + BLOCK : p.m, left = p.n - panel * WIDTH;
    a += p.a_0 + matrix * p.a_stack;
    b += p.b_0 + matrix * p.b_stack + panel * p.b_panel;
    out += p.out_0 + matrix * p.m * p.n + panel * WIDTH;
    S_i64 from = 0;
    do {
        S_i64 to = from + STRETCH < p.k ? from + STRETCH : p.k;
        for (S_i64 row = first; row < last; row += ROWS) {
            R_$T sums[ROWS][REGISTERS];
            S_i64 at[ROWS];
            for (int r = 0; r < ROWS; r++) {
                S_i64 real = row + r < last ? row + r : last - 1;
                at[r] = real * p.a_down;
                for (int c = 0; c < REGISTERS; c++)
                    sums[r][c] = from ? columns(out, real * p.n, 1, c, left) : ZERO;
            }
            for (S_i64 k = from; k < to; k++) {
                R_$T y[REGISTERS];
                for (int c = 0; c < REGISTERS; c++)
                    y[c] = PACKED ? LOAD_$T(b, k * WIDTH + c * LANES)
                                  : columns(b, k * p.b_down, 1, c, left);
                for (int r = 0; r < ROWS; r++) {
                    R_$T x = LOAD1_$T(a, at[r] + k);
                    for (int c = 0; c < REGISTERS; c++) sums[r][c] = MADD(sums[r][c], x, y[c]);
                }
            }
            for (int r = 0; r < ROWS && row + r < last; r++)
                for (int c = 0; c < REGISTERS; c++)
                    keep(out, (row + r) * p.n, c, left, sums[r][c]);
        }
        from = to;
    } while (from < p.k);
}

//: square
// A group of SIDE x SIDE work-items; each holds ROWS x ROWS elements, SIDE apart, of the product's
// square. Zeros stand for what lies outside of the matrices.
#define SQUARE (SIDE * ROWS)

KERNEL void square(GLOBAL M_$T* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    LOCAL R_$T xs[DEPTH][SQUARE + 1], ys[DEPTH][SQUARE];
    S_i64 down = (p.m + SQUARE - 1) / SQUARE, across = (p.n + SQUARE - 1) / SQUARE;
    S_i64 row = GROUP % down * SQUARE, column = GROUP / down % across * SQUARE;
    S_i64 matrix = GROUP / down / across;
    a += p.a_0 + matrix * p.a_stack;
    b += p.b_0 + matrix * p.b_stack;
    out += p.out_0 + matrix * p.m * p.n;
    R_$T sums[ROWS][ROWS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < ROWS; c++) sums[r][c] = ZERO;
    int y = LID / SIDE, x = LID % SIDE;
    for (S_i64 from = 0; from < p.k; from += DEPTH) {
        for (int e = LID; e < DEPTH * SQUARE; e += SIDE * SIDE) {
            S_i64 i = row + e / DEPTH, j = column + e % SQUARE;
            S_i64 ak = from + e % DEPTH, bk = from + e / SQUARE;
            xs[e % DEPTH][e / DEPTH] =
                i < p.m && ak < p.k ? LOAD1_$T(a, i * p.a_down + ak * p.a_right) : ZERO;
            ys[e / SQUARE][e % SQUARE] =
                j < p.n && bk < p.k ? LOAD1_$T(b, bk * p.b_down + j * p.b_right) : ZERO;
        }
        BARRIER;
        for (int k = 0; k < DEPTH; k++)
            for (int r = 0; r < ROWS; r++)
                for (int c = 0; c < ROWS; c++)
                    sums[r][c] = MADD(sums[r][c], xs[k][y + r * SIDE], ys[k][x + c * SIDE]);
        BARRIER;
    }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < ROWS; c++) {
            S_i64 i = row + y + r * SIDE, j = column + x + c * SIDE;
            if (i < p.m && j < p.n) STORE_$T(out, i * p.n + j, sums[r][c]);
        }
}

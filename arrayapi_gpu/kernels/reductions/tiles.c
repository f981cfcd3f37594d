// The matrix product without explicit vectors; see tiles.py. T: of the operands, W: of the sums, O: of the results.
// BEGIN(row, column) sets the pointers of an epilogue to the first element of a tile; FINISH(sum, down, across) is the
// stored value of the element at (down, across) of the tile.
// Defined before each:
//   ROWS  COLUMNS             elements that a work-item holds
//   DOWN  ACROSS  TOGETHER    work-items of a tile, and tiles of a group
//   DEPTH  STEP               length of the summed index in local memory, and that read from there at a time
//   A_ALONG  B_ALONG          whether an operand is contiguous along the summed index
//   X_ALONG  Y_ALONG          whether its slab is so in local memory
//   A_WIDE  B_WIDE  OUT_WIDE  neighbours of one access
// The summed index is cut into p.pieces of p.length; the product of each is written.

//: tiles
// The tiles of a group belong to as many matrices of a stack, or pieces. Slabs of a and b lie in local memory; meanwhile
// the next slabs are on their way to registers. Zeros stand for elements outside of the matrices.
#define TALL (DOWN * ROWS)
#define BROAD (ACROSS * COLUMNS)
#define OWN (DOWN * ACROSS)
#define SLAB(edge, along) ((along) ? (edge) * (DEPTH + PAD) : DEPTH * ((edge) + PAD))
#define AT(i, k, edge, along) ((along) ? (i) * (DEPTH + PAD) + (k) : (k) * ((edge) + PAD) + (i))

// The rows of a work-item: blocks of neighbours where these are neighbours in local memory, too.
#define BLOCK(held, along) ((along) ? 1 : (held) < 4 ? (held) : 4)
#define PLACE(item, r, block, items) ((r) / (block) * (block) * (items) + (item) * (block) + (r) % (block))
#define ROW(r) PLACE(down_item, r, BLOCK(ROWS, X_ALONG), DOWN)
#define COLUMN(c) PLACE(across_item, c, BLOCK(COLUMNS, Y_ALONG), ACROSS)

// Neighbouring work-items move elements that are neighbours in memory: along the summed index, or across it. Sizes are
// powers of two, so the place of an access is the sum of those of the work-item and of the part.
#define PARTS(edge, wide) ((edge) * DEPTH / OWN / (wide))
#define OUTER(e, edge, along, wide) ((along) ? (e) * (wide) / DEPTH : (e) * (wide) % (edge))
#define INNER(e, edge, along, wide) ((along) ? (e) * (wide) % DEPTH : (e) * (wide) / (edge))

#if A_WIDE > 1
#define TAKE_A(p, i, v) LOADV_$T(p, i, v)
#else
#define TAKE_A(p, i, v) (*(v) = LOAD1_$T(p, i))
#endif
#if B_WIDE > 1
#define TAKE_B(p, i, v) LOADV_$T(p, i, v)
#else
#define TAKE_B(p, i, v) (*(v) = LOAD1_$T(p, i))
#endif

KERNEL GROUPS_OF(OWN * TOGETHER)
void tiles(GLOBAL M_$O* out, GLOBAL M_$T* a, GLOBAL M_$T* b${others}, const Parameters p) {
    LOCAL ALIGNED R_$W xs[TOGETHER * SLAB(TALL, X_ALONG)];
    LOCAL ALIGNED R_$W ys[TOGETHER * SLAB(BROAD, Y_ALONG)];
    const int own = LID % OWN, tile = LID / OWN, down_item = own / ACROSS, across_item = own % ACROSS;
    const int own_x = tile * SLAB(TALL, X_ALONG), own_y = tile * SLAB(BROAD, Y_ALONG);
    M_u32 place = (M_u32)GROUP, down = 0, across = 0;
    if (p.down > 1) down = place % (M_u32)p.down, place /= (M_u32)p.down;
    if (p.across > 1) across = place % (M_u32)p.across, place /= (M_u32)p.across;
    S_i64 number = (S_i64)place * TOGETHER + tile, matrix = number, piece = 0;
    if (p.pieces > 1) piece = number % p.pieces, matrix = number / p.pieces;
    const S_i64 row = (S_i64)down * TALL, column = (S_i64)across * BROAD, start = piece * p.length;
    const int there = matrix < p.matrices;
    const int m = !there ? 0 : p.m - row < TALL ? (int)(p.m - row) : TALL;
    const int n = !there ? 0 : p.n - column < BROAD ? (int)(p.n - column) : BROAD;
    const S_i64 length = p.k - start < p.length ? p.k - start : p.length;
    const int i = OUTER(own, TALL, A_ALONG, A_WIDE), ik = INNER(own, TALL, A_ALONG, A_WIDE);
    const int j = OUTER(own, BROAD, B_ALONG, B_WIDE), jk = INNER(own, BROAD, B_ALONG, B_WIDE);
    a += p.a_0 + matrix * p.a_stack + (row + i) * p.a_down + (start + ik) * p.a_right;
    b += p.b_0 + matrix * p.b_stack + (column + j) * p.b_right + (start + jk) * p.b_down;
    out += p.out_0 + number * p.m * p.n + row * p.n + column;
    BEGIN(row, column)
    R_$W sums[ROWS][COLUMNS];
    UNROLL for (int r = 0; r < ROWS; r++)
        UNROLL for (int c = 0; c < COLUMNS; c++) sums[r][c] = ZERO;
    for (S_i64 next = 0; next < p.length + DEPTH; next += DEPTH) {
        R_$T part_x[PARTS(TALL, A_WIDE)][A_WIDE], part_y[PARTS(BROAD, B_WIDE)][B_WIDE];
        if (next < p.length) {
            const int left = length - next < DEPTH ? (int)(length - next) : DEPTH;
            UNROLL for (int t = 0; t < PARTS(TALL, A_WIDE); t++) {
                const int di = OUTER(t * OWN, TALL, A_ALONG, A_WIDE), dk = INNER(t * OWN, TALL, A_ALONG, A_WIDE);
                UNROLL for (int v = 0; v < A_WIDE; v++) part_x[t][v] = NOTHING;
                if (i + di < m && ik + dk < left) TAKE_A(a, di * p.a_down + dk * p.a_right, part_x[t]);
            }
            UNROLL for (int t = 0; t < PARTS(BROAD, B_WIDE); t++) {
                const int dj = OUTER(t * OWN, BROAD, B_ALONG, B_WIDE), dk = INNER(t * OWN, BROAD, B_ALONG, B_WIDE);
                UNROLL for (int v = 0; v < B_WIDE; v++) part_y[t][v] = NOTHING;
                if (j + dj < n && jk + dk < left) TAKE_B(b, dj * p.b_right + dk * p.b_down, part_y[t]);
            }
            a += DEPTH * p.a_right, b += DEPTH * p.b_down;
        }
        if (next > 0)
            UNROLL for (int k = 0; k < DEPTH; k += STEP) {
                R_$W x[STEP][ROWS], y[STEP][COLUMNS];
                UNROLL for (int r = 0; r < ROWS; r++)
                    UNROLL for (int s = 0; s < STEP; s++) x[s][r] = xs[own_x + AT(ROW(r), k + s, TALL, X_ALONG)];
                UNROLL for (int c = 0; c < COLUMNS; c++)
                    UNROLL for (int s = 0; s < STEP; s++) y[s][c] = ys[own_y + AT(COLUMN(c), k + s, BROAD, Y_ALONG)];
                UNROLL for (int s = 0; s < STEP; s++)
                    UNROLL for (int r = 0; r < ROWS; r++)
                        UNROLL for (int c = 0; c < COLUMNS; c++) sums[r][c] = MADD(sums[r][c], x[s][r], y[s][c]);
            }
        BARRIER;
        if (next < p.length) {
            UNROLL for (int t = 0; t < PARTS(TALL, A_WIDE); t++)
                UNROLL for (int v = 0; v < A_WIDE; v++) {
                    const int at = i + OUTER(t * OWN, TALL, A_ALONG, A_WIDE) + (A_ALONG ? 0 : v);
                    const int k = ik + INNER(t * OWN, TALL, A_ALONG, A_WIDE) + (A_ALONG ? v : 0);
                    xs[own_x + AT(at, k, TALL, X_ALONG)] = WIDE(part_x[t][v]);
                }
            UNROLL for (int t = 0; t < PARTS(BROAD, B_WIDE); t++)
                UNROLL for (int v = 0; v < B_WIDE; v++) {
                    const int at = j + OUTER(t * OWN, BROAD, B_ALONG, B_WIDE) + (B_ALONG ? 0 : v);
                    const int k = jk + INNER(t * OWN, BROAD, B_ALONG, B_WIDE) + (B_ALONG ? v : 0);
                    ys[own_y + AT(at, k, BROAD, Y_ALONG)] = WIDE(part_y[t][v]);
                }
        }
        BARRIER;
    }
    UNROLL for (int r = 0; r < ROWS; r++)
        if (ROW(r) < m) {
            R_$O v[COLUMNS];
            UNROLL for (int c = 0; c < COLUMNS; c++)
                if (COLUMN(c) < n) v[c] = FINISH(sums[r][c], ROW(r), COLUMN(c));
            UNROLL for (int c = 0; c < COLUMNS; c += OUT_WIDE)
                if (COLUMN(c) < n) PUT(out, ROW(r) * p.n + COLUMN(c), v + c);
        }
}

//: unit
#if B_WIDE > 1
#define TAKE_UNIT(p, k, v) LOADV_$T(p, k, v)
#else
#define TAKE_UNIT(q, k, v) UNROLL for (int u = 0; u < UNIT; u++) (v)[u] = LOAD1_$T(q, ((k) + u) * p.b_down)
#endif

//: along
// Matrices times vectors: p.numbers products of p.down rows each, p.m without those that fill groups up. A row has
// LINE * PARTS sums, and the number j of them takes UNIT neighbours out of LINE * PARTS * UNIT of the summed index. Here
// rows are contiguous, and a work-item has a sum of each of ROWS rows.
KERNEL GROUPS_OF(SIZE)
void along(GLOBAL M_$O* out, GLOBAL M_$T* a, GLOBAL M_$T* b${others}, const Parameters p) {
    LOCAL R_$W all[ROWS][SIZE];
    const int place = LID % (LINE * PARTS), apart = SIZE / (LINE * PARTS);
    S_i64 first = (S_i64)GROUP * apart * ROWS + LID / (LINE * PARTS), number = 0, piece = 0;
    if (p.numbers > 1) number = first / p.down, first %= p.down;
    S_i64 matrix = number;
    if (p.pieces > 1) piece = number % p.pieces, matrix = number / p.pieces;
    const int there = number < p.numbers;
    const S_i64 start = piece * p.length;
    const S_i64 stop = !there ? 0 : p.k - start < p.length ? p.k : start + p.length;
    a += p.a_0 + matrix * p.a_stack;
    b += p.b_0 + matrix * p.b_stack;
    BEGIN(0, 0)
    S_i64 at[ROWS];
    R_$W sums[ROWS];
    UNROLL for (int r = 0; r < ROWS; r++) {
        const S_i64 row = first + r * apart;
        at[r] = (row < p.m ? row : p.m - 1) * p.a_down;
        sums[r] = ZERO;
    }
    S_i64 k = start + place * UNIT;
    for (; k + UNIT <= stop; k += LINE * PARTS * UNIT) {
        R_$T x[ROWS][UNIT], y[UNIT];
        TAKE_UNIT(b, k, y);
        UNROLL for (int r = 0; r < ROWS; r++) {
#if A_WIDE > 1
            LOADV_$T(a, at[r] + k, x[r]);
#else
            UNROLL for (int u = 0; u < UNIT; u++) x[r][u] = LOAD1_$T(a, at[r] + (k + u) * p.a_right);
#endif
        }
        UNROLL for (int u = 0; u < UNIT; u++)
            UNROLL for (int r = 0; r < ROWS; r++) sums[r] = MADD(sums[r], WIDE(x[r][u]), WIDE(y[u]));
    }
    for (const S_i64 end = k + UNIT; k < stop && k < end; k++)
        UNROLL for (int r = 0; r < ROWS; r++)
            sums[r] = MADD(sums[r], WIDE(LOAD1_$T(a, at[r] + k * p.a_right)), WIDE(LOAD1_$T(b, k * p.b_down)));
    UNROLL for (int r = 0; r < ROWS; r++) all[r][LID] = sums[r];
    for (int rest = LINE / 2; rest; rest /= 2) {
        BARRIER;
        if (place % LINE < rest)
            UNROLL for (int r = 0; r < ROWS; r++) all[r][LID] = add_$W(all[r][LID], all[r][LID + rest]);
    }
    for (int rest = PARTS / 2; rest; rest /= 2) {
        BARRIER;
        if (place % LINE == 0 && place / LINE < rest)
            UNROLL for (int r = 0; r < ROWS; r++) all[r][LID] = add_$W(all[r][LID], all[r][LID + rest * LINE]);
    }
    if (place == 0)
        UNROLL for (int r = 0; r < ROWS; r++)
            if (there && first + r * apart < p.m)
                STORE_$O(out, p.out_0 + number * p.m + first + r * apart, FINISH(all[r][LID], first + r * apart, 0));
}

//: across
// The same sums where columns are contiguous: a work-item has LINE sums of a row.
KERNEL GROUPS_OF(SIZE)
void across(GLOBAL M_$O* out, GLOBAL M_$T* a, GLOBAL M_$T* b${others}, const Parameters p) {
    LOCAL R_$W all[SIZE];
    const int rows = SIZE / PARTS, part = LID / rows;
    S_i64 item = (S_i64)GROUP * rows + LID % rows, number = 0, piece = 0;
    if (p.numbers > 1) number = item / p.down, item %= p.down;
    S_i64 matrix = number;
    if (p.pieces > 1) piece = number % p.pieces, matrix = number / p.pieces;
    const int there = number < p.numbers && item < p.m;
    const S_i64 start = piece * p.length;
    const S_i64 stop = !there ? 0 : p.k - start < p.length ? p.k : start + p.length;
    a += p.a_0 + matrix * p.a_stack + item * p.a_down;
    b += p.b_0 + matrix * p.b_stack;
    BEGIN(0, 0)
    R_$W sums[LINE];
    UNROLL for (int j = 0; j < LINE; j++) sums[j] = ZERO;
    S_i64 k = start + part * LINE * UNIT;
    for (; k + LINE * UNIT <= stop; k += LINE * PARTS * UNIT) {
        R_$T x[LINE][UNIT], y[LINE][UNIT];
        UNROLL for (int j = 0; j < LINE; j++) {
            TAKE_UNIT(b, k + j * UNIT, y[j]);
            UNROLL for (int u = 0; u < UNIT; u++) x[j][u] = LOAD1_$T(a, (k + j * UNIT + u) * p.a_right);
        }
        UNROLL for (int u = 0; u < UNIT; u++)
            UNROLL for (int j = 0; j < LINE; j++) sums[j] = MADD(sums[j], WIDE(x[j][u]), WIDE(y[j][u]));
    }
    if (k < stop)
        UNROLL for (int j = 0; j < LINE; j++)
            for (S_i64 at = k + j * UNIT; at < k + (j + 1) * UNIT && at < stop; at++)
                sums[j] = MADD(sums[j], WIDE(LOAD1_$T(a, at * p.a_right)), WIDE(LOAD1_$T(b, at * p.b_down)));
    UNROLL for (int rest = LINE / 2; rest; rest /= 2)
        UNROLL for (int j = 0; j < rest; j++) sums[j] = add_$W(sums[j], sums[j + rest]);
    all[LID] = sums[0];
    for (int rest = PARTS / 2; rest; rest /= 2) {
        BARRIER;
        if (part < rest) all[LID] = add_$W(all[LID], all[LID + rest * rows]);
    }
    if (there && part == 0) STORE_$O(out, p.out_0 + number * p.m + item, FINISH(all[LID], item, 0));
}

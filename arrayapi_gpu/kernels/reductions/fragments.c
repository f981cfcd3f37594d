// The matrix product by a processor's matrix units; see fragments.py. T: of the operands, W: of the sums, O: of the
// results. Defined before:
//   TALL  BROAD  DEPTH      the tile of a group, and the length of the summed index of a slab
//   HIGH  WIDTH             the part of the tile that a warp holds
//   STAGES                  slabs in local memory, all but one are on their way
//   A_ALONG  B_ALONG        whether an operand is contiguous along the summed index
//   OUT_WIDE                neighbours of one access

//: fragments
#define ITEMS (TALL / HIGH * (BROAD / WIDTH) * WARP)
#define LINES(edge, along) ((along) ? (edge) : DEPTH)
#define UNITS(edge, along) (((along) ? DEPTH : (edge)) / UNIT_$T)
#define SLAB(edge) ((edge) * DEPTH / UNIT_$T)
#define RASTER 8 // rows of tiles that neighbouring groups compute, so that they find slabs in the cache

// Begin to copy a slab: `outer` lines of it are there, with `inner` elements each. Most slabs are whole.
#define COPY_LINES(count)                                                                          \
    UNROLL for (int t = 0; t < lines * units / ITEMS; t++) {                                       \
        const int line = first + t * (ITEMS / units);                                              \
        COPY_$T(slab, PLACE_$T(line, unit, units), p + t * apart, count);                          \
    }
GROUP_FN void copy_slab(
    SHARED U_16 *slab, const GLOBAL M_$T *p, S_i64 step, int outer, int inner, const int lines, const int units
) {
    const int first = (M_u32)LID / units, unit = (M_u32)LID % units;
    const S_i64 apart = ITEMS / units * step;
    p += first * step + unit * UNIT_$T;
    if (outer == lines && inner == units * UNIT_$T) {
        COPY_LINES(UNIT_$T)
    } else {
        COPY_LINES(line < outer ? inner - unit * UNIT_$T : 0)
    }
}

FN int at_most(S_i64 n, int most) { return n < 0 ? 0 : n < most ? (int)n : most; }

#define COPY_SLABS(stage, from)                                                                    \
    {                                                                                              \
        const int left = at_most(length - (from), DEPTH);                                          \
        copy_slab(xs + (stage) * SLAB(TALL), a + (from) * p.a_right, A_ALONG ? p.a_down : p.a_right, \
                  A_ALONG ? m : left, A_ALONG ? left : m, LINES(TALL, A_ALONG), UNITS(TALL, A_ALONG)); \
        copy_slab(ys + (stage) * SLAB(BROAD), b + (from) * p.b_down, B_ALONG ? p.b_right : p.b_down, \
                  B_ALONG ? n : left, B_ALONG ? left : n, LINES(BROAD, B_ALONG), UNITS(BROAD, B_ALONG)); \
    }

KERNEL GROUPS_OF(ITEMS)
void fragments(GLOBAL M_$O* out, GLOBAL M_$T* a, GLOBAL M_$T* b, const Parameters p) {
    LOCAL U_16 xs[STAGES * SLAB(TALL)], ys[STAGES * SLAB(BROAD)];
    const M_u32 tiles = (M_u32)(p.down * p.across), place = (M_u32)GROUP % tiles;
    const M_u32 strip = RASTER * (M_u32)p.across, above = place / strip * RASTER;
    const M_u32 rows = (M_u32)p.down - above < RASTER ? (M_u32)p.down - above : RASTER;
    const S_i64 row = (S_i64)(above + place % strip % rows) * TALL, column = (S_i64)(place % strip / rows) * BROAD;
    const S_i64 number = (M_u32)GROUP / tiles, piece = number % p.pieces, matrix = number / p.pieces;
    const S_i64 start = piece * p.length, length = p.k - start < p.length ? p.k - start : p.length;
    const int m = at_most(p.m - row, TALL), n = at_most(p.n - column, BROAD);
    const int warp = LID / WARP, down = warp % (TALL / HIGH) * HIGH, across = warp / (TALL / HIGH) * WIDTH;
    a += p.a_0 + matrix * p.a_stack + row * p.a_down + start * p.a_right;
    b += p.b_0 + matrix * p.b_stack + column * p.b_right + start * p.b_down;
    out += p.out_0 + number * p.m * p.n + row * p.n + column;
    R_$W sums[HIGH / 16][WIDTH / 16][8];
    UNROLL for (int r = 0; r < HIGH / 16; r++)
        UNROLL for (int c = 0; c < WIDTH / 16; c++)
            UNROLL for (int i = 0; i < 8; i++) sums[r][c][i] = ZERO;
    const int steps = (int)((length + DEPTH - 1) / DEPTH);
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) COPY_SLABS(s, (S_i64)s * DEPTH)
        COMMIT_COPIES;
    }
    int at = 0, next = STAGES - 1;
    for (int s = 0; s < steps; s++) {
        WAIT_COPIES(STAGES - 2);
        BARRIER;
        if (s + STAGES - 1 < steps) COPY_SLABS(next, (S_i64)(s + STAGES - 1) * DEPTH)
        COMMIT_COPIES;
        UNROLL for (int k = 0; k < DEPTH; k += LENGTH_$T) {
            A_$T x[HIGH / 16];
            B_$T y[WIDTH / 16];
            UNROLL for (int r = 0; r < HIGH / 16; r++)
                x[r] = FRAGMENT_A_$T(xs + at * SLAB(TALL), down + r * 16, k, UNITS(TALL, A_ALONG), A_ALONG);
            UNROLL for (int c = 0; c < WIDTH / 16; c++)
                y[c] = FRAGMENT_B_$T(ys + at * SLAB(BROAD), across + c * 16, k, UNITS(BROAD, B_ALONG), B_ALONG);
            UNROLL for (int r = 0; r < HIGH / 16; r++)
                UNROLL for (int c = 0; c < WIDTH / 16; c++) ADD_PRODUCT_$T(sums[r][c], x[r], y[c]);
        }
        at = at + 1 == STAGES ? 0 : at + 1, next = next + 1 == STAGES ? 0 : next + 1;
    }
    UNROLL for (int r = 0; r < HIGH / 16; r++)
        UNROLL for (int c = 0; c < WIDTH / 16; c++)
            UNROLL for (int i = 0; i < 8; i += OUT_WIDE) {
                const int y = down + r * 16 + SUM_ROW(i), x = across + c * 16 + SUM_COLUMN(i);
                if (y < m && x < n) {
                    R_$O v[OUT_WIDE];
                    UNROLL for (int w = 0; w < OUT_WIDE; w++) v[w] = NARROW(sums[r][c][i + w]);
                    PUT(out, y * p.n + x, v);
                }
            }
}

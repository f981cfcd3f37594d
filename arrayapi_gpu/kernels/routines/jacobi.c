// Kernels of small matrices that rotate columns until they are orthogonal; their words are in matrices.c.

//: rotations
#define MOST_SWEEPS 60

// The columns x, y of a matrix become p x + r y and p y - conj(r) x: rotations of one another, or what they are. So a
// column that many sweeps turn slightly is not multiplied by as many phases, whose errors its length would have.
typedef struct { Mask turns; R_$F p; R_$T r; } Rotation;

// That of columns with squared lengths x and y, whose product xy becomes zero if it is not `small`.
// The first one will be the greater.
FN Rotation rotation(R_$F x, R_$F y, R_$T xy, R_$F size, Mask small) {
    R_$F theta = (x - y) / (size + size), far = ABS(theta);
    R_$F root = PICK(TEST(far, >, C_$F(1 << 30)), far, SQRT(MADD(theta, theta, C_$F(1))));
    R_$F t = C_$F(1) / (far + root);
    t = PICK(TEST(theta, <, C_$F(0)), -t, t); // no matter which zero it is
    R_$F c = C_$F(1) / SQRT(MADD(t, t, C_$F(1))), s = t * c;
    Mask swaps = TEST(x, <, y);
    c = PICK(small, C_$F(1), c), s = PICK(small, C_$F(0), s);
    R_$T phase = CHOSEN(small, ONE, SCALED(CONJ(xy), C_$F(1) / size));
    Rotation made;
    made.turns = ~small | swaps;
    made.p = PICK(swaps, -s, c);
    made.r = SCALED(phase, PICK(swaps, c, s));
    return made;
}

FN R_$F length_of(R_$T x) {
#if PARTS == 1
    return ABS(x);
#else
    R_$F up = unit(SIZE(x));
    return SQRT(NORM2(C_$F(0), SCALED(x, up))) * (C_$F(1) / up);
#endif
}

GROUP_FN void turn(PLACE w, int one, int two, int step, int count, R_$F p, R_$T r) {
    EACH_WINDOW(i, 0, count) {
        R_$T x[WINDOW], y[WINDOW];
        EACH_OF_WINDOW(b, i, count) x[b] = get(w, one + (i + b) * step), y[b] = get(w, two + (i + b) * step);
        EACH_OF_WINDOW(b, i, count) {
            put(w, one + (i + b) * step, PLUS(SCALED(x[b], p), r, y[b]));
            put(w, two + (i + b) * step, LESS(SCALED(y[b], p), TIMES(CONJ(r), x[b])));
        }
    }
}

// Pairs of so many columns, an even number: after count - 1 steps each two have met once.
FN int first_of(int count, int step, int pair) { return pair == 0 ? count - 1 : (step + pair) % (count - 1); }
FN int second_of(int count, int step, int pair) { return (step + count - 1 - pair) % (count - 1); }

//: svd
// Of matrices with as many rows as columns or more: the columns of a V become orthogonal. Their lengths are the
// singular values; U is the orthonormal factor of these columns, so it is whole for every rank.
KERNEL void svd(GLOBAL M_$T* out, GLOBAL M_$F* more, GLOBAL M_$T* vh, GLOBAL M_i32* failed, GLOBAL M_$T* a,
                GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    BALLOT;
    EACH_TILE {
        const int count = COUNT, rows = ROWS, columns = COLUMNS, leading = LEADING(columns);
        const int others = OTHERS, u_leading = LEADING(others);
        const int diagonal = rows * leading, factors = diagonal + columns, v = factors + columns;
        const int u = v + columns * leading, even = columns + columns % 2;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack;
        take(w, 0, leading, rows, columns, a, from, p.a_down, p.a_right, p.a_stack, count);
        OWN(j, 0, columns) {
            R_$F size = C_$F(0);
            EACH(i, 0, rows) size = greater(size, SIZE(get(w, i * leading + j)));
            put(w, diagonal + j, FROM_RE(size));
            EACH(i, 0, columns) put(w, v + i * leading + j, i == j ? ONE : ZERO);
        }
        SYNC;
        R_$F size = C_$F(0);
        EACH(j, 0, columns) size = greater(size, RE(get(w, diagonal + j)));
        Mask bad = ~TEST(size, <, INF_$F);
        R_$F up = PICK(bad, NAN_$F, unit(size));
        OWN(j, 0, columns) EACH(i, 0, rows)
            put(w, i * leading + j, SCALED(SCALED(get(w, i * leading + j), up), C_$F($boost)));
        SYNC;
        const R_$F near = C_$F($eps) * SQRT(C_$F(rows));
        int sweep = 0;
        Mask turned;
        do {
            turned = NEVER;
            EACH(step, 0, even - 1) {
                OWN(pair, 0, even / 2) {
                    int f = first_of(even, step, pair), g = second_of(even, step, pair);
                    int one = f < g ? f : g, two = f < g ? g : f;
                    if (two >= columns) continue;
                    R_$F x = C_$F(0), y = C_$F(0);
                    R_$T xy = ZERO;
                    EACH(i, 0, rows) {
                        R_$T c = get(w, i * leading + one), d = get(w, i * leading + two);
                        x = NORM2(x, c), y = NORM2(y, d), xy = PLUS(xy, CONJ(c), d);
                    }
                    R_$F product = length_of(xy);
                    Mask large = TEST(product, >, near * (SQRT(x) * SQRT(y)));
                    large = large & TEST(x, >, C_$F($floor)) & TEST(y, >, C_$F($floor));
                    Rotation by = rotation(x, y, xy, product, ~large);
                    turned = turned | by.turns;
                    if (!ANY(by.turns)) continue;
                    turn(w, one, two, leading, rows, by.p, by.r);
                    turn(w, v + one, v + two, leading, columns, by.p, by.r);
                }
                SYNC;
            }
        } while (REPEAT(&ballot, turned) && ++sweep < MOST_SWEEPS);
        if (ANY((bad | turned) & COUNTED)) failed[0] = 1;
        triangle(w, rows, columns, leading, diagonal, factors);
        const R_$F down = C_$F(1) / up;
        OWN(j, 0, columns) {
            R_$F value = ABS(RE(get(w, diagonal)));
            EACH(i, 1, j + 1) value = lesser(value, ABS(RE(get(w, diagonal + i)))); // lengths are rounded again
            give_re(more, tile * LANES * columns + j, columns, count, value * C_$F(1 / $boost) * down);
        }
        orthonormal(w, rows, columns, leading, factors, u, others, u_leading);
        const S_i64 to = p.out_0 + tile * LANES * p.out_stack, to_v = p.b_0 + tile * LANES * p.b_stack;
        OWN(j, 0, others) {
            R_$F sign = C_$F(1);
            if (j < columns) sign = PICK(TEST(RE(get(w, diagonal + j)), <, C_$F(0)), C_$F(-1), C_$F(1));
            EACH(i, 0, rows) put(w, u + i * u_leading + j, PLAIN(SCALED(get(w, u + i * u_leading + j), sign)));
        }
        OWN(j, 0, columns) EACH(i, 0, columns)
            put(w, v + i * leading + j, PLAIN(CONJ(get(w, v + i * leading + j))));
        give(w, u, u_leading, rows, others, out, to, p.out_down, p.out_right, p.out_stack, count);
        give(w, v, leading, columns, columns, vh, to_v, p.b_right, p.b_down, p.b_stack, count);
    }
}

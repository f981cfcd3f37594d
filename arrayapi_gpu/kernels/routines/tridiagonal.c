// Kernels that find the eigenvalues of a tridiagonal matrix by QL steps; their words are in matrices.c.

//: tridiagonal
#define MOST_STEPS 60 // of a matrix for one eigenvalue: about 2 are usual

// Reflections from both sides leave a real diagonal and the real numbers below it. The lower triangle is read. The
// vectors of the reflections take its places except for the diagonal; `more` has room for a column.
GROUP_FN void tridiagonal(PLACE w, int n, int leading, int diagonal, int below, int factors, int more) {
    EACH(k, 0, n - 1) {
        reflect(w, (k + 1) * leading + k, leading, n - 1 - k, below + k, factors + k);
        if (ME == 0) put(w, (k + 1) * leading + k, ONE);
        SYNC;
        R_$T factor = get(w, factors + k), dot = ZERO;
        OWN(i, k + 1, n) {
            R_$T sum = ZERO;
            EACH(j, k + 1, i + 1) sum = PLUS(sum, get(w, i * leading + j), get(w, j * leading + k));
            EACH(j, i + 1, n) sum = PLUS(sum, CONJ(get(w, j * leading + i)), get(w, j * leading + k));
            put(w, more + i, TIMES(factor, sum));
        }
        SYNC;
        EACH(i, k + 1, n) dot = PLUS(dot, CONJ(get(w, more + i)), get(w, i * leading + k));
        dot = SCALED(TIMES(factor, dot), C_$F(-0.5));
        SYNC;
        OWN(i, k + 1, n) put(w, more + i, PLUS(get(w, more + i), dot, get(w, i * leading + k)));
        SYNC;
        EACH_WINDOW(i, k + 1, n) {
            R_$T one[WINDOW], two[WINDOW];
            EACH_OF_WINDOW(b, i, n) one[b] = get(w, (i + b) * leading + k), two[b] = get(w, more + i + b);
            OWN(j, k + 1, i + WINDOW < n ? i + WINDOW : n) {
                R_$T left = CONJ(get(w, more + j)), right = CONJ(get(w, j * leading + k)), rest[WINDOW];
                EACH_OF_WINDOW(b, i, n) rest[b] = get(w, (i + b) * leading + j);
                EACH_OF_WINDOW(b, i, n) if (j <= i + b)
                    put(w, (i + b) * leading + j, MINUS(MINUS(rest[b], one[b], left), two[b], right));
            }
        }
        SYNC;
    }
    OWN(k, 0, n) put(w, diagonal + k, FROM_RE(RE(get(w, k * leading + k))));
}

// One step of the QL algorithm with implicit shifts, for the eigenvalue of number `l`: the rotations of columns i and
// i + 1 are left at `turns`. Returns which matrices need it, as also the place `flag` says.
GROUP_FN Mask ql_step(PLACE w, int n, int diagonal, int below, int flag, int turns, int l, Mask bad) {
    R_$I end = C_$I(n - 1);
    R_$F last = RE(get(w, diagonal + n - 1)), next = last;
    EACH(step, 0, n - 1 - l) { // the first number below the diagonal that is almost zero
        int i = n - 2 - step;
        R_$F here = RE(get(w, diagonal + i));
        Mask small = TEST(ABS(RE(get(w, below + i))), <=, C_$F($eps / 8) * (ABS(here) + ABS(next)) + C_$F($least));
        end = PICK_I(small, C_$I(i), end);
        last = PICK(small, here, last);
        next = here;
    }
    Mask active = TEST(end, >, C_$I(l)) & ~bad;
    put(w, flag, FROM_RE(PICK(active, C_$F(1), C_$F(0))));
    if (!ANY(active)) return active;
    R_$F first = RE(get(w, diagonal + l)), off = RE(get(w, below + l));
    R_$F slope = (RE(get(w, diagonal + l + 1)) - first) / (off + off);
    R_$F g = last - first + off / (slope + COPYSIGN(SQRT(MADD(slope, slope, C_$F(1))), slope));
    R_$F c = C_$F(1), s = C_$F(1), p = C_$F(0);
    EACH(step, 0, n - 1 - l) {
        int i = n - 2 - step;
        Mask on = active & TEST(C_$I(i), <, end);
        R_$F off = RE(get(w, below + i)), upper = RE(get(w, diagonal + i)), lower = RE(get(w, diagonal + i + 1));
        R_$F f = s * off, b = c * off, square = MADD(f, f, g * g);
        Mask still = TEST(square, <, C_$F($trifle)); // no direction
        R_$F root = SQRT(square), inverse = C_$F(1) / root;
        R_$F length = PICK(still, g, root);
        R_$F s_next = PICK(still, C_$F(0), f * inverse), c_next = PICK(still, C_$F(1), g * inverse);
        R_$F left = lower - p, r = MADD(upper - left, s_next, (c_next + c_next) * b), p_next = s_next * r;
        Mask begins = TEST(C_$I(i + 1), ==, end);
        put(w, below + i + 1, FROM_RE(PICK(on, PICK(begins, C_$F(0), length), RE(get(w, below + i + 1)))));
        put(w, diagonal + i + 1, FROM_RE(PICK(on, left + p_next, lower)));
        g = PICK(on, MADD(c_next, r, -b), g), p = PICK(on, p_next, p);
        c = PICK(on, c_next, c), s = PICK(on, s_next, s);
        put(w, turns + 2 * i, FROM_RE(PICK(on, c, C_$F(1))));
        put(w, turns + 2 * i + 1, FROM_RE(PICK(on, s, C_$F(0))));
    }
    put(w, diagonal + l, FROM_RE(PICK(active, first - p, first)));
    put(w, below + l, FROM_RE(PICK(active, g, RE(get(w, below + l)))));
    return active;
}

// All of them: where `columns` is not zero, the rotations are applied to the columns at `v`, too. Returns what failed.
GROUP_FN Mask ql(PLACE w, Ballot* ballot, int n, int diagonal, int below, int flag, int turns, int v, int leading,
                 int columns, Mask bad) {
    EACH(l, 0, n - 1) {
        int step = 0;
        Mask turned = NEVER;
        do {
            turned = NEVER;
            if (ME == 0) turned = ql_step(w, n, diagonal, below, flag, turns, l, bad);
            SYNC;
            if (columns && ANY(TEST(RE(get(w, flag)), !=, C_$F(0)))) OWN(k, 0, n) {
                R_$T carried = get(w, v + VECTOR_AT(k, n - 1, leading));
                EACH_WINDOW(back, 0, n - 1 - l) {
                    R_$T x[WINDOW];
                    R_$F c[WINDOW], s[WINDOW];
                    EACH_OF_WINDOW(b, back, n - 1 - l) {
                        int i = n - 2 - back - b;
                        c[b] = RE(get(w, turns + 2 * i)), s[b] = RE(get(w, turns + 2 * i + 1));
                        x[b] = get(w, v + VECTOR_AT(k, i, leading));
                    }
                    EACH_OF_WINDOW(b, back, n - 1 - l) {
                        int at = v + VECTOR_AT(k, n - 1 - back - b, leading);
                        put(w, at, PLUS(SCALED(x[b], s[b]), FROM_RE(c[b]), carried));
                        carried = LESS(SCALED(x[b], c[b]), SCALED(carried, s[b]));
                    }
                }
                put(w, v + VECTOR_AT(k, l, leading), carried);
            }
            SYNC;
        } while (REPEAT(ballot, turned) && ++step < MOST_STEPS);
        bad = bad | turned;
    }
    return bad;
}

//: eigh
KERNEL void eigh(GLOBAL M_$T* out, GLOBAL M_$F* more, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$F* room,
                 const Parameters p) {
    OWN_MEMORY;
    BALLOT;
    EACH_TILE {
        const int count = COUNT, n = ROWS, leading = LEADING(n);
        const int diagonal = n * leading, below = diagonal + n, factors = below + n, turns = factors + n;
        const int v = turns + 2 * n;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack;
        take(w, 0, leading, n, n, a, from, p.a_down, p.a_right, p.a_stack, count);
        SYNC;
        OWN(i, 0, n) {
            R_$F size = C_$F(0);
            put(w, i * leading + i, FROM_RE(RE(get(w, i * leading + i))));
            EACH(j, 0, i + 1) size = greater(size, SIZE(get(w, i * leading + j)));
            put(w, diagonal + i, FROM_RE(size));
        }
        SYNC;
        R_$F size = C_$F(0);
        EACH(j, 0, n) size = greater(size, RE(get(w, diagonal + j)));
        Mask bad = ~TEST(size, <, INF_$F);
        R_$F up = PICK(bad, NAN_$F, unit(size));
        OWN(i, 0, n) EACH(j, 0, i + 1) put(w, i * leading + j, SCALED(get(w, i * leading + j), up));
        SYNC;
        tridiagonal(w, n, leading, diagonal, below, factors, turns);
        SYNC;
        if (VECTORS) {
            OWN(j, 0, n) EACH(i, 0, n) put(w, v + i * leading + j, i == j ? ONE : ZERO);
            EACH(step, 0, n - 1) {
                int k = n - 2 - step;
                R_$T factor = get(w, factors + k);
                OWN(j, k + 1, n) {
                    R_$T dot = ZERO;
                    EACH(i, k + 1, n)
                        dot = PLUS(dot, CONJ(get(w, i * leading + k)), get(w, v + i * leading + j));
                    dot = TIMES(factor, dot);
                    const int next = (k + 1) * leading;
                    less_multiple(w, v + next + j, leading, next + k, leading, n - k - 1, dot);
                }
            }
        }
        if (ME == 0) put(w, below + n - 1, ZERO);
        SYNC;
#ifdef STORED
        if (VECTORS) {
            OWN(j, 0, n) EACH(i, 0, j) {
                R_$T upper = get(w, v + i * leading + j), lower = get(w, v + j * leading + i);
                put(w, v + i * leading + j, lower), put(w, v + j * leading + i, upper);
            }
            SYNC;
        }
#endif
        bad = ql(w, &ballot, n, diagonal, below, factors, turns, v, leading, VECTORS, bad);
        if (ANY(bad & COUNTED)) failed[0] = 1;
        const R_$F scale = C_$F(1) / up;
        // Each column goes to the place of its eigenvalue among the others.
        OWN(j, 0, n) {
            R_$F value = RE(get(w, diagonal + j));
            R_$I place = C_$I(0);
            EACH(i, 0, n) {
                R_$F other = RE(get(w, diagonal + i));
                Mask before = i < j ? TEST(other, <=, value) : TEST(other, <, value);
                place = place + PICK_I(before, C_$I(1), C_$I(0));
            }
            M_$I places[LANES];
            M_$F values[LANES];
            SPILL(place, places);
            SPILL(value * scale + C_$F(0), values);
            for (int lane = 0; lane < count; lane++) {
                const S_i64 to = (tile * LANES + lane) * n;
                more[to + places[lane]] = values[lane];
            }
            if (VECTORS) {
                const int vector = v + VECTOR_AT(0, j, leading), down = VECTOR_AT(1, 0, leading);
                EACH(i, 0, n) put(w, vector + i * down, PLAIN(get(w, vector + i * down)));
                give_column(w, vector, down, n, out + tile * LANES * n * n, places, n, n * n, count);
            }
        }
    }
}

//: svdvals
// Reflections from both sides leave a diagonal and the numbers to its right. Alternately they stand below the diagonal
// of zeros of a matrix of twice the size, whose eigenvalues are the singular values and their negatives.
KERNEL void svdvals(GLOBAL M_$F* more, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$F* room, const Parameters p) {
    OWN_MEMORY;
    BALLOT;
    EACH_TILE {
        const int count = COUNT, rows = ROWS, columns = COLUMNS, leading = LEADING(columns), twice = 2 * columns;
        const int diagonal = rows * leading, below = diagonal + twice, factors = below + twice, turns = factors + 2;
        const S_i64 from = p.a_0 + tile * LANES * p.a_stack;
        take(w, 0, leading, rows, columns, a, from, p.a_down, p.a_right, p.a_stack, count);
        SYNC;
        OWN(j, 0, columns) {
            R_$F size = C_$F(0);
            EACH(i, 0, rows) size = greater(size, SIZE(get(w, i * leading + j)));
            put(w, diagonal + j, FROM_RE(size));
        }
        SYNC;
        R_$F size = C_$F(0);
        EACH(j, 0, columns) size = greater(size, RE(get(w, diagonal + j)));
        Mask bad = ~TEST(size, <, INF_$F);
        R_$F up = PICK(bad, NAN_$F, unit(size));
        OWN(j, 0, columns) EACH(i, 0, rows) put(w, i * leading + j, SCALED(get(w, i * leading + j), up));
        SYNC;
        EACH(k, 0, columns) {
            reflect(w, k * leading + k, leading, rows - k, below + 2 * k, factors);
            if (ME == 0) put(w, k * leading + k, ONE);
            SYNC;
            R_$T factor = CONJ(get(w, factors));
            OWN(j, k + 1, columns) {
                R_$T dot = ZERO;
                EACH(i, k, rows) dot = PLUS(dot, CONJ(get(w, i * leading + k)), get(w, i * leading + j));
                dot = TIMES(factor, dot);
                less_multiple(w, k * leading + j, leading, k * leading + k, leading, rows - k, dot);
                put(w, k * leading + j, CONJ(get(w, k * leading + j)));
            }
            SYNC;
            if (k + 1 < columns) {
                reflect(w, k * leading + k + 1, 1, columns - k - 1, below + 2 * k + 1, factors);
                if (ME == 0) put(w, k * leading + k + 1, ONE);
                SYNC;
                factor = get(w, factors);
                OWN(i, k + 1, rows) {
                    R_$T dot = ZERO;
                    EACH(j, k + 1, columns) dot = PLUS(dot, get(w, i * leading + j), get(w, k * leading + j));
                    dot = TIMES(factor, dot);
                    EACH(j, k + 1, columns)
                        put(w, i * leading + j, MINUS(get(w, i * leading + j), dot, CONJ(get(w, k * leading + j))));
                }
                SYNC;
            }
        }
        OWN(j, 0, twice) put(w, diagonal + j, ZERO);
        if (ME == 0) put(w, below + twice - 1, ZERO);
        SYNC;
        bad = ql(w, &ballot, twice, diagonal, below, factors, turns, 0, leading, 0, bad);
        if (ANY(bad & COUNTED)) failed[0] = 1;
        const R_$F down = C_$F(1) / up;
        OWN(j, 0, twice) {
            R_$F value = RE(get(w, diagonal + j));
            R_$I place = C_$I(0);
            EACH(i, 0, twice) {
                R_$F other = RE(get(w, diagonal + i));
                Mask before = i < j ? TEST(other, >=, value) : TEST(other, >, value);
                place = place + PICK_I(before, C_$I(1), C_$I(0));
            }
            M_$I places[LANES];
            M_$F values[LANES];
            SPILL(place, places);
            SPILL(PICK(TEST(value, >, C_$F(0)), value, C_$F(0)) * down, values);
            for (int lane = 0; lane < count; lane++)
                if (places[lane] < columns) more[(tile * LANES + lane) * columns + places[lane]] = values[lane];
        }
    }
}

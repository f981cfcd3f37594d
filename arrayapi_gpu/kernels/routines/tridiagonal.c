// The kernel of eigenvalues of Hermitian matrices; its words are in matrices.c.

//: tridiagonal
#define MOST_STEPS 60 // of a matrix for one eigenvalue: about 2 are usual

// Reflections from both sides leave a real diagonal and the real numbers below it. The lower triangle is read. The
// vectors of the reflections take its places but for the diagonal; `more` has room for a column.
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
        OWN(i, k + 1, n) {
            R_$T one = get(w, i * leading + k), two = get(w, more + i);
            EACH(j, k + 1, i + 1) {
                R_$T rest = MINUS(get(w, i * leading + j), one, CONJ(get(w, more + j)));
                put(w, i * leading + j, MINUS(rest, two, CONJ(get(w, j * leading + k))));
            }
        }
        SYNC;
    }
    OWN(k, 0, n) put(w, diagonal + k, FROM_RE(RE(get(w, k * leading + k))));
}

// One step of the QL algorithm with implicit shifts, for the eigenvalue of number `l`: the rotations of columns i and
// i + 1 are left at `turns`. Returns which matrices need it, as also the place `flag` says.
GROUP_FN R_b8 ql_step(PLACE w, int n, int diagonal, int below, int flag, int turns, int l, R_b8 bad) {
    R_i32 end = C_i32(n - 1);
    R_$F last = RE(get(w, diagonal + n - 1)), next = last;
    EACH(step, 0, n - 1 - l) { // the first number below the diagonal that is almost zero
        int i = n - 2 - step;
        R_$F here = RE(get(w, diagonal + i));
        R_b8 small = LE(ABS(RE(get(w, below + i))), C_$F($eps) * (ABS(here) + ABS(next)) + C_$F($least));
        end = WHERE_i32(small, C_i32(i), end);
        last = WHERE_$F(small, here, last);
        next = here;
    }
    R_b8 active = GT(end, C_i32(l)) & ~bad;
    put(w, flag, FROM_RE(WHERE_$F(active, C_$F(1), C_$F(0))));
    if (!ANY(active)) return active;
    R_$F first = RE(get(w, diagonal + l)), off = RE(get(w, below + l));
    R_$F half = (RE(get(w, diagonal + l + 1)) - first) / (off + off);
    R_$F g = last - first + off / (half + COPYSIGN(SQRT(MADD(half, half, C_$F(1))), half));
    R_$F c = C_$F(1), s = C_$F(1), p = C_$F(0);
    EACH(step, 0, n - 1 - l) {
        int i = n - 2 - step;
        R_b8 on = active & LT(C_i32(i), end);
        R_$F off = RE(get(w, below + i)), upper = RE(get(w, diagonal + i)), lower = RE(get(w, diagonal + i + 1));
        R_$F f = s * off, b = c * off, square = MADD(f, f, g * g);
        R_b8 still = LT(square, C_$F($trifle)); // no direction
        R_$F root = SQRT(square), inverse = C_$F(1) / root;
        R_$F length = WHERE_$F(still, g, root);
        R_$F s_next = WHERE_$F(still, C_$F(0), f * inverse), c_next = WHERE_$F(still, C_$F(1), g * inverse);
        R_$F left = lower - p, r = MADD(upper - left, s_next, (c_next + c_next) * b), p_next = s_next * r;
        R_b8 begins = EQ(C_i32(i + 1), end);
        put(w, below + i + 1, FROM_RE(WHERE_$F(on, WHERE_$F(begins, C_$F(0), length), RE(get(w, below + i + 1)))));
        put(w, diagonal + i + 1, FROM_RE(WHERE_$F(on, left + p_next, lower)));
        g = WHERE_$F(on, MADD(c_next, r, -b), g), p = WHERE_$F(on, p_next, p);
        c = WHERE_$F(on, c_next, c), s = WHERE_$F(on, s_next, s);
        put(w, turns + 2 * i, FROM_RE(WHERE_$F(on, c, C_$F(1))));
        put(w, turns + 2 * i + 1, FROM_RE(WHERE_$F(on, s, C_$F(0))));
    }
    put(w, diagonal + l, FROM_RE(WHERE_$F(active, first - p, first)));
    put(w, below + l, FROM_RE(WHERE_$F(active, g, RE(get(w, below + l)))));
    return active;
}

//: eigh
KERNEL void eigh(GLOBAL M_$T* out, GLOBAL M_$F* more, GLOBAL M_i32* failed, GLOBAL M_$T* a, GLOBAL M_$F* room,
                 const Parameters p) {
    OWN_MEMORY;
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
        R_b8 bad = ~LT(size, INF_$F);
        R_$F up = WHERE_$F(bad, NAN_$F, unit(size));
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
                    EACH(i, k + 1, n)
                        put(w, v + i * leading + j, MINUS(get(w, v + i * leading + j), get(w, i * leading + k), dot));
                }
            }
        }
        if (ME == 0) put(w, below + n - 1, ZERO);
        SYNC;
        EACH(l, 0, n - 1) {
            int step = 0;
            R_b8 turned = NEVER;
            do {
                turned = NEVER;
                if (ME == 0) turned = ql_step(w, n, diagonal, below, factors, turns, l, bad);
                SYNC;
                if (VECTORS && ANY(NE(RE(get(w, factors)), C_$F(0)))) OWN(k, 0, n) {
                    R_$T carried = get(w, v + k * leading + n - 1);
                    EACH(back, 0, n - 1 - l) {
                        int i = n - 2 - back;
                        R_$F c = RE(get(w, turns + 2 * i)), s = RE(get(w, turns + 2 * i + 1));
                        R_$T x = get(w, v + k * leading + i);
                        put(w, v + k * leading + i + 1, PLUS(SCALED(x, s), FROM_RE(c), carried));
                        carried = LESS(SCALED(x, c), SCALED(carried, s));
                    }
                    put(w, v + k * leading + l, carried);
                }
                SYNC;
            } while (REPEAT(turned) && ++step < MOST_STEPS);
            bad = bad | turned;
        }
        if (ANY(bad & LT(IOTA, C_i64(count)))) failed[0] = 1;
        const R_$F down = C_$F(1) / up;
        // Each column goes to the place of its eigenvalue among the others.
        OWN(j, 0, n) {
            R_$F value = RE(get(w, diagonal + j));
            R_i32 place = C_i32(0);
            EACH(i, 0, n) {
                R_$F other = RE(get(w, diagonal + i));
                R_b8 before = i < j ? LE(other, value) : LT(other, value);
                place = place + WHERE_i32(before, C_i32(1), C_i32(0));
            }
            M_i32 places[LANES];
            M_$F values[LANES];
            SPILL(place, places);
            SPILL(value * down + C_$F(0), values);
            for (int lane = 0; lane < count; lane++) {
                const S_i64 to = (tile * LANES + lane) * n;
                more[to + places[lane]] = values[lane];
            }
            if (VECTORS) {
                EACH(i, 0, n) put(w, v + i * leading + j, PLAIN(get(w, v + i * leading + j)));
                give_column(w, v + j, leading, n, out + tile * LANES * n * n, places, n, n * n, count);
            }
        }
    }
}

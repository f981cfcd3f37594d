// One pass of a Fourier transform; see transforms.py. A group has ROWS transforms of N elements in local memory.
// Defined before it:
//   N ROWS SIZE ROOM        ROOM: of local memory, in elements
//   FIRST LAST              of the passes of the transform along an axis
//   BY_ROWS_IN BY_ROWS_OUT  whether elements of a row are neighbours in memory, otherwise those of successive rows
//   REAL_IN HERMITIAN_IN REAL_OUT
//   CONJUGATE_IN CONJUGATE_OUT
// Row b has the digits b0 to b3 in the mixed radix p.d1 p.d2 p.d3, by which the parameters' strides are multiplied.

//: product
FN R_$C times(R_$C a, R_$C b) {
    R_$C z;
    z.re = FMA(a.re, b.re, -(a.im * b.im));
    z.im = FMA(a.re, b.im, a.im * b.re);
    return z;
}

//: words
VECTORS($C, 1, W_$B)

// Local memory has a gap after 16 elements, so that work-items whose elements are 16 apart use different banks.
#define PLACE(i) ((i) + ((i) >> 4))

FN R_$C root_at(const GLOBAL M_$C* p, S_i64 i) {
    R_$C z[1];
    LOADV_$C(p, i, z);
    return z[0];
}

#if FIRST
#define PLACE_IN(j) (turn[row] + (j) * p.step_in)
#else
#define PLACE_IN(j) ((S_i64)(j))
#endif
#if LAST
#define PLACE_OUT(k) (base[row] + (k) * p.step_out)
#else
#define PLACE_OUT(k) ((S_i64)(k))
#endif

//: pass
KERNEL GROUPS_OF(SIZE) void transform(
    GLOBAL M_$O* out, const GLOBAL M_$I* in, const GLOBAL M_$C* roots, const GLOBAL M_$C* coarse,
    const GLOBAL M_$C* fine, const Parameters p) {
    LOCAL M_$F re[ROOM], im[ROOM];
    LOCAL M_i64 from[ROWS], to[ROWS], turn[ROWS], base[ROWS];
    S_i64 first = (S_i64)GROUP * ROWS;
    int lid = (int)LID, rows = p.rows - first < ROWS ? (int)(p.rows - first) : ROWS;
    for (int row = lid; row < rows; row += SIZE) {
        S_i64 b = first + row, b3 = b % p.d3, b2 = b / p.d3, b1 = b2 / p.d2, b0 = b1 / p.d1;
        b2 %= p.d2, b1 %= p.d1;
        from[row] = p.in_0 + b0 * p.in_b0 + b1 * p.in_b1 + b2 * p.in_b2 + b3 * p.in_b3;
        to[row] = p.out_0 + b0 * p.out_b0 + b1 * p.out_b1 + b2 * p.out_b2 + b3 * p.out_b3;
        turn[row] = b0 * p.turn_b0 + b1 * p.turn_b1 + b2 * p.turn_b2 + b3 * p.turn_b3;
        base[row] = b0 * p.base_b0 + b1 * p.base_b1 + b2 * p.base_b2 + b3 * p.base_b3;
    }
    BARRIER;
    for (int e = lid; e < N * ROWS; e += SIZE) {
        int row = BY_ROWS_IN ? e / N : e % ROWS, j = BY_ROWS_IN ? e % N : e / ROWS;
        if (row >= rows) continue;
        S_i64 place = PLACE_IN(j);
        R_$C z = {0, 0};
#if REAL_IN
        if (place < p.given) z.re = LOAD_$F(in, from[row] + place * p.in_j);
#elif HERMITIAN_IN
        int mirrored = 2 * place > p.n;
        if (mirrored) place = p.n - place;
        if (place < p.given) z = root_at(in, from[row] + place * p.in_j);
        if (mirrored != CONJUGATE_IN) z.im = -z.im;
        if (place == 0 || 2 * place == p.n) z.im = 0;
#else
        if (!FIRST || place < p.given) z = root_at(in, from[row] + place * p.in_j);
        if (CONJUGATE_IN) z.im = -z.im;
#endif
        re[PLACE(row * N + j)] = z.re, im[PLACE(row * N + j)] = z.im;
    }
    BARRIER;
    $stages
    for (int e = lid; e < N * ROWS; e += SIZE) {
        int row = BY_ROWS_OUT ? e / N : e % ROWS, k = BY_ROWS_OUT ? e % N : e / ROWS;
        if (row >= rows) continue;
        S_i64 place = PLACE_OUT(k);
        if (LAST && place >= p.kept) continue;
        R_$C z[1];
        z[0].re = re[PLACE(row * N + k)], z[0].im = im[PLACE(row * N + k)];
#if !LAST
        S_i64 angle = k * turn[row];
        S_i64 low = angle & (((S_i64)1 << p.bits) - 1);
        z[0] = times(z[0], times(root_at(coarse, angle >> p.bits), root_at(fine, low)));
#else
        z[0].re *= p.scale, z[0].im *= p.scale;
#endif
        if (CONJUGATE_OUT) z[0].im = -z[0].im;
#if REAL_OUT
        STORE_$F(out, to[row] + place * p.out_k, z[0].re);
#else
        STOREV_$C(out, to[row] + place * p.out_k, z);
#endif
    }
}

//: stage
// Butterflies of $r elements; $done elements of each are done.
{
    R_$C v[$each][$r];
    UNROLL for (int l = 0; l < $each; l++) {
        int u = lid + l * SIZE;
        if (u < ROWS * (N / $r)) {
            int row = u / (N / $r), t = u % (N / $r), q = t % $done;
            UNROLL for (int k = 0; k < $r; k++) {
                int at = PLACE(row * N + t + k * (N / $r));
                v[l][k].re = re[at], v[l][k].im = im[at];
                if ($done > 1 && k) v[l][k] = times(v[l][k], root_at(roots, q * k * (N / ($done * $r))));
            }
            dft_$r(v[l]);
        }
    }
    BARRIER;
    UNROLL for (int l = 0; l < $each; l++) {
        int u = lid + l * SIZE;
        if (u < ROWS * (N / $r)) {
            int row = u / (N / $r), t = u % (N / $r), q = t % $done, start = row * N + (t - q) * $r + q;
            UNROLL for (int k = 0; k < $r; k++) {
                int at = PLACE(start + k * $done);
                re[at] = v[l][k].re, im[at] = v[l][k].im;
            }
        }
    }
    BARRIER;
}

// Bluestein's algorithm, by which a transform is a convolution: elements times chirps, as long as that.

//: modulate
KERNEL void modulate(GLOBAL M_$C* out, GLOBAL M_$C* in, GLOBAL M_$C* chirp, const Parameters p) {
    S_i64 i = GID, j = i % p.m;
    if (i >= p.rows * p.m) return;
    R_$C z = C_$C(0, 0);
    if (j < p.n) z = times(LOAD_$C(in, i / p.m * p.n + j), LOAD_$C(chirp, j));
    STORE_$C(out, i, z);
}

// The product of spectra, conjugated: a forward transform then computes the backward one.
//: convolve
KERNEL void convolve(GLOBAL M_$C* out, GLOBAL M_$C* in, GLOBAL M_$C* chirp, const Parameters p) {
    S_i64 i = GID;
    if (i >= p.rows * p.m) return;
    R_$C z = times(LOAD_$C(in, i), LOAD_$C(chirp, i % p.m));
    z.im = -z.im;
    STORE_$C(out, i, z);
}

//: demodulate
KERNEL void demodulate(GLOBAL M_$C* out, GLOBAL M_$C* in, GLOBAL M_$C* chirp, const Parameters p) {
    S_i64 i = GID;
    if (i >= p.rows * p.n) return;
    R_$C z = LOAD_$C(in, i / p.n * p.m + i % p.n);
    z.im = -z.im;
    STORE_$C(out, i, times(z, LOAD_$C(chirp, i % p.n)));
}

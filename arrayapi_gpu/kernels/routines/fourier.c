// One pass of a Fourier transform; see fourier.py. A group transforms ROWS rows of N elements, each in several stages,
// between which they lie in local memory. Defined before it:
//   N ROWS SIZE          elements of a row, rows of a group, work-items
//   PITCH                from one row to the next, in local memory
//   FIRST LAST           of the passes of the transform along an axis
//   REAL_IN HERMITIAN_IN REAL_OUT CONJUGATE_IN CONJUGATE_OUT
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

// Local memory has a gap after 16 elements: work-items whose elements are at distances of 16 use different banks.
#define AT(row, i) ((row) * PITCH + (i) + ((i) >> 4))

FN R_$C pair_at(const GLOBAL M_$C* p, S_i64 i) {
    R_$C z[1];
    LOADV_$C(p, i, z);
    return z[0];
}

// Element `place` of an axis, at distances of `step`.
FN R_$C element(const GLOBAL M_$I* in, S_i64 from, S_i64 place, S_i64 step, S_i64 given, S_i64 n) {
    R_$C z = {0, 0};
    int mirrored = HERMITIAN_IN && 2 * place > n;
    if (mirrored) place = n - place;
    if (!FIRST || place < given) {
#if REAL_IN
        z.re = LOAD_$F(in, from + place * step);
#else
        z = pair_at(in, from + place * step);
        if (mirrored != CONJUGATE_IN) z.im = -z.im;
        if (HERMITIAN_IN && (place == 0 || 2 * place == n)) z.im = 0;
#endif
    }
    return z;
}

//: pass
KERNEL GROUPS_OF(SIZE) void transform(
    GLOBAL M_$O* out, GLOBAL M_$I* in, GLOBAL M_$C* roots, GLOBAL M_$C* coarse, GLOBAL M_$C* fine, const Parameters p) {
    LOCAL M_$F re[ROWS * PITCH], im[ROWS * PITCH];
    LOCAL M_i64 from[ROWS], to[ROWS], turn[ROWS], base[ROWS];
    S_i64 first = (S_i64)GROUP * ROWS, mask = ((S_i64)1 << p.bits) - 1;
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
    $stages
}

//: stage
// Butterflies of $r elements, $each of a work-item; $done elements of each are done. Work-items lie along $along.
{
    R_$C v[$each][$r];
    UNROLL for (int l = 0; l < $each; l++) {
        int u = lid + l * SIZE, row = $row, t = $t;
        if (u < ROWS * (N / $r) && row < rows) {
            UNROLL for (int k = 0; k < $r; k++) {
                int i = t + k * (N / $r);
                $read
            }
            $butterfly
        }
    }
    $wait
    UNROLL for (int l = 0; l < $each; l++) {
        int u = lid + l * SIZE, row = $row, t = $t;
        if (u < ROWS * (N / $r) && row < rows) {
            int start = t / $done * ($done * $r) + t % $done;
            UNROLL for (int k = 0; k < $r; k++) {
                int i = start + k * $done;
                $write
            }
        }
    }
    $wait
}

//: read
S_i64 place = FIRST ? turn[row] + i * p.step_in : i;
v[l][k] = element(in, from[row], place, p.in_j, p.given, p.n);

//: take
v[l][k].re = re[AT(row, i)], v[l][k].im = im[AT(row, i)];

//: twiddle
if (k) v[l][k] = times(v[l][k], pair_at(roots, $start + (k - 1) * $done + t % $done));

//: put
re[AT(row, i)] = v[l][k].re, im[AT(row, i)] = v[l][k].im;

//: turn
S_i64 angle = i * turn[row];
R_$C z[1];
z[0] = times(v[l][k], times(pair_at(coarse, angle >> p.bits), pair_at(fine, angle & mask)));
STOREV_$C(out, to[row] + i * p.out_k, z);

//: write
S_i64 place = base[row] + i * p.step_out;
if (place < p.kept) {
    R_$C z[1];
    z[0].re = v[l][k].re * p.scale, z[0].im = v[l][k].im * (CONJUGATE_OUT ? -p.scale : p.scale);
    $store
}

//: modulate
// Bluestein's algorithm computes a transform as a convolution: elements times chirps, as long as that.
KERNEL void modulate(GLOBAL M_$C* out, GLOBAL M_$C* in, GLOBAL M_$C* chirp, const Parameters p) {
    S_i64 i = GID, j = i % p.m;
    if (i >= p.rows * p.m) return;
    R_$C z = C_$C(0, 0);
    if (j < p.n) z = times(LOAD_$C(in, i / p.m * p.n + j), LOAD_$C(chirp, j));
    STORE_$C(out, i, z);
}

//: convolve
// The product of spectra, conjugated: a forward transform then computes the backward one.
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

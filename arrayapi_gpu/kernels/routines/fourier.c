// One pass of a Fourier transform; see fourier_passes.py. A group transforms ROWS rows of N elements, each in several
// stages, between which they lie in local memory. Defined before it:
//   N ROWS SIZE          elements of a row, rows of a group, work-items
//   PITCH                from one row to the next, in local memory
//   REAL_IN HERMITIAN_IN REAL_OUT CONJUGATE_IN CONJUGATE_OUT
// Row b has the digits b0 to b3 in the mixed radix p.d1 p.d2 p.d3, by which the parameters' strides are multiplied.

//: words
VECTORS($C, 1, W_$B)

// Local memory has a gap after 16 elements: work-items whose elements are at distances of 16 use different banks.
#define AT(row, i) ((row) * PITCH + (i) + ((i) >> 4))

FN R_$C times(R_$C a, R_$C b) {
    R_$C z;
    z.re = FMA(a.re, b.re, -(a.im * b.im));
    z.im = FMA(a.re, b.im, a.im * b.re);
    return z;
}

FN R_$C pair_at(const GLOBAL M_$C* p, S_i64 i) {
    R_$C z[1];
    LOADV_$C(p, i, z);
    return z[0];
}

//: element
// Element `place` of an axis, at distances of `step`.
FN R_$C element(const GLOBAL M_$I* in, S_i64 from, S_i64 place, S_i64 step, S_i64 given, S_i64 n) {
    R_$C z = {0, 0};
    int mirrored = HERMITIAN_IN && 2 * place > n;
    if (mirrored) place = n - place;
    if (place < given) {
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
    GLOBAL M_$O* out, GLOBAL M_$I* in, $tables, const Parameters p) {
    LOCAL M_$F re[ROWS * PITCH];
    $other
    LOCAL M_i64 from[ROWS], to[ROWS], turn[ROWS], base[ROWS];
    S_i64 first = (S_i64)GROUP * ROWS, mask = ((S_i64)1 << p.bits) - 1;
    int lid = (int)LID, rows = p.rows - first < ROWS ? (int)(p.rows - first) : ROWS;
    for (int row = lid; row < rows; row += SIZE) {
        S_$R d1 = (S_$R)p.d1, d2 = (S_$R)p.d2, d3 = (S_$R)p.d3, b = (S_$R)(first + row);
        S_i64 b3 = b % d3, b2 = b / d3 % d2, b1 = b / d3 / d2 % d1, b0 = b / d3 / d2 / d1;
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
R_$C v$number[$each][$r];

//: butterflies
UNROLL for (int l = 0; l < $each; l++) {
    R_$C *v = v$number[l];
    int u = lid + l * SIZE, row = $row, t = $t;
    if (u < ROWS * (N / $r) && row < rows) {
        UNROLL for (int k = 0; k < $r; k++) {
            int i = t + k * (N / $r);
            $element
        }
        $whole
    }
}

//: results
UNROLL for (int l = 0; l < $each; l++) {
    R_$C *v = v$number[l];
    int u = lid + l * SIZE, row = $row, t = $t;
    if (u < ROWS * (N / $r) && row < rows) {
        int start = t / $done * ($done * $r) + t % $done;
        UNROLL for (int k = 0; k < $r; k++) {
            int i = start + k * $done;
            $element
        }
    }
}

//: read
v[k] = element(in, from[row], turn[row] + i * p.step_in, p.in_j, p.given, p.n);

//: modulate
// Bluestein's algorithm computes a transform as a convolution: elements times chirps, and zeros behind them.
S_i64 place = turn[row] + i * p.step_in;
v[k].re = 0, v[k].im = 0;
if (place < p.n) v[k] = times(element(in, from[row], place, p.in_j, p.given, p.n), pair_at(chirp, place));

//: load
v[k] = pair_at(in, from[row] + i * p.in_j);

//: turn
S_i64 angle = i * turn[row];
v[k] = times(v[k], times(pair_at(coarse, angle >> p.bits), pair_at(fine, angle & mask)));

//: take
v[k].$part = $room[AT(row, i)];

//: twiddle
if (k) v[k] = times(v[k], pair_at(roots, $start + (k - 1) * $done + t % $done));

//: convolve
// The product of spectra, conjugated: a forward transform then computes the backward one.
v[k] = times(v[k], pair_at(spectrum, base[row] + i));
v[k].im = -v[k].im;

//: put
$room[AT(row, i)] = v[k].$part;

//: store
R_$C z[1];
z[0] = v[k];
STOREV_$C(out, to[row] + i * p.out_k, z);

//: write
S_i64 place = base[row] + i * p.step_out;
if (place < p.kept) {
    $demodulate
    R_$C z[1];
    z[0].re = v[k].re * p.scale, z[0].im = v[k].im * (CONJUGATE_OUT ? -p.scale : p.scale);
    $store
}

//: demodulate
v[k].im = -v[k].im;
v[k] = times(v[k], pair_at(chirp, place));

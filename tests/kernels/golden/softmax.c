typedef struct {S_i64 n; S_i64 outputs; S_i64 many; S_i64 k0; S_i64 o0_0; S_i64 x0_0; S_i64 o0_k0; S_i64 o0_r; S_i64 x0_k0; S_i64 x0_r;} Parameters;
#define ACCUMULATORS 4
#define BLOCK 16
#define OWN ACCUMULATORS
#define STRIP (ACCUMULATORS * LANES) // elements
#define SLOT (i / LANES) // where a register is saved

// t0 = max(x0); t1 = subtract(x0, t0); t2 = exp(t1); t3 = sum(t2); t4 = divide(t2, t3)
KERNEL GROUPS_OF(1) void rows_max_subtract_exp_sum_and_1_more_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    LOCAL R_f32 t2_saved[4];
    S_i64 last = (GID + 1) * p.many < p.outputs ? (GID + 1) * p.many : p.outputs;
    for (S_i64 row = GID * p.many; row < last; row++) {
        S_i64 rest = row;
        S_i64 c0 = rest;
        S_i64 o0_b = p.o0_0 + (S_i64)c0 * p.o0_k0;
        S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;

        R_f32 total0[OWN]; UNROLL for (int u = 0; u < OWN; u++) total0[u] = SPLAT_f32(-INFINITY);
        for (S_i64 block = 0; block < p.n; block += BLOCK * STRIP) {
            S_i64 end = block + BLOCK * STRIP < p.n ? block + BLOCK * STRIP : p.n, r = block;
            for (; r + STRIP <= end; r += STRIP) {
                UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES; const int n = LANES;
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                    total0[u] = maximum_f32(total0[u], x0);
                }
            }
            if (r < end)
                UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES;
                    const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
                    if (n == 0) break;
                    R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                    total0[u] = maximum_f32(total0[u], where_f32(valid, x0, SPLAT_f32(-INFINITY)));
                }
        }

        R_f32 w0 = total0[0];
        UNROLL for (int u = 1; u < ACCUMULATORS; u++) w0 = maximum_f32(w0, total0[u]);
        w0 = maximum_f32(w0, ROTATE_f32(w0, 8));
        w0 = maximum_f32(w0, ROTATE_f32(w0, 4));
        w0 = maximum_f32(w0, ROTATE_f32(w0, 2));
        w0 = maximum_f32(w0, ROTATE_f32(w0, 1));
        w0 = LAST_f32(ROTATE_f32(w0, 1)); // of two zeros, lanes may have chosen differently: the first lane's counts
        R_f32 t0 = w0;

        R_f32 total3[OWN]; UNROLL for (int u = 0; u < OWN; u++) total3[u] = SPLAT_f32(0);
        for (S_i64 block = 0; block < p.n; block += BLOCK * STRIP) {
            S_i64 end = block + BLOCK * STRIP < p.n ? block + BLOCK * STRIP : p.n, r = block;
            R_f32 part3[OWN]; UNROLL for (int u = 0; u < OWN; u++) part3[u] = SPLAT_f32(0);
            for (; r + STRIP <= end; r += STRIP) {
                for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES; const int n = LANES;
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                    R_f32 t1 = subtract_f32(x0, t0);
                    R_f32 t2 = exp_f32(t1);
                    t2_saved[SLOT] = t2;
                    part3[u] = add_f32(part3[u], t2);
                }
            }
            if (r < end)
                for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES;
                    const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
                    if (n == 0) break;
                    R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_b + i); else x0 = LOADN_f32(px0, x0_b + i, 1, n);
                    R_f32 t1 = subtract_f32(x0, t0);
                    R_f32 t2 = exp_f32(t1);
                    t2_saved[SLOT] = t2;
                    part3[u] = add_f32(part3[u], where_f32(valid, t2, SPLAT_f32(0)));
                }
            UNROLL for (int u = 0; u < OWN; u++) total3[u] = add_f32(total3[u], part3[u]);
        }

        R_f32 w3 = total3[0];
        UNROLL for (int u = 1; u < ACCUMULATORS; u++) w3 = add_f32(w3, total3[u]);
        w3 = add_f32(w3, ROTATE_f32(w3, 8));
        w3 = add_f32(w3, ROTATE_f32(w3, 4));
        w3 = add_f32(w3, ROTATE_f32(w3, 2));
        w3 = add_f32(w3, ROTATE_f32(w3, 1));
        w3 = LAST_f32(ROTATE_f32(w3, 1)); // of two zeros, lanes may have chosen differently: the first lane's counts
        R_f32 t3 = w3;

        for (S_i64 block = 0; block < p.n; block += BLOCK * STRIP) {
            S_i64 end = block + BLOCK * STRIP < p.n ? block + BLOCK * STRIP : p.n, r = block;
            for (; r + STRIP <= end; r += STRIP) {
                UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES; const int n = LANES;
                    R_f32 t2 = t2_saved[SLOT];
                    R_f32 t4 = divide_f32(t2, t3);
                    if (n == LANES) STORE_f32(o0, o0_b + i, t4); else STOREN_f32(o0, o0_b + i, 1, n, t4);
                }
            }
            if (r < end)
                UNROLL for (int u = 0; u < ACCUMULATORS; u++) {
                    const S_i64 i = r + u * LANES;
                    const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;
                    if (n == 0) break;
                    R_b8 valid = less_i64(IOTA, SPLAT_i64(n));
                    R_f32 t2 = t2_saved[SLOT];
                    R_f32 t4 = divide_f32(t2, t3);
                    if (n == LANES) STORE_f32(o0, o0_b + i, t4); else STOREN_f32(o0, o0_b + i, 1, n, t4);
                }
        }

    }
}

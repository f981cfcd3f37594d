typedef struct {S_i64 n; S_i64 outputs; S_i64 many; S_i64 k0; S_i64 k1; S_i64 o0_0; S_i64 x0_0; S_i64 o0_k0; S_i64 o0_k1; S_i64 o0_r; S_i64 x0_k0; S_i64 x0_k1; S_i64 x0_r;} Parameters;
#define BLOCK 8
#define SEGMENT 256
#define SEGMENTS 0
#define WIDTH 4
#define EACH UNROLL for (int u = 0; u < WIDTH; u++)
#define COLUMN                                                                                     \
    const S_i64 i = column + u * LANES;                                                            \
    if (i >= p.k1) break;                                                                         \
    const int n = p.k1 - i < LANES ? (int)(p.k1 - i) : LANES;

// t0 = max(x0); t1 = subtract(x0, t0); t2 = exp(t1); t3 = sum(t2); t4 = divide(t2, t3)
KERNEL GROUPS_OF(1) void rows_max_subtract_exp_sum_and_1_more_3d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    if (GID >= p.outputs) return;
    S_i64 rest = GID / p.many;
    const S_i64 column = GID % p.many * WIDTH * LANES;
    LOCAL R_f32 t2_saved[128];
    S_i64 c0 = rest;
    S_i64 o0_b = p.o0_0 + (S_i64)c0 * p.o0_k0;
    S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0;

    R_f32 total0[WIDTH]; EACH total0[u] = SPLAT_f32(-INFINITY);
#if SEGMENTS
    // As `reduce` combines segments by a second launch.
    for (S_i64 from = 0; from < p.n; from += BLOCK * SEGMENT) {
        R_f32 whole0[WIDTH]; EACH whole0[u] = SPLAT_f32(-INFINITY);
        for (S_i64 first = from; first < from + BLOCK * SEGMENT && first < p.n; first += SEGMENT) {
            const S_i64 end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
            R_f32 segment0[WIDTH]; EACH segment0[u] = SPLAT_f32(-INFINITY);
            for (S_i64 block = first; block < end; block += BLOCK) {
                R_f32 part0[WIDTH]; EACH part0[u] = SPLAT_f32(-INFINITY);
                for (S_i64 r = block; r < block + BLOCK && r < end; r++) {
                    const S_i64 x0_at = x0_b + r * p.x0_r;
                    EACH {
                        COLUMN
                        R_f32 x0;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_at + i); else x0 = LOADN_f32(px0, x0_at + i, 1, n);
                        part0[u] = maximum_f32(part0[u], x0);
                    }
                }
                EACH segment0[u] = maximum_f32(segment0[u], part0[u]);
            }
            EACH whole0[u] = maximum_f32(whole0[u], segment0[u]);
        }
        EACH total0[u] = maximum_f32(total0[u], whole0[u]);
    }
#else
    for (S_i64 block = 0; block < p.n; block += BLOCK) {
        R_f32 part0[WIDTH]; EACH part0[u] = SPLAT_f32(-INFINITY);
        for (S_i64 r = block; r < block + BLOCK && r < p.n; r++) {
            const S_i64 x0_at = x0_b + r * p.x0_r;
            EACH {
                COLUMN
                R_f32 x0;
                if (n == LANES) x0 = LOAD_f32(px0, x0_at + i); else x0 = LOADN_f32(px0, x0_at + i, 1, n);
                part0[u] = maximum_f32(part0[u], x0);
            }
        }
        EACH total0[u] = maximum_f32(total0[u], part0[u]);
    }
#endif
    R_f32 t0[WIDTH]; EACH t0[u] = total0[u];

    R_f32 total3[WIDTH]; EACH total3[u] = SPLAT_f32(0);
#if SEGMENTS
    // As `reduce` combines segments by a second launch.
    for (S_i64 from = 0; from < p.n; from += BLOCK * SEGMENT) {
        R_f32 whole3[WIDTH]; EACH whole3[u] = SPLAT_f32(0);
        for (S_i64 first = from; first < from + BLOCK * SEGMENT && first < p.n; first += SEGMENT) {
            const S_i64 end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
            R_f32 segment3[WIDTH]; EACH segment3[u] = SPLAT_f32(0);
            for (S_i64 block = first; block < end; block += BLOCK) {
                R_f32 part3[WIDTH]; EACH part3[u] = SPLAT_f32(0);
                for (S_i64 r = block; r < block + BLOCK && r < end; r++) {
                    const S_i64 x0_at = x0_b + r * p.x0_r;
                    EACH {
                        COLUMN
                        R_f32 x0;
                        if (n == LANES) x0 = LOAD_f32(px0, x0_at + i); else x0 = LOADN_f32(px0, x0_at + i, 1, n);
                        R_f32 t1 = subtract_f32(x0, t0[u]);
                        R_f32 t2 = exp_f32(t1);
                        t2_saved[r * WIDTH + u] = t2;
                        part3[u] = add_f32(part3[u], t2);
                    }
                }
                EACH segment3[u] = add_f32(segment3[u], part3[u]);
            }
            EACH whole3[u] = add_f32(whole3[u], segment3[u]);
        }
        EACH total3[u] = add_f32(total3[u], whole3[u]);
    }
#else
    for (S_i64 block = 0; block < p.n; block += BLOCK) {
        R_f32 part3[WIDTH]; EACH part3[u] = SPLAT_f32(0);
        for (S_i64 r = block; r < block + BLOCK && r < p.n; r++) {
            const S_i64 x0_at = x0_b + r * p.x0_r;
            EACH {
                COLUMN
                R_f32 x0;
                if (n == LANES) x0 = LOAD_f32(px0, x0_at + i); else x0 = LOADN_f32(px0, x0_at + i, 1, n);
                R_f32 t1 = subtract_f32(x0, t0[u]);
                R_f32 t2 = exp_f32(t1);
                t2_saved[r * WIDTH + u] = t2;
                part3[u] = add_f32(part3[u], t2);
            }
        }
        EACH total3[u] = add_f32(total3[u], part3[u]);
    }
#endif
    R_f32 t3[WIDTH]; EACH t3[u] = total3[u];

#if SEGMENTS
    // As `reduce` combines segments by a second launch.
    for (S_i64 from = 0; from < p.n; from += BLOCK * SEGMENT) {
        for (S_i64 first = from; first < from + BLOCK * SEGMENT && first < p.n; first += SEGMENT) {
            const S_i64 end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
            for (S_i64 block = first; block < end; block += BLOCK) {
                for (S_i64 r = block; r < block + BLOCK && r < end; r++) {
                    const S_i64 o0_at = o0_b + r * p.o0_r;
                    EACH {
                        COLUMN
                        R_f32 t2 = t2_saved[r * WIDTH + u];
                        R_f32 t4 = divide_f32(t2, t3[u]);
                        if (n == LANES) STORE_f32(o0, o0_at + i, t4); else STOREN_f32(o0, o0_at + i, 1, n, t4);
                    }
                }
            }
        }
    }
#else
    for (S_i64 block = 0; block < p.n; block += BLOCK) {
        for (S_i64 r = block; r < block + BLOCK && r < p.n; r++) {
            const S_i64 o0_at = o0_b + r * p.o0_r;
            EACH {
                COLUMN
                R_f32 t2 = t2_saved[r * WIDTH + u];
                R_f32 t4 = divide_f32(t2, t3[u]);
                if (n == LANES) STORE_f32(o0, o0_at + i, t4); else STOREN_f32(o0, o0_at + i, 1, n, t4);
            }
        }
    }
#endif

}

typedef struct {S_i64 n; S_i64 length; S_i64 segments; S_i64 outputs; S_i64 to_output; S_i64 to_segment; S_i64 k0; S_i64 r0; S_i64 pages; S_i64 width; S_i64 o0_0; S_i64 x0_0; S_i64 x0_k0; S_i64 x0_r0;} Parameters;
#define GPU 0
#define ACCUMULATORS 4
#define UNROLLED UNROLL
#define PAGE 4
#define BLOCK_ACROSS 8
typedef struct { R_f32 value; } Accumulator;
typedef Accumulator Total;
typedef Accumulator Published;

FN Accumulator nothing(void) {
    Accumulator none;
    none.value = SPLAT_f32(0);
    return none;
}

FN Accumulator take(Accumulator before, R_f32 value, R_i32 at) {
    before.value = add_f32(before.value, value);
    return before;
}

FN Accumulator merged(Accumulator before, Accumulator part) { return take(before, part.value, SPLAT_i32(0)); }

FN Total combined(Total total, Total other) { return take(total, other.value, SPLAT_i32(0)); }

#define NOTHING nothing()
#define TOTAL(accumulator, from) (accumulator)
#define ROTATED(total, k) ((Total){ROTATE_f32((total).value, k)})
#define PACKED(total) (total)
#define UNPACKED(published) (published)

// a copy
#define EACH UNROLLED for (int u = 0; u < ACCUMULATORS; u++)
KERNEL void sum_2d_f32(GLOBAL M_f32* o0, GLOBAL M_f32* px0, const Parameters p) {
    S_i64 number = GID, page = number % p.pages;
    number /= p.pages;
    S_i64 segment = number % p.segments, row = number / p.segments;
    if (row >= p.outputs / p.k0) return;
    S_i64 column = page * p.width * LANES, left = (p.k0 - column + LANES - 1) / LANES;
    const int width = left < p.width ? left : p.width;
    S_i64 x0_b = p.x0_0;
    S_i64 first = segment * p.length;
    S_i64 last = first + p.length < p.n ? first + p.length : p.n;
    Accumulator total[PAGE];
    UNROLLED for (int u = 0; u < PAGE; u++) total[u] = nothing();
    for (S_i64 block = first; block < last; block += BLOCK_ACROSS) {
        const int rows = last - block < BLOCK_ACROSS ? last - block : BLOCK_ACROSS;
        S_i64 x0_r[BLOCK_ACROSS];
        for (int b = 0; b < rows; b++) {
            S_i64 a0 = block + b;
            x0_r[b] = x0_b + (S_i64)a0 * p.x0_r0;
        }
        for (int c = 0; c < width; c += ACCUMULATORS) {
            const S_i64 begin = column + c * LANES < p.k0 - ACCUMULATORS * LANES ? column + c * LANES : p.k0 - ACCUMULATORS * LANES;
            const int n = LANES;
            Accumulator part[ACCUMULATORS];
            EACH part[u] = nothing();
            for (int b = 0; b < rows; b++) {
                EACH {
                    const S_i64 i = begin + u * LANES;
                    R_f32 x0;
                    if (n == LANES) x0 = LOAD_f32(px0, x0_r[b] + i); else x0 = LOADN_f32(px0, x0_r[b] + i, 1, n);
                    R_f32 v = x0;
                    part[u] = take(part[u], v, SPLAT_i32(block + b - first));
                }
            }
            EACH total[c + u] = merged(total[c + u], part[u]);
        }
    }
    for (int c = 0; c < width; c += ACCUMULATORS) {
        const S_i64 begin = column + c * LANES < p.k0 - ACCUMULATORS * LANES ? column + c * LANES : p.k0 - ACCUMULATORS * LANES;
        const int n = LANES;
        EACH {
            const S_i64 i = begin + u * LANES;
            if (n == LANES) STORE_f32(o0, p.o0_0 + segment * p.to_segment + row * p.k0 + i, total[c + u].value); else STOREN_f32(o0, p.o0_0 + segment * p.to_segment + row * p.k0 + i, 1, n, total[c + u].value);
        }
    }
}

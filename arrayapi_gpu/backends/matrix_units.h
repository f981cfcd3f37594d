/* Words for products of matrices by a processor's matrix units, behind the dialect (LANES 1 only). The work-items of a
   warp hold fragments of matrices together. Without such units each work-item computes its own part from local
   memory.

   Slabs of matrices lie in local memory in units of 16 bytes, either by rows, that is along the summed index, or by
   columns. t: u8 f16 bf16 f64 c128; sums are of dtype w: u32 f32 f32
   f64 c128. Slabs of u8 lie by rows, along the summed index, only.
     U_16  a unit   UNIT_t  its elements   PLACE_t(row,unit,units)  where the unit of a row of the slab, or of a column,
                lies, so that fragments are read without conflicts
     COPY_t(slab,place,p,count)  begin to copy a unit from global memory, at a multiple of 16 bytes; zeros stand for its
                elements from number count on
     COMMIT_COPIES  those begun belong together   WAIT_COPIES(n)  all but the last n that belong together are done, of
                this work-item
     LENGTH_t   the length of the summed index of a fragment
     A_t B_t    fragments of 16 rows, or columns, = FRAGMENT_A_t(slab,first,k,units,along) FRAGMENT_B_t(the same)
     ADD_PRODUCT_t(sums,a,b) adds a product of 16 x 16 to an array of 8 R_w
     SUM_ROW(i) SUM_COLUMN(i)  where number i of the 8 sums lies; a sum of an odd number is next to the one before */

typedef struct { M_u32 x, y, z, w; } ALIGNED U_16;
#define UNIT_u8 16
#define UNIT_f16 8
#define UNIT_bf16 8
#define UNIT_f64 2
#define UNIT_c128 1
#define LENGTH_u8 32
#define LENGTH_f16 16
#define LENGTH_bf16 16
#define LENGTH_f64 8
#define LENGTH_c128 8
#define PLACE_f16(row, unit, units) ((row) * (units) + ((unit) ^ ((units) < 8 ? (row) >> 1 & 3 : (row) & 7)))
#define PLACE_bf16(row, unit, units) PLACE_f16(row, unit, units)
#define PLACE_u8(row, unit, units) PLACE_f16(row, unit, units)
#define PLACE_f64(row, unit, units) ((row) * (units) + ((unit) ^ ((units) < 8 ? (row) & 2 : ((row) & 3) << 1)))
#define PLACE_c128(row, unit, units) ((row) * (units) + ((unit) ^ (row) & 7))

#define SUM_ROW(i) (LID % WARP / 4 + ((i) >> 1 & 1) * 8)
#define SUM_COLUMN(i) (LID % 4 * 2 + ((i) & 1) + ((i) >> 2) * 8)

#if CUDA_ARCH >= 800 || __CUDA_ARCH__ >= 800 /* NVIDIA's, in either of its languages */

#ifdef __CUDA_ARCH__
FN M_u32 shared_address(const SHARED void *p) {
    M_u32 address;
    asm("{ .reg .u64 whole; cvta.to.shared.u64 whole, %1; cvt.u32.u64 %0, whole; }" : "=r"(address) : "l"(p));
    return address;
}
#define SHARED_ADDRESS(p) shared_address(p)
#else
#define SHARED_ADDRESS(p) ((M_u32)(size_t)(p))
#endif

/* Only whole units are copied so: sizes in a register are slow. */
#define COPY_$T(slab, place, p, count)                                                             \
    {                                                                                              \
        SHARED U_16 *to = (slab) + (place);                                                        \
        if ((count) >= UNIT_$T)                                                                    \
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"                               \
                : : "r"(SHARED_ADDRESS(to)), "l"((size_t)(p)) : "memory");                         \
        else copy_part(to, p, count);                                                              \
    }
GROUP_FN void copy_part(SHARED U_16 *to, const GLOBAL M_$T *p, int count) {
    const M_$T none = {0};
    for (int i = 0; i < UNIT_$T; i++) ((SHARED M_$T *)to)[i] = i < count ? p[i] : none;
}

#define COMMIT_COPIES asm volatile("cp.async.commit_group;" : : : "memory")
#define WAIT_COPIES(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")

/* Four blocks of 8 x 8 halves: work-item 8 i + j has the place of row j of block i. */
typedef struct { M_u32 part[4]; } A_f16;
#define MATRICES(name, how)                                                                        \
    GROUP_FN A_f16 name(M_u32 address) {                                                           \
        A_f16 v;                                                                                   \
        asm volatile("ldmatrix.sync.aligned.m8n8.x4" how ".shared.b16 {%0, %1, %2, %3}, [%4];"     \
            : "=r"(v.part[0]), "=r"(v.part[1]), "=r"(v.part[2]), "=r"(v.part[3]) : "r"(address)); \
        return v;                                                                                  \
    }
MATRICES(blocks_by_rows, "")
MATRICES(blocks_by_columns, ".trans")
GROUP_FN A_f16 FRAGMENT_A_f16(const SHARED U_16 *slab, int first, int k, const int units, const int along) {
    const int lane = LID % WARP, low = lane % 8, i = lane / 8;
    const int row = along ? first + low + i % 2 * 8 : k + low + i / 2 * 8;
    const int unit = along ? k / 8 + i / 2 : first / 8 + i % 2;
    const M_u32 address = SHARED_ADDRESS(slab) + 16 * PLACE_f16(row, unit, units);
    if (along) return blocks_by_rows(address);
    return blocks_by_columns(address);
}
GROUP_FN A_f16 FRAGMENT_B_f16(const SHARED U_16 *slab, int first, int k, const int units, const int along) {
    const int lane = LID % WARP, low = lane % 8, i = lane / 8;
    const int row = along ? first + low + i / 2 * 8 : k + low + i % 2 * 8;
    const int unit = along ? k / 8 + i % 2 : first / 8 + i / 2;
    const M_u32 address = SHARED_ADDRESS(slab) + 16 * PLACE_f16(row, unit, units);
    if (along) return blocks_by_rows(address);
    return blocks_by_columns(address);
}
typedef A_f16 B_f16, A_bf16, B_bf16;
#define FRAGMENT_A_bf16(slab, first, k, units, along) FRAGMENT_A_f16(slab, first, k, units, along)
#define FRAGMENT_B_bf16(slab, first, k, units, along) FRAGMENT_B_f16(slab, first, k, units, along)
#define PRODUCT_OF_PAIRS(name, kind)                                                                \
    GROUP_FN void name(R_f32 *sums, A_f16 a, A_f16 b) {                                            \
        UNROLL for (int h = 0; h < 2; h++)                                                         \
            asm("mma.sync.aligned.m16n8k16.row.col.f32." kind "." kind ".f32 "                     \
                "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                  \
                : "+f"(sums[4 * h]), "+f"(sums[4 * h + 1]), "+f"(sums[4 * h + 2]), "+f"(sums[4 * h + 3]) \
                : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]),                  \
                  "r"(b.part[2 * h]), "r"(b.part[2 * h + 1]));                                     \
    }
PRODUCT_OF_PAIRS(ADD_PRODUCT_f16, "f16")
PRODUCT_OF_PAIRS(ADD_PRODUCT_bf16, "bf16")

/* Blocks have the same bytes, which are twice as many numbers. */
typedef A_f16 A_u8, B_u8;
#define FRAGMENT_A_u8(slab, first, k, units, along) FRAGMENT_A_f16(slab, first, (k) / 2, units, 1)
#define FRAGMENT_B_u8(slab, first, k, units, along) FRAGMENT_B_f16(slab, first, (k) / 2, units, 1)
GROUP_FN void ADD_PRODUCT_u8(R_u32 *sums, A_u8 a, B_u8 b) {
    UNROLL for (int h = 0; h < 2; h++)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(sums[4 * h]), "+r"(sums[4 * h + 1]), "+r"(sums[4 * h + 2]), "+r"(sums[4 * h + 3])
            : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]),
              "r"(b.part[2 * h]), "r"(b.part[2 * h + 1]));
}

/* Rows j and j + 8 at places i and i + 4 of the summed index, for work-item 4 j + i. */
typedef struct { M_f64 part[4]; } A_f64, B_f64;
GROUP_FN M_f64 element(const SHARED U_16 *slab, int row, int k, const int units, const int along) {
    const int outer = along ? row : k, inner = along ? k : row;
    return ((const SHARED M_f64 *)slab)[2 * PLACE_f64(outer, inner / 2, units) + inner % 2];
}
GROUP_FN A_f64 FRAGMENT_A_f64(const SHARED U_16 *slab, int first, int k, const int units, const int along) {
    const int lane = LID % WARP, row = first + lane / 4;
    A_f64 v;
    k += lane % 4;
    UNROLL for (int i = 0; i < 4; i++) v.part[i] = element(slab, row + i % 2 * 8, k + i / 2 * 4, units, along);
    return v;
}
#define FRAGMENT_B_f64(slab, first, k, units, along) FRAGMENT_A_f64(slab, first, k, units, along)
#if CUDA_ARCH >= 900 || __CUDA_ARCH__ >= 900
#define ADD_HALF_f64(s, h, part, sign, a, b)                                                       \
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "                                        \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                          \
        : "+d"((s)[4 * h] part), "+d"((s)[4 * h + 1] part), "+d"((s)[4 * h + 2] part),             \
          "+d"((s)[4 * h + 3] part)                                                                \
        : "d"(sign(a)[0]), "d"(sign(a)[1]), "d"(sign(a)[2]), "d"(sign(a)[3]), "d"((b)[h]), "d"((b)[h + 2]))
#else
#define ADD_HALF_f64(s, h, part, sign, a, b)                                                       \
    UNROLL for (int q = 0; q < 4; q++)                                                             \
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"      \
            : "+d"((s)[4 * h + q % 2 * 2] part), "+d"((s)[4 * h + q % 2 * 2 + 1] part)             \
            : "d"(sign(a)[q]), "d"((b)[h + q / 2 * 2]))
#endif
GROUP_FN void ADD_PRODUCT_f64(R_f64 *sums, A_f64 a, A_f64 b) {
    UNROLL for (int h = 0; h < 2; h++) ADD_HALF_f64(sums, h, , , a.part, b.part);
}

/* The same places of both parts. */
typedef struct { M_f64 re[4], im[4]; } A_c128, B_c128;
GROUP_FN A_c128 FRAGMENT_A_c128(const SHARED U_16 *slab, int first, int k, const int units, const int along) {
    const int lane = LID % WARP;
    A_c128 v;
    UNROLL for (int i = 0; i < 4; i++) {
        const int row = first + lane / 4 + i % 2 * 8, at = k + lane % 4 + i / 2 * 4;
        const SHARED M_c128 *p = (const SHARED M_c128 *)slab + PLACE_c128(along ? row : at, along ? at : row, units);
        v.re[i] = p->re, v.im[i] = p->im;
    }
    return v;
}
#define FRAGMENT_B_c128(slab, first, k, units, along) FRAGMENT_A_c128(slab, first, k, units, along)
GROUP_FN void ADD_PRODUCT_c128(R_c128 *sums, A_c128 a, A_c128 b) {
    UNROLL for (int h = 0; h < 2; h++) {
        ADD_HALF_f64(sums, h, .re, , a.re, b.re);
        ADD_HALF_f64(sums, h, .im, , a.re, b.im);
        ADD_HALF_f64(sums, h, .re, -, a.im, b.im);
        ADD_HALF_f64(sums, h, .im, , a.im, b.re);
    }
}

#else

#define COMMIT_COPIES
#define WAIT_COPIES(n)
/* Of the one dtype T of the kernel, by its own MADD and WIDE. */
typedef struct { const SHARED M_$T *slab; int first, k, units, along; } A_$T, B_$T;
FN void COPY_$T(SHARED U_16 *slab, int place, const GLOBAL M_$T *p, int count) {
    const M_$T none = {0};
    for (int i = 0; i < UNIT_$T; i++) ((SHARED M_$T *)slab)[place * UNIT_$T + i] = i < count ? p[i] : none;
}
FN A_$T FRAGMENT_A_$T(const SHARED U_16 *slab, int first, int k, int units, int along) {
    A_$T v = {(const SHARED M_$T *)slab, first, k, units, along};
    return v;
}
#define FRAGMENT_B_$T(slab, first, k, units, along) FRAGMENT_A_$T(slab, first, k, units, along)
FN R_$W element_$T(A_$T v, int row, int k) {
    int outer = v.along ? v.first + row : v.k + k, inner = v.along ? v.k + k : v.first + row;
    return WIDE(FROM_$T(v.slab[PLACE_$T(outer, inner / UNIT_$T, v.units) * UNIT_$T + inner % UNIT_$T]));
}
GROUP_FN void ADD_PRODUCT_$T(R_$W *sums, A_$T a, A_$T b) {
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < LENGTH_$T; k++)
            sums[i] = MADD(sums[i], element_$T(a, SUM_ROW(i), k), element_$T(b, SUM_COLUMN(i), k));
}

#endif

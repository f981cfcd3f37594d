/* The dialect's first part on OpenCL: the only text of device code with words of OpenCL C. The back
   end writes `#define LANES 16` (CPU devices: explicit vectors) or `#define LANES 1` (GPUs) before it,
   and dialect.h after it, which says what the words mean. */

#pragma OPENCL FP_CONTRACT OFF

#define KERNEL __kernel
#define GROUPS_OF(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#define RESIDENT_GROUPS_OF(n, m) GROUPS_OF(n)
#define GLOBAL __global
#define LOCAL __local
#define SHARED __local
#define RESTRICT restrict
#define FN static inline
#define INLINED(t) __attribute__((always_inline)) t
#define CALLED_FN static __attribute__((noinline))
#define OVERLOADED __attribute__((overloadable))
#define GROUP_FN static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#define IN_ORDER _Pragma("clang loop vectorize(disable)")
#define GID ((long)get_global_id(0))
#define LID ((int)get_local_id(0))
#define GROUP ((long)get_group_id(0))
#define GROUP_SIZE ((int)get_local_size(0))
#define GROUPS ((long)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define GLOBAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define MULTIPLY_HIGH(x, y) mul_hi(x, y)
#define PRODUCT_u32(x, y) ((ulong)(x) * (y))

typedef uchar M_b8;
typedef ushort M_f16;
//: for T W in i8 char  i16 short  i32 int  i64 long  u8 uchar  u16 ushort  u32 uint  u64 ulong  f32 float
typedef $W M_$T;

#ifdef cl_khr_fp64
#define HAS_f64
typedef double M_f64;
#endif

#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_OR(p, v) atomic_or(p, v)
#define ATOMIC_XCHG(p, v) atomic_xchg(p, v)

#if LANES == 1

/* NVIDIA's compiler takes its processors' own instructions, which warps have no other words for in OpenCL C 1.2.
   Elsewhere work-items need not run in warps: whole groups wait, and PEERS finds its way without AGREE. */
#ifdef __NV_CL_C_VERSION
GROUP_FN void warp_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
GROUP_FN uint agree(uint v, uint bit) {
    uint found;
    asm volatile("{ .reg .pred q; .reg .b32 own; and.b32 own, %1, %2; setp.ne.u32 q, own, 0;"
                 " vote.sync.ballot.b32 %0, q, 0xffffffff; @!q not.b32 %0, %0; }"
                 : "=r"(found) : "r"(v), "r"(bit));
    return found;
}
#define AGREE(v, bit) agree(v, bit)
#define PREFETCH_L2(p) asm volatile("prefetch.global.L2 [%0];" : : "l"((size_t)(p)))
#endif
#ifndef AGREE
GROUP_FN void warp_barrier(void) { BARRIER; }
#define PREFETCH_L2(p)
#endif
#define WARP_BARRIER warp_barrier()
#define POPCOUNT(v) popcount(v)

//: for T W in i32 int  i64 long  u32 uint  u64 ulong  f32 float  f64 double
#define AS_$T(v) as_$W(v)

/* PoCL 3.0 loses a store through the address of a variable in kernels with barriers, so arrays of one element hold bits. */
FN M_f32 FLOAT_OF_HALF(M_u16 h) {
    M_u16 bits[1] = {h};
    return vload_half(0, (const half *)bits);
}
FN M_u16 HALF_OF_FLOAT(M_f32 x) {
    M_u16 bits[1];
    vstore_half_rte(x, 0, (half *)bits);
    return bits[0];
}
#if CUDA_ARCH >= 800 /* set by the back end, since NVIDIA's compiler does not tell */
#define HAS_HALVES
#endif

#else

/* Work-items compute with vectors already: Intel's compiler shall not combine them, by gathers and scatters. */
#undef KERNEL
#define KERNEL __kernel __attribute__((vec_type_hint(float16)))

typedef char16 R_b8;
typedef uchar16 V_b8;
typedef ushort16 V_f16;
//: for T W in i8 char  i16 short  i32 int  i64 long  u8 uchar  u16 ushort  u32 uint  u64 ulong  f32 float
typedef $W16 R_$T;
typedef R_$T V_$T; /* elements as memory has them */
#define AS_$T(v) as_$W16(v)

#define AS_f64(v) as_double16(v)
#ifdef HAS_f64
typedef double16 R_f64;
typedef R_f64 V_f64;
#endif

#define LIST(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), \
                X(8), X(9), X(a), X(b), X(c), X(d), X(e), X(f)
#define FROM_BOOL(m) ((m) != C_u8(0))
#define SELECT(t, mask, x, y) select(y, x, __builtin_convertvector(mask, R_##t))
#define IOTA ((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define ANY(mask) any(mask)
#define ALL(mask) all(mask)
#define SPILL(v, a) vstore16(v, 0, a)
#define UNSPILL(a) vload16(0, a)
typedef ulong4 Q_u64;
#define QUARTERS ((Q_u64)(0, 1, 2, 3))
#define OF_QUARTERS(x, y, z, w) as_uint16(__builtin_shufflevector(                                 \
    (x) & 0xffffffff | (y) << 32, (z) & 0xffffffff | (w) << 32, 0, 4, 1, 5, 2, 6, 3, 7))
#define SHIFT_IN(v, k, a) __builtin_shufflevector(v,                                               \
    (uint16)((a)[0], (a)[1], (a)[2], (a)[3], (uint4)(0), (uint8)(0)), k, (k) + 1, (k) + 2, (k) + 3,  \
    (k) + 4, (k) + 5, (k) + 6, (k) + 7, (k) + 8, (k) + 9, (k) + 10, (k) + 11, (k) + 12, (k) + 13,    \
    (k) + 14, (k) + 15)
#ifdef __SIZEOF_INT128__
#define MULTIPLY_HIGH_S(x, y) ((ulong)((unsigned __int128)(x) * (y) >> 64))
#endif
#define PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p), 1)

/* The words of dialect.h that touch memory, for vectors. Unrolled, the loops of LOADN would be no faster, and take
   compilers a tenth of their time; those of STOREN are faster. */
#define LOOP _Pragma("clang loop unroll(disable) vectorize(disable)") for
#if __has_builtin(__builtin_nontemporal_store)
#define PAST(v, p) __builtin_nontemporal_store(v, p)
#else
#define PAST(v, p) (*(p) = (v))
#endif
#define STRIDED(k) p[0x##k * s]
#define GATHERED(k) p[idx.s##k]
#define WORDS(t, IN, OUT)                                                                          \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, long i) { return IN(vload16(0, p + i)); }             \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, long i, long s) {                                    \
        p += i;                                                                                    \
        return IN(((V_##t)(LIST(STRIDED))));                                                       \
    }                                                                                              \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, long i, long s, int n) {                             \
        M_##t lanes[16] = {0};                                                                     \
        LOOP (int l = 0; l < n; l++) lanes[l] = p[i + l * s];                                      \
        return IN(vload16(0, lanes));                                                              \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, long i) { return IN(((V_##t)(p[i]))); }              \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) {                                         \
        return IN(((V_##t)(LIST(GATHERED))));                                                      \
    }                                                                                              \
    FN void STORE_##t(GLOBAL M_##t *p, long i, R_##t v) { vstore16(OUT(v), 0, p + i); }            \
    FN void STREAM_##t(GLOBAL M_##t *p, long i, R_##t v) { PAST(OUT(v), (GLOBAL V_##t *)(p + i)); } \
    FN void STOREN_##t(GLOBAL M_##t *p, long i, long s, int n, R_##t v) {                          \
        M_##t lanes[16];                                                                           \
        vstore16(OUT(v), 0, lanes);                                                                \
        for (int l = 0; l < n; l++) p[i + l * s] = lanes[l];                                       \
    }                                                                                              \
    FN void STORES_##t(GLOBAL M_##t *p, long i, long s, R_##t v) { STOREN_##t(p, i, s, 16, v); }   \
    FN void STOREG_##t(GLOBAL M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                           \
        M_##t lanes[16];                                                                           \
        long places[16];                                                                           \
        char wanted[16];                                                                           \
        vstore16(OUT(v), 0, lanes);                                                                \
        vstore16(idx, 0, places);                                                                  \
        vstore16(mask, 0, wanted);                                                                 \
        for (int l = 0; l < 16; l++)                                                               \
            if (wanted[l]) p[places[l]] = lanes[l];                                                \
    }

/* Complex elements lie in memory as pairs of dtype f, in a register as a register of each. */
#define STRIDED_RE(k) p[0x##k * s].re
#define STRIDED_IM(k) p[0x##k * s].im
#define GATHERED_RE(k) p[idx.s##k].re
#define GATHERED_IM(k) p[idx.s##k].im
#define PAIRS(t, f)                                                                                \
    FN R_##t join_##t(R_##f a, R_##f b) {                                                          \
        return (R_##t){(R_##f)(a.even, b.even), (R_##f)(a.odd, b.odd)};                            \
    }                                                                                              \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, long i) {                                             \
        const GLOBAL M_##f *q = (const GLOBAL M_##f *)(p + i);                                     \
        return join_##t(vload16(0, q), vload16(1, q));                                             \
    }                                                                                              \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, long i, long s) {                                    \
        p += i;                                                                                    \
        return (R_##t){(R_##f)(LIST(STRIDED_RE)), (R_##f)(LIST(STRIDED_IM))};                      \
    }                                                                                              \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, long i, long s, int n) {                             \
        M_##f re[16] = {0}, im[16] = {0};                                                          \
        LOOP (int l = 0; l < n; l++) re[l] = p[i + l * s].re, im[l] = p[i + l * s].im;             \
        return (R_##t){vload16(0, re), vload16(0, im)};                                            \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, long i) { return SPLAT_##t(p[i]); }                  \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) {                                         \
        return (R_##t){(R_##f)(LIST(GATHERED_RE)), (R_##f)(LIST(GATHERED_IM))};                    \
    }                                                                                              \
    FN void STORE_##t(GLOBAL M_##t *p, long i, R_##t v) {                                          \
        GLOBAL M_##f *q = (GLOBAL M_##f *)(p + i);                                                 \
        R_##f a, b;                                                                                \
        a.even = v.re.lo, a.odd = v.im.lo, b.even = v.re.hi, b.odd = v.im.hi;                      \
        vstore16(a, 0, q), vstore16(b, 1, q);                                                      \
    }                                                                                              \
    FN void STREAM_##t(GLOBAL M_##t *p, long i, R_##t v) {                                         \
        GLOBAL V_##f *q = (GLOBAL V_##f *)(p + i);                                                 \
        R_##f a, b;                                                                                \
        a.even = v.re.lo, a.odd = v.im.lo, b.even = v.re.hi, b.odd = v.im.hi;                      \
        PAST(a, q), PAST(b, q + 1);                                                                \
    }                                                                                              \
    FN void STOREN_##t(GLOBAL M_##t *p, long i, long s, int n, R_##t v) {                          \
        M_##f re[16], im[16];                                                                      \
        vstore16(v.re, 0, re), vstore16(v.im, 0, im);                                              \
        for (int l = 0; l < n; l++) p[i + l * s].re = re[l], p[i + l * s].im = im[l];              \
    }                                                                                              \
    FN void STORES_##t(GLOBAL M_##t *p, long i, long s, R_##t v) { STOREN_##t(p, i, s, 16, v); }   \
    FN void STOREG_##t(GLOBAL M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                           \
        M_##f re[16], im[16];                                                                      \
        long places[16];                                                                           \
        char wanted[16];                                                                           \
        vstore16(v.re, 0, re), vstore16(v.im, 0, im);                                              \
        vstore16(idx, 0, places);                                                                  \
        vstore16(mask, 0, wanted);                                                                 \
        for (int l = 0; l < 16; l++)                                                               \
            if (wanted[l]) p[places[l]].re = re[l], p[places[l]].im = im[l];                       \
    }

#endif

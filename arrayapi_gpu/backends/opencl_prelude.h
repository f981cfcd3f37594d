/* The dialect on OpenCL: the only text of device code that contains words of OpenCL C. The back end
   writes `#define LANES 16` (CPU devices: explicit vectors) or `#define LANES 1` (GPUs) before it.

   Short dtype names t: b8 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128.

   For kernels
     M_t  element in memory     R_t  register of LANES values     S_t  scalar kernel parameter
     LOAD_t(p,i)  LOADS_t(p,i,s)  LOADN_t(p,i,s,n)  LOAD1_t(p,i)  LOADG_t(p,idx)  SPLAT_t(S_t)
     STORE_t(p,i,v)  STORES_t(p,i,s,v)  STOREN_t(p,i,s,n,v)  STOREG_t(p,idx,mask,v)
     ROTATE_t(v,k)  LAST_t(v) (the last lane in all)  IOTA  ANY(mask)  ALL(mask)
     SPILL(v,a) lanes of a number that is not complex into a private array a of LANES M_t
     KERNEL (then `void name(...)`)  GLOBAL  LOCAL  RESTRICT  FN  UNROLL (before a loop)
     GID  LID  GROUP  GROUP_SIZE  GROUPS  BARRIER  PREFETCH(p) (soon written; any address)

   For the bodies of kernels/functions (x, y registers of one dtype; c64 and c128 have .re and .im)
     + - * / & | ^ ~ << >>     lane by lane; << >> only by counts inside the width
     C_t(literal)              all lanes that constant     MIN_t MAX_t INF_t NAN_t  such constants
     LT LE GT GE EQ NE (x,y)   mask R_b8, 0 or -1 a lane; & | ^ ~ work on masks
     WHERE_t(mask,x,y)         x where mask, else y
     AS_t(x)                   the same bits as dtype t of equal width (f32 u32 i32, f64 u64 i64, ...)
     TO_t(x)                   value conversion, b8 mask to -1 or 0; a float must fit the integer type
     ROUND_f16(R_f32)          the nearest half, ties to even
     PACK_f16(x) UNPACK_f16(u) a half's bits in R_u16, and back
     ABS COPYSIGN FLOOR CEIL TRUNC RINT SQRT FMA   exact or correctly rounded, f32 and f64
     EXP EXPM1 LOG LOG1P LOG2 LOG10 HYPOT ASIN ACOS ATAN ATAN2 SINH COSH TANH ASINH ACOSH ATANH
                               the driver's, at most 4 ulp f32 and 3 ulp f64, special values as in C */

#pragma OPENCL FP_CONTRACT OFF

#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define RESTRICT restrict
#define FN static inline
#define UNROLL _Pragma("unroll")
#define GID ((long)get_global_id(0))
#define LID ((int)get_local_id(0))
#define GROUP ((long)get_group_id(0))
#define GROUP_SIZE ((int)get_local_size(0))
#define GROUPS ((long)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

typedef uchar M_b8;
typedef char M_i8;
typedef short M_i16;
typedef int M_i32;
typedef long M_i64;
typedef uchar M_u8;
typedef ushort M_u16;
typedef uint M_u32;
typedef ulong M_u64;
typedef ushort M_f16;
typedef float M_f32;
typedef struct { float re, im; } M_c64;

typedef int S_b8;
typedef int S_i8;
typedef int S_i16;
typedef int S_i32;
typedef long S_i64;
typedef uint S_u8;
typedef uint S_u16;
typedef uint S_u32;
typedef ulong S_u64;
typedef float S_f16;
typedef float S_f32;
typedef M_c64 S_c64;

#ifdef cl_khr_fp64
typedef double M_f64;
typedef struct { double re, im; } M_c128;
typedef double S_f64;
typedef M_c128 S_c128;
#endif

#if LANES == 16

#define VECTOR(type) type##16
#define LIST(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), \
                X(8), X(9), X(a), X(b), X(c), X(d), X(e), X(f)
#define MASK(wide) __builtin_convertvector(wide, char16)
#define CONVERT(type, v) __builtin_convertvector(v, type##16)
#define SELECT(wide, mask, x, y) select(y, x, __builtin_convertvector(mask, wide##16))
#define IOTA ((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define ANY(mask) any(mask)
#define ALL(mask) all(mask)
#define REINTERPRET(type, v) as_##type##16(v)
#define WRAP(type, v) as_##type##16(v)
#define ROTATE(v, k) __builtin_shufflevector(v, v, \
    (k) & 15, ((k) + 1) & 15, ((k) + 2) & 15, ((k) + 3) & 15, ((k) + 4) & 15, ((k) + 5) & 15, \
    ((k) + 6) & 15, ((k) + 7) & 15, ((k) + 8) & 15, ((k) + 9) & 15, ((k) + 10) & 15, \
    ((k) + 11) & 15, ((k) + 12) & 15, ((k) + 13) & 15, ((k) + 14) & 15, ((k) + 15) & 15)
#define SPILL(v, a) vstore16(v, 0, a)
#define PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#define LAST(v) __builtin_shufflevector(v, v, \
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)

#else

#define VECTOR(type) type
#define MASK(truth) ((char)-(truth))
#define CONVERT(type, v) ((type)(v))
#define SELECT(wide, mask, x, y) ((mask) ? (x) : (y))
#define IOTA 0L
#define ANY(mask) ((mask) != 0)
#define ALL(mask) ((mask) != 0)
#define REINTERPRET(type, v) as_##type(v)
#define WRAP(type, v) ((type)(v)) /* C computes with int where char and short are asked for */
#define ROTATE(v, k) (v)
#define LAST(v) (v)
#define SPILL(v, a) (*(a) = (v))
#define PREFETCH(p)

#endif

typedef VECTOR(char) R_b8;
typedef VECTOR(char) R_i8;
typedef VECTOR(short) R_i16;
typedef VECTOR(int) R_i32;
typedef VECTOR(long) R_i64;
typedef VECTOR(uchar) R_u8;
typedef VECTOR(ushort) R_u16;
typedef VECTOR(uint) R_u32;
typedef VECTOR(ulong) R_u64;
typedef VECTOR(float) R_f16; /* values that a half can hold */
typedef VECTOR(float) R_f32;
typedef struct { R_f32 re, im; } R_c64;
#ifdef cl_khr_fp64
typedef VECTOR(double) R_f64;
typedef struct { R_f64 re, im; } R_c128;
#endif

#define C_i8(x) ((R_i8)((char)(x)))
#define C_i16(x) ((R_i16)((short)(x)))
#define C_i32(x) ((R_i32)((int)(x)))
#define C_i64(x) ((R_i64)((long)(x)))
#define C_u8(x) ((R_u8)((uchar)(x)))
#define C_u16(x) ((R_u16)((ushort)(x)))
#define C_u32(x) ((R_u32)((uint)(x)))
#define C_u64(x) ((R_u64)((ulong)(x)))
#define C_f16(x) ((R_f16)((float)(x)))
#define C_f32(x) ((R_f32)((float)(x)))
#define C_f64(x) ((R_f64)((double)(x)))
#define C_b8(x) ((R_b8)((char)-((x) != 0)))

#define MIN_i8 C_i8(CHAR_MIN)
#define MIN_i16 C_i16(SHRT_MIN)
#define MIN_i32 C_i32(INT_MIN)
#define MIN_i64 C_i64(LONG_MIN)
#define MIN_u8 C_u8(0)
#define MIN_u16 C_u16(0)
#define MIN_u32 C_u32(0)
#define MIN_u64 C_u64(0)
#define MAX_i8 C_i8(CHAR_MAX)
#define MAX_i16 C_i16(SHRT_MAX)
#define MAX_i32 C_i32(INT_MAX)
#define MAX_i64 C_i64(LONG_MAX)
#define MAX_u8 C_u8(UCHAR_MAX)
#define MAX_u16 C_u16(USHRT_MAX)
#define MAX_u32 C_u32(UINT_MAX)
#define MAX_u64 C_u64(ULONG_MAX)
#define INF_f16 C_f32(INFINITY)
#define INF_f32 C_f32(INFINITY)
#define INF_f64 C_f64(INFINITY)
#define NAN_f16 C_f32(NAN)
#define NAN_f32 C_f32(NAN)
#define NAN_f64 C_f64(NAN)

#define SPLAT_b8(v) C_b8(v)
#define SPLAT_i8(v) C_i8(v)
#define SPLAT_i16(v) C_i16(v)
#define SPLAT_i32(v) C_i32(v)
#define SPLAT_i64(v) C_i64(v)
#define SPLAT_u8(v) C_u8(v)
#define SPLAT_u16(v) C_u16(v)
#define SPLAT_u32(v) C_u32(v)
#define SPLAT_u64(v) C_u64(v)
#define SPLAT_f16(v) C_f32(v)
#define SPLAT_f32(v) C_f32(v)
#define SPLAT_f64(v) C_f64(v)
#define ROTATE_b8(v, k) ROTATE(v, k)
#define ROTATE_i8(v, k) ROTATE(v, k)
#define ROTATE_i16(v, k) ROTATE(v, k)
#define ROTATE_i32(v, k) ROTATE(v, k)
#define ROTATE_i64(v, k) ROTATE(v, k)
#define ROTATE_u8(v, k) ROTATE(v, k)
#define ROTATE_u16(v, k) ROTATE(v, k)
#define ROTATE_u32(v, k) ROTATE(v, k)
#define ROTATE_u64(v, k) ROTATE(v, k)
#define ROTATE_f16(v, k) ROTATE(v, k)
#define ROTATE_f32(v, k) ROTATE(v, k)
#define ROTATE_f64(v, k) ROTATE(v, k)
#define ROTATE_c64(v, k) ((R_c64){ROTATE((v).re, k), ROTATE((v).im, k)})
#define ROTATE_c128(v, k) ((R_c128){ROTATE((v).re, k), ROTATE((v).im, k)})

#define LAST_b8(v) LAST(v)
#define LAST_i8(v) LAST(v)
#define LAST_i16(v) LAST(v)
#define LAST_i32(v) LAST(v)
#define LAST_i64(v) LAST(v)
#define LAST_u8(v) LAST(v)
#define LAST_u16(v) LAST(v)
#define LAST_u32(v) LAST(v)
#define LAST_u64(v) LAST(v)
#define LAST_f16(v) LAST(v)
#define LAST_f32(v) LAST(v)
#define LAST_f64(v) LAST(v)
#define LAST_c64(v) ((R_c64){LAST((v).re), LAST((v).im)})
#define LAST_c128(v) ((R_c128){LAST((v).re), LAST((v).im)})

#define SPLAT_c64(v) ((R_c64){C_f32((v).re), C_f32((v).im)})
#define SPLAT_c128(v) ((R_c128){C_f64((v).re), C_f64((v).im)})

#define LT(x, y) MASK((x) < (y))
#define LE(x, y) MASK((x) <= (y))
#define GT(x, y) MASK((x) > (y))
#define GE(x, y) MASK((x) >= (y))
#define EQ(x, y) MASK((x) == (y))
#define NE(x, y) MASK((x) != (y))

#define WHERE_b8(mask, x, y) SELECT(char, mask, x, y)
#define WHERE_i8(mask, x, y) SELECT(char, mask, x, y)
#define WHERE_i16(mask, x, y) SELECT(short, mask, x, y)
#define WHERE_i32(mask, x, y) SELECT(int, mask, x, y)
#define WHERE_i64(mask, x, y) SELECT(long, mask, x, y)
#define WHERE_u8(mask, x, y) SELECT(char, mask, x, y)
#define WHERE_u16(mask, x, y) SELECT(short, mask, x, y)
#define WHERE_u32(mask, x, y) SELECT(int, mask, x, y)
#define WHERE_u64(mask, x, y) SELECT(long, mask, x, y)
#define WHERE_f16(mask, x, y) SELECT(int, mask, x, y)
#define WHERE_f32(mask, x, y) SELECT(int, mask, x, y)
#define WHERE_f64(mask, x, y) SELECT(long, mask, x, y)

#define AS_i8(v) WRAP(char, v)
#define AS_i16(v) WRAP(short, v)
#define AS_i32(v) REINTERPRET(int, v)
#define AS_i64(v) REINTERPRET(long, v)
#define AS_u8(v) WRAP(uchar, v)
#define AS_u16(v) WRAP(ushort, v)
#define AS_u32(v) REINTERPRET(uint, v)
#define AS_u64(v) REINTERPRET(ulong, v)
#define AS_f32(v) REINTERPRET(float, v)
#define AS_f64(v) REINTERPRET(double, v)

#define TO_i8(v) CONVERT(char, v)
#define TO_i16(v) CONVERT(short, v)
#define TO_i32(v) CONVERT(int, v)
#define TO_i64(v) CONVERT(long, v)
#define TO_u8(v) CONVERT(uchar, v)
#define TO_u16(v) CONVERT(ushort, v)
#define TO_u32(v) CONVERT(uint, v)
#define TO_u64(v) CONVERT(ulong, v)
#define TO_f32(v) CONVERT(float, v)
#define TO_f64(v) CONVERT(double, v)

#define ABS(x) fabs(x)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define TRUNC(x) trunc(x)
#define RINT(x) rint(x)
#define SQRT(x) sqrt(x)
#define COPYSIGN(x, y) copysign(x, y)
#define FMA(x, y, z) fma(x, y, z)
#define EXP(x) exp(x)
#define EXPM1(x) expm1(x)
#define LOG(x) log(x)
#define LOG1P(x) log1p(x)
#define LOG2(x) log2(x)
#define LOG10(x) log10(x)
#define ASIN(x) asin(x)
#define ACOS(x) acos(x)
#define ATAN(x) atan(x)
#define HYPOT(x, y) hypot(x, y)
#define ATAN2(y, x) atan2(y, x)
#define SINH(x) sinh(x)
#define COSH(x) cosh(x)
#define TANH(x) tanh(x)
#define ASINH(x) asinh(x)
#define ACOSH(x) acosh(x)
#define ATANH(x) atanh(x)

/* The half whose bits are h. A half's exponent and fraction, moved to a float's place, are the half
   times 2^-112; only infinity and NaN need their exponent restored. */
FN R_f16 UNPACK_f16(R_u16 h) {
    R_u32 bits = TO_u32(h);
    R_f32 x = AS_f32((bits & C_u32(0x7fff)) << C_u32(13)) * C_f32(0x1p112f);
    R_u32 special = WHERE_u32(GE(x, C_f32(65536.0f)), C_u32(0x7f800000), C_u32(0));
    return AS_f32(AS_u32(x) | special | (bits & C_u32(0x8000)) << C_u32(16));
}

/* The inverse, exact: a register of f16 holds nothing that a half cannot. The sign is that of x, since
   a product may lose that of a NaN. */
FN R_u16 PACK_f16(R_f16 x) {
    R_u32 size = AS_u32(x * C_f32(0x1p-112f)) >> C_u32(13) & C_u32(0x7fff);
    return TO_u16(size | (AS_u32(x) >> C_u32(16) & C_u32(0x8000)));
}

/* Nearest half, ties to even. Large values round in their bits, those below the smallest normal half
   (2^-14) by adding 0.5, whose last bit is the last bit of a half. */
FN R_f16 ROUND_f16(R_f32 x) {
    R_u32 bits = AS_u32(x), sign = bits & C_u32(0x80000000u);
    R_f32 size = AS_f32(bits ^ sign);
    R_u32 magnitude = AS_u32(size);
    R_u32 rounded = (magnitude + C_u32(0xfff) + (magnitude >> C_u32(13) & C_u32(1))) & C_u32(~0x1fffu);
    R_f32 large = WHERE_f32(GE(size, C_f32(65520.0f)), INF_f32, AS_f32(rounded));
    R_f32 small = (size + C_f32(0.5f)) - C_f32(0.5f);
    R_f32 result = WHERE_f32(LT(size, C_f32(0x1p-14f)), small, large);
    return WHERE_f32(EQ(x, x), AS_f32(AS_u32(result) | sign), x);
}

#define SAME(m) (m)
#define TO_BOOL(v) ((AS_u8(v)) & C_u8(1))
#if LANES == 16
#define FROM_BOOL(m) ((m) != C_u8(0))
#else
#define FROM_BOOL(m) MASK((m) != 0)
#endif

/* The memory words of dtype t: IN turns the elements as memory has them into a register, OUT back. */
#if LANES == 16

#define STRIDED(k) p[0x##k * s]
#define GATHERED(k) p[idx.s##k]
#define WORDS(t, memory, IN, OUT)                                                                  \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, long i) { return IN(vload16(0, p + i)); }             \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, long i, long s) {                                    \
        p += i;                                                                                    \
        return IN(((memory##16)(LIST(STRIDED))));                                                  \
    }                                                                                              \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, long i, long s, int n) {                             \
        M_##t lanes[16] = {0};                                                                     \
        for (int l = 0; l < n; l++) lanes[l] = p[i + l * s];                                       \
        return IN(vload16(0, lanes));                                                              \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, long i) { return IN(((memory##16)(p[i]))); }         \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) {                                         \
        return IN(((memory##16)(LIST(GATHERED))));                                                 \
    }                                                                                              \
    FN void STORE_##t(GLOBAL M_##t *p, long i, R_##t v) { vstore16(OUT(v), 0, p + i); }            \
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

/* Complex elements lie in memory as pairs of `part`, in a register as a register of each. */
#define STRIDED_RE(k) p[0x##k * s].re
#define STRIDED_IM(k) p[0x##k * s].im
#define GATHERED_RE(k) p[idx.s##k].re
#define GATHERED_IM(k) p[idx.s##k].im
#define PAIRS(t, part)                                                                             \
    FN R_##t join_##t(part##16 a, part##16 b) {                                                    \
        return (R_##t){(part##16)(a.even, b.even), (part##16)(a.odd, b.odd)};                      \
    }                                                                                              \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, long i) {                                             \
        const GLOBAL part *q = (const GLOBAL part *)(p + i);                                       \
        return join_##t(vload16(0, q), vload16(1, q));                                             \
    }                                                                                              \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, long i, long s) {                                    \
        p += i;                                                                                    \
        return (R_##t){(part##16)(LIST(STRIDED_RE)), (part##16)(LIST(STRIDED_IM))};                \
    }                                                                                              \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, long i, long s, int n) {                             \
        part re[16] = {0}, im[16] = {0};                                                           \
        for (int l = 0; l < n; l++) re[l] = p[i + l * s].re, im[l] = p[i + l * s].im;              \
        return (R_##t){vload16(0, re), vload16(0, im)};                                            \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, long i) { return SPLAT_##t(p[i]); }                  \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) {                                         \
        return (R_##t){(part##16)(LIST(GATHERED_RE)), (part##16)(LIST(GATHERED_IM))};              \
    }                                                                                              \
    FN void STORE_##t(GLOBAL M_##t *p, long i, R_##t v) {                                          \
        GLOBAL part *q = (GLOBAL part *)(p + i);                                                   \
        part##16 a, b;                                                                             \
        a.even = v.re.lo, a.odd = v.im.lo, b.even = v.re.hi, b.odd = v.im.hi;                      \
        vstore16(a, 0, q), vstore16(b, 1, q);                                                      \
    }                                                                                              \
    FN void STOREN_##t(GLOBAL M_##t *p, long i, long s, int n, R_##t v) {                          \
        part re[16], im[16];                                                                       \
        vstore16(v.re, 0, re), vstore16(v.im, 0, im);                                              \
        for (int l = 0; l < n; l++) p[i + l * s].re = re[l], p[i + l * s].im = im[l];              \
    }                                                                                              \
    FN void STORES_##t(GLOBAL M_##t *p, long i, long s, R_##t v) { STOREN_##t(p, i, s, 16, v); }   \
    FN void STOREG_##t(GLOBAL M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                           \
        part re[16], im[16];                                                                       \
        long places[16];                                                                           \
        char wanted[16];                                                                           \
        vstore16(v.re, 0, re), vstore16(v.im, 0, im);                                              \
        vstore16(idx, 0, places);                                                                  \
        vstore16(mask, 0, wanted);                                                                 \
        for (int l = 0; l < 16; l++)                                                               \
            if (wanted[l]) p[places[l]].re = re[l], p[places[l]].im = im[l];                       \
    }

#else

#define WORDS(t, memory, IN, OUT)                                                                  \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, long i) { return IN(p[i]); }                          \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, long i, long s) { return IN(p[i]); }                 \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, long i, long s, int n) {                             \
        M_##t lane = {0};                                                                          \
        if (n) lane = p[i];                                                                        \
        return IN(lane);                                                                           \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, long i) { return IN(p[i]); }                         \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) { return IN(p[idx]); }                    \
    FN void STORE_##t(GLOBAL M_##t *p, long i, R_##t v) { p[i] = OUT(v); }                         \
    FN void STORES_##t(GLOBAL M_##t *p, long i, long s, R_##t v) { p[i] = OUT(v); }                \
    FN void STOREN_##t(GLOBAL M_##t *p, long i, long s, int n, R_##t v) {                          \
        if (n) p[i] = OUT(v);                                                                      \
    }                                                                                              \
    FN void STOREG_##t(GLOBAL M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                           \
        if (mask) p[idx] = OUT(v);                                                                 \
    }
#define TO_PAIR_c64(v) ((M_c64){(v).re, (v).im})
#define TO_PAIR_c128(v) ((M_c128){(v).re, (v).im})
#define PAIRS(t, part) WORDS(t, part, SPLAT_##t, TO_PAIR_##t)

#endif

WORDS(b8, uchar, FROM_BOOL, TO_BOOL)
WORDS(i8, char, SAME, SAME)
WORDS(i16, short, SAME, SAME)
WORDS(i32, int, SAME, SAME)
WORDS(i64, long, SAME, SAME)
WORDS(u8, uchar, SAME, SAME)
WORDS(u16, ushort, SAME, SAME)
WORDS(u32, uint, SAME, SAME)
WORDS(u64, ulong, SAME, SAME)
WORDS(f16, ushort, UNPACK_f16, PACK_f16)
WORDS(f32, float, SAME, SAME)
PAIRS(c64, float)
#ifdef cl_khr_fp64
WORDS(f64, double, SAME, SAME)
PAIRS(c128, double)
#endif

/* The dialect in which all kernels are written: what its words mean, and those that can be said in others.
   In front of it stands a driver's prelude, which defines the rest: GLOBAL ... BARRIER, M_t, AS_t, and,
   where LANES is 1, FLOAT_OF_HALF and HALF_OF_FLOAT and, if NVIDIA's processor computes with halves, HAS_HALVES, where
   it is 16, what a register of many lanes takes.

   Lines after `//: for`, up to an empty line, are templates, see templates.py.

   Short dtype names t: b8 i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64 c64 c128.

   For kernels
     M_t  element in memory     R_t  register of LANES values     S_t  scalar kernel parameter
     LOAD_t(p,i)  LOADS_t(p,i,s)  LOADN_t(p,i,s,n)  LOAD1_t(p,i)  LOADG_t(p,idx)  SPLAT_t(S_t)
     STORE_t(p,i,v)  STORES_t(p,i,s,v)  STOREN_t(p,i,s,n,v)  STOREG_t(p,idx,mask,v)
     ROTATE_t(v,k)  LAST_t(v) (the last lane in all)  IOTA  ANY(mask)  ALL(mask)
     COMPARE(x,op,y)  a mask as wide as the numbers x and y, for & | ^ ~ and ANY (LANES 16 only)
     SPILL(v,a) lanes of a number that is not complex into a private array a of LANES M_t   UNSPILL(a) back
     Q_u64  four numbers side by side  QUARTERS  the numbers 0 to 3  OF_QUARTERS(x,y,z,w)  a register of u32: the lower
                halves of what stands first in each, then of what stands second, ... (LANES 1: Q_u64 is one number)
     ALL_R(t,x) ALL_S(t,x) ALL_Q(t,x)  the number x in every lane of an R_t, S_t or Q_t
     SHIFT_IN(v,k,a) of a register of u32, the lanes from number k on, a constant of 1 to 4, and behind them the numbers
                of the array a (LANES 16 only)
     STREAM_t(p,i,v) STORE_t past the caches; p + i is aligned to a register (LANES 16 only)
     VECTORS(t,c,W_b) defines LOADV_t(p,i,v) STOREV_t(p,i,v): c neighbours, b bytes, aligned to them, by one
                access (of 16 bytes at most) from or to a private array v of c registers; and V_t = FETCH_t(p,i,n) FROMV_t(V_t,v): first
                the access, of no more than n, and then their conversion (LANES 1 only)
     HELD_VECTORS(t,c,W_b) behind it defines HELDV_t(p,i,v) HOLDV_t(p,i,v): LOADV_t and STOREV_t of local memory
     KERNEL (then `void name(...)`)  GROUPS_OF(n) (after KERNEL: n work-items, no others, in a group)
     RESIDENT_GROUPS_OF(n,m) the same, with registers for m groups a multiprocessor, where the driver lets one say so
     GLOBAL  LOCAL  ALIGNED (to 16 bytes)  RESTRICT  FN  UNROLL (before a loop)
     IN_ORDER (before a loop that adds one number after the other: Intel's compiler else adds in another order)
     GID  LID  GROUP  GROUP_SIZE  GROUPS  BARRIER  PREFETCH(p) (soon written; any address)

   For kernels whose work-items work together (LANES 1 only). A warp is WARP neighbours of a group.
     SHARED     of pointers to what LOCAL declares          WARP_BARRIER  (all work-items of the group reach it)
     GLOBAL_BARRIER  BARRIER for what the group's work-items write to global memory, too
     M_16       16 bytes of any dtype, aligned to them, that one access moves
     CALLED_FN  FN of functions that are not inlined
     INLINED(t) the type t of the result of functions that are always inlined
     OVERLOADED (after the type of a function's result: several functions of numbers have this name)
     GROUP_FN   FN of functions that ask for LID or wait: inlined, since PoCL mistakes the work-item elsewhere
     PEERS(table,d)  the work-items of the warp, a bit each, whose d, of 8 bits, is the same (all of the group ask);
                table: LOCAL M_u32 table[PEERS_ROOM(work-items of the group)], all zeros before and after
     POPCOUNT(u32)   ATOMIC_ADD(p,v)  ATOMIC_OR(p,v)  ATOMIC_XCHG(p,v) of M_u32, and of M_i32 in users' kernels, in
                global or local memory; all give what was there
     PREFETCH_L2(p)   soon read, by whatever group: an address inside an array
     POST(t,p,i,v)   PEEK(t,p,i) of M_u32 and M_u64: write and read global memory at once, and whole

   For the bodies of kernels/functions (x, y registers of one dtype; c64 and c128 have .re and .im)
     + - * / & | ^ ~ << >>     lane by lane; << >> only by counts inside the width
     C_t(literal)              all lanes that constant     MIN_t MAX_t INF_t NAN_t  such constants
     C_t(re,im)                the same for c64 and c128
     LT LE GT GE EQ NE (x,y)   mask R_b8, 0 or -1 a lane; & | ^ ~ work on masks
     WHERE_t(mask,x,y)         x where mask, else y
     AS_t(x)                   the same bits as dtype t of equal width (f32 u32 i32, f64 u64 i64, ...)
     TO_t(x)                   value conversion, b8 mask to -1 or 0; a float must fit the integer type
     ABS COPYSIGN FLOOR CEIL TRUNC RINT SQRT FMA   exact or correctly rounded, f32 and f64
     DIVIDE_f32 DIVIDE_f64     x / y, quick for zeros, too
     MULTIPLY_HIGH(x,y)        the upper half of a product of u64; MULTIPLY_HIGH_S(x,y) of numbers that are no register
     PRODUCT_u32(x,y)          the whole product, in u64, of u32 that are no registers
     PRODUCT_OF_LOWER(x,y)     that of u64, of whose first the lower half counts alone; y has 32 bits

   A register of bf16 is one of f32 with values that a bfloat16 holds. One of f16 is for these words alone, which bf16 has,
   too: what it is made of is each driver's own.
     FLOAT_f16(R_f16)          the same value in R_f32; NaNs may get other bits
     ROUND_f16(R_f32)          the nearest half, ties to even; NEAREST_f16 the same, but for the bits of NaNs
     ADD_f16 SUBTRACT_f16 MULTIPLY_f16 DIVIDE_f16   correctly rounded
     BETWEEN_f16(x,low,high)   in R_f32, the half x or the number, not 0, beyond which it is; NaN stays
     NEGATIVE_f16 ABS_f16 COPYSIGN_f16   the bits but for the sign are kept, also those of NaNs
     PACK_f16(x) UNPACK_f16(u) a half's bits in R_u16, and back */

#define ALIGNED __attribute__((aligned(16)))

typedef struct { M_f32 re, im; } M_c64;
#ifdef HAS_f64
typedef struct { M_f64 re, im; } M_c128;
#endif

//: for T S in b8 i32  i8 i32  i16 i32  i32 i32  i64 i64  u8 u32  u16 u32  u32 u32  u64 u64  bf16 f32  f16 f32  f32 f32
typedef M_$S S_$T;

typedef M_c64 S_c64;
#ifdef HAS_f64
typedef M_f64 S_f64;
typedef M_c128 S_c128;
#endif

#if LANES == 1

typedef M_i8 R_b8;
//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32
typedef M_$T R_$T;

#ifdef HAS_f64
typedef M_f64 R_f64;
#endif

/* C computes with int where narrower types are asked for. */
#define AS_i8(v) ((M_i8)(v))
#define AS_i16(v) ((M_i16)(v))
#define AS_u8(v) ((M_u8)(v))
#define AS_u16(v) ((M_u16)(v))

#define MASK(truth) ((M_i8)-(truth))
#define FROM_BOOL(m) MASK((m) != 0)
#define CONVERT(t, v) ((R_##t)(v))
#define SELECT(t, mask, x, y) ((mask) ? (x) : (y))
#define IOTA ((M_i64)0)
#define ANY(mask) ((mask) != 0)
#define ALL(mask) ((mask) != 0)
#define ROTATE(v, k) (v)
#define ROTATE_PAIR(t, v, k) (v)
#define LAST(v) (v)
#define LAST_PAIR(t, v) (v)
#define SPILL(v, a) (*(a) = (v))
#define UNSPILL(a) (*(a))
typedef M_u64 Q_u64;
#define PREFETCH(p)

#else

#define MASK(wide) __builtin_convertvector(wide, R_b8)
#ifndef COMPARE
#define COMPARE(x, op, y) ((x) op (y))
#endif
#define CONVERT(t, v) __builtin_convertvector(v, R_##t)
#define ROTATE(v, k) __builtin_shufflevector(v, v, \
    (k) & 15, ((k) + 1) & 15, ((k) + 2) & 15, ((k) + 3) & 15, ((k) + 4) & 15, ((k) + 5) & 15,      \
    ((k) + 6) & 15, ((k) + 7) & 15, ((k) + 8) & 15, ((k) + 9) & 15, ((k) + 10) & 15,               \
    ((k) + 11) & 15, ((k) + 12) & 15, ((k) + 13) & 15, ((k) + 14) & 15, ((k) + 15) & 15)
#define ROTATE_PAIR(t, v, k) ((R_##t){ROTATE((v).re, k), ROTATE((v).im, k)})
#define LAST(v) __builtin_shufflevector(v, v, \
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
#define LAST_PAIR(t, v) ((R_##t){LAST((v).re), LAST((v).im)})

#endif

typedef struct { R_f32 re, im; } R_c64;
#ifdef HAS_f64
typedef struct { R_f64 re, im; } R_c128;
#endif

#ifndef SPLAT
#define SPLAT(t, x) ((R_##t)((M_##t)(x)))
#define ALL_Q(t, x) ((Q_##t)((M_##t)(x)))
#endif
#define ALL_R(t, x) SPLAT(t, x)
#define ALL_S(t, x) ((S_##t)(x))

//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define C_$T(x) SPLAT($T, x)
#define SPLAT_$T(v) C_$T(v)
#define TO_$T(v) CONVERT($T, v)

#define C_b8(x) ((R_b8)SPLAT(i8, -((x) != 0)))
#define SPLAT_b8(v) C_b8(v)

//: for T H in i8 127  i16 32767  i32 2147483647  i64 9223372036854775807L
#define MIN_$T C_$T(-$H - 1)
#define MAX_$T C_$T($H)

//: for T H in u8 255  u16 65535  u32 4294967295U  u64 18446744073709551615UL
#define MIN_$T C_$T(0)
#define MAX_$T C_$T($H)

//: for T in f32 f64
#define INF_$T C_$T(INFINITY)
#define NAN_$T C_$T(NAN)

FN R_c64 C_c64(M_f32 re, M_f32 im) {
    R_c64 z = {C_f32(re), C_f32(im)};
    return z;
}
FN R_c64 SPLAT_c64(S_c64 v) { return C_c64(v.re, v.im); }
#ifdef HAS_f64
FN R_c128 C_c128(M_f64 re, M_f64 im) {
    R_c128 z = {C_f64(re), C_f64(im)};
    return z;
}
FN R_c128 SPLAT_c128(S_c128 v) { return C_c128(v.re, v.im); }
#endif

//: for T in b8 i8 i16 i32 i64 u8 u16 u32 u64 bf16 f16 f32 f64
#define ROTATE_$T(v, k) ROTATE(v, k)
#define LAST_$T(v) LAST(v)

//: for T in c64 c128
#define ROTATE_$T(v, k) ROTATE_PAIR($T, v, k)
#define LAST_$T(v) LAST_PAIR($T, v)

#define PRODUCT_OF_LOWER(x, y) (((x) & 0xffffffff) * (y))
#ifndef MULTIPLY_HIGH_S
#define MULTIPLY_HIGH_S(x, y) MULTIPLY_HIGH(x, y)
#endif

#define LT(x, y) MASK((x) < (y))
#define LE(x, y) MASK((x) <= (y))
#define GT(x, y) MASK((x) > (y))
#define GE(x, y) MASK((x) >= (y))
#define EQ(x, y) MASK((x) == (y))
#define NE(x, y) MASK((x) != (y))

//: for T in b8 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
#define WHERE_$T(mask, x, y) SELECT($I, mask, x, y)

//: for T in bf16 f16
#define WHERE_$T(mask, x, y) SELECT(i32, mask, x, y)

#define ABS(x) fabs(x)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define TRUNC(x) trunc(x)
#define RINT(x) rint(x)
#define SQRT(x) sqrt(x)
#define COPYSIGN(x, y) copysign(x, y)
#define FMA(x, y, z) fma(x, y, z)

#if LANES == 1
/* Zeros leave the fast way of NVIDIA's division (by which a softmax took 2.4 times as long where most was masked). What a
   small number gives in their place has the sign of the quotient, is NaN or, where only the quotient is, infinite: a zero
   times it is the quotient. */
FN R_f32 DIVIDE_f32(R_f32 a, R_f32 b) {
    R_f32 quotient = (a == 0 ? 0x1p-24f : a) / b;
    return a == 0 ? a * quotient : quotient;
}
#ifdef HAS_f64
FN R_f64 DIVIDE_f64(R_f64 a, R_f64 b) {
    R_f64 quotient = (a == 0 ? 0x1p-53 : a) / b;
    return a == 0 ? a * quotient : quotient;
}
#endif
#else
#define DIVIDE_f32(x, y) ((x) / (y))
#define DIVIDE_f64(x, y) ((x) / (y))
#endif

/* Registers of halves. */
#if LANES == 1

/* Their bits: so a half costs nothing until it is computed with, and the drivers' conversions, which may change the bits
   of NaNs, are the whole of what loads and stores would do. A struct, so that nobody takes them for numbers. */
typedef struct { M_u16 bits; } R_f16;

FN R_f16 UNPACK_f16(M_u16 bits) {
    R_f16 x = {bits};
    return x;
}
#define PACK_f16(x) ((x).bits)
#define FLOAT_f16(x) FLOAT_OF_HALF((x).bits)
#define NEAREST_f16(x) UNPACK_f16(HALF_OF_FLOAT(x))
FN R_f16 ROUND_f16(R_f32 x) {
    R_u32 bits = AS_u32(x);
    return x == x ? NEAREST_f16(x) : UNPACK_f16(0x7e00 | (bits >> 13 & 0x3ff) | (bits >> 16 & 0x8000));
}

#ifdef HAS_HALVES
/* Of bits; the last two are NaN where one is NaN, and of two zeros either. */
#define HALVES(operation, name)                                                                    \
    FN M_u16 name(M_u16 a, M_u16 b) {                                                              \
        M_u16 h;                                                                                   \
        asm(operation ".f16 %0, %1, %2;" : "=h"(h) : "h"(a), "h"(b));                              \
        return h;                                                                                  \
    }
HALVES("add.rn", SUM_OF_HALVES)
HALVES("sub.rn", DIFFERENCE_OF_HALVES)
HALVES("mul.rn", PRODUCT_OF_HALVES)
HALVES("max.NaN", GREATER_OF_HALVES)
HALVES("min.NaN", LESSER_OF_HALVES)
#define ADD_f16(x, y) UNPACK_f16(SUM_OF_HALVES((x).bits, (y).bits))
#define SUBTRACT_f16(x, y) UNPACK_f16(DIFFERENCE_OF_HALVES((x).bits, (y).bits))
#define MULTIPLY_f16(x, y) UNPACK_f16(PRODUCT_OF_HALVES((x).bits, (y).bits))
#define BETWEEN_f16(x, low, high)                                                                  \
    FLOAT_OF_HALF(LESSER_OF_HALVES(GREATER_OF_HALVES((x).bits, C_f16(low).bits), C_f16(high).bits))
#endif

/* The quotient of two halves is a half, or in the middle between two, or further from the middle than 2^-23 of it: an
   approximation with one correction finds the right half. Of a divisor that many share, one division serves all.
   ``rest`` is NaN, and nothing corrected, where a quotient is infinite or NaN, or the divisor infinite. */
FN R_f16 DIVIDE_f16(R_f16 a, R_f16 b) {
    R_f32 x = FLOAT_f16(a), y = FLOAT_f16(b), inverse = 1 / y, near = x * inverse, rest = fma(-near, y, x);
    return NEAREST_f16(fabs(rest) > 0 ? fma(rest, inverse, near) : near);
}

#define NEGATIVE_f16(x) UNPACK_f16(PACK_f16(x) ^ 0x8000)
#define ABS_f16(x) UNPACK_f16(PACK_f16(x) & 0x7fff)
#define COPYSIGN_f16(x, y) UNPACK_f16((PACK_f16(x) & 0x7fff) | (PACK_f16(y) & 0x8000))
#define C_f16(x) NEAREST_f16((M_f32)(x))

#else

/* Floats that a half can hold. */
typedef R_f32 R_f16;

/* A half's exponent and fraction, moved to a float's place, are the half times 2^-112; only infinity and
   NaN need their exponent restored. */
FN R_f16 UNPACK_f16(R_u16 h) {
    R_u32 bits = TO_u32(h);
    R_f32 x = AS_f32((bits & C_u32(0x7fff)) << C_u32(13)) * C_f32(0x1p112f);
    R_u32 special = WHERE_u32(GE(x, C_f32(65536.0f)), C_u32(0x7f800000), C_u32(0));
    return AS_f32(AS_u32(x) | special | (bits & C_u32(0x8000)) << C_u32(16));
}

/* A product may lose the sign of a NaN. */
FN R_u16 PACK_f16(R_f16 x) {
    R_u32 size = AS_u32(x * C_f32(0x1p-112f)) >> C_u32(13) & C_u32(0x7fff);
    return TO_u16(size | (AS_u32(x) >> C_u32(16) & C_u32(0x8000)));
}

/* Large values round in their bits, those below the smallest normal half
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
#define NEAREST_f16(x) ROUND_f16(x)
#define FLOAT_f16(x) (x)
#define DIVIDE_f16(x, y) NEAREST_f16((x) / (y))

#define NEGATIVE_f16(x) (-(x))
#define ABS_f16(x) ABS(x)
#define COPYSIGN_f16(x, y) COPYSIGN(x, y)
#define C_f16(x) C_f32(x)

#endif

#ifndef ADD_f16
#define ADD_f16(x, y) NEAREST_f16(FLOAT_f16(x) + FLOAT_f16(y))
#define SUBTRACT_f16(x, y) NEAREST_f16(FLOAT_f16(x) - FLOAT_f16(y))
#define MULTIPLY_f16(x, y) NEAREST_f16(FLOAT_f16(x) * FLOAT_f16(y))
FN R_f32 BETWEEN_f16(R_f16 x, M_f32 low, M_f32 high) {
    R_f32 v = FLOAT_f16(x), least = WHERE_f32(LT(v, C_f32(low)), C_f32(low), v);
    return WHERE_f32(GT(least, C_f32(high)), C_f32(high), least);
}
#endif

#define INF_f16 C_f16(INFINITY)
#define NAN_f16 C_f16(NAN)
#define SPLAT_f16(v) C_f16(v)

/* Registers of bfloat16, the upper 16 bits of floats. */
typedef M_u16 M_bf16;
typedef R_f32 R_bf16;
#if LANES > 1
typedef V_u16 V_bf16;
#endif

#define UNPACK_bf16(u) AS_f32(TO_u32(u) << C_u32(16))
#define PACK_bf16(x) TO_u16(AS_u32(x) >> C_u32(16))
#define FLOAT_bf16(x) (x)
FN R_bf16 ROUND_bf16(R_f32 x) {
    R_u32 bits = AS_u32(x), rounded = bits + C_u32(0x7fff) + (bits >> C_u32(16) & C_u32(1));
    R_u32 number = WHERE_u32(EQ(x, x), rounded, bits | C_u32(0x400000));
    return AS_f32(number & C_u32(0xffff0000u));
}
#define NEAREST_bf16(x) ROUND_bf16(x)
#define ADD_bf16(x, y) ROUND_bf16((x) + (y))
#define SUBTRACT_bf16(x, y) ROUND_bf16((x) - (y))
#define MULTIPLY_bf16(x, y) ROUND_bf16((x) * (y))
#define DIVIDE_bf16(x, y) ROUND_bf16(DIVIDE_f32(x, y))
#define NEGATIVE_bf16(x) AS_f32(AS_u32(x) ^ C_u32(0x80000000u))
#define ABS_bf16(x) AS_f32(AS_u32(x) & C_u32(0x7fffffff))
#define COPYSIGN_bf16(x, y) COPYSIGN(x, y)
#define C_bf16(x) C_f32(x)
#define INF_bf16 INF_f32
#define NAN_bf16 NAN_f32
#define SPLAT_bf16(v) C_bf16(v)

#define SAME(m) (m)
#define TO_BOOL(v) ((AS_u8(v)) & C_u8(1))

/* The words that touch memory, of dtype t. IN turns elements as memory has them into a register, OUT back;
   f: the dtype of the parts of a complex number. */
#if LANES == 1

#define WARP 32
#define POST(t, p, i, v) (((volatile GLOBAL M_##t *)(p))[i] = (v))
#define PEEK(t, p, i) (((const volatile GLOBAL M_##t *)(p))[i])

#ifdef AGREE
#define PEERS_ROOM(size) 1
GROUP_FN M_u32 PEERS(SHARED M_u32 *table, M_u32 d) {
    M_u32 same = ~0U;
    UNROLL for (int bit = 0; bit < 8; bit++) same &= AGREE(d, 1U << bit);
    return same;
}
#else
#define PEERS_ROOM(size) ((size) * 8)
GROUP_FN M_u32 PEERS(SHARED M_u32 *table, M_u32 d) {
    M_u32 own = 1U << LID % WARP;
    table += LID / WARP * 256 + d;
    ATOMIC_OR(table, own);
    WARP_BARRIER;
    M_u32 same = *table;
    WARP_BARRIER;
    if (!(same & (own - 1))) *table = 0;
    WARP_BARRIER;
    return same;
}
#endif

#define WORDS(t, IN, OUT)                                                                          \
    FN R_##t FROM_##t(M_##t v) { return IN(v); }                                                   \
    FN M_##t INTO_##t(R_##t v) { return OUT(v); }                                                  \
    FN R_##t LOAD_##t(const GLOBAL M_##t *p, S_i64 i) { return IN(p[i]); }                         \
    FN R_##t LOADS_##t(const GLOBAL M_##t *p, S_i64 i, S_i64 s) { return IN(p[i]); }               \
    FN R_##t LOADN_##t(const GLOBAL M_##t *p, S_i64 i, S_i64 s, int n) {                           \
        M_##t lane = {0};                                                                          \
        if (n) lane = p[i];                                                                        \
        return IN(lane);                                                                           \
    }                                                                                              \
    FN R_##t LOAD1_##t(const GLOBAL M_##t *p, S_i64 i) { return IN(p[i]); }                        \
    FN R_##t LOADG_##t(const GLOBAL M_##t *p, R_i64 idx) { return IN(p[idx]); }                    \
    FN void STORE_##t(GLOBAL M_##t *p, S_i64 i, R_##t v) { p[i] = OUT(v); }                        \
    FN void STORES_##t(GLOBAL M_##t *p, S_i64 i, S_i64 s, R_##t v) { p[i] = OUT(v); }              \
    FN void STOREN_##t(GLOBAL M_##t *p, S_i64 i, S_i64 s, int n, R_##t v) {                        \
        if (n) p[i] = OUT(v);                                                                      \
    }                                                                                              \
    FN void STOREG_##t(GLOBAL M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                           \
        if (mask) p[idx] = OUT(v);                                                                 \
    }
#define PAIRS(t, f)                                                                                \
    FN M_##t to_pair_##t(R_##t v) {                                                                \
        M_##t z = {v.re, v.im};                                                                    \
        return z;                                                                                  \
    }                                                                                              \
    WORDS(t, SPLAT_##t, to_pair_##t)

typedef uint4 M_16;
typedef M_u16 W_2;
typedef M_u32 W_4;
typedef M_u64 W_8;
typedef struct { M_u32 x, y, z, w; } W_16; /* a vector would be taken to pieces of other widths through memory */
//: for M A in READ GLOBAL  HELD SHARED
#define $M_W_2(p) (*(const $A W_2 *)(p))
#define $M_W_4(p) (*(const $A W_4 *)(p))
#define $M_W_8(p) (*(const $A W_8 *)(p))
FN W_16 $M_W_16(const $A void *p) {
    uint4 all = *(const $A uint4 *)p;
    W_16 parts = {all.x, all.y, all.z, all.w};
    return parts;
}

//: for M A in WRITE GLOBAL  HOLD SHARED
#define $M_W_2(p, v) (*($A W_2 *)(p) = (v))
#define $M_W_4(p, v) (*($A W_4 *)(p) = (v))
#define $M_W_8(p, v) (*($A W_8 *)(p) = (v))
FN void $M_W_16($A void *p, W_16 v) {
    uint4 all;
    all.x = v.x, all.y = v.y, all.z = v.z, all.w = v.w;
    *($A uint4 *)p = all;
}

/* More than one access takes: of what is computed together. */
//: for W H in 32 16  64 32
typedef struct { W_$H low, high; } W_$W;
FN W_$W READ_W_$W(const GLOBAL void *p) {
    W_$W parts = {READ_W_$H(p), READ_W_$H((const GLOBAL W_$H *)p + 1)};
    return parts;
}
FN void WRITE_W_$W(GLOBAL void *p, W_$W v) {
    WRITE_W_$H(p, v.low);
    WRITE_W_$H((GLOBAL W_$H *)p + 1, v.high);
}

#define VECTORS(t, count, whole)                                                                   \
    typedef union { whole all; M_##t each[count]; } V_##t;                                         \
    FN V_##t FETCH_##t(const GLOBAL M_##t *p, S_i64 i, S_i64 n) {                                  \
        V_##t m;                                                                                   \
        M_##t none = {0};                                                                          \
        if (n >= count) m.all = READ_##whole(p + i);                                               \
        else UNROLL for (int k = 0; k < count; k++) m.each[k] = k < n ? p[i + k] : none;           \
        return m;                                                                                  \
    }                                                                                              \
    FN void FROMV_##t(V_##t m, R_##t *v) {                                                         \
        UNROLL for (int k = 0; k < count; k++) v[k] = FROM_##t(m.each[k]);                         \
    }                                                                                              \
    FN void LOADV_##t(const GLOBAL M_##t *p, S_i64 i, R_##t *v) {                                  \
        FROMV_##t(FETCH_##t(p, i, count), v);                                                      \
    }                                                                                              \
    FN void STOREV_##t(GLOBAL M_##t *p, S_i64 i, const R_##t *v) {                                 \
        V_##t m;                                                                                   \
        UNROLL for (int k = 0; k < count; k++) m.each[k] = INTO_##t(v[k]);                         \
        WRITE_##whole(p + i, m.all);                                                               \
    }
#define HELD_VECTORS(t, count, whole)                                                              \
    FN void HELDV_##t(const SHARED M_##t *p, int i, R_##t *v) {                                    \
        V_##t m;                                                                                   \
        m.all = HELD_##whole(p + i);                                                               \
        FROMV_##t(m, v);                                                                           \
    }                                                                                              \
    FN void HOLDV_##t(SHARED M_##t *p, int i, const R_##t *v) {                                    \
        V_##t m;                                                                                   \
        UNROLL for (int k = 0; k < count; k++) m.each[k] = INTO_##t(v[k]);                         \
        HOLD_##whole(p + i, m.all);                                                                \
    }
#endif

WORDS(b8, FROM_BOOL, TO_BOOL)
//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32
WORDS($T, SAME, SAME)

WORDS(bf16, UNPACK_bf16, PACK_bf16)
WORDS(f16, UNPACK_f16, PACK_f16)
PAIRS(c64, f32)
#ifdef HAS_f64
WORDS(f64, SAME, SAME)
PAIRS(c128, f64)
#endif

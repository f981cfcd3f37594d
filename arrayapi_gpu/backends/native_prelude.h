/* The dialect's first part for the host's own compiler, gcc or clang: GNU C without headers. The back end writes
   `#define LANES n` before it, and dialect.h after it, which says what the words mean. With `LANES 16` registers are
   vectors, which the compiler cuts into those of the processor. A kernel whose text defines REGISTER_LANES has so many;
   2, 4 and 8 lack words that only kernels of 16 use: ALL, OF_QUARTERS and SHIFT_IN. */

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef long long int64;
typedef unsigned long long uint64;

typedef uchar M_b8;
typedef ushort M_f16;
//: for T W in i8 schar  i16 short  i32 int  i64 int64  u8 uchar  u16 ushort  u32 uint  u64 uint64  f32 float  f64 double
typedef $W M_$T;

#define bool _Bool /* as languages of drivers have it */
#define true 1
#define false 0

#define HAS_f64
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

/* The work-item that a thread computes now; `native_runtime.c` runs those of a group one after another. */
typedef struct {
    int64 group, groups;
    int item, size;
    void (*barrier)(void);
} Place;
static __thread Place HERE;
static void WAIT_FOR_GROUP(void) {
    Place own = HERE;
    own.barrier();
    HERE = own;
}

#define KERNEL static
#define GROUPS_OF(n)
#define RESIDENT_GROUPS_OF(n, m)
#define GLOBAL
#define LOCAL static __thread
#define SHARED
#define RESTRICT restrict
#define FN static inline __attribute__((always_inline))
#define INLINED(t) t
#define CALLED_FN static __attribute__((noinline))
#define GROUP_FN FN
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#define OVERLOADED __attribute__((overloadable))
#else
#define UNROLL _Pragma("GCC unroll 16")
#define OVERLOADED
#endif
#define IN_ORDER
#define GID (HERE.group * HERE.size + HERE.item)
#define LID (HERE.item)
#define GROUP (HERE.group)
#define GROUP_SIZE (HERE.size)
#define GROUPS (HERE.groups)
#define BARRIER WAIT_FOR_GROUP()
#define MULTIPLY_HIGH_S(x, y) ((M_u64)((unsigned __int128)(x) * (y) >> 64))
#define PRODUCT_u32(x, y) ((M_u64)(x) * (y))
#define ATOMIC_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define ATOMIC_OR(p, v) __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define ATOMIC_XCHG(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELAXED)

#if LANES == 1

#define MULTIPLY_HIGH(x, y) MULTIPLY_HIGH_S(x, y)
#define WARP_BARRIER BARRIER
#define POPCOUNT(v) __builtin_popcount(v)
#define PREFETCH_L2(p)
typedef struct { uint x, y, z, w; } __attribute__((aligned(16))) uint4;

#define BITS_AS(t, v)                                                                              \
    ({                                                                                             \
        __typeof__(v) from_ = (v);                                                                 \
        M_##t to_;                                                                                 \
        __builtin_memcpy(&to_, &from_, sizeof to_);                                                \
        to_;                                                                                       \
    })
//: for T in i32 i64 u32 u64 f32 f64
#define AS_$T(v) BITS_AS($T, v)

/* The arithmetic of dialect.h for registers of halves, on numbers. Compilers vectorise it. */
FN M_f32 FLOAT_OF_HALF(M_u16 h) {
    M_f32 size = AS_f32((M_u32)(h & 0x7fff) << 13) * 0x1p112f;
    M_u32 special = size >= 65536.0f ? 0x7f800000 : 0;
    return AS_f32(AS_u32(size) | special | (M_u32)(h & 0x8000) << 16);
}
FN M_u16 HALF_OF_FLOAT(M_f32 x) {
    M_u32 bits = AS_u32(x), sign = bits & 0x80000000u, magnitude = bits ^ sign;
    M_f32 size = AS_f32(magnitude), small = (size + 0.5f) - 0.5f;
    M_f32 rounded = AS_f32((magnitude + 0xfff + (magnitude >> 13 & 1)) & ~0x1fffu);
    M_f32 half = size < 0x1p-14f ? small : size >= 65520.0f ? INFINITY : rounded;
    M_u32 number = AS_u32(half * 0x1p-112f) >> 13 & 0x7fff;
    return (x == x ? number : 0x7e00 | (bits >> 13 & 0x3ff)) | sign >> 16;
}

#define REAL(word, x) _Generic((x), float: __builtin_##word##f, double: __builtin_##word)

#else

#define LIST_2(X) X(0), X(1)
#define LIST_4(X) LIST_2(X), X(2), X(3)
#define LIST_8(X) LIST_4(X), X(4), X(5), X(6), X(7)
#define LIST_16(X) LIST_8(X), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15)
#define LIST_OF(n, X) LIST_##n(X)
#define LIST_OF_LANES(n, X) LIST_OF(n, X)
#define LIST(X) LIST_OF_LANES(LANES, X)
#define ITSELF(k) k
#define EACH_LANE for (int k = 0; k < LANES; k++)

//: for T in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
typedef M_$T R_$T __attribute__((vector_size(LANES * sizeof(M_$T))));
typedef R_$T V_$T; /* elements as memory has them */
#define AS_$T(v) ((R_$T)(v))

typedef R_i8 R_b8;
typedef R_u8 V_b8;
typedef R_u16 V_f16;

#define SAME_LANE(k) each_
#define SPLAT(t, v)                                                                                \
    ({                                                                                             \
        M_##t each_ = (M_##t)(v);                                                                  \
        (V_##t){LIST(SAME_LANE)};                                                                  \
    })
#define FROM_BOOL(m) MASK((m) != SPLAT(u8, 0))
#define SELECT(t, mask, x, y)                                                                      \
    ({                                                                                             \
        R_##t chosen_ = __builtin_convertvector(mask, R_##t);                                      \
        __typeof__(x) yes_ = (x), no_ = (y);                                                       \
        (__typeof__(x))((R_##t)yes_ & chosen_ | (R_##t)no_ & ~chosen_);                            \
    })
#define IOTA ((R_i64){LIST(ITSELF)})
typedef M_u64 H_u64 __attribute__((vector_size(16)));
#define ANY(mask)                                                                                  \
    ({                                                                                             \
        __typeof__(mask) all_ = (mask);                                                            \
        H_u64 m_[(sizeof all_ + sizeof(H_u64) - 1) / sizeof(H_u64)] = {0};                         \
        __builtin_memcpy(m_, &all_, sizeof all_);                                                  \
        for (unsigned k_ = 1; k_ < sizeof m_ / sizeof(H_u64); k_++) m_[0] |= m_[k_];               \
        (m_[0][0] | m_[0][1]) != 0;                                                                \
    })
/* gcc compares vectors that are wider than the processor's number by number. */
#if defined __AVX512BW__
#define WIDTH 64
#elif defined __AVX2__
#define WIDTH 32
#else
#define WIDTH 16
#endif
#define COMPARE(x, op, y)                                                                          \
    ({                                                                                             \
        __typeof__(x) x_ = (x), y_ = (y);                                                          \
        enum { WIDTH_ = sizeof x_ < WIDTH ? sizeof x_ : WIDTH };                                   \
        typedef __typeof__(x_[0]) Piece_ __attribute__((vector_size(WIDTH_)));                     \
        Piece_ p_[sizeof x_ / WIDTH_], q_[sizeof x_ / WIDTH_];                                     \
        __typeof__(p_[0] op q_[0]) m_[sizeof x_ / WIDTH_];                                         \
        __builtin_memcpy(p_, &x_, sizeof x_);                                                      \
        __builtin_memcpy(q_, &y_, sizeof y_);                                                      \
        for (unsigned k_ = 0; k_ < sizeof x_ / WIDTH_; k_++) m_[k_] = p_[k_] op q_[k_];            \
        __typeof__(x_ op y_) all_;                                                                 \
        __builtin_memcpy(&all_, m_, sizeof all_);                                                  \
        all_;                                                                                      \
    })
#define ALL(mask) ({ H_u64 m_ = (H_u64)(mask); (m_[0] & m_[1]) == ~(M_u64)0; })
#define SPILL(v, a) ({ __typeof__(v) v_ = (v); __builtin_memcpy(a, &v_, sizeof v_); })
#define UNSPILL(a)                                                                                 \
    ({                                                                                             \
        __typeof__(*(a)) __attribute__((vector_size(LANES * sizeof *(a)))) v_;                        \
        __builtin_memcpy(&v_, a, sizeof v_);                                                       \
        v_;                                                                                        \
    })
typedef M_u64 Q_u64 __attribute__((vector_size(32)));
#define ALL_Q(t, v) ({ M_##t each_ = (v); (Q_##t){each_, each_, each_, each_}; })
#define QUARTERS ((Q_u64){0, 1, 2, 3})
#define OF_QUARTERS(x, y, z, w) ((R_u32)__builtin_shufflevector(                                   \
    (x) & 0xffffffff | (y) << 32, (z) & 0xffffffff | (w) << 32, 0, 4, 1, 5, 2, 6, 3, 7))
#define SHIFT_IN(v, k, a) __builtin_shufflevector(v,                                               \
    ((R_u32){(a)[0], (a)[1], (a)[2], (a)[3]}), k, (k) + 1, (k) + 2, (k) + 3,                       \
    (k) + 4, (k) + 5, (k) + 6, (k) + 7, (k) + 8, (k) + 9, (k) + 10, (k) + 11, (k) + 12, (k) + 13,    \
    (k) + 14, (k) + 15)
#define PREFETCH(p) __builtin_prefetch((const void *)(__SIZE_TYPE__)(p), 1)

/* The lanes of register number k of an array become lane k of all. Registers must not be wider than the processor's. */
#define MIXED(k) k % 2 * LANES + k / 2
#define MIXED_BEHIND(k) k % 2 * LANES + LANES / 2 + k / 2
#define TRANSPOSE(v)                                                                               \
    UNROLL for (int part_ = 1; part_ < LANES; part_ *= 2) {                                        \
        __typeof__(v[0]) mixed_[LANES];                                                            \
        UNROLL for (int k = 0; k < LANES / 2; k++) {                                               \
            mixed_[2 * k] = __builtin_shufflevector(v[k], v[k + LANES / 2], LIST(MIXED));          \
            mixed_[2 * k + 1] = __builtin_shufflevector(v[k], v[k + LANES / 2], LIST(MIXED_BEHIND)); \
        }                                                                                          \
        UNROLL EACH_LANE v[k] = mixed_[k];                                                         \
    }

FN R_u64 MULTIPLY_HIGH(R_u64 x, R_u64 y) {
    EACH_LANE x[k] = MULTIPLY_HIGH_S(x[k], y[k]);
    return x;
}

/* Compilers make vectors of loops over arrays. */
//: for F in fabs floor ceil trunc rint sqrt
FN R_f32 each_$Ff(R_f32 x) {
    M_f32 a[LANES];
    SPILL(x, a);
    EACH_LANE a[k] = __builtin_$Ff(a[k]);
    return UNSPILL(a);
}
FN R_f64 each_$F(R_f64 x) {
    M_f64 a[LANES];
    SPILL(x, a);
    EACH_LANE a[k] = __builtin_$F(a[k]);
    return UNSPILL(a);
}

FN R_f32 each_copysignf(R_f32 x, R_f32 y) {
    return (R_f32)((R_u32)x & SPLAT(u32, 0x7fffffff) | (R_u32)y & SPLAT(u32, 0x80000000));
}
FN R_f64 each_copysign(R_f64 x, R_f64 y) {
    return (R_f64)((R_u64)x & SPLAT(u64, ~0ULL >> 1) | (R_u64)y & SPLAT(u64, 1ULL << 63));
}
FN R_f32 each_fmaf(R_f32 x, R_f32 y, R_f32 z) {
    M_f32 a[LANES], b[LANES], c[LANES];
    SPILL(x, a), SPILL(y, b), SPILL(z, c);
    EACH_LANE c[k] = __builtin_fmaf(a[k], b[k], c[k]);
    return UNSPILL(c);
}
FN R_f64 each_fma(R_f64 x, R_f64 y, R_f64 z) {
    M_f64 a[LANES], b[LANES], c[LANES];
    SPILL(x, a), SPILL(y, b), SPILL(z, c);
    EACH_LANE c[k] = __builtin_fma(a[k], b[k], c[k]);
    return UNSPILL(c);
}
#define REAL(word, x)                                                                              \
    _Generic((x), float: __builtin_##word##f, double: __builtin_##word, R_f32: each_##word##f, R_f64: each_##word)

/* The words of dialect.h that touch memory, for vectors. */
#define STRIDED(k) p[k * s]
#define GATHERED(k) p[idx[k]]
#define WORDS(t, IN, OUT)                                                                          \
    FN R_##t LOAD_##t(const M_##t *p, int64 i) {                                                   \
        V_##t v;                                                                                   \
        __builtin_memcpy(&v, p + i, sizeof v);                                                     \
        return IN(v);                                                                              \
    }                                                                                              \
    FN R_##t LOADS_##t(const M_##t *p, int64 i, int64 s) {                                         \
        p += i;                                                                                    \
        return IN(((V_##t){LIST(STRIDED)}));                                                       \
    }                                                                                              \
    FN R_##t LOADN_##t(const M_##t *p, int64 i, int64 s, int n) {                                  \
        M_##t lanes[LANES] = {0};                                                                     \
        for (int l = 0; l < n; l++) lanes[l] = p[i + l * s];                                       \
        V_##t v;                                                                                   \
        __builtin_memcpy(&v, lanes, sizeof v);                                                     \
        return IN(v);                                                                              \
    }                                                                                              \
    FN R_##t LOAD1_##t(const M_##t *p, int64 i) { return IN(SPLAT(t, p[i])); }                     \
    FN R_##t LOADG_##t(const M_##t *p, R_i64 idx) { return IN(((V_##t){LIST(GATHERED)})); }        \
    FN void STORE_##t(M_##t *p, int64 i, R_##t r) {                                                \
        V_##t v = (V_##t)OUT(r);                                                                   \
        __builtin_memcpy(p + i, &v, sizeof v);                                                     \
    }                                                                                              \
    FN void STREAM_##t(M_##t *p, int64 i, R_##t r) { STORE_##t(p, i, r); }                         \
    FN void STOREN_##t(M_##t *p, int64 i, int64 s, int n, R_##t r) {                               \
        M_##t lanes[LANES];                                                                           \
        STORE_##t(lanes, 0, r);                                                                    \
        for (int l = 0; l < n; l++) p[i + l * s] = lanes[l];                                       \
    }                                                                                              \
    FN void STORES_##t(M_##t *p, int64 i, int64 s, R_##t r) { STOREN_##t(p, i, s, LANES, r); }        \
    FN void STOREG_##t(M_##t *p, R_i64 idx, R_b8 mask, R_##t r) {                                  \
        M_##t lanes[LANES];                                                                           \
        STORE_##t(lanes, 0, r);                                                                    \
        for (int l = 0; l < LANES; l++)                                                               \
            if (mask[l]) p[idx[l]] = lanes[l];                                                     \
    }

/* Complex elements lie in memory as pairs of dtype f, in a register as a register of each. */
#define EVEN(k) 2 * k
#define ODD(k) 2 * k + 1
#define STRIDED_RE(k) p[k * s].re
#define STRIDED_IM(k) p[k * s].im
#define GATHERED_RE(k) p[idx[k]].re
#define GATHERED_IM(k) p[idx[k]].im
#define PAIRS(t, f)                                                                                \
    FN R_##t LOAD_##t(const M_##t *p, int64 i) {                                                   \
        R_##f a, b;                                                                                \
        __builtin_memcpy(&a, p + i, sizeof a), __builtin_memcpy(&b, p + i + LANES / 2, sizeof b);  \
        return (R_##t){                                                                            \
            __builtin_shufflevector(a, b, LIST(EVEN)), __builtin_shufflevector(a, b, LIST(ODD))};  \
    }                                                                                              \
    FN R_##t LOADS_##t(const M_##t *p, int64 i, int64 s) {                                         \
        p += i;                                                                                    \
        return (R_##t){(R_##f){LIST(STRIDED_RE)}, (R_##f){LIST(STRIDED_IM)}};                      \
    }                                                                                              \
    FN R_##t LOADN_##t(const M_##t *p, int64 i, int64 s, int n) {                                  \
        M_##f re[LANES] = {0}, im[LANES] = {0};                                                          \
        for (int l = 0; l < n; l++) re[l] = p[i + l * s].re, im[l] = p[i + l * s].im;              \
        return (R_##t){UNSPILL(re), UNSPILL(im)};                                                  \
    }                                                                                              \
    FN R_##t LOAD1_##t(const M_##t *p, int64 i) { return SPLAT_##t(p[i]); }                        \
    FN R_##t LOADG_##t(const M_##t *p, R_i64 idx) {                                                \
        return (R_##t){(R_##f){LIST(GATHERED_RE)}, (R_##f){LIST(GATHERED_IM)}};                    \
    }                                                                                              \
    FN void STORE_##t(M_##t *p, int64 i, R_##t v) {                                                \
        R_##f a = __builtin_shufflevector(v.re, v.im, LIST(MIXED));                                \
        R_##f b = __builtin_shufflevector(v.re, v.im, LIST(MIXED_BEHIND));                         \
        __builtin_memcpy(p + i, &a, sizeof a), __builtin_memcpy(p + i + LANES / 2, &b, sizeof b);  \
    }                                                                                              \
    FN void STREAM_##t(M_##t *p, int64 i, R_##t v) { STORE_##t(p, i, v); }                         \
    FN void STOREN_##t(M_##t *p, int64 i, int64 s, int n, R_##t v) {                               \
        for (int l = 0; l < n; l++) p[i + l * s].re = v.re[l], p[i + l * s].im = v.im[l];          \
    }                                                                                              \
    FN void STORES_##t(M_##t *p, int64 i, int64 s, R_##t v) { STOREN_##t(p, i, s, LANES, v); }        \
    FN void STOREG_##t(M_##t *p, R_i64 idx, R_b8 mask, R_##t v) {                                  \
        for (int l = 0; l < LANES; l++)                                                               \
            if (mask[l]) p[idx[l]].re = v.re[l], p[idx[l]].im = v.im[l];                           \
    }

#endif

#define fabs(x) REAL(fabs, x)(x)
#define floor(x) REAL(floor, x)(x)
#define ceil(x) REAL(ceil, x)(x)
#define trunc(x) REAL(trunc, x)(x)
#define rint(x) REAL(rint, x)(x)
#define sqrt(x) REAL(sqrt, x)(x)
#define copysign(x, y) REAL(copysign, x)(x, y)
#define fma(x, y, z) REAL(fma, x)(x, y, z)

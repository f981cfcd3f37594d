/* What a driver has to compile and compute before it is trusted: for every dtype explicit vectors, the driver's own
   functions of them, local memory and barriers. opencl_trial.py says what must come out. One kernel for all, since a
   compiler's time goes by kernels. */

#define SIZE 512 /* elements of each dtype: 4 groups of 8 work-items with a register each */
#define ITEMS 8

/* The dtypes lie one after the other, each in 16 * SIZE bytes. */
#define TRIAL(number, t, VALUE, SUM)                                                               \
    {                                                                                              \
        const GLOBAL M_##t *pa = (const GLOBAL M_##t *)(a + number * 16 * SIZE);                   \
        const GLOBAL M_##t *pb = (const GLOBAL M_##t *)(b + number * 16 * SIZE);                   \
        LOCAL R_##t *shared = (LOCAL R_##t *)room;                                                 \
        R_##t x = LOADS_##t(pa, GID * LANES * step, step), y = LOAD_##t(pb, GID * LANES), z = VALUE; \
        STORE_##t((GLOBAL M_##t *)(values + number * 16 * SIZE), GID * LANES, z);                  \
        BARRIER;                                                                                   \
        shared[LID] = z;                                                                           \
        BARRIER;                                                                                   \
        if (LID == 0) {                                                                            \
            for (int k = 1; k < ITEMS; k++) x = z, y = shared[k], z = SUM;                         \
            x = z, y = ROTATE_##t(x, 8), z = SUM;                                                  \
            x = z, y = ROTATE_##t(x, 4), z = SUM;                                                  \
            x = z, y = ROTATE_##t(x, 2), z = SUM;                                                  \
            x = z, y = ROTATE_##t(x, 1), z = SUM;                                                  \
            STORE_##t((GLOBAL M_##t *)(sums + number * 16 * SIZE), GROUP * LANES, z);              \
        }                                                                                          \
    }

#define INTEGER(number, t)                                                                         \
    TRIAL(number, t, WHERE_##t(LT(x, y), x * y + x, (x - y) << C_##t(1) ^ y), x + y)
#define REAL(number, t, i)                                                                         \
    TRIAL(number, t,                                                                               \
          WHERE_##t(LT(x, y), FMA(x, y, SQRT(ABS(x))), COPYSIGN(FLOOR(x / C_##t(4)), -y)           \
                    + TO_##t(TO_##i(RINT(y * C_##t(0.5)))) + CEIL(TRUNC(y))), x + y)
#define COMPLEX(number, t)                                                                         \
    TRIAL(number, t, ((R_##t){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}),              \
          ((R_##t){x.re + y.re, x.im + y.im}))

KERNEL void trial(const GLOBAL M_u8 *a, const GLOBAL M_u8 *b, GLOBAL M_u8 *values, GLOBAL M_u8 *sums, long step) {
    LOCAL R_c64 room[2 * ITEMS];
    TRIAL(0, b8, x & ~y, x ^ y)
    INTEGER(1, i8)
    INTEGER(2, i16)
    INTEGER(3, i32)
    INTEGER(4, i64)
    INTEGER(5, u8)
    INTEGER(6, u16)
    INTEGER(7, u32)
    INTEGER(8, u64)
    TRIAL(9, f16, WHERE_f16(LT(FLOAT_f16(x), FLOAT_f16(y)), ADD_f16(MULTIPLY_f16(x, y), x),
                            DIVIDE_f16(ADD_f16(x, x), C_f16(2))), ADD_f16(x, y))
    REAL(10, f32, i32)
    COMPLEX(11, c64)
#ifdef HAS_f64
    REAL(12, f64, i64)
    COMPLEX(13, c128)
#endif
}

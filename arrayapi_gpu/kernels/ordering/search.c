// The search kernel; see search.py. Defined before it:
//   LEFT       whether values belong before equal elements, and not after them
//   FLOATING   whether there may be NaN, which comes last
//   BY_SORTER  whether sorted[sorter[i]] are in order, and not sorted[i]
//   MEMBERS    whether the result says that values occur, and not where they belong
// and without vectors
//   SIZE  AHEAD   work-items of a group, and values that each looks for at a time
//   TABLE         whether values have one byte, and groups look for all 256 first

//: less
#if FLOATING
#define LESS(x, y) (less_$T(x, y) | (isnan_$T(y) & ~isnan_$T(x)))
#else
#define LESS(x, y) less_$T(x, y)
#endif

//: searchsorted
// `below` elements are known to lie before the value; where the element `step` further does too, so do all up to it.
// `step` runs through the powers of two from the largest that fits.
KERNEL void searchsorted($arguments) {
    S_i64 i = GID * LANES;
    if (i >= p.count) return;
    int n = p.count - i < LANES ? (int)(p.count - i) : LANES;
    R_$T v = LOADN_$T(values, p.values_0 + i, 1, n);
    R_i64 below = C_i64(0), last = SPLAT_i64(p.length - 1);
    for (S_i64 step = p.step; step; step /= 2) {
        R_i64 next = below + SPLAT_i64(step), place = next - C_i64(1);
        R_b8 inside = LE(place, last);
        place = WHERE_i64(inside, place, last);
#if BY_SORTER
        // A place that a sorter gives is kept inside the array.
        place = LOADG_i64(sorter, SPLAT_i64(p.sorter_0) + place);
        place = WHERE_i64(GT(place, last), last, place);
        place = WHERE_i64(LT(place, C_i64(0)), C_i64(0), place);
#endif
        R_$T x = LOADG_$T(sorted, SPLAT_i64(p.sorted_0) + place * SPLAT_i64(p.stride));
#if LEFT
        below = WHERE_i64(inside & LESS(x, v), next, below);
#else
        below = WHERE_i64(inside & ~LESS(v, x), next, below);
#endif
    }
#if MEMBERS
    R_b8 inside = LE(below, last);
    R_$T near = LOADG_$T(sorted, SPLAT_i64(p.sorted_0) + WHERE_i64(inside, below, last) * SPLAT_i64(p.stride));
    STOREN_b8(out, i, 1, n, inside & equal_$T(near, v));
#else
    STOREN_i64(out, i, 1, n, below);
#endif
}

//: searchsorted_together
#define BEFORE(x, v) (LEFT ? LESS(x, v) : ~LESS(v, x))

FN R_$T element(const GLOBAL M_$T* sorted, const GLOBAL M_i64* sorter, const Parameters p, M_$N place) {
    S_i64 at = place;
#if BY_SORTER
    // A place that a sorter gives is kept inside the array.
    at = sorter[at];
    at = at >= p.length ? p.length - 1 : at < 0 ? 0 : at;
#endif
    return LOAD_$T(sorted, $at);
}

// `below` elements are known to lie before each value, and `found` is the last element that was read and does not: after
// the last step, the one at `below`. After the first comparison `step` - 1 elements are left, one less than a power of
// two, so that no later step leaves the array.
#define BISECT(ELEMENT, n, first, count) \
    { \
        M_$N over = (M_$N)((n) - (first)); \
        R_$T x = ELEMENT(over); \
        UNROLL for (int k = 0; k < count; k++) { \
            below[k] = BEFORE(x, v[k]) ? over + 1 : 0; \
            found[k] = x; \
        } \
        for (M_$N step = (M_$N)(first) / 2; step; step /= 2) \
            UNROLL for (int k = 0; k < count; k++) { \
                M_$N next = below[k] + step; \
                R_$T x = ELEMENT(next - 1); \
                R_b8 before = BEFORE(x, v[k]); \
                below[k] = before ? next : below[k]; \
                found[k] = before ? found[k] : x; \
            } \
    }
#define GIVEN(place) element(sorted, sorter, p, place)
// The elements among which a step chooses lie a power of two from each other. They should not share a bank.
#define SPREAD(place) ((place) + ((place) >> 5) + ((place) >> 10))
#define KEPT(place) held[SPREAD(place)]

KERNEL GROUPS_OF(SIZE) void searchsorted_together($arguments) {
    S_i64 first = GROUP * p.span, last = first + p.span < p.count ? first + p.span : p.count;
    values += p.values_0, sorted += p.sorted_0;
#if BY_SORTER
    sorter += p.sorter_0;
#else
    GLOBAL M_i64* sorter = 0;
#endif
    R_$T v[AHEAD], found[AHEAD];
    M_$N below[AHEAD];
#if TABLE
    LOCAL M_$N table[256];
    for (int j = LID; j < 256; j += SIZE) {
        v[0] = (M_$T)j;
        BISECT(GIVEN, p.length, p.step, 1)
        table[j] = below[0];
    }
    BARRIER;
#elif HELD
    // The last of each `every` elements.
    LOCAL R_$T held[HELD];
    for (int j = LID; j < p.held; j += SIZE) held[SPREAD(j)] = GIVEN((M_$N)((j + 1) * p.every - 1));
    BARRIER;
#endif
    for (S_i64 i = first + LID; i < last; i += AHEAD * SIZE) {
        UNROLL for (int k = 0; k < AHEAD; k++) v[k] = LOADN_$T(values, i + k * SIZE, 1, i + k * SIZE < last);
#if TABLE
        UNROLL for (int k = 0; k < AHEAD; k++) below[k] = table[(M_u8)v[k]];
#elif HELD
        BISECT(KEPT, p.held, p.step, AHEAD)
        UNROLL for (int k = 0; k < AHEAD; k++) below[k] *= (M_$N)p.every;
        for (M_$N step = (M_$N)p.every / 2; step; step /= 2)
            UNROLL for (int k = 0; k < AHEAD; k++) {
                M_$N next = below[k] + step;
                if (next > p.length) continue;
                R_$T x = GIVEN(next - 1);
                R_b8 before = BEFORE(x, v[k]);
                below[k] = before ? next : below[k];
                found[k] = before ? found[k] : x;
            }
#else
        BISECT(GIVEN, p.length, p.step, AHEAD)
#endif
        UNROLL for (int k = 0; k < AHEAD; k++) {
            if (i + k * SIZE >= last) continue;
#if MEMBERS
            STORE_b8(out, i + k * SIZE, FROM_BOOL(below[k] < p.length) & equal_$T(found[k], v[k]));
#else
            out[i + k * SIZE] = below[k];
#endif
        }
    }
}

//: look_up
// Values that are marked; all have a mark of their own.
KERNEL void look_up(GLOBAL M_b8* out, GLOBAL M_$T* values, GLOBAL M_b8* marks, const Parameters p) {
    S_i64 i = GID * LANES;
    if (i >= p.count) return;
    int n = p.count - i < LANES ? (int)(p.count - i) : LANES;
    R_$T v = LOADN_$T(values, p.values_0 + i, 1, n);
    R_i64 place = $wide - SPLAT_i64(p.low);
    place = WHERE_i64(less_i64(IOTA, SPLAT_i64(n)), place, C_i64(0));
    STOREN_b8(out, i, 1, n, LOADG_b8(marks, SPLAT_i64(p.marks_0) + place));
}

//: look_up_bytes
// Each group marks the elements of a vector, a bit each, and looks values up; a work-item takes COUNT neighbours.
KERNEL GROUPS_OF(SIZE) void look_up_bytes(
    GLOBAL M_b8* out, GLOBAL M_$T* values, GLOBAL M_$T* among, const Parameters p) {
    LOCAL M_u32 marks[256 / 32];
    for (int j = LID; j < 256 / 32; j += SIZE) marks[j] = 0;
    BARRIER;
    for (S_i64 j = LID; j < p.length; j += SIZE) {
        M_u32 number = (M_u8)among[p.among_0 + j];
        ATOMIC_OR(marks + number / 32, 1U << number % 32);
    }
    BARRIER;
    S_i64 first = GROUP * p.span, last = first + p.span < p.count ? first + p.span : p.count;
    values += p.values_0;
    for (S_i64 i = first + LID * COUNT; i < last; i += SIZE * COUNT) {
        R_$T v[COUNT];
        R_b8 found[COUNT];
#if COUNT > 1
        FROMV_$T(FETCH_$T(values, i, last - i), v);
#else
        v[0] = LOAD1_$T(values, i);
#endif
        UNROLL for (int k = 0; k < COUNT; k++) {
            M_u32 number = (M_u8)v[k];
            found[k] = FROM_BOOL(marks[number / 32] >> number % 32 & 1);
        }
#if COUNT > 1
        if (last - i >= COUNT) {
            STOREV_b8(out, i, found);
            continue;
        }
#endif
        UNROLL for (int k = 0; k < COUNT; k++) STOREN_b8(out, i + k, 1, i + k < last, found[k]);
    }
}

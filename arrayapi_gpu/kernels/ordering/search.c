// The search kernel; see search.py. Defined before it:
//   LEFT       whether values belong before equal elements, and not after them
//   FLOATING   whether there may be NaN, which comes last
//   BY_SORTER  whether sorted[sorter[i]] are in order, and not sorted[i]
//   MEMBERS    whether the result says that values occur, and not where they belong

//: searchsorted
#if FLOATING
#define LESS(x, y) (less_$T(x, y) | (isnan_$T(y) & ~isnan_$T(x)))
#else
#define LESS(x, y) less_$T(x, y)
#endif

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

// The kernels of joined arrays; see join.py. Defined before them: SIZE, work-items of a group, and EACH, units that each
// copies. A unit has as many bytes as all rows, offsets and sources are multiples of. Put into them:
//   selection   the source `x` of this group, its place `x_0`, its first group `first`, the units of its rows `n`, all of
//               its units `all`, and the place of its first row in the result `base`
//   choice      the source `x` of the unit that comes from array number `part`
// All units are read before one is written, because no read goes ahead of a write.

//: join
KERNEL GROUPS_OF(SIZE) void join($arguments) {
    $selection
    S_i64 begin = (S_i64)(GROUP - first) * (SIZE * EACH) + LID;
    x += x_0, o += base;
    M_$T v[EACH];
    UNROLL for (int k = 0; k < EACH; k++)
        if (begin + k * SIZE < all) v[k] = x[begin + k * SIZE];
    UNROLL for (int k = 0; k < EACH; k++) {
        S_i64 i = begin + k * SIZE;
        if (i >= all) continue;
        S_i64 row = all == n ? 0 : all < 0x80000000L ? (S_i64)((M_u32)i / (M_u32)n) : i / n;
        o[row * p.row + (i - row * n)] = v[k];
    }
}

//: interleave
// Neighbouring work-items write neighbouring units. Defined before: ROW, units of a row of an array; COUNT, arrays.
KERNEL void interleave($arguments) {
    S_i64 begin = (S_i64)GROUP * (SIZE * EACH) + LID;
    o += p.base;
    M_$T v[EACH];
    UNROLL for (int k = 0; k < EACH; k++) {
        S_i64 i = begin + k * SIZE;
        if (i >= p.all) continue;
        S_i64 row = p.all < 0x80000000L ? (S_i64)((M_u32)i / (COUNT * ROW)) : i / (COUNT * ROW);
        int at = (int)(i - row * (COUNT * ROW)), part = at / ROW;
        $choice
        v[k] = x[row * ROW + at - part * ROW];
    }
    UNROLL for (int k = 0; k < EACH; k++)
        if (begin + k * SIZE < p.all) o[begin + k * SIZE] = v[k];
}

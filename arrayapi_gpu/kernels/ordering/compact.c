// The kernels of compaction; see compact.py. Defined before each:
//   SEGMENT           elements of a segment
// before those that place
//   POSITIONS         whether positions are written, counted from p.first, or elements of `source`
// and without vectors, where groups work together
//   SIZE  OWN         work-items, and neighbours that each places: SEGMENT / SIZE, which is 16
//   WHOLE             whether masks begin at multiples of 16 bytes, so that 16 are read by one access
// A mask's true elements are 1.

//: count
KERNEL void count(GLOBAL M_i64* counts, GLOBAL M_u8* mask, const Parameters p) {
    S_i64 first = GID * SEGMENT, end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
    R_i64 total = C_i64(0);
    while (first < end) {
        S_i64 i = first;
        first = first + 240 * LANES < end ? first + 240 * LANES : end; // so that no lane overflows
        R_u8 found = C_u8(0);
        for (; i + LANES <= first; i += LANES) found += LOAD_u8(mask, p.mask_0 + i);
        if (i < first) found += LOADN_u8(mask, p.mask_0 + i, 1, (int)(first - i));
        total += TO_i64(found);
    }
    total += ROTATE(total, 8);
    total += ROTATE(total, 4);
    total += ROTATE(total, 2);
    total += ROTATE(total, 1);
    STOREN_i64(counts, GID, 1, 1, total);
}

//: count_together
// A warp counts in a segment: eight bytes, each 0 or 1, are added at a time.
KERNEL void count_together(GLOBAL M_i64* counts, GLOBAL M_u8* mask, const Parameters p) {
    LOCAL M_u32 sums[SIZE];
    S_i64 first = GID / WARP * SEGMENT;
    mask += p.mask_0 + first;
    M_u32 sum = 0;
    if (WHOLE && first + SEGMENT <= p.n) {
        M_u64 bytes = 0;
        UNROLL for (int k = 0; k < SEGMENT / 512; k++) {
            R_u64 v[2];
            LOADV_u64((const GLOBAL M_u64*)mask, (k * WARP + LID % WARP) * 2, v);
            bytes += v[0] + v[1];
        }
        sum = (M_u32)(bytes * 0x0101010101010101UL >> 56);
    } else {
        for (S_i64 i = LID % WARP; i < SEGMENT && first + i < p.n; i += WARP) sum += mask[i];
    }
    sums[LID] = sum;
    WARP_BARRIER;
    for (int rest = 16; rest; rest /= 2) {
        if (LID % WARP < rest) sums[LID] += sums[LID + rest];
        WARP_BARRIER;
    }
    if (LID % WARP == 0 && first < p.n) counts[GID / WARP] = sums[LID];
}

//: value
#if POSITIONS
#define VALUE(i) (M_$T)(p.first + (M_u64)(i))
#else
#define VALUE(i) source[i]
#endif

//: place
// While the segment's part has 16 free places, each element, true or not, is written to the place of the next true one,
// so no branch depends on the mask.
KERNEL void place($arguments) {
    S_i64 first = GID * SEGMENT, end = first + SEGMENT < p.n ? first + SEGMENT : p.n;
    S_i64 at = GID ? ends[GID - 1] : 0, stop = ends[GID], i = first;
    mask += p.mask_0;
#if !POSITIONS
    source += p.source_0;
#endif
    for (; i + LANES <= end; i += LANES) {
        if (!ANY(LOAD_b8(mask, i))) continue;
        if (at + LANES <= stop)
            for (int k = 0; k < LANES; k++) {
                out[at] = VALUE(i + k);
                at += mask[i + k];
            }
        else
            for (int k = 0; k < LANES; k++)
                if (mask[i + k]) out[at++] = VALUE(i + k);
    }
    for (; i < end; i++)
        if (mask[i]) out[at++] = VALUE(i);
}

//: place_together
// A group takes a segment, a work-item OWN neighbours of it.
KERNEL void place_together($arguments) {
    LOCAL M_u32 sums[SIZE];
    LOCAL M_u16 found[SEGMENT];
    S_i64 first = GROUP * SEGMENT, start = GROUP ? ends[GROUP - 1] : 0;
    int total = (int)(ends[GROUP] - start), own = LID * OWN;
    mask += p.mask_0 + first;
#if !POSITIONS
    source += p.source_0;
#endif
    union { R_u64 words[OWN / 8]; M_u8 bytes[OWN]; } is;
    if (WHOLE && first + SEGMENT <= p.n) LOADV_u64((const GLOBAL M_u64*)mask, LID * 2, is.words);
    else
        UNROLL for (int k = 0; k < OWN; k++) is.bytes[k] = first + own + k < p.n ? mask[own + k] : 0;
    M_u32 sum = 0;
    UNROLL for (int k = 0; k < OWN; k++) sum += is.bytes[k];
    M_u32 at = sum_before(sums, sum);
    UNROLL for (int k = 0; k < OWN; k++) {
        if (is.bytes[k]) found[at] = own + k;
        at += is.bytes[k];
    }
    BARRIER;
    for (int k = LID; k < total; k += SIZE) out[start + k] = VALUE(first + found[k]);
}

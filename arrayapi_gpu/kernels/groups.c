// What work-items of a group find out together; put in front of kernels without vectors. Defined before:
//   SIZE                  work-items of the group, whole warps

//: sum_before
// The sum of what the work-items before this one give. All of the group ask.
GROUP_FN M_$W sum_before(SHARED M_$W* sums, M_$W own) {
    M_$W sum = own;
    for (int step = 1; step < 32; step *= 2) {
        sums[LID] = sum;
        WARP_BARRIER;
        if (LID % 32 >= step) sum += sums[LID - step];
        WARP_BARRIER;
    }
    sums[LID] = sum;
    BARRIER;
    sum -= own;
    for (int warp = 0; warp < LID / 32; warp++) sum += sums[warp * 32 + 31];
    BARRIER;
    return sum;
}

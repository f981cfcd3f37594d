// The kernels of scattered addition; see scatter_add.py. Put into them:
//   wide  narrow   a value of the target in the dtype of the addition, and back

//: add_in_order
// One work-item adds all values.
KERNEL void add_in_order($arguments) {
    for (S_i64 i = 0; i < p.count; i++) {
        S_i64 place = p.target_0 + places[p.places_0 + i];
        R_$T total = LOAD1_$T(target, place);
        R_$W value = LOAD1_$W(values, p.values_0 + i);
        R_$W sum = add_$W($wide, value);
        STOREN_$T(target, place, 1, 1, $narrow);
    }
}

//: add_runs
// A lane adds the values for one place, in their order.
KERNEL void add_runs($arguments) {
    S_i64 run = GID * LANES;
    if (run >= p.count) return;
    int n = p.count - run < LANES ? (int)(p.count - run) : LANES;
    R_b8 used = less_i64(IOTA, SPLAT_i64(n));
    R_i64 first = WHERE_i64(used, LOADN_i64(starts, run, 1, n), C_i64(0));
    R_i64 end = WHERE_i64(used, LOADN_i64(starts, run + 1, 1, n), C_i64(0));
    R_i64 place = LOADG_i64(places, SPLAT_i64(p.places_0) + LOADG_i64(order, first));
    R_$T total = LOADG_$T(target, SPLAT_i64(p.target_0) + place);
    R_i64 at = first;
    R_b8 more = LT(at, end);
    IN_ORDER while (ANY(more)) {
        R_i64 source = LOADG_i64(order, WHERE_i64(more, at, first));
        R_$W value = LOADG_$W(values, SPLAT_i64(p.values_0) + source);
        R_$W sum = add_$W($wide, value);
        total = where_$T(more, $narrow, total);
        at = at + C_i64(1);
        more = LT(at, end);
    }
    STOREG_$T(target, SPLAT_i64(p.target_0) + place, used, total);
}

//: add_apart
// A lane adds one value; no two have one place.
KERNEL void add_apart($arguments) {
    S_i64 at = GID * LANES;
    if (at >= p.count) return;
    int n = p.count - at < LANES ? (int)(p.count - at) : LANES;
    R_b8 used = less_i64(IOTA, SPLAT_i64(n));
    R_i64 place = WHERE_i64(used, LOADN_i64(places, p.places_0 + at, 1, n), C_i64(0));
    R_$T total = LOADG_$T(target, SPLAT_i64(p.target_0) + place);
    R_$W value = LOADN_$W(values, p.values_0 + at, 1, n);
    R_$W sum = add_$W($wide, value);
    STOREG_$T(target, SPLAT_i64(p.target_0) + place, used, $narrow);
}

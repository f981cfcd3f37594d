// The kernel of element-wise expressions; see elementwise.py, and elementwise_tiling.py for how work-items share the
// elements. A work-item computes registers of LANES elements each, from column `i` of a row on:
//   one register;
//   or `count` registers at a time, neighbours or in rows below each other, where EACH repeats a statement for each;
//   or the registers from column `first` to column `last`, one after another.
// The first `n` lanes of a register hold elements. The row begins at x0_b in operand x0; $I counts elements.

//: each
#define EACH UNROLL for (int k = 0; k < $count; k++)

//: kernel
KERNEL ${attribute}void $kernel($arguments) {
    $place
    $scalars
    $along
    $elements
}

//: registers
$counts
$packed
$values
$results

//: span
for (S_$I i = first; i < last; i += LANES) {
    $registers
}

//: until_all_is_done
S_i64 next = (S_i64)GID * $width;
if (($overs) == 0) {
    $whole
    $loop
} else {
    $parts
    $loop
}
if (next < p.n) {
    $parts
    const S_$I i = (S_$I)next;
    $registers
}

//: loop
for (; next + $width <= p.n; next += (S_i64)GROUPS * GROUP_SIZE * $width) {
    const S_$I i = (S_$I)next;
    $registers
}

//: flat
S_$I i = ((S_$I)GID) * $width;
if (i >= p.n) return;

//: flat_spaced
S_$I i = ((S_$I)GROUP * $count) * GROUP_SIZE + LID;

//: flat_span
S_$I first = ((S_$I)GID) * $width;
S_$I last = first + $width < p.n ? first + $width : p.n;

//: row
S_$I item = (S_$I)GID;
if (item >= p.strips * p.spans) return;
S_$I strip = $strip;
S_$I i = ($span) * $width;
$coordinates
$strip_of_rows
$bases

//: row_span
S_$I item = (S_$I)GID;
if (item >= p.strips * p.spans) return;
S_$I strip = $strip;
S_$I first = ($span) * $width;
S_$I last = first + $width < p.n ? first + $width : p.n;
$coordinates
$strip_of_rows
$bases

//: tile
// Neighbouring groups take neighbouring tiles of a row. Staged operands are read along their own rows, which are
// columns here.
S_$I span = (S_$I)GROUP % p.spans, strip = (S_$I)GROUP / p.spans;
S_$I i = span * $tile + LID % $tile;
$coordinates
$row *= $tile;
S_$I down = $row + LID % $tile, across[$count];
EACH across[k] = span * $tile + LID / $tile + $ahead;
$staged
BARRIER;
$row += LID / $tile;
$rows
$bases

//: staged
// Beyond the array there are zeros, because values there take part in computations, to no effect.
LOCAL R_$T ${x}_tile[$tile][$tile + 1];  // so that a column lies in all banks
EACH ${x}_tile[LID / $tile + $ahead][LID % $tile] = LOADN_$T(p$x, $element, 1, down < p.$extent && across[k] < p.n);

//: strip
$row *= $rows_of_strip;
$rows

//: rows
// Rows past the end are the last one again, to no effect.
S_$I row[$count];
EACH row[k] = $row + $ahead < p.$extent ? $row + $ahead : p.$extent - 1;

//: count
int n = $end - i < LANES ? (int)($end - i) : LANES;

//: counts_of_neighbours
S_$I at[$count];
EACH at[k] = i + $ahead;
int n[$count];
EACH n[k] = $inside;

//: counts_of_rows
int n[$count];
EACH n[k] = $inside ? $lanes : 0;

//: wrapped
// The place of element `i` in an operand that continues at the beginning after `n` elements; the same for the first
// `count` lanes of a register whose first element is at place `j`.
#define WRAPPED(i, n) ((i) < (n) ? (i) : (i) - (n))
#define WRAPPED_FROM(j, n) \
  where_i64(less_i64(SPLAT_i64(j) + IOTA, SPLAT_i64(n)), SPLAT_i64(j) + IOTA, SPLAT_i64((j) - (n)) + IOTA)
#define WRAPPED_LANES(j, n, count) where_i64(less_i64(IOTA, SPLAT_i64(count)), WRAPPED_FROM(j, n), SPLAT_i64(0))

//: between
// The elements that begin `over` elements behind the first of two accesses, less than one takes.
FN V_$T between_$T(V_$T first, V_$T second, int over) {
    union { V_$T parts[2]; M_$unit units[2 * $many]; } both;
    both.parts[0] = first;
    both.parts[1] = second;
    UNROLL for (int step = $many / 2; step > 0; step /= 2) if (over / $each & step)
        UNROLL for (int k = 0; k < 2 * $many - step; k++) both.units[k] = both.units[k + step];
    $rest
    return both.parts[0];
}

//: rest
const int rest = over % $each * $bits;
UNROLL for (int k = 0; k < $many; k++)
    both.units[k] = (M_u32)((both.units[k] | (M_u64)both.units[k + 1] << 32) >> rest);

//: fetch_between
const S_$I ${x}_j = WRAPPED(i + $shift, p.n);
const int ${x}_over = (int)(${x}_j & ($count - 1));
V_$T ${x}_v = FETCH_$T(p$x, $base + ${x}_j - ${x}_over, $count);
V_$T ${x}_w = FETCH_$T(p$x, $base + WRAPPED(${x}_j - ${x}_over + $count, p.n), $count);

//: from_between
R_$T $x[$count];
FROMV_$T(between_$T(${x}_v, ${x}_w, ${x}_over), $x);

//: packed
// The packed rows before element `i`; for each lane of the register that begins with it, the rows from there to the
// lane, and its column; and the places of these elements in an operand. The distance of a lane from the beginning of
// its row is so small that the product is exact.
#define PACKED(i) \
  const S_i64 whole = (i) / p.width; \
  const R_i32 distance = SPLAT_i32((int)((i) - whole * p.width)) + cast_i64_i32(IOTA); \
  const R_i32 over = (distance * SPLAT_i32((int)p.reciprocal)) >> SPLAT_i32(16); \
  const R_i64 further = cast_i32_i64(over), column = cast_i32_i64(distance - over * SPLAT_i32((int)p.width));
#define PACKED_AT(base, row, step) \
  (SPLAT_i64((base) + whole * (row)) + further * SPLAT_i64(row) + column * SPLAT_i64(step))
#define PACKED_LANES(base, row, step, count) \
  where_i64(less_i64(IOTA, SPLAT_i64(count)), PACKED_AT(base, row, step), SPLAT_i64(base))

//: packed_element
// On GPUs: the packed rows before an element, and its column.
const S_$I whole = i / p.width, column = i - whole * p.width;

//: packed_elements
S_$I whole[$count], column[$count];
EACH whole[k] = at[k] / p.width;
EACH column[k] = at[k] - whole[k] * p.width;

//: packed_neighbours
S_$I whole = i / p.width, column = i - whole * p.width;
$firsts
UNROLL for (int k = 1; k < $count; k++) {
    const int over = ++column == p.width;
    if (over) column = 0;
    $nexts
}

//: packed_first
S_$I ${x}_at[$count];
${x}_at[0] = $base + whole * p.${x}_row + column * $step;
const S_$I ${x}_over = p.${x}_row - (p.width - 1) * $step;  // from the end of a row to the next one

//: packed_next
${x}_at[k] = ${x}_at[k - 1] + (over ? ${x}_over : $step);

//: packed_loads
R_$T $x[$count];
if (n[$count - 1]) EACH $x[k] = LOADS_$T(p$x, ${x}_at[k], $step); // all of them, without a question for each
else EACH $x[k] = LOADN_$T(p$x, ${x}_at[k], $step, n[k]);

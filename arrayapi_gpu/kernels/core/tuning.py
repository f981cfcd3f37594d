"""The numbers of the kernels that were tuned: chosen for speed, not determined by the result.

Each has its unit, its meaning, and the place of its measurement, if that was recorded. Another value gives the same
results, except that some numbers decide in which order elements are combined, and so the last bits of sums, scans and
matrix products. Code that changes a number, as tests and measurements do, must empty the stores (`store.clear`) before
and afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

# Launches (launch.py, schedule.py)

# Work-items of a group where a kernel does not say: one number, because PoCL compiles a kernel again for every other
# one. Measured: not recorded.
DEFAULT_GROUP = 64

# Work-items of a group on GPUs, of most kernels. Measured for sorts alone: on an H200 384 and 512 were no better.
GPU_GROUP = 256

# Kernels that are made in a generation, on CPUs and on GPUs. Measured on CPUs: a kernel takes 0.4 MiB (PoCL) to
# 2.6 MiB (Intel's runtime, where a process with 800 expressions stays at 1,020 MiB). On GPUs: not recorded.
GENERATION = 128, 1024

# Elements: the least extent, both ways, for which it matters which way an operand is contiguous. Measured: not
# recorded.
MIN_TRANSPOSED = 8

# The rank of generic kernels, which serve all lower ones; higher ranks have their own. Measured: not recorded.
GENERIC = 4

# Device functions (kernels/core/library.py): how often a kernel's text names a function that is inlined, at most, and
# the characters from which on a function is long. Measured on an H200 with 100 steps of Runge and Kutta, whose kernels
# have up to 40 sines each: 23 s of compilation inlined and 12.8 ms a call, 1.8 s and 11.5 ms called.
INLINED = 8
LONG = 600

# Fusion (lazy/plan/fuse.py)

# The cost up to which a small node is computed again for every element it is broadcast to. Measured: not recorded.
CHEAP = 8

# The cost of a small node times the elements to which it is broadcast, on CPUs and GPUs, above which it is stored even
# if it is cheap. Estimated: an H200 computes 2^28 simple operations in 10 us, in which it launches a small kernel. The
# correlations of bench/programs divide 2^26 elements by deviations of cost 8: 1.16 ms with stored ones, 1.27 when three
# kernels compute them again. On two cores with AVX-512 storing them is no faster.
BROADCAST_COST = 1 << 62, 1 << 28

# The cost up to which a value that a launch and a reduction before it share is computed by both, on CPUs and GPUs, and
# the addition for each array that it reads. Measured with Sobel's edges (costs 34 and 70): on Intel's runtime, two
# cores, 1.6 ms computed twice and 1.8 stored, for 1024 x 1024; on an H200 0.22 ms computed twice, for 4096 x 4096.
STORED_COST = 64, 48
LOAD_COST = 1, 4

# The cost of a value made of views of pending values from which on views of it are those of its memory, on CPUs and
# GPUs. Measured with shortest paths by 50 steps, where each step takes a row and a column of the last one: on Intel's
# runtime, two cores; on an H200, where Python takes longer to plan two steps a launch than a launch takes (4.1 ms
# in one run, 3.4 with one step in another).
DEEP = 4, 1

# The number of times that some elements of a held value are computed for a view of it, before all are; and the number
# of operands that a view may transpose, before its root is computed instead. Measured: not recorded.
FEW_TIMES = 4
TRANSPOSED_LEAVES = 2

# A value that so many plans computed within other values, with so many operations below it, is stored by the next. So
# a loop that reads a reduction in each step computes an operation a few times, however long it runs. Measured: two
# cores took 6.9 s for 160 steps of `d = 0.1 * (z - 3); z = z - d; max(abs(d))`, 10^6 float64, and 0.7 with it.
MET = 2
MET_OPERATIONS = 8

# The number of values besides the wanted one that a launch may compute, and the ratio of their cost to the cost that
# they share with it, at most. Measured: not recorded.
SIBLINGS = 8
REPAID = 4

# Reductions within expressions (lazy/plan/unroll.py), on CPUs and GPUs: elements that are reduced, at most; what they
# may cost together, for each element of the launch, and the cost of an operand whose neighbours are not contiguous;
# outputs from which on it repays to write the expression, which takes Python some 0.1 ms. Measured on Intel's runtime:
# distances of 1,024 points in 3 dimensions, which an expression uses three times, took 4.0 ms within it, 1.8
# separately. On an H200, within and separately: 2^26 distances in 3 dimensions (cost 21) 0.52 and 0.94 ms, in 2 (14)
# 0.85 and 2.8; 2^24 in 3 0.66 and 0.47, where Python takes longer than the GPU; 2^24 sums of 8 squares (96), which
# three launches use, 1.6 and 0.36.
UNROLLED = 32
UNROLLED_COST = 48, 64
SCATTERED_COST = 16, 4
UNROLLED_FROM = 1 << 16, 1 << 25

# Elements of a concatenation from which on it waits for the expressions over it, on CPUs and GPUs: these are computed
# in parts, which takes Python some 20 us a part. Measured on Intel's runtime, 3 x 2^20 float32: concat * 2 took 3.6 ms
# before, 1.6 in parts. On an H200 a program with 40 concatenations of 2^24 took 6.8 ms in
# parts, 4.0 at once.
PARTS_FROM = 1 << 15, 1 << 26

# Kernels by use (specialise.py)

# Elements after which a layout gets its own kernel, on CPUs and GPUs: when the additional time of the generic kernel,
# 0.2 to 3 ns for each element, reaches the time of a compilation, 0.1 to 0.2 s. Measured on PoCL, two cores, with 2^22
# float32. On an H200, with 2^24 float32, these would meet at 2^33, but compilers leave the GPU alone, so it is less.
OFTEN = 1 << 26, 1 << 28

# Launches that count as much, however small: each takes some microseconds longer. Measured on PoCL, two cores.
LAUNCHES = 1 << 10

# Small arrays on the host (host_launch.py): elements up to which NumPy computes them.
ON_HOST = 1 << 12
# The elements of a lane up to which it is sorted together with its positions, by the bytes of an element. On a loaded
# EPYC 2^20 elements in lanes of 16 and 128 took 2 to 6 ms, where NumPy's stable argsort took 3 (int8) to 62; it sorts
# long lanes of 16 bits and fewer by their digits. Elements of 8 bytes have no room for a position.
PACKED_LANE = {1: 1 << 9, 2: 1 << 9, 4: 1 << 31, 8: 0}

# The elements of a lane from which on NumPy sorts it by its digits ("stable"), by the bytes of an element. One core of
# an EPYC (Zen 4) took for 2^18 elements, in ms, by digits and otherwise: int8 in lanes of 16 2.6 (2.1), of 24 1.9
# (3.1), in one 0.3 (6.2); uint16 in lanes of 512 0.9 (0.13), of 1,024 0.6 (0.9), in one 0.6 (4.8).
DIGITS_LANE = {1: 24, 2: 1024}
# NumPy finds elements at places of a sorted lane without sorting the others: the least length of a lane, by the bytes
# of an element, the least number of elements for each place, and how many zeros and NaN it may find. Each of these
# takes one more pass. Operations keep so many places, at most.
SELECTED_LANE = {4: 1 << 14, 8: 1 << 12}
SELECTED_PART, SELECTED_ALIKE, SELECTED_MOST = 8, 16, 64
# Elements whose numbers are marked together, so that their places lie in a cache and in memory that the process has:
# the system takes larger pieces back. 2^16 of int8 take 0.17 ms in either way, and 0.5 where it does so.
MARKED_AT_ONCE = 1 << 13

# Operations of an expression of so few elements that is computed on the spot, at most (lazy/run/host_execution.py).
FEW = 16

# The number of times that each operation of a small expression runs as its own kernel, before the expression has one
# (lazy/run/evaluate.py). The compilation of a kernel takes 20 to 100 ms, as long as a thousand such calls, but its
# binary from the folder takes 4 ms. A test suite has thousands of expressions that run a few times, a program has few
# that run often.
INTERPRETED = 32

# Until a kernel is compiled (lazy/run/meanwhile.py): bytes of intermediate values, and for loops on copies of a GPU's
# memory the bytes and the operations on elements, at most. Above them a program waits for its kernel. An H100's host
# compiles a kernel in 130 ms (median of 113), so loops on copies pay where they take a few milliseconds: with 64 MiB
# instead, first calls of bench/programs took up to 1.8 times as long as with a wait for each kernel.
MEANWHILE = 1 << 28
MEANWHILE_COPIED = 1 << 22
MEANWHILE_OPERATIONS = 1 << 22

# Jobs that wait for the thread in the background, at most; a dropped job comes again with the next launch.
JOBS = 256

# Memory (scratch.py, host_library.py)

# Words of 64 bits of a scratch memory, at least, so that there is a new one seldom. Measured: not recorded.
MIN_WORDS = 1 << 12

# Bytes up to which a copy of a host routine's result into pooled memory is cheaper than a new buffer. Measured: not
# recorded.
SMALL = 1 << 12

# Element-wise (elementwise.py). Measured: not recorded, except for those with a place.

ROWS_PER_ITEM = 4  # rows that a work-item takes at a time

# CPUs
SHORT_ROWS_FROM = 1 << 12  # elements from which on short rows are packed
SPAN = 16  # registers of a row that a work-item takes
SPAN_GROUP = 16  # work-items of a group
ROWS_GROUP = 4  # the same where an item takes several rows: it has much to do, and every core should have some
REPAYS = 8  # the cost that rows must have in common, for every array: several rows at a time are slower to read
STREAM = 1 << 24  # bytes of a result that is written past the caches
STREAM_SPAN = 64  # registers of a row that a work-item then takes

# GPUs
# Rows, at most, that a work-item takes together with the neighbours of an access. On an H200 pixels of three bytes
# become planes of float32 at 3,546 GB/s.
INTERLEAVED = 4
VECTOR_GROUP = 128  # work-items of a group where they read several elements at a time
# Work-items of a launch, at most, where each takes one access after another, because their common part is expensive:
# blocks of random numbers have rounds and keys in common. Measured on an H100 with 2^28 uniform float32: 0.42 ms, and
# 0.46 with half as many; 0.54 with an item for each access.
LOOPING_ITEMS = 1 << 21
TILES = (64, 32)  # rows, and columns, that a group stages
TILE_BYTES = 36 << 10  # bytes of local memory, at most
# Rows of a tile that one item takes, and where all elements have one byte. On an H200, GB/s of transposed copies of
# 256 x 256: int8 1,554, 1,661 and 1,753 with 8, 16 and 32 rows, float32 4,063, 4,016 and 3,968.
TILE_ROWS = 8, 32
# The cost of a body from which on an item takes one element of contiguous arrays instead of four or more: registers for
# several are too many then. Measured on an H200 with the sine by Taylor (cost 84), 2^24 float32: 0.20 ms, and 0.29 with
# four.
ONE_ELEMENT = 64

# Reduction (reduce_schedule.py, reduce.py). All but the last four decide in which order elements are combined.
# Measured: not recorded, except for those with a place.

ACCUMULATORS = 4  # of a work-item: registers that are combined independently of each other
BLOCK = 16  # registers that an accumulator takes along the reduced index before their result is added to the others'
BLOCK_ACROSS = 8  # the same across: more rows at a time are too many streams for a processor to foresee
SEGMENT_ALONG = 16384  # elements of the reduced index that a work-item takes, on CPUs
SEGMENT_ACROSS = 256  # the same across
SEGMENT_ITEM = 64  # elements of a segment that a work-item takes, on GPUs: at least
BUSY_ITEMS = 2**19  # work-items that keep any GPU busy
LEAST_ALONG, LEAST_ACROSS = 32, 8  # work-items that share one output, at least
MANY = 4  # results of segments that a work-item combines at a time, at most
COLUMNS = 4  # neighbouring outputs that a lane computes where most operands are the same for all, at most
RESULTS_PER_ITEM = 8  # results of an output's work-items that one of them combines: to wait for others takes longer

# Work-items that have all elements of their outputs (short.py): elements of an array from which on there is such a
# kernel, since each extent has its own; bytes of contiguous rows that a work-item reads, those of rows that it finds in
# local memory, and those of contiguous columns, at most. On an H200 sums of rows of 2 float32 take 0.20 ms for 2^27,
# 0.62 by the other kernel; rows of 16, 31 and 100 float32 are read at 3,670, 3,510 and 3,540 GB/s, with 128 bytes and
# none in local memory at 2,900, 2,840 and 3,450; maxima of rows of 31 and 100 int8 at 3,150 and 3,490, 1,220 and 2,200.
# The second number is by the bytes of an element: rows of 64 complex64 are read at 3,780 GB/s so, and at 4,050 by the
# other kernel.
SHORT_FROM = 2**20
SHORT_ROW_BYTES = 64
SHORT_STAGED_BYTES = {1: 512, 2: 512, 4: 512, 8: 400, 16: 400}
SHORT_COLUMN_BYTES = 160

GROUP_ELEMENTS = 2**18  # elements that a group takes, on CPUs: many short outputs or one long segment
PAGE = 64  # neighbouring registers, across: they cover pages of memory
# Strips (a register of each accumulator) that are read before they are combined, on GPUs, at most: a power of two; and
# bytes of them, at most, for each work-item. Measured on an H200: less does not fill memory (argmax of 2^28 float32:
# 272 us instead of 239), more leaves too few work-items.
MAX_AHEAD = 4
BYTES_IN_FLIGHT = 64

# Rows (rows.py). Measured: not recorded.

SAVED_WORDS = 128  # of four bytes, that a work-item of a GPU saves in registers
LONGEST = 16384  # elements of a row, on CPUs: more are cut into segments, and work-items share them
# Elements between the first and the last of a row, where lanes lie across rows on CPUs, with those of the neighbouring
# rows: so many stay in the cache from phase to phase. Measured: not recorded.
PLANE = 2**17
ROW_SEGMENTS = 2  # of a row, at most, on GPUs, where neighbouring work-items take neighbouring rows
EXPENSIVE = 8  # the cost above which a value is saved on CPUs
COSTLY = 128  # the cost of programs whose text, once for every element that a work-item has, is too long
ITEM_ELEMENTS = 2**16  # elements of the rows that a work-item takes one after another, on CPUs
ROW_RESULTS_PER_ITEM = 16  # work-items of a row whose results each of them combines, on GPUs
LINE_ROWS = 32  # neighbouring rows
SAVED_PER_ITEM = 32  # elements of a row that a work-item has, if the device's groups are large enough
MIN_RESIDENT = 1024  # work-items of a multiprocessor for which there must be registers, where each saves few words

# Rows on their way through local memory, on GPUs (staging.py). Measured on an H200, softmax of rows of 3, 10 and 31
# float32, by groups of 256: 3,000, 3,490 and 3,260 GB/s with 32 KiB and 32 bytes, 3,750, 3,510 and 3,350 with 64 bytes,
# 3,130, 3,660 and 3,670 with 16 KiB; 2,330, 840 and 840 without. Positions of the maxima of rows of 64, 100 and 128:
# 3,160, 3,290 and 2,550 with 16 KiB, 3,240, 3,420 and 3,020 with 18, which hold 64 padded rows of 256 bytes.

STAGED_GROUP = 128  # work-items, at most
STAGED_BYTES = 18 << 10  # of a group, at most
STAGED_AHEAD = 64  # bytes of shorter rows that a work-item moves at a time, about
STAGED_ROW = 512  # elements of a row, at most: its length is a constant of the kernel's text

# Sums of squared deviations (lazy/build/moments.py). Measured: not recorded.

LARGE = 2**20, 2**25  # elements from which on a second pass over memory costs more than a few small launches
MIN_AXIS = 512  # elements of an axis that is cut
CHUNK = 16384  # elements of a chunk along the fastest axis, at most
CHUNK_WIDE = 1024  # the same for wide dtypes, because a work-item can hold few elements
CHUNK_ACROSS = 512  # elements of a chunk along another axis

# Host operands (lazy/out_of_core/streaming.py). Measured: not recorded.

HOST_BLOCK = 1 << 28  # bytes of a block, at most: of its operands, and of its result
# Extents of the parts in which matrices on the host are multiplied: they influence the bits.
PRODUCT_PART = 4096
HOST_RESULTS = 4  # results that are computed from blocks may take one in so many bytes of the device's memory

# Compaction (compact.py)

# (elements of a segment, work-items of a group): with explicit vectors, and without. Measured: not recorded.
VECTORS, SCALARS = (16384, 1), (4096, 256)

# Unique integers (distinct.py)

# The ratio of the range to the length of the array, at most: beyond it sorting the elements is faster. Measured with 64
# elements and more; the device was not recorded.
SPREAD = 4

# Numbers of a range that is always marked. Measured, this and those below: not recorded.
ALWAYS_EXTENT = 1 << 12

# With explicit vectors
MARK_SEGMENT = 1 << 16  # elements of a work-item
BYTES = 1 << 15  # numbers of a short range, at most: a byte of a work-item's own memory for each

# Without
MARK_ITEMS = 512  # work-items of a group
LENGTH = 1 << 15  # elements of a group, at least
MAX_GROUPS = 1 << 9  # groups, at most
PART_BITS = 1 << 18  # numbers of a part: a bit of a group's local memory for each, 32 KiB
PARTS = 8  # parts of a short range, at most
COLLECTED = 1 << 15  # numbers of a range that one group collects, at most

# Scatter (scatter.py, lazy/mutation/scatters.py). Measured: not recorded.

MAX_IN_ORDER = 1024  # elements that one work-item of a GPU writes in order faster than they are sorted
SCATTER_SPAN = 16  # registers that one work-item takes where order does not matter
SCATTER_GROUP = 4  # work-items of a group there

# Arrays that GPUs join (join.py, lazy/build/joining.py): the fewest, of a small result and of a large one; work-items
# of a group, and units that each copies, of arrays that differ in size and of those that do not; bytes of rows below
# which arrays are joined one after the other, and the axes are exchanged. On an H200 64 equal arrays take 129.5 us
# (4,146 GB/s) one unit at a time, 134 two to eight at a time. With Intel's runtime 64 arrays of 2^14 took 7.1 ms
# together, 0.3 one by one.
JOINED_FROM = 2, 16
JOINED_BY_UNITS = 8  # equal arrays with short rows, at most, whose rows one launch puts side by side
JOINED_ITEMS = 256
JOINED_EACH = 4, 1
JOINED_ROW = 64
JOINED_BYTES = 1 << 24  # of a result of many pieces that NumPy joins on native: threads copy more of them faster

# Scatters in passes (scatter_passes.py): work-items of a group, elements that each reads before it needs them, the most
# groups, and the most places for each value.
PASS_ITEMS = 256
PASS_AHEAD = 8
PASS_GROUPS = 1 << 12
PASS_SPREAD = 64

# Matrix product (matmul.py). Measured: not recorded.

WIDE = 256  # columns for each row of a matrix that is taken to lie by columns, as the transpose of a tall one does

# By panels
HELD_ROWS = 6  # rows of a that are held in registers at a time,
FEW_ROWS = 2, 4, 6, 8  # and where there are no more than so many
BLOCK_ROWS = 96  # rows of a that one work-item takes
STRETCH = 256  # elements of the summed index for which a panel of b stays in the cache
PACKED_ROWS = 48  # rows of a from which on b is copied

# By a column
COLUMN_GROUP = 16  # work-items of a group
COLUMN_ROWS = 16  # rows of a work-item, where there are enough
# Panels for each core where columns are contiguous, at least: fewer, wider ones are read faster. Measured on two cores
# of an EPYC, a row times 2,048 x 2,048 float32: 0.22 ms with 16 registers, 0.27 with 8, 0.33 with 4.
COLUMN_PANELS = 2

BUSY = 64  # work-items from which on the summed index is not cut

# By tiles, without explicit vectors (tiles.py)

# The elements that a work-item holds, for tiles of so many elements and more: along the longer edge, and the shorter.
TILE_BLOCKS = (1 << 14, (8, 8)), (1 << 12, (8, 4)), (1 << 8, (4, 4)), (1 << 4, (2, 2)), (1, (1, 1))
TILE_BLOCK_BYTES = 256  # of these elements, at most
# Operations in the launch of a product (lazy/plan/merged_launches.py): operands at most, because of their registers,
# and the cost at most, because their text is repeated for each element of a work-item.
EPILOGUE_OPERANDS = 4
EPILOGUE_COST = 48

TILE_EDGE = {4: 128, 8: 64, 16: 64}  # rows or columns of a tile, at most, by the bytes of a sum
TILE_TURNED = 64  # elements that a work-item holds from which on slabs are turned on their way to local memory
TILE_DEPTH = 32  # elements of the summed index in local memory, at most,
TILE_PARTS = 16  # elements of an operand's slab that a work-item moves, at most,
TILE_LOCAL_BYTES = 20 << 10  # and bytes of the slabs of a group, at most
TILE_ITEMS = 128  # work-items of a group whose tiles are small
TILES_BUSY = 1 << 15  # work-items that keep a GPU busy: for fewer the summed index is cut,
TILE_PIECE = 256  # into pieces of so many elements at least
# The time to read an operand from local memory, and to move it there, in multiples of that of a multiply-add.
TILE_HELD, TILE_MOVED = 16, 8
# A group should have so many work-items that compute. If it has fewer, its estimated time grows in proportion. On an
# H200, 2^20 x 4 x 2 float32 took 0.025 ms by tiles of 128 x 2 and 0.084 by tiles of 16 x 2.
TILE_WARP = 32

# By a processor's matrix units (fragments.py)
# By the bytes of an element, the least of the two shortest of rows, columns and summed places. On an H200, us by tiles
# and by matrix units: 2^20 x 64 x 16 float16 117, 204, 2^20 x 32 x 32 116, 85; 4,096 x 16 x 4,096 float64 69, 125, 24 x
# 4,096 x 4,096 108, 67; 20,000 of 16 x 16 complex128 93, 133, 2^20 x 16 x 24 421, 330.
FRAGMENTS_FROM = {1: (128, 128), 2: (24, 24), 8: (24, 24), 16: (16, 24)}
# Multiply-adds, at least: fewer take no longer by tiles. So many where matrices by rows have to be copied first
# (300 x 300 x 300 float16 14.8, 80.7 us; 2,000 of 100 x 100 230, 220).
FRAGMENTS_WORK, FRAGMENTS_COPIED = 1 << 21, 1 << 30
# Tiles by the bytes of an element: rows, columns, length of the summed index, rows and columns of a warp, and slabs in
# local memory, which has 48 KiB.
FRAGMENT_SLABS = {
    1: ((128, 128, 64, 64, 64, 3), (64, 64, 64, 32, 32, 3), (32, 32, 64, 16, 16, 3)),
    2: ((128, 128, 32, 64, 64, 3), (64, 64, 32, 32, 32, 3), (32, 32, 32, 16, 16, 3)),
    8: ((128, 64, 8, 32, 32, 4), (64, 64, 16, 32, 32, 3), (32, 32, 16, 16, 16, 3)),
    16: ((64, 64, 8, 32, 32, 3), (32, 32, 8, 16, 16, 4)),
}
FRAGMENT_GROUPS = 264  # groups that keep a GPU busy
FRAGMENT_MOVED = 32  # the time to move an operand to local memory, in multiples of that of a multiply-add

# Vectors, without explicit vectors (tiles.py)
VECTOR_ITEMS = 128  # work-items of a group, at least
VECTOR_ROWS = 4  # rows that a work-item reads at a time, where there are enough
VECTOR_SUMS = 128  # sums of a row, at most: work-items by rows; by columns each has some
VECTOR_LINE = 8
# About so many units (tiles.sums_of) for each sum of a row, where there are enough rows. On an H200, us with 1, 2, 4
# and 8: 2^18 x 100 complex128 420, 225, 176, 131, float16 35, 25, 22, 21; 500 of 300 x 300 float64 157, 155, 107, 90.
VECTOR_EACH = 8
VECTORS_BUSY = 1 << 17  # work-items that keep a GPU busy by columns, where a piece is long enough

# Scan (scan.py)


class Cut(NamedTuple):
    """The cut of the work for a kind of device."""

    along: int  # elements of a segment
    across: int  # the same across rows: few, so that pages that neighbouring work-items read stay in the cache
    group: int  # work-items; at most so many take a tile together, and one each across
    busy: int  # so many rows keep the device busy: they are not cut along the axis


# Measured: not recorded.
CPU_CUT = Cut(along=4096, across=256, group=1, busy=64)
GPU_CUT = Cut(along=4096, across=256, group=256, busy=2048)

# Elements of a row below which rows are walked across. Measured: not recorded.
SHORT_ROW = 16
# Elements of rows that go through local memory, at most. On an H200 sums of rows of 16, 31, 33 and 200 float32 take
# 3,730, 3,700, 3,820 and 3,860 GB/s so, and 2,170, 1,960, 1,100 and 2,810 by groups that scan together.
STAGED_SCAN = 256

# Of groups that scan a tile together. Measured on an H200 with 2^28 float32: neither larger nor smaller tiles helped,
# nor room for six groups a multiprocessor instead of five. Tiles that come into the cache ahead give 3,520 GB/s instead
# of 3,150; 16 MiB of them 2,700.
VECTORS_PER_ITEM = 8  # vectors of neighbours that a work-item takes, at most
SCAN_TILE_BYTES = 40 << 10  # bytes of local memory that a tile may take
BYTES_AHEAD = 4 << 20  # bytes that are on their way into the cache before they are read

# Sort (sort.py)

# Elements of the longest row that is sorted by a network, with explicit vectors. Measured: not recorded.
NETWORK = 128

# Without: elements of a row that a work-item has in registers, a power of two up to WARP. A warp sorts rows of up to
# WARP times as many. Measured on an H200, 2^24 float32 in rows of 10, 64 and 100: 717, 686 and 456 GB/s with 8, 588,
# 593 and 437 with 16, whose argsort is a fifth faster.
NETWORK_OWN = 8

# With explicit vectors. Measured: not recorded.
ROW = 1 << 14  # elements of the longest row that one work-item sorts by digits
SORT_SEGMENT = 1 << 16  # elements of a segment, of 4 bytes and less: of 8 bytes half as many

# Groups that sort together: elements of a work-item, by the bytes of an element and a position, whichever is wider (4:
# or fewer), and whether positions move along. Longer tiles wait for each other less often, but take registers and
# memory of other groups: there should be room for MIN_RESIDENT_GROUPS of them on a multiprocessor. Measured on an H200.
PER_ITEM = {(4, False): 24, (4, True): 16, (8, False): 12, (8, True): 12}
MIN_RESIDENT_GROUPS = 3

# Sorted tiles are merged where each element looks for its place in others: searches of all elements, at most. On an
# H200, us with digits and merged: 10^4 float32 95 and 37, 2^15 95 and 39, 2^16 (10 searches each) 91 and 59, 2^17 (21
# each) 91 and 133; 16 rows of 10^4 77 and 30, 100 rows 67 and 87. Smaller tiles take longer.
MERGED = 3 << 18

# Groups that count digits. Measured: not recorded.
HISTOGRAM = 1 << 15  # elements that a group counts, at least
HISTOGRAMS = 1 << 11  # groups that count, at most
COPIES = 16  # counts that a group has of each value of a digit, divided by the digits of an element

# Search (search.py)

# The numbers of values from which on `isin` searches, the second on GPUs for real elements in memory (set_functions).
# An expression compares fewer ones. Python takes some 6 us for each, and a GPU 25 us for a search among few.
COMPARED = 16, 4

# Without explicit vectors: values that a work-item looks for at a time; and values of one byte for which groups make a
# table of all 256, at least, and these groups, at most. On an H200 2^22 int32 among 10, 1,000, 10^4 and 10^6 take 23,
# 35, 88 and 260 us two at a time.
SEARCH_AHEAD = 2
TABLED = 1 << 14
SEARCH_GROUPS = 1 << 10
# Elements of one byte that each group of a GPU marks for itself, at most, when values are looked up among them: a group
# reads them from a cache. On an H200 2^22 int8 among 10 and 1,000 take 17 us so, and 50 us with marks that all groups
# share, which take three launches more. More than 1,000 were not tried.
MARKED_AGAIN = 1 << 12

# Searches in local memory: values for which groups copy a sorted array into it, at least; its bytes; work-items of a
# group, values that each looks for at a time, and groups of a multiprocessor. On an H200 2^22 int32 among 10, 1,000,
# 10^4 and 10^6 take 22, 28, 37 and 199 us so. 512 work-items and four groups take 35 and 213 us among the last two, and
# leave no first cache for the rest. Searches for 2^18 values are no faster.
HELD_FROM = 1 << 19
HELD_BYTES = 48 << 10
HELD_GROUP = 1024
HELD_AHEAD = 4
HELD_GROUPS = 2

# Users' bodies that write into raw arrays (user_launch.py)

# Elements that a work-item takes on CPUs, one after the other. Measured: not recorded.
USERS_SPAN = 64

# Loops compiled ahead of time (kernels/loops/blocks.c)

# The bytes of a block: of its slots, which the first-level cache should hold, or of the widest array if that is more.
# A block of narrow elements has more than so many only if each thread gets so many blocks. One core of a loaded EPYC
# took for 2^22 int8, in ms, in blocks of 4,096 elements and of 2^15 bytes: x + x 0.143 and 0.115, max of rows of 2,048
# 0.121 and 0.066, x < y 0.22 and 0.12.
NATIVE_CACHE = 1 << 15
NATIVE_BLOCK, NATIVE_SHARES = 4096, 4
# The elements times the cost of a body below which one thread computes it. Measured: not yet.
NATIVE_ALONE = 1 << 16
# The bytes of a row from which on it is computed where it lies; shorter rows are copied and computed together. On two
# cores of an EPYC int8 in rows of 1,024 loses a fifth where it lies, float32 in rows of 512 gains a half.
NATIVE_SPAN = 1 << 11
# The outputs whose blocks are read in turn, at most, where these are nearer in memory than the blocks of one output: a
# second-level cache holds the states of so many. One core of a loaded EPYC took 3.5 ms for float64 64 x 64 x 1,024 over
# the axes 0 and 2 with 1 output, 1.6 with 4 or 8, 1.5 with 16 to 64; float32 1.2, 0.7, 0.5.
NATIVE_IN_TURN = 64
# The bytes an element of the values that are kept from row to row, at most. Measured: not recorded.
NATIVE_KEPT = 16
# Rows that share cache lines are copied together where a line has elements of so many rows and a row has so many
# elements; and the elements of a row of such a panel, at most. On a loaded EPYC 127^3 of complex128 (four rows a line)
# took up to twice the time in panels, and float64 (eight) between half and the same.
NATIVE_ROWS, NATIVE_TURNED, NATIVE_PANEL = 8, 16, 2048
# The elements of each row that a copy of such rows takes at once, by the bytes of an element, and those of all rows, at
# least. One core of a loaded EPYC transposed 16 x 511 x 511 float32 with 8, 16, 32, 64 in 2.9, 3.3, 3.1 and 2.7 ms,
# float64 in 4.0, 5.4, 5.2 and 5.1, uint16 with 16, 32, 64, 128 in 1.3, 1.5, 1.5 and 1.1; float32 took 4.9 with panels.
NATIVE_STRAIGHT, NATIVE_COPIED = {1: 256, 2: 128, 4: 64, 8: 8, 16: 4}, 1024
# The elements from which on a launch may get a kernel of an OpenCL driver, whose launch takes 20 us more (partners.py).
NATIVE_PARTNERED = 1 << 14

# Small matrices (matrices.py)

# On GPUs: rows of a matrix that a work-item holds in registers, at most, by the kernel, whose loops are all unrolled;
# bytes of the matrix's own memory, at most; work-items of a group then; and work-items of a group that share matrices
# in local memory, at most. Other numbers were not tried.
MATRIX_UNROLLED = {
    "lu": 8, "factor": 8, "forward": 8, "cholesky": 8, "qr": 4, "eigh": 3, "svd": 3, "svdvals": 3,
}  # fmt: skip
MATRIX_IN_REGISTERS = 576
MATRIX_GROUP = 64
MATRIX_ITEMS = 64
# The same in global memory, and the groups of a multiprocessor. An H200 took for 256 float32 matrices 128 x 128 with
# 64, 128, 256, in ms: eigh 5.6, 4.9, 4.9; qr 1.8, 1.3, 1.3; inv 1.4, 1.1, 1.1; svd 34 with each. 8 groups took as long.
MATRIX_STORED_ITEMS, MATRIX_STORED_GROUPS = 128, 4
# The most columns for which rotations compute singular values without vectors: the limit of `matrix_rank` is as many
# times eps, too little for the tridiagonal matrix of few columns. That is quicker, twice for 16 columns.
MATRIX_ROTATED = 8
# Work-items of a CPU's core. Each takes one register of matrices after another.
MATRIX_TILES = 4
# The fewest matrices of a stack, and their most rows or columns, that own kernels compute: on GPUs, and on CPUs by
# the routine. An H200 took for 10,000 float64 matrices 8 x 8, in ms, and PyTorch or CuPy, the faster: solve 0.08
# (0.10), inv 0.09 (0.10), cholesky 0.10 (0.11), det 0.03 (0.11), eigh 0.28 (0.41), svd 0.18 (8.3), qr 0.03 (490). For
# 1,000 of 32 x 32: solve 0.13 (0.23), inv 0.12 (0.17), cholesky 0.08 (0.10), svd 1.1 (2.4). For 256 of 64 x 64, some in
# global memory: solve 0.32 (0.30), inv 0.32 (0.28), cholesky 0.11 (0.11), eigh 1.8 (1.6), svd 6.7 (355), svdvals 4.0
# (358), qr 0.37 (13); of 96 x 96: inv 0.83 (0.57), eigh 3.9 (5.1), svd 31 (620); the batched routines through this
# library, whose operands are copied and searched for NaN: inv 0.59 and 0.88. Measured on two cores of an
# EPYC with AVX-512, native, float64, NumPy's processor time divided by half of the kernels': 16 x 16: cholesky 4.4,
# solve 6.5, eigh 8.3, svd 4.5; 24 x 24: svd 3.1, svdvals 3.8; 32 x 32: cholesky 4.5, solve 5.9, inv 6.0, qr 7.4, eigh
# 6.2, svd 2.0, svdvals 3.5; 40 x 40: svd 1.7; 64 x 64: cholesky 5.0, solve 4.2, inv 4.1, qr 4.0, det 4.4, eigh 3.5,
# eigvalsh 6.0, svdvals 2.8, on PoCL and on Intel's driver 2.5 to 4.2. Residuals of ill matrices
# by svd grow with the size: 14 times size * eps for 33 x 32. Of 16 matrices 3 x 3 a launch takes longer than LAPACK.
# 64 matrices of 128 x 128, times NumPy's speed, elapsed, native or Intel's driver, the lower: cholesky 1.5, solve
# 1.4, inv 1.2, qr 4.4, det 2.2, eigh 1.6, eigvalsh 1.9, svdvals 3.7; svd has 1.3 for 32 x 32, 1.0 for 48.
MATRICES_ON_GPU = (1, 32), (16, 128)
MATRICES_ON_CPU = dict.fromkeys(
    (
        "cholesky", "det", "eigh", "eigvalsh", "inv", "lu", "qr", "slogdet", "solve", "solve_triangular", "svdvals",
    ), (32, 128),
) | {"svd": (32, 24)}  # fmt: skip

# Columns of a panel, and groups that share one, at most. Other numbers were not tried.
PANEL_COLUMNS, PANEL_GROUPS = 32, 128
# The fewest rows or columns of matrices that own kernels compute. Measured on an H200's OpenCL, float64, in ms, and by
# NumPy on its host, without the copies: Cholesky 1.0 (0.86) for 256, 1.6 (3.7) for 512, 16 (580) for 4,096; solve 14
# (3.7) for 512, 33 (14) for 1,024, 130 (360) for 4,096; inv 11 (6.6) for 512, 23 (31) for 1,024, 116 (1,080) for 4,096;
# Q R 6.1 for 256, 126 for 4,096. NumPy has no L U, and no triangles. Since a panel is one launch of several groups, on
# another H200 whose host was slower (Cholesky 49): L U 71 for 4,096, Q R 107, inv 86, solve 85; with a launch for each
# column L U 151, Q R 224.
FACTORISATIONS_FROM = {
    "cholesky": 257, "det": 1537, "inv": 769, "lu": 129, "qr": 257, "solve": 1537, "solve_triangular": 1,
}  # fmt: skip

# Factors on the host (host_factors.py)

# Columns that are eliminated one by one, and rows of a triangle that LAPACK solves as a whole.
HOST_PANEL, HOST_TRIANGLE = 16, 64

/* Bodies, block by block: each step of a body is a loop of its own over the elements of a block, which stay in the
   first-level cache from step to step. `block_programs.py` writes the program, words of 64 bits.

   The elements of the whole shape have numbers, in C order. A block has those from one number on, and is computed span
   by span: a span has one index along each of the outer axes. The values of a span lie in slots: an array whose elements
   are neighbours there is its own slot, one that does not move there is one number; all others are copied to the memory
   of the thread.

   A reduction takes the last value of each block (folds.c). The axes that stay come first, and then the reduced ones;
   where outputs lie side by side, the last axis that stays comes last. */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t group, groups;
    int item, size;
    void (*barrier)(void);
} Place;
typedef void (*Loop)(char *out, char *const *x, int64_t n);
typedef void (*Fold)(int what, char *state, const char *elements, char *out, int64_t n, int64_t rows, int64_t first);
enum { BEGIN, FEED, END, ROWS, ROWS_IN_TURN, BEGIN_ACROSS, ACROSS }; /* what, see folds.c */

/* Kinds of inputs: rolled ones are rows, which are in place where a span does not reach beyond the end of the row. In turned
   ones a cache line has elements of several rows. These rows are copied together, as a panel. */
enum { IN_PLACE, NUMBER, STRIDED, ROLLED, INDEX, ALL_OF_MEMORY, TURNED };
#define FN static inline __attribute__((always_inline))
enum { LONG = 256, PIECE = 1024 }; /* bytes of a row that memcpy copies, and at once */
enum { COPIED, DIRECT, SCATTERED }; /* ways of outputs; direct: the last step, or the copy of an input, writes to memory itself */

typedef struct {
    int64_t n, block, rank, inputs, steps, outputs, slots, room;
    int64_t span, shift; /* elements of a span; bytes from element to element of the value that is reduced, if several
                            spans are reduced at once */
    /* Where inputs are turned: the axis along which their rows are neighbours, the rows of a panel, and those of a block, 1
       where a row has several blocks, 0 where the input is copied without a panel; otherwise all are 0. A row has all axes
       behind that one. */
    int64_t axis, rows, together;
    /* Of a reduction: its function, 0 if it is none; ROWS, ROWS_IN_TURN or ACROSS; the slot of its value; elements of an
       output; outputs; elements and number of segments; outputs side by side, and of a page, whose
       blocks are read in turn; */
    int64_t fold, way, value, each, results, length, segments, wide, page;
    /* the places of its state and of finished results in the thread's memory, and the bytes of one; the loop that casts
       results, or 0; the buffer, the offset and the bytes of results; their distance from output to output and from
       segment to segment, in elements. */
    int64_t state, finished, size, cast, buffer, offset, result_size, to_output, to_segment;
    /* Then: the extents; the inputs; the steps; the outputs; the places of the slots in the thread's memory. */
} Program;
typedef struct {
    int64_t kind, slot, size, buffer, offset; /* size of an element; bytes from the beginning of the buffer, or the index */
    int64_t one, period; /* whether it is one number in a span; elements of a span after which it repeats */
    int64_t number[2];   /* the bytes of a number */
    int64_t panel;       /* the place of a turned input's panel in the memory of the thread */
    /* Then: a stride along each axis, in elements, and the shift of the elements along it. */
} Input;
typedef struct {
    /* single: the loop computes one number; kept: the slot is its own, so the values stay if those of the operands do. */
    int64_t loop, slot, single, kept, operands;
    /* Then: the slots of the operands. */
} Step;
typedef struct {
    int64_t slot, size, buffer, offset, way, places; /* places: the slot of the places of scattered elements */
    /* Then: the strides. */
} Output;

extern __thread int native_lacks_memory; /* see native_runtime.c */
static __thread struct { char *memory; int64_t size; } own;
static pthread_key_t ends;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_key(void) { pthread_key_create(&ends, free); }

static char *thread_memory(int64_t size) {
    if (own.size < size) {
        pthread_once(&once, make_key);
        free(own.memory);
        own.memory = aligned_alloc(128, (size + 4095) & ~(int64_t)4095);
        own.size = own.memory ? size : 0;
        pthread_setspecific(ends, own.memory);
        native_lacks_memory = !own.memory;
    }
    return own.memory;
}

typedef struct { uint64_t low, high; } Two;

/* Where the elements of rows lie: the distance from row to row, and from element to element, in elements. */
typedef struct { int64_t row, step; } Lie;

/* Copies `rows` rows of n elements. */
#define COPY(T)                                                                                    \
    FN void copy_rows_##T(T *restrict y, Lie to, const T *restrict x, Lie from, int64_t rows, int64_t n) { \
        for (int64_t row = 0; row < rows; row++, y += to.row, x += from.row)                       \
            for (int64_t k = 0; k < n; k++) y[k * to.step] = x[k * from.step];                     \
    }                                                                                              \
    static void copy_##T(T *y, Lie to, const T *x, Lie from, int64_t rows, int64_t n) {            \
        const Lie packed = {n, 1}, each = {from.row, 0}, near = {from.row, 1};                     \
        const int64_t known = to.row == n ? n : 0; /* compilers know the commonest */             \
        if (to.step != 1) copy_rows_##T(y, to, x, from, rows, n);                                  \
        else if (known == 2 && from.step == 0) copy_rows_##T(y, packed, x, each, rows, 2);             \
        else if (known == 3 && from.step == 0) copy_rows_##T(y, packed, x, each, rows, 3);             \
        else if (known == 2 && from.step == 1) copy_rows_##T(y, packed, x, near, rows, 2);             \
        else if (known == 3 && from.step == 1) copy_rows_##T(y, packed, x, near, rows, 3);             \
        else if (known == 4 && from.step == 1) copy_rows_##T(y, packed, x, near, rows, 4);             \
        else if (known == 8 && from.step == 1) copy_rows_##T(y, packed, x, near, rows, 8);             \
        else if (known == 16 && from.step == 1) copy_rows_##T(y, packed, x, near, rows, 16);           \
        else if (from.step == 0) copy_rows_##T(y, (Lie){to.row, 1}, x, each, rows, n);             \
        else if (from.step == 1) copy_rows_##T(y, (Lie){to.row, 1}, x, near, rows, n);             \
        else copy_rows_##T(y, (Lie){to.row, 1}, x, from, rows, n);                                 \
    }
COPY(uint8_t)
COPY(uint16_t)
COPY(uint32_t)
COPY(uint64_t)
COPY(Two)

/* Copies bytes in pieces. Rows of 2 KiB took up to half as long again by one memcpy each, on a loaded EPYC. */
static void copy_bytes(char *restrict target, const char *restrict source, int64_t n) {
    for (; n > PIECE; n -= PIECE, target += PIECE, source += PIECE) memcpy(target, source, PIECE);
    memcpy(target, source, n);
}

static void copy_rows(char *target, Lie to, const char *source, Lie from, int64_t rows, int64_t n, int64_t size) {
    if (to.step == 1 && from.step == 1 && n * size >= LONG)
        for (int64_t row = 0; row < rows; row++)
            copy_bytes(target + row * to.row * size, source + row * from.row * size, n * size);
    else if (size == 1) copy_uint8_t((void *)target, to, (void *)source, from, rows, n);
    else if (size == 2) copy_uint16_t((void *)target, to, (void *)source, from, rows, n);
    else if (size == 4) copy_uint32_t((void *)target, to, (void *)source, from, rows, n);
    else if (size == 8) copy_uint64_t((void *)target, to, (void *)source, from, rows, n);
    else copy_Two((void *)target, to, (void *)source, from, rows, n);
}

static void copy_row(char *target, int64_t target_step, const char *source, int64_t step, int64_t n, int64_t size) {
    copy_rows(target, (Lie){0, target_step}, source, (Lie){0, step}, 1, n, size);
}

/* The loops that repeat a number. */
#define EXPAND(size) void expand_##size(char *out, char *const *x, int64_t n) { copy_row(out, 1, x[0], 0, n, size); }
EXPAND(1)
EXPAND(2)
EXPAND(4)
EXPAND(8)
EXPAND(16)

/* The indices of element `number`, and its distance from the first one. */
static int64_t place_of(int64_t number, int64_t rank, const int64_t *extents, const int64_t *strides, int64_t *indices) {
    int64_t place = 0;
    for (int64_t axis = rank - 1; axis > 0; axis--) {
        indices[axis] = number % extents[axis], number /= extents[axis];
        place += indices[axis] * strides[axis];
    }
    indices[0] = number;
    return place + number * strides[0];
}

/* The distance of the next row. */
static int64_t next_row(int64_t rank, const int64_t *extents, const int64_t *strides, int64_t *indices) {
    int64_t moved = 0;
    for (int64_t axis = rank - 2; axis >= 0; axis--) {
        moved += strides[axis];
        if (++indices[axis] < extents[axis]) break;
        moved -= extents[axis] * strides[axis], indices[axis] = 0;
    }
    return moved;
}

enum { MOST = 64 }; /* axes */
enum { STATE = 1088 }; /* bytes of an output's state, at most; states begin in other lines of the cache */

static int64_t elements_of(int64_t rank, const int64_t *extents) {
    int64_t n = 1;
    for (int64_t axis = 0; axis < rank; axis++) n *= extents[axis];
    return n;
}

static void gather_rolled(char *target, const Input *x, const char *base, int64_t rank, const int64_t *extents,
                          int64_t first, int64_t n) {
    const int64_t *strides = (const int64_t *)(x + 1), *shifts = strides + rank;
    int64_t indices[MOST], zeros[MOST] = {0}, width = extents[rank - 1];
    place_of(first, rank, extents, zeros, indices);
    while (n > 0) {
        int64_t place = 0;
        for (int64_t axis = 0; axis < rank; axis++)
            place += (indices[axis] + shifts[axis]) % extents[axis] * strides[axis];
        int64_t own = (indices[rank - 1] + shifts[rank - 1]) % width, row = width - indices[rank - 1];
        if (row > width - own) row = width - own;
        if (row > n) row = n;
        copy_row(target, 1, base + place * x->size, strides[rank - 1], row, x->size);
        target += row * x->size, n -= row;
        indices[rank - 1] += row;
        if (indices[rank - 1] == width) indices[rank - 1] = 0, next_row(rank, extents, zeros, indices);
    }
}

/* Copies n elements from number `first` on out of an array, or into it. */
static void move(char *packed, char *base, int into, int64_t size, const int64_t *strides, int64_t rank,
                 const int64_t *extents, int64_t first, int64_t n) {
    int64_t indices[MOST], width = extents[rank - 1], step = strides[rank - 1];
    int64_t place = place_of(first, rank, extents, strides, indices), column = indices[rank - 1];
    while (n > 0) {
        int64_t rows = 1, row = width - column < n ? width - column : n;
        if (rank > 1 && row == width) { /* whole rows */
            rows = extents[rank - 2] - indices[rank - 2];
            if (rows > n / width) rows = n / width;
        }
        const Lie own = {row, 1}, other = {rank > 1 ? strides[rank - 2] : 0, step};
        char *at = base + place * size;
        if (into) copy_rows(at, other, packed, own, rows, row, size);
        else copy_rows(packed, own, at, other, rows, row, size);
        packed += rows * row * size, n -= rows * row;
        if (!n) break;
        if (rows > 1) place += (rows - 1) * other.row, indices[rank - 2] += rows - 1;
        place += next_row(rank, extents, strides, indices) - column * step, column = 0;
    }
}

/* Copies n elements to their places in an array, one after the other. */
static void scatter(const char *packed, const int64_t *places, char *base, int64_t size, int64_t n) {
#define SCATTER(T) for (int64_t i = 0; i < n; i++) ((T *)base)[places[i]] = ((const T *)packed)[i]
    if (size == 1) SCATTER(uint8_t);
    else if (size == 2) SCATTER(uint16_t);
    else if (size == 4) SCATTER(uint32_t);
    else if (size == 8) SCATTER(uint64_t);
    else SCATTER(Two);
}

static void count(int64_t *target, const Input *x, int64_t rank, const int64_t *extents, int64_t first, int64_t n) {
    const int64_t *strides = (const int64_t *)(x + 1);
    int64_t indices[MOST], width = extents[rank - 1], step = strides[rank - 1];
    int64_t place = x->offset + place_of(first, rank, extents, strides, indices), column = indices[rank - 1];
    while (n > 0) {
        int64_t row = width - column < n ? width - column : n;
        for (int64_t i = 0; i < row; i++) target[i] = place + i * step;
        target += row, n -= row;
        place += next_row(rank, extents, strides, indices) - column * step, column = 0;
    }
}

static int is_rolled(const Input *x, int64_t rank) {
    const int64_t *shifts = (const int64_t *)(x + 1) + rank;
    for (int64_t axis = 0; axis < rank; axis++)
        if (shifts[axis]) return 1;
    return 0;
}

/* A copy of an input that a slot or a panel still has. */
typedef struct {
    const char *slot, *from;
    int64_t phase, n;
} Copy;

/* Copies n elements of each of several rows, `down` apart, to rows that are `pitch` apart. Squares, 16 bytes wide, are
   transposed by interleaving their halves, along the shorter side first. The elements outside of squares are copied one by
   one. */
#define TURN(T, LANE, N, LOW, HIGH)                                                                                        \
    static void turn_##T(T *y, int64_t pitch, const T *x, int64_t step, int64_t down, int64_t rows, int64_t n) {           \
        typedef LANE V __attribute__((vector_size(16)));                                                                   \
        const int64_t whole = down == 1 && n >= N ? rows / N * N : 0, squares = whole ? n / N * N : 0;                     \
        const int tall = rows > n;                                                                                         \
        for (int64_t a = 0; a < (tall ? whole : squares); a += N)                                                          \
            for (int64_t b = 0; b < (tall ? squares : whole); b += N) {                                                    \
                const int64_t k = tall ? b : a, r = tall ? a : b;                                                          \
                V v[N], w[N];                                                                                              \
                EACH(j, N) memcpy(v + j, x + (k + j) * step + r, 16);                                                      \
                EACH(half, LOG(N)) {                                                                                       \
                    EACH(j, N / 2) w[2 * j] = LOW(v[j], v[j + N / 2]), w[2 * j + 1] = HIGH(v[j], v[j + N / 2]);            \
                    EACH(j, N) v[j] = w[j];                                                                                \
                }                                                                                                          \
                EACH(j, N) memcpy(y + (r + j) * pitch + k, v + j, 16);                                                     \
            }                                                                                                              \
        for (int64_t k = 0; k < n; k++)                                                                                    \
            for (int64_t r = k < squares ? whole : 0; r < rows; r++) y[r * pitch + k] = x[k * step + r * down];            \
    }
#define EACH(j, N) _Pragma("GCC unroll 16") for (int j = 0; j < (N); j++)
#define LOG(N) ((N) == 16 ? 4 : (N) == 8 ? 3 : (N) == 4 ? 2 : (N) == 2 ? 1 : 0)
#ifdef __clang__
#define INTERLEAVE(a, b, T, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define INTERLEAVE(a, b, T, ...) __builtin_shuffle(a, b, (T __attribute__((vector_size(16)))){__VA_ARGS__})
#endif
#define LOW1(a, b) INTERLEAVE(a, b, uint8_t, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH1(a, b) INTERLEAVE(a, b, uint8_t, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW2(a, b) INTERLEAVE(a, b, uint16_t, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH2(a, b) INTERLEAVE(a, b, uint16_t, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(a, b) INTERLEAVE(a, b, uint32_t, 0, 4, 1, 5)
#define HIGH4(a, b) INTERLEAVE(a, b, uint32_t, 2, 6, 3, 7)
#define LOW8(a, b) INTERLEAVE(a, b, uint64_t, 0, 2)
#define HIGH8(a, b) INTERLEAVE(a, b, uint64_t, 1, 3)
#define LOW16(a, b) a
#define HIGH16(a, b) b
TURN(uint8_t, uint8_t, 16, LOW1, HIGH1)
TURN(uint16_t, uint16_t, 8, LOW2, HIGH2)
TURN(uint32_t, uint32_t, 4, LOW4, HIGH4)
TURN(uint64_t, uint64_t, 2, LOW8, HIGH8)
TURN(Two, uint64_t, 1, LOW16, HIGH16)

static void turn(char *panel, int64_t pitch, const char *from, int64_t step, int64_t down, int64_t rows, int64_t n,
                 int64_t size) {
    if (size == 1) turn_uint8_t((void *)panel, pitch, (void *)from, step, down, rows, n);
    else if (size == 2) turn_uint16_t((void *)panel, pitch, (void *)from, step, down, rows, n);
    else if (size == 4) turn_uint32_t((void *)panel, pitch, (void *)from, step, down, rows, n);
    else if (size == 8) turn_uint64_t((void *)panel, pitch, (void *)from, step, down, rows, n);
    else turn_Two((void *)panel, pitch, (void *)from, step, down, rows, n);
}

/* A program while a thread runs it. */
typedef struct {
    const Program *program;
    char *const *buffers;
    char *memory, **slots;
    const char *inputs, *steps, *outputs;
    const int64_t *extents;
    int64_t input_size, output_size;
    const int64_t *rooms;
    Copy *copies;   /* of each input */
    char *renewed;  /* of each slot: whether its values are other ones than in the span before */
} Run;

/* Copies n elements of an input to its slot, from number `first` on, which lies at `from`. Returns whether it had to. */
static int gather(const Run *run, const Input *x, Copy *copy, const char *from, int64_t first, int64_t n) {
    char *slot = run->slots[x->slot], *base = run->buffers[x->buffer] + x->offset;
    const int64_t rank = run->program->rank, *strides = (const int64_t *)(x + 1);
    if (is_rolled(x, rank)) {
        gather_rolled(slot, x, base, rank, run->extents, first, n);
        return 1;
    }
    if (x->period >= n) {
        move(slot, base, 0, x->size, strides, rank, run->extents, first, n);
        return 1;
    }
    const int64_t phase = first % x->period;
    if (copy->slot == slot && copy->from == from && copy->phase == phase && copy->n >= n) return 0;
    move(slot, base, 0, x->size, strides, rank, run->extents, first, x->period);
    for (int64_t done = x->period; done < n; done *= 2)
        memcpy(slot + done * x->size, slot, (done < n - done ? done : n - done) * x->size);
    *copy = (Copy){slot, from, phase, n};
    return 1;
}

/* Copies n elements of each of several rows of a turned input, from element `start` of the rows on. `from`: the first
   row. */
static void turn_rows(const Run *run, const Input *x, char *target, int64_t pitch, const char *from, int64_t start,
                      int64_t rows, int64_t n) {
    const int64_t axis = run->program->axis, inner = run->program->rank - axis - 1, *extents = run->extents + axis + 1;
    const int64_t *strides = (const int64_t *)(x + 1) + axis, last = extents[inner - 1], step = strides[inner];
    int64_t indices[MOST], place = place_of(start, inner, extents, strides + 1, indices), at = indices[inner - 1];
    for (int64_t done = 0, next; done < n; done += next) {
        next = last - at < n - done ? last - at : n - done;
        turn(target + done * x->size, pitch, from + place * x->size, step, *strides, rows, next, x->size);
        place += next_row(inner, extents, strides + 1, indices) - at * step, at = 0;
    }
}

/* Returns where the elements of a turned input lie in its panel, from number `first` on; copies the panel unless it is
   there already. */
static char *turned(const Run *run, const Input *x, Copy *copy, int64_t first) {
    const Program *program = run->program;
    const int64_t axis = program->axis, block = program->block;
    const int64_t *strides = (const int64_t *)(x + 1), down = strides[axis];
    const int64_t width = elements_of(program->rank - axis - 1, run->extents + axis + 1);
    int64_t indices[MOST], column = first % width, row = first / width, start = column / block * block;
    int64_t number = row % run->extents[axis], above = number % program->rows;
    int64_t rows = run->extents[axis] - (number - above), n = width - start < block ? width - start : block;
    const int64_t pitch = program->together > 1 ? width : block + 64 / x->size;
    if (rows > program->rows) rows = program->rows;
    char *panel = run->memory + x->panel, *from = run->buffers[x->buffer] + x->offset;
    from += (place_of(row, axis + 1, run->extents, strides, indices) - above * down) * x->size;
    if (copy->from != from || copy->phase != start) {
        *copy = (Copy){panel, from, start, n};
        turn_rows(run, x, panel, pitch, from, start, rows, n);
    }
    return panel + (above * pitch + column - start) * x->size;
}

/* Computes the values of n elements of a span, from number `first` on. */
static void run_span(const Run *run, int64_t first, int64_t n) {
    const Program *program = run->program;
    const int64_t rank = program->rank, *extents = run->extents;
    char **slots = run->slots, *operands[16], *renewed = run->renewed;
    int64_t indices[MOST], zeros[MOST];
    memset(zeros, 0, rank * sizeof *zeros);
    place_of(first, rank, extents, zeros, indices);
    for (int64_t k = 0; k < program->outputs; k++) {
        const Output *x = (const Output *)(run->outputs + k * run->output_size);
        if (x->way != DIRECT) continue;
        const int64_t *strides = (const int64_t *)(x + 1);
        int64_t place = 0;
        for (int64_t axis = 0; axis < rank; axis++) place += indices[axis] * strides[axis];
        slots[x->slot] = run->buffers[x->buffer] + x->offset + place * x->size;
    }
    for (int64_t k = 0; k < program->inputs; k++) {
        const Input *x = (const Input *)(run->inputs + k * run->input_size);
        if (x->kind == NUMBER || x->kind == ALL_OF_MEMORY) continue;
        if (x->kind == INDEX) {
            count((int64_t *)slots[x->slot], x, rank, extents, first, x->one ? 1 : n);
            renewed[x->slot] = 1;
            continue;
        }
        if (x->kind == TURNED) {
            slots[x->slot] = turned(run, x, run->copies + k, first);
            renewed[x->slot] = 1;
            continue;
        }
        const int64_t *strides = (const int64_t *)(x + 1), *shifts = strides + rank;
        int64_t place = 0, column = 0;
        for (int64_t axis = 0; axis < rank; axis++) {
            column = indices[axis] + shifts[axis];
            if (column >= extents[axis]) column -= extents[axis];
            place += column * strides[axis];
        }
        char *from = run->buffers[x->buffer] + x->offset + place * x->size;
        if (x->kind == IN_PLACE || (x->kind == ROLLED && column + n <= extents[rank - 1])) {
            Copy *copy = run->copies + k;
            renewed[x->slot] = copy->from != from || copy->n < (x->one ? 1 : n);
            *copy = (Copy){from, from, 0, n};
            slots[x->slot] = from;
        } else {
            if (x->kind == ROLLED) slots[x->slot] = run->memory + run->rooms[x->slot];
            renewed[x->slot] = (char)gather(run, x, run->copies + k, from, first, n);
        }
    }
    const char *at = run->steps;
    for (int64_t k = 0; k < program->steps; k++) {
        const Step *step = (const Step *)at;
        const int64_t *own = (const int64_t *)(step + 1);
        int needed = !step->kept;
        for (int64_t j = 0; j < step->operands; j++) operands[j] = slots[own[j]], needed |= renewed[own[j]];
        if (needed) ((Loop)step->loop)(slots[step->slot], operands, step->single ? 1 : n);
        renewed[step->slot] = (char)needed;
        at = (const char *)(own + step->operands);
    }
    for (int64_t k = 0; k < program->outputs; k++) {
        const Output *x = (const Output *)(run->outputs + k * run->output_size);
        char *base = run->buffers[x->buffer] + x->offset;
        if (x->way == SCATTERED) scatter(slots[x->slot], (const int64_t *)slots[x->places], base, x->size, n);
        if (x->way == COPIED) move(slots[x->slot], base, 1, x->size, (const int64_t *)(x + 1), rank, extents, first, n);
    }
    memset(renewed, 0, program->slots);
}

/* Computes the values of n elements from number `first` on. */
static void run_block(const Run *run, int64_t first, int64_t n) {
    const Program *program = run->program;
    char **value = run->slots + program->value, *whole = *value;
    for (int64_t done = 0; done < n;) {
        int64_t own = program->span - (first + done) % program->span;
        if (own > n - done) own = n - done;
        if (program->shift) *value = whole + done * program->shift;
        run_span(run, first + done, own);
        done += own;
    }
    if (program->shift) *value = whole;
}

/* Copies a block of the rows of a panel of a turned input into a contiguous array. */
static void copy_turned(const Run *run, int64_t group) {
    const Program *program = run->program;
    const Input *x = (const Input *)run->inputs;
    const Output *y = (const Output *)run->outputs;
    const int64_t axis = program->axis, block = program->block, most = program->rows, extent = run->extents[axis];
    const int64_t width = elements_of(program->rank - axis - 1, run->extents + axis + 1);
    const int64_t windows = (width + block - 1) / block, panels = (extent + most - 1) / most;
    const int64_t start = group % windows * block, row = group / windows % panels * most, outer = group / windows / panels;
    const int64_t number = outer * extent + row, *strides = (const int64_t *)(x + 1);
    int64_t indices[MOST], place = place_of(number, axis + 1, run->extents, strides, indices);
    const char *from = run->buffers[x->buffer] + x->offset + place * x->size;
    char *target = run->buffers[y->buffer] + y->offset + (number * width + start) * x->size;
    turn_rows(run, x, target, width, from, start, extent - row < most ? extent - row : most,
              width - start < block ? width - start : block);
}

/* Computes a block of a program with turned inputs: blocks of the rows of a panel come one after the other. */
static void run_turned(const Run *run, int64_t group) {
    const Program *program = run->program;
    const int64_t block = program->block, together = program->together, extent = run->extents[program->axis];
    const int64_t blocks = (extent + together - 1) / together, most = program->rows / together; /* down, and of a panel */
    const int64_t width = elements_of(program->rank - program->axis - 1, run->extents + program->axis + 1);
    const int64_t windows = (width + block - 1) / block, page = blocks * windows, outer = group / page;
    const int64_t panel = group % page / (most * windows), within = group % page % (most * windows);
    const int64_t own = blocks - panel * most < most ? blocks - panel * most : most;
    const int64_t row = (panel * most + within % own) * together, column = within / own * block;
    const int64_t rows = extent - row < together ? extent - row : together;
    const int64_t n = width - column < block ? width - column : block;
    run_block(run, (outer * extent + row) * width + column, rows * n);
}

/* Stores finished results, of outputs from number `output` on. */
static void store_results(const Run *run, int64_t output, int64_t segment, int64_t n) {
    const Program *program = run->program;
    char *target = run->buffers[program->buffer] + program->offset;
    char *finished = run->memory + program->finished;
    target += (output * program->to_output + segment * program->to_segment) * program->result_size;
    if (program->cast) ((Loop)program->cast)(target, &finished, n);
    else memcpy(target, finished, n * program->size);
}

static void run_fold(const Run *run, int64_t group) {
    const Program *program = run->program;
    Fold fold = (Fold)program->fold;
    char *state = run->memory + program->state, *finished = run->memory + program->finished;
    char *const *value = &run->slots[program->value];
    const int64_t n = program->each, block = program->block;
    if (program->way == ACROSS) {
        int64_t pages = (program->wide + program->page - 1) / program->page;
        int64_t column = group % pages * program->page, segment = group / pages % program->segments;
        int64_t outer = group / pages / program->segments, start = segment * program->length;
        int64_t end = start + program->length < n ? start + program->length : n;
        int64_t width = program->wide - column < program->page ? program->wide - column : program->page;
        int64_t together = width == program->wide ? block / width : 1;
        fold(BEGIN_ACROSS, state, 0, 0, width, 0, 0);
        for (int64_t row = start; row < end; row += together) {
            int64_t rows = end - row < together ? end - row : together;
            run_block(run, (outer * n + row) * program->wide + column, rows * width);
            fold(ACROSS, state, *value, row + rows == end ? finished : 0, width, rows, row - start);
        }
        if (start >= end) fold(ACROSS, state, 0, finished, width, 0, 0);
        store_results(run, outer * program->wide + column, segment, width);
        return;
    }
    if (n <= block && program->segments == 1) {
        int64_t together = n ? block / n : block, first = group * together;
        int64_t rows = program->results - first < together ? program->results - first : together;
        if (n) run_block(run, first * n, rows * n);
        fold((int)program->way, state, *value, finished, n, rows, 0);
        store_results(run, first, 0, rows);
        return;
    }
    int64_t pages = (program->wide + program->page - 1) / program->page, column = group / program->segments % pages;
    int64_t output = group / program->segments / pages * program->wide + (column *= program->page);
    int64_t outputs = program->wide - column < program->page ? program->wide - column : program->page;
    int64_t segment = group % program->segments, start = segment * program->length;
    int64_t end = start + program->length < n ? start + program->length : n;
    for (int64_t k = 0; k < outputs; k++) fold(BEGIN, state + k * STATE, 0, 0, 0, 0, 0);
    for (int64_t at = start; at < end; at += block) {
        int64_t own = end - at < block ? end - at : block;
        for (int64_t k = 0; k < outputs; k++) {
            run_block(run, (output + k) * n + at, own);
            fold(FEED, state + k * STATE, *value, 0, own, 0, 0);
        }
    }
    for (int64_t k = 0; k < outputs; k++) {
        fold(END, state + k * STATE, 0, finished, 0, 0, 0);
        store_results(run, output + k, segment, 1);
    }
}

/* The groups from `place.group` to `last`: a kernel, whose parameters are a program. A group is a block; of a reduction a
   segment of an output, or of a page of outputs, or some outputs. */
void native_blocks(char *const *buffers, const char *parameters, Place place, int64_t last, int last_item) {
    const Program *program = (const Program *)parameters;
    const int64_t rank = program->rank, block = program->block, *extents = (const int64_t *)(program + 1);
    char *slots[program->slots + 1];
    Copy copies[program->inputs + 1];
    char renewed[program->slots + 1];
    memset(copies, 0, sizeof copies), memset(renewed, 1, sizeof renewed);
    Run run = {.program = program, .buffers = buffers, .extents = extents, .slots = slots, .copies = copies};
    run.renewed = renewed;
    run.input_size = sizeof(Input) + 16 * rank, run.output_size = sizeof(Output) + 8 * rank;
    run.inputs = (const char *)(extents + rank), run.steps = run.inputs + program->inputs * run.input_size;
    run.outputs = run.steps;
    for (int64_t k = 0; k < program->steps; k++)
        run.outputs += sizeof(Step) + 8 * ((const Step *)run.outputs)->operands;
    run.rooms = (const int64_t *)(run.outputs + program->outputs * run.output_size);
    run.memory = thread_memory(program->room + 1);
    if (!run.memory) return;
    for (int64_t k = 0; k < program->slots; k++) slots[k] = run.memory + run.rooms[k];
    for (int64_t k = 0; k < program->inputs; k++) {
        const Input *x = (const Input *)(run.inputs + k * run.input_size);
        if (x->kind == NUMBER) slots[x->slot] = (char *)x->number;
        if (x->kind == ALL_OF_MEMORY) slots[x->slot] = buffers[x->buffer] + x->offset;
    }
    for (int64_t group = place.group; group < last; group++) {
        const int64_t first = group * block;
        if (program->fold) run_fold(&run, group);
        else if (program->rows && !program->together) copy_turned(&run, group);
        else if (program->rows) run_turned(&run, group);
        else run_block(&run, first, program->n - first < block ? program->n - first : block);
    }
}

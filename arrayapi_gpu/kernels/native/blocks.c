/* Bodies, block by block: each step of a body is a loop of its own over the elements of a block, which stay in the
   first-level cache from step to step. `blocks.py` writes the program, words of 64 bits.

   The elements of the whole shape have numbers, in C order. A block has those from one number on. The values of a block
   lie in slots: an array that is contiguous is its own slot; all others have room in the memory of the thread. */

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

enum { CONTIGUOUS, NUMBER, STRIDED, INDEX, ALL_OF_MEMORY }; /* kinds of inputs */

typedef struct {
    int64_t n, block, rank, inputs, steps, outputs, slots, room;
    /* Then: the extents; the inputs; the steps; the outputs; the places of the slots in the thread's memory. */
} Program;
typedef struct {
    int64_t kind, slot, size, buffer, offset; /* size of an element; bytes from the beginning of the buffer, or the index */
    int64_t number[2];                        /* the bytes of a number */
    /* Then: a stride along each axis, in elements, and the shift of the elements along it. */
} Input;
typedef struct {
    int64_t loop, slot, operands;
    /* Then: the slots of the operands. */
} Step;
typedef struct {
    int64_t slot, size, buffer, offset, direct; /* direct: the last step writes to memory itself */
    /* Then: the strides. */
} Output;

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
    }
    return own.memory;
}

/* Copies n elements, `step` and `target_step` elements apart. */
#define COPIES(T)                                                                                  \
    {                                                                                              \
        const T *x = (const T *)source;                                                            \
        T *y = (T *)target;                                                                        \
        if (step == 0 && target_step == 1) {                                                       \
            T value = *x;                                                                          \
            for (int64_t i = 0; i < n; i++) y[i] = value;                                          \
        } else if (target_step == 1) {                                                             \
            for (int64_t i = 0; i < n; i++) y[i] = x[i * step];                                    \
        } else if (step == 1) {                                                                    \
            for (int64_t i = 0; i < n; i++) y[i * target_step] = x[i];                             \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++) y[i * target_step] = x[i * step];                      \
        }                                                                                          \
        return;                                                                                    \
    }
typedef struct { uint64_t low, high; } Two;
static void copy_row(char *target, int64_t target_step, const char *source, int64_t step, int64_t n, int64_t size) {
    if (step == 1 && target_step == 1) {
        memcpy(target, source, n * size);
        return;
    }
    switch (size) {
    case 1: COPIES(uint8_t)
    case 2: COPIES(uint16_t)
    case 4: COPIES(uint32_t)
    case 8: COPIES(uint64_t)
    default: COPIES(Two)
    }
}

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

static void gather(char *target, const Input *x, const char *base, int64_t rank, const int64_t *extents, int64_t first,
                   int64_t n) {
    const int64_t *strides = (const int64_t *)(x + 1);
    int64_t indices[MOST], width = extents[rank - 1], step = strides[rank - 1];
    int64_t place = place_of(first, rank, extents, strides, indices), column = indices[rank - 1];
    while (n > 0) {
        int64_t row = width - column < n ? width - column : n;
        copy_row(target, 1, base + place * x->size, step, row, x->size);
        target += row * x->size, n -= row;
        place += next_row(rank, extents, strides, indices) - column * step, column = 0;
    }
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

static void scatter(const char *source, const Output *x, char *base, int64_t rank, const int64_t *extents, int64_t first,
                    int64_t n) {
    const int64_t *strides = (const int64_t *)(x + 1);
    int64_t indices[MOST], width = extents[rank - 1], step = strides[rank - 1];
    int64_t place = place_of(first, rank, extents, strides, indices), column = indices[rank - 1];
    while (n > 0) {
        int64_t row = width - column < n ? width - column : n;
        copy_row(base + place * x->size, step, source, 1, row, x->size);
        source += row * x->size, n -= row;
        place += next_row(rank, extents, strides, indices) - column * step, column = 0;
    }
}

static int is_rolled(const Input *x, int64_t rank) {
    const int64_t *shifts = (const int64_t *)(x + 1) + rank;
    for (int64_t axis = 0; axis < rank; axis++)
        if (shifts[axis]) return 1;
    return 0;
}

/* The blocks from `place.group` to `last`: a kernel, whose parameters are a program. */
void native_blocks(char *const *buffers, const char *parameters, Place place, int64_t last, int last_item) {
    const Program *program = (const Program *)parameters;
    const int64_t rank = program->rank, block = program->block, *extents = (const int64_t *)(program + 1);
    const char *inputs = (const char *)(extents + rank);
    const int64_t input_size = sizeof(Input) + 16 * rank, output_size = sizeof(Output) + 8 * rank;
    const char *steps = inputs + program->inputs * input_size, *after = steps;
    for (int64_t k = 0; k < program->steps; k++) after += sizeof(Step) + 8 * ((const Step *)after)->operands;
    const char *outputs = after;
    const int64_t *rooms = (const int64_t *)(outputs + program->outputs * output_size);
    char *memory = thread_memory(program->room), *slots[program->slots + 1], *operands[16];
    for (int64_t k = 0; k < program->slots; k++) slots[k] = memory + rooms[k];
    int64_t most = (last - place.group) * block;
    for (int64_t k = 0; k < program->inputs; k++) {
        const Input *x = (const Input *)(inputs + k * input_size);
        if (x->kind == NUMBER)
            copy_row(slots[x->slot], 1, (const char *)x->number, 0, most < block ? most : block, x->size);
        if (x->kind == ALL_OF_MEMORY) slots[x->slot] = buffers[x->buffer] + x->offset;
    }
    for (int64_t group = place.group; group < last; group++) {
        const int64_t first = group * block, n = program->n - first < block ? program->n - first : block;
        for (int64_t k = 0; k < program->inputs; k++) {
            const Input *x = (const Input *)(inputs + k * input_size);
            if (x->kind == CONTIGUOUS) slots[x->slot] = buffers[x->buffer] + x->offset + first * x->size;
            if (x->kind == INDEX) count((int64_t *)slots[x->slot], x, rank, extents, first, n);
            if (x->kind == STRIDED)
                (is_rolled(x, rank) ? gather_rolled : gather)(
                    slots[x->slot], x, buffers[x->buffer] + x->offset, rank, extents, first, n);
        }
        for (int64_t k = 0; k < program->outputs; k++) {
            const Output *x = (const Output *)(outputs + k * output_size);
            if (x->direct) slots[x->slot] = buffers[x->buffer] + x->offset + first * x->size;
        }
        const char *at = steps;
        for (int64_t k = 0; k < program->steps; k++) {
            const Step *step = (const Step *)at;
            const int64_t *from = (const int64_t *)(step + 1);
            for (int64_t j = 0; j < step->operands; j++) operands[j] = slots[from[j]];
            ((Loop)step->loop)(slots[step->slot], operands, n);
            at = (const char *)(from + step->operands);
        }
        for (int64_t k = 0; k < program->outputs; k++) {
            const Output *x = (const Output *)(outputs + k * output_size);
            if (!x->direct) scatter(slots[x->slot], x, buffers[x->buffer] + x->offset, rank, extents, first, n);
        }
    }
}

/* Reductions of the blocks of `blocks.c`, in the order of the kernels for CPUs (kernels/reductions): 64 accumulators, of
   which each takes 16 elements before its sum is added to the others', or 8 where outputs lie side by side.

   FOLD(name, t, combined, identity, rounded) defines the function `fold_name`, of elements and accumulators of dtype t.
   Where ``rounded`` is 0, the order does not matter. PLACE does the same for the position of a winner. FEEDING defines what
   both need. */

/* gcc makes branches of a choice whose condition depends on another choice, as in the largest of several numbers, before it
   makes vectors: two comparisons more for each. */
#ifndef __clang__
#pragma GCC optimize("no-thread-jumps")
#endif

enum { BEGIN, FEED, END, ROWS, ROWS_IN_TURN, BEGIN_ACROSS, ACROSS };
enum { TOGETHER = 64, LANE = 16, CHUNK = 1024, BLOCK_ROWS = 8, FEW = 128 };

/* `what` selects the work:
     BEGIN          begins the state of one output
     FEED           adds n elements to it: a multiple of CHUNK, except for the last call
     END            writes its result
     ROWS           writes the results of `rows` rows of n elements
     ROWS_IN_TURN   the same, with one element added after another
     BEGIN_ACROSS   begins the state of n outputs side by side, which has two numbers for each
     ACROSS         adds `rows` rows of n elements, from row number `first` on; writes the results if there is an `out` */
#define FEEDING(name, t, combined, identity, rounded)                                              \
    FN void feed_##name(R_##t *best, const M_##t *x, int64 n) {                                    \
        while (n > 0) {                                                                            \
            R_##t part[TOGETHER];                                                                  \
            for (int k = 0; k < TOGETHER; k++) part[k] = rounded ? identity : best[k];             \
            int64 strips = (n < CHUNK ? n : CHUNK) / TOGETHER, s = 0;                              \
            int rest = n < CHUNK ? (int)(n % TOGETHER) : 0;                                        \
            if (!rounded && sizeof *x == 1) for (; s + 2 <= strips; s += 2, x += 2 * TOGETHER)     \
                VECTORS_OF for (int k = 0; k < TOGETHER; k++)                                      \
                    part[k] = combined(part[k], combined(FROM_##t(x[k]), FROM_##t(x[k + TOGETHER]))); \
            for (; s < strips; s++, x += TOGETHER)                                                 \
                VECTORS_OF for (int k = 0; k < TOGETHER; k++) part[k] = combined(part[k], FROM_##t(x[k])); \
            for (int k = 0; k < rest; k++) part[k] = combined(part[k], FROM_##t(x[k]));            \
            for (int k = 0; k < TOGETHER; k++) best[k] = rounded ? combined(best[k], part[k]) : part[k]; \
            n -= CHUNK;                                                                            \
        }                                                                                          \
    }                                                                                              \
    FN M_##t end_##name(R_##t *best) {                                                             \
        for (int u = 1; u < TOGETHER / LANE; u++)                                                  \
            for (int k = 0; k < LANE; k++) best[k] = combined(best[k], best[u * LANE + k]);        \
        for (int left = LANE / 2; left; left /= 2)                                                 \
            for (int k = 0; k < left; k++) best[k] = combined(best[k], best[k + left]);            \
        return INTO_##t(best[0]);                                                                  \
    }                                                                                              \
    /* The same for as many rows as there are lanes: the lanes of a register are one row's, and then the rows'. */ \
    FN void end_all_##name(M_##t *o, R_##t *rows) {                                               \
        R_##t lanes[LANE][LANE];                                                                   \
        for (int row = 0; row < LANE; row++) {                                                     \
            R_##t *own = rows + row * TOGETHER;                                                    \
            for (int u = 1; u < TOGETHER / LANE; u++)                                              \
                for (int k = 0; k < LANE; k++) own[k] = combined(own[k], own[u * LANE + k]);       \
        }                                                                                          \
        for (int k = 0; k < LANE; k++)                                                             \
            for (int row = 0; row < LANE; row++) lanes[k][row] = rows[row * TOGETHER + k];         \
        for (int left = LANE / 2; left; left /= 2)                                                 \
            for (int k = 0; k < left; k++)                                                         \
                for (int row = 0; row < LANE; row++) lanes[k][row] = combined(lanes[k][row], lanes[k + left][row]); \
        for (int row = 0; row < LANE; row++) o[row] = INTO_##t(lanes[0][row]);                     \
    }

#define FOLD(name, t, combined, identity, rounded)                                                 \
    FEEDING(name, t, combined, identity, rounded)                                                  \
    /* Rows of n elements, which compilers know for the commonest: several rows become a vector. */ \
    FN void turn_##name(M_##t *RESTRICT o, const M_##t *RESTRICT x, int64 n, int64 rows) {         \
        for (int64 row = 0; row < rows; row++) {                                                   \
            R_##t whole = identity;                                                                \
            for (int64 k = 0; k < n;) {                                                            \
                R_##t part = identity;                                                             \
                for (int64 end = k + BLOCK_ROWS < n ? k + BLOCK_ROWS : n; k < end; k++)            \
                    part = combined(part, FROM_##t(x[row * n + k]));                               \
                whole = combined(whole, part);                                                     \
            }                                                                                      \
            o[row] = INTO_##t(whole);                                                              \
        }                                                                                          \
    }                                                                                              \
    FN void few_##name(M_##t *RESTRICT o, const M_##t *RESTRICT x, int n, int64 rows) {            \
        VECTORS_OF for (int64 row = 0; row < rows; row++) {                                        \
            R_##t part = identity;                                                                 \
            UNROLL for (int k = 0; k < n; k++) part = combined(part, FROM_##t(x[row * n + k]));    \
            o[row] = INTO_##t(combined(identity, part));                                           \
        }                                                                                          \
    }                                                                                              \
    void fold_##name(int what, char *state, const char *elements, char *out, int64 n, int64 rows, int64 first) { \
        R_##t *best = (R_##t *)state;                                                              \
        const M_##t *x = (const M_##t *)elements;                                                  \
        M_##t *o = (M_##t *)out;                                                                   \
        if (what == BEGIN) for (int k = 0; k < TOGETHER; k++) best[k] = identity;                  \
        if (what == FEED) feed_##name(best, x, n);                                                 \
        if (what == END) *o = end_##name(best);                                                    \
        if (what == ROWS) for (int64 row = 0; row < rows;) {                                       \
            R_##t own[LANE * TOGETHER];                                                            \
            int many = rows - row < LANE ? 1 : LANE;                                               \
            for (int k = 0; k < many * TOGETHER; k++) own[k] = identity;                           \
            for (int r = 0; r < many; r++) feed_##name(own + r * TOGETHER, x + (row + r) * n, n);  \
            if (many == LANE) end_all_##name(o + row, own);                                        \
            else o[row] = end_##name(own);                                                         \
            row += many;                                                                           \
        }                                                                                          \
        if (what == ROWS_IN_TURN) switch (n) {                                                     \
            case 2: few_##name(o, x, 2, rows); break;                                              \
            case 3: few_##name(o, x, 3, rows); break;                                              \
            case 4: few_##name(o, x, 4, rows); break;                                              \
            case 8: few_##name(o, x, 8, rows); break;                                              \
            default: turn_##name(o, x, n, rows);                                                   \
        }                                                                                          \
        R_##t *part = rounded ? best + n : best;                                                   \
        if (what == BEGIN_ACROSS) for (int64 k = 0; k < 2 * n; k++) best[k] = identity;            \
        if (what == ACROSS) {                                                                      \
            for (int64 row = 0; row < rows;) {                                                     \
                if ((!rounded || (first + row) % BLOCK_ROWS == 0) && row + BLOCK_ROWS <= rows) {   \
                    VECTORS_OF for (int64 k = 0; k < n; k++) {                                     \
                        R_##t own = identity;                                                      \
                        UNROLL for (int r = 0; r < BLOCK_ROWS; r++) own = combined(own, FROM_##t(x[r * n + k])); \
                        best[k] = combined(best[k], own);                                          \
                    }                                                                              \
                    row += BLOCK_ROWS, x += BLOCK_ROWS * n;                                        \
                    continue;                                                                      \
                }                                                                                  \
                VECTORS_OF for (int64 k = 0; k < n; k++) part[k] = combined(part[k], FROM_##t(x[k])); \
                if (rounded && (first + row) % BLOCK_ROWS == BLOCK_ROWS - 1)                       \
                    VECTORS_OF for (int64 k = 0; k < n; k++) {                                     \
                        best[k] = combined(best[k], part[k]);                                      \
                        part[k] = identity;                                                        \
                    }                                                                              \
                row++, x += n;                                                                     \
            }                                                                                      \
            if (out) for (int64 k = 0; k < n; k++) o[k] = INTO_##t(rounded ? combined(best[k], part[k]) : best[k]); \
        }                                                                                          \
    }

/* `better(x, y)`: the one that wins, or NaN; `beats(x, y)`: x wins against y, or is the first NaN. A state is the winner,
   and its position. */
#define PLACE(name, t, better, beats, identity)                                                    \
    FEEDING(name, t, better, identity, 0)                                                          \
    typedef struct { R_##t value; int64 at, next; } Winner_##name;                                 \
    FN void meet_##name(Winner_##name *own, R_##t value, int64 place) {                            \
        int wins = own->at < 0 || beats(value, own->value);                                        \
        own->value = wins ? value : own->value, own->at = wins ? place : own->at;                  \
    }                                                                                              \
    FN int is_##name(M_##t element, R_##t top) {                                                   \
        R_##t x = FROM_##t(element);                                                               \
        return x == top | x != x;                                                                  \
    }                                                                                              \
    /* The best value by lanes, and then, if it wins, the first place where it, or a NaN, is. */   \
    FN void meet_all_##name(Winner_##name *own, const M_##t *x, int64 n) {                         \
        R_##t lanes[TOGETHER];                                                                     \
        for (int k = 0; k < TOGETHER; k++) lanes[k] = identity;                                    \
        feed_##name(lanes, x, n);                                                                  \
        M_##t best = end_##name(lanes);                                                            \
        R_##t top = FROM_##t(best);                                                                \
        if (own->at < 0 || beats(top, own->value)) {                                               \
            int64 at = 0;                                                                          \
            for (int found = 0; at + TOGETHER <= n; at += TOGETHER) {                              \
                for (int k = 0; k < TOGETHER; k++) found |= is_##name(x[at + k], top);             \
                if (found) break;                                                                  \
            }                                                                                      \
            while (at < n && !is_##name(x[at], top)) at++;                                         \
            own->value = top, own->at = own->next + at;                                            \
        }                                                                                          \
        own->next += n;                                                                            \
    }                                                                                              \
    /* As many short rows as there are lanes. */                                                   \
    FN void meet_few_##name(int64 *o, const M_##t *x, int64 n) {                                   \
        R_##t best[LANE];                                                                          \
        int at[LANE] = {0};                                                                        \
        for (int row = 0; row < LANE; row++) best[row] = FROM_##t(x[row * n]);                     \
        for (int k = 1; k < n; k++)                                                                \
            for (int row = 0; row < LANE; row++) {                                                 \
                R_##t value = FROM_##t(x[row * n + k]);                                            \
                int wins = beats(value, best[row]);                                                \
                best[row] = wins ? value : best[row], at[row] = wins ? k : at[row];                \
            }                                                                                      \
        for (int row = 0; row < LANE; row++) o[row] = at[row];                                     \
    }                                                                                              \
    void fold_##name(int what, char *state, const char *elements, char *out, int64 n, int64 rows, int64 first) { \
        Winner_##name *own = (Winner_##name *)state, none = {identity, -1, 0};                     \
        const M_##t *x = (const M_##t *)elements;                                                  \
        int64 *o = (int64 *)out;                                                                   \
        if (what == BEGIN) *own = none;                                                            \
        if (what == FEED) meet_all_##name(own, x, n);                                              \
        if (what == END) *o = own->at;                                                             \
        if (what == ROWS || what == ROWS_IN_TURN) for (int64 row = 0; row < rows;) {               \
            if (n < FEW && rows - row >= LANE) {                                                   \
                meet_few_##name(o + row, x + row * n, n);                                          \
                row += LANE;                                                                       \
                continue;                                                                          \
            }                                                                                      \
            Winner_##name of_row = none;                                                           \
            meet_all_##name(&of_row, x + row * n, n);                                              \
            o[row++] = of_row.at;                                                                  \
        }                                                                                          \
        if (what == BEGIN_ACROSS) for (int64 k = 0; k < n; k++) own[k] = none;                     \
        if (what == ACROSS) {                                                                      \
            for (int64 row = 0; row < rows; row++, x += n)                                         \
                for (int64 k = 0; k < n; k++) meet_##name(own + k, FROM_##t(x[k]), first + row);   \
            if (out) for (int64 k = 0; k < n; k++) o[k] = own[k].at;                               \
        }                                                                                          \
    }

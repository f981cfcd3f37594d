/* Launches of the native back end: the groups of a kernel, shared among threads.

   A launch returns when it is done. The thread that launches takes part. The first launch that needs other threads starts
   them; a forked child starts its own. If another thread of the program launches meanwhile, its launch runs in that thread
   alone. So no more threads work than were asked for.

   Work-items of a group run one after another. Where they wait for each other, each has a stack of its own (ucontext). */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

typedef struct {
    int64_t group, groups;
    int item, size;
    void (*barrier)(void);
} Place;
/* Runs the work-items from `place.item` to `last_item` of each group from `place.group` to `last`. */
typedef void (*Kernel)(char *const *buffers, const char *parameters, Place place, int64_t last, int last_item);

typedef struct {
    Kernel kernel;
    char *const *buffers;
    const char *parameters;
    int64_t groups, step;
    int size, waits;
    int *failed; /* whether memory was lacking */
} Launch;

enum { MOST = 256, STACK = 1 << 18, SPINS = 2000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int threads, busy;
    uint64_t number; /* of the launch */
    Launch launch;
    int64_t next; /* the first group that nobody has taken */
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER; /* by a launch */

/* Whether this thread lacked memory in a launch; kernels that are compiled with this file set it, too. */
__thread int native_lacks_memory;

/* Groups whose work-items wait. */

typedef struct {
    ucontext_t *items, back;
    char *stacks;
    int size, current, room;
    char *done;
    const Launch *launch;
    int64_t group;
} Fibers;
static __thread Fibers fibers;

static void wait_at_barrier(void) { swapcontext(&fibers.items[fibers.current], &fibers.back); }

static void run_item(void) {
    const Launch *own = fibers.launch;
    int item = fibers.current;
    Place place = {fibers.group, own->groups, item, own->size, wait_at_barrier};
    own->kernel(own->buffers, own->parameters, place, fibers.group + 1, item + 1);
    fibers.done[item] = 1;
}

/* Makes stacks for so many work-items; false where there is no memory. */
static int has_stacks(int size) {
    if (fibers.room >= size) return 1;
    ucontext_t *items = realloc(fibers.items, size * sizeof *items);
    if (items) fibers.items = items;
    char *done = realloc(fibers.done, size);
    if (done) fibers.done = done;
    if (!items || !done) return 0;
    char *stacks = mmap(0, (size_t)size * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED) return 0;
    if (fibers.room) munmap(fibers.stacks, (size_t)fibers.room * STACK);
    fibers.stacks = stacks, fibers.room = size;
    return 1;
}

static void run_waiting_group(const Launch *launch, int64_t group) {
    int size = launch->size, left = size;
    if (!has_stacks(size)) {
        native_lacks_memory = 1;
        return;
    }
    fibers.launch = launch, fibers.group = group;
    for (int item = 0; item < size; item++) {
        fibers.done[item] = 0;
        getcontext(&fibers.items[item]);
        fibers.items[item].uc_stack.ss_sp = fibers.stacks + (size_t)item * STACK;
        fibers.items[item].uc_stack.ss_size = STACK;
        fibers.items[item].uc_link = &fibers.back;
        makecontext(&fibers.items[item], run_item, 0);
    }
    while (left)
        for (int item = 0; item < size; item++)
            if (!fibers.done[item]) {
                fibers.current = item;
                swapcontext(&fibers.back, &fibers.items[item]);
                left -= fibers.done[item];
            }
}

static void run_groups(const Launch *launch, int64_t first, int64_t last) {
    if (launch->waits && launch->size > 1) {
        for (int64_t group = first; group < last; group++) run_waiting_group(launch, group);
    } else {
        Place place = {first, launch->groups, 0, launch->size, 0};
        launch->kernel(launch->buffers, launch->parameters, place, last, launch->size);
    }
    if (native_lacks_memory) __atomic_store_n(launch->failed, 1, __ATOMIC_RELAXED), native_lacks_memory = 0;
}

/* Threads. */

static void take_part(const Launch *launch) {
    for (;;) {
        int64_t first = __atomic_fetch_add(&pool.next, launch->step, __ATOMIC_RELAXED);
        if (first >= launch->groups) return;
        int64_t last = first + launch->step;
        run_groups(launch, first, last < launch->groups ? last : launch->groups);
    }
}

static void *work(void *unused) {
    uint64_t seen = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.number == seen) {
            pthread_mutex_unlock(&pool.lock);
            for (int k = 0; k < SPINS && __atomic_load_n(&pool.number, __ATOMIC_ACQUIRE) == seen; k++)
                __atomic_signal_fence(__ATOMIC_SEQ_CST);
            pthread_mutex_lock(&pool.lock);
            if (pool.number == seen) pthread_cond_wait(&pool.begin, &pool.lock);
        }
        seen = pool.number;
        Launch own = pool.launch;
        if (!own.kernel) continue; /* it has ended already */
        pool.busy++;
        pthread_mutex_unlock(&pool.lock);
        take_part(&own);
        pthread_mutex_lock(&pool.lock);
        if (!--pool.busy) pthread_cond_signal(&pool.end);
    }
    return unused;
}

static void forget(void) { /* in a forked child, which has no other threads */
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t none = PTHREAD_COND_INITIALIZER;
    pool.lock = in_use = lock, pool.begin = pool.end = none;
    pool.threads = pool.busy = 0;
}

static void make_threads(int threads) {
    static int known;
    if (!known) known = !pthread_atfork(0, 0, forget);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_t made;
    while (pool.threads < threads - 1 && !pthread_create(&made, &detached, work, 0)) pool.threads++;
    pthread_attr_destroy(&detached);
}

/* Launches a kernel over groups of `size` work-items on `threads` threads. `waits`: work-items wait for each other. Returns
   whether memory was lacking; the results are then incomplete. */
int native_launch(Kernel kernel, char *const *buffers, const char *parameters, int64_t groups, int size, int waits,
                  int threads) {
    if (threads > MOST) threads = MOST;
    int64_t step = groups / (threads * 8);
    int failed = 0;
    Launch launch = {kernel, buffers, parameters, groups, step ? step : 1, size, waits, &failed};
    if (threads < 2 || groups < 2 || pthread_mutex_trylock(&in_use)) {
        run_groups(&launch, 0, groups);
        return failed;
    }
    if (pool.threads < threads - 1) make_threads(threads);
    pthread_mutex_lock(&pool.lock);
    pool.launch = launch, pool.next = 0;
    __atomic_store_n(&pool.number, pool.number + 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&pool.begin);
    pthread_mutex_unlock(&pool.lock);
    take_part(&launch);
    pthread_mutex_lock(&pool.lock);
    pool.launch.kernel = 0;
    while (pool.busy) pthread_cond_wait(&pool.end, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&in_use);
    return failed;
}

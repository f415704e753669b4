/* THE thread and BLAS policy: many small matrices run on many threads with BLAS at one thread each,
 * a few large ones in order with BLAS on all. Mixing the two is up to 80 times slower and breaks
 * bit-equality, so the switch is thrown here and nowhere else.
 * It refuses a loop of no threads. */
#define _GNU_SOURCE /* sched_getaffinity, dladdr */
#include "base/fail.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Resolved weakly, so that any other BLAS links too; it then keeps its own policy. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));
extern void *blas_memory_alloc(int) __attribute__((weak));
extern void blas_memory_free(void *) __attribute__((weak));
/* Only its address is used, to find the library it came from. */
extern void dgemm_(void) __attribute__((weak));

size_t as_threads_available(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        return count > 0 ? (size_t)count : 1;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

uint64_t as_memory_total(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* Sets BLAS's thread count and returns the one before. */
static int blas_threads(int count) {
    int before = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (openblas_set_num_threads && count != before) {
        openblas_set_num_threads(count);
    }
    return before;
}

/* OpenBLAS takes a buffer of this size for each thread that computes, in a loop that has no other end
 * than getting it. Where the address space is limited (ulimit -v, as batch systems set it) the
 * buffers are made before anything computes, and leave some room for all else. */
enum { BLAS_BUFFER = 1 << 27, BLAS_ROOM = BLAS_BUFFER + (1 << 25) };

static atomic_bool starved;
/* Buffers that BLAS has: it keeps what it is given back, so that no later loop needs room for them. */
static atomic_size_t made;

static bool address_space_has(size_t bytes) {
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* On how many of so many threads BLAS may compute, and 1 where it must not: as_blas_ready(). */
static size_t blas_buffers(size_t threads) {
    struct rlimit limit;
    if (threads == 0 || !blas_memory_alloc || !blas_memory_free ||
        getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return threads;
    }
    void **held = calloc(threads, sizeof *held);
    size_t count = 0, before = atomic_load(&made);
    while (held != NULL && count < threads && (count < before || address_space_has(BLAS_ROOM))) {
        held[count++] = blas_memory_alloc(0);
    }
    if (count > before) {
        atomic_store(&made, count);
    }
    for (size_t i = 0; i < count; i++) {
        blas_memory_free(held[i]);
    }
    free(held);
    atomic_store(&starved, count == 0);
    return count > 0 ? count : 1;
}

as_status as_blas_ready(void) {
    return !atomic_load(&starved)
               ? AS_OK
               : as_fail(AS_ENOMEM,
                         "BLAS needs %d MiB of address space a thread, and the limit of this "
                         "process (ulimit -v) leaves less",
                         BLAS_ROOM >> 20);
}

typedef struct loop {
    atomic_size_t next;
    size_t count;
    as_work *work;
    void *context;
} loop;

typedef struct worker {
    loop *loop;
    size_t index;
    pthread_t thread;
} worker;

static void *run(void *argument) {
    worker *self = argument;
    loop *l = self->loop;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->count;) {
        l->work(l->context, i, self->index);
    }
    return NULL;
}

as_status as_parallel_for(size_t count, size_t threads, as_work *work, void *context) {
    if (threads == 0) {
        return as_fail(AS_EINVAL, "a loop needs at least one thread");
    }
    threads = blas_buffers(threads < count ? threads : count);
    worker *workers = calloc(threads > 0 ? threads : 1, sizeof *workers);
    if (workers == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu threads", threads);
    }
    int before = blas_threads(1);
    loop l = {.count = count, .work = work, .context = context};
    atomic_init(&l.next, 0);
    size_t started = 1;
    workers[0] = (worker){.loop = &l};
    /* A thread that cannot be started is no failure: the others take its share. */
    for (; started < threads; started++) {
        workers[started] = (worker){.loop = &l, .index = started};
        if (pthread_create(&workers[started].thread, NULL, run, &workers[started]) != 0) {
            break;
        }
    }
    run(&workers[0]);
    for (size_t i = 1; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    blas_threads(before);
    free(workers);
    return AS_OK;
}

as_status as_serial_for(size_t count, size_t threads, as_work *work, void *context) {
    if (threads == 0) {
        return as_fail(AS_EINVAL, "a loop needs at least one thread");
    }
    int before = blas_threads((int)blas_buffers(threads));
    for (size_t i = 0; i < count; i++) {
        work(context, i, 0);
    }
    blas_threads(before);
    return AS_OK;
}

const char *as_blas_config(void) {
    return openblas_get_config ? openblas_get_config() : "unknown";
}

const char *as_blas_core(void) {
    return openblas_get_corename ? openblas_get_corename() : "unknown";
}

const char *as_blas_path(void) {
    Dl_info info;
    union {
        void (*function)(void);
        void *object;
    } symbol = {.function = dgemm_};
    if (symbol.object != NULL && dladdr(symbol.object, &info) != 0 && info.dli_fname != NULL) {
        return info.dli_fname;
    }
    return "unknown";
}

/* What a run takes of memory, counted before any of it is made, and how its batches are cut.
 * It refuses what the machine has not, and matrices beyond BLAS's integer. */
#include "base/fail.h"
#include "door/blas.h"
#include "train/trainer.h"

/* Room of a pass: what it kept on its way forward is still in a second cache of 1 MiB on its way back,
 * most of it. Where not even one sample fits, there are so many rows that BLAS need not lay out the weights
 * too often. */
enum { BLOCK_BYTES = 3 << 19, BLOCK_ROWS = 256 };

as_cut as_cut_of(const as_model *m) {
    as_cut cut;
    size_t batch = m->config.batch, most = 0, rows = BLOCK_ROWS / m->T;
    cut.group_size = (batch + AS_GROUPS - 1) / AS_GROUPS;
    cut.groups = (batch + cut.group_size - 1) / cut.group_size;
    while (most < cut.group_size && as_scratch_bytes(m, most + 1) <= BLOCK_BYTES) {
        most++;
    }
    if (most == 0) {
        most = rows < 1 ? 1 : rows < cut.group_size ? rows : cut.group_size;
    }
    size_t blocks = (cut.group_size + most - 1) / most;
    cut.block = (cut.group_size + blocks - 1) / blocks; /* equal ones, but for the last */
    return cut;
}

/* Bytes so far. The counts that it is given are below 2⁵⁹ by the ranges of train_config.def and of the
 * schemes; how often they are there, and of what size, is what could overflow. */
typedef struct tally {
    size_t bytes;
    bool over;
} tally;

static void take(tally *t, size_t count, size_t size) {
    size_t bytes = 0;
    t->over = t->over || !as_mul(count, size, &bytes) ||
              __builtin_add_overflow(t->bytes, bytes, &t->bytes);
}

static void take_places(const as_model *m, tally *t) {
    size_t heads = m->L * m->H, square = m->T * m->stride, half = m->query_dim / 2 + 1;
    take(t, square, sizeof(as_real));                             /* the mask */
    take(t, 2 * m->T * m->T + 2 * m->theta_size, sizeof(double)); /* to ask the scheme room */
    take(t, 2 * m->T * m->d, sizeof(double));                     /* positions that are added */
    if (m->scheme.type->bias != NULL || m->theta_size > 0) {
        take(t, heads * square, sizeof(as_real));
    }
    if (m->scheme.type->rotation != NULL) {
        take(t, heads * m->T * half, 4 * sizeof(as_real));
        take(t, heads * half, 2 * sizeof(size_t));
    }
}

static void take_run(const as_model *m, const as_cut *cut, size_t threads, tally *t) {
    const as_train_config *c = &m->config;
    size_t labels = m->facts.per_position ? c->n : 1;
    take(t, m->count, (4 + cut->groups) * sizeof(as_real)); /* values, moments, gradients */
    if (m->theta_size > 0) {
        take(t, m->L * m->H * m->T * m->stride, (1 + cut->groups) * sizeof(as_real));
    }
    take(t, as_scratch_bytes(m, cut->block), threads);
    take(t, cut->block * m->T, threads * (sizeof(uint32_t) + sizeof(int32_t)));
    take(t, c->test_samples * c->n, sizeof(uint32_t));
    take(t, c->test_samples * labels, sizeof(int32_t));
    take(t, m->L * m->d, AS_TEST_PARTS * sizeof(double) + sizeof(as_real)); /* means of heads */
    take(t, c->samples > 0 ? c->samples + c->batch : 0, sizeof(uint32_t));
}

static as_status check_blas(const as_model *m, const as_cut *cut) {
    const size_t width[] = {m->d, m->ff, m->H * m->query_dim, m->classes};
    size_t rows = cut->block * m->T, most = 0, numbers;
    for (size_t i = 0; i < sizeof width / sizeof *width; i++) {
        most = width[i] > most ? width[i] : most;
    }
    if (!as_mul(rows, most, &numbers) || !as_blas_counts(numbers)) {
        return as_fail(AS_ETOOLARGE, "%zu positions of a width of %zu are beyond BLAS's integer",
                       rows, most);
    }
    for (size_t i = 0; i < m->tensor_count; i++) {
        if (!as_blas_counts(m->tensor[i].count)) {
            return as_fail(AS_ETOOLARGE, "%s has %zu numbers, which is beyond BLAS's integer",
                           m->tensor[i].name, m->tensor[i].count);
        }
    }
    return AS_OK;
}

as_status as_fits_memory(size_t bytes, const char *what) {
    uint64_t memory = as_memory_total();
    return memory == 0 || bytes <= memory
               ? AS_OK
               : as_fail(AS_ENOMEM, "%s would take %.3g GiB, but the machine has %.3g", what,
                         (double)bytes / 0x1p30, (double)memory / 0x1p30);
}

size_t as_trainer_bytes(const as_model *m, size_t threads) {
    as_cut cut = as_cut_of(m);
    tally t = {0};
    take_places(m, &t);
    take_run(m, &cut, threads, &t);
    return t.over ? SIZE_MAX : t.bytes;
}

as_status as_trainer_fits(const as_model *m, size_t threads) {
    as_cut cut = as_cut_of(m);
    as_status status = check_blas(m, &cut);
    return status == AS_OK
               ? as_fits_memory(as_trainer_bytes(m, threads), "the model and its batches")
               : status;
}

/* Learned parameters of schemes, drawn or from a file, and the positions that number them.
 * It refuses arrays of another name, and positions between two rows. */
#include "scheme/arrays.h"
#include "base/fail.h"
#include "door/gsl.h"
#include "scheme/type.h"

#include <math.h>
#include <string.h>

/* No table is so long, and a double counts on to far beyond. */
#define POSITION_MAX 0x1p31

as_status as_draw_gaussian(const as_head *head, const char *purpose, size_t layer, size_t index,
                           double sigma, size_t count, double *x) {
    as_rng rng;
    as_status status = as_rng_open(head->seed, purpose, layer, index, &rng);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = sigma * as_rng_gaussian(&rng);
    }
    as_rng_close(&rng);
    return AS_OK;
}

as_status as_draw_uniform(const as_head *head, const char *purpose, size_t layer, size_t index,
                          double low, double high, size_t count, double *x) {
    as_rng rng;
    as_status status = as_rng_open(head->seed, purpose, layer, index, &rng);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = low + (high - low) * as_rng_uniform(&rng);
    }
    as_rng_close(&rng);
    return AS_OK;
}

as_status as_array_named(const as_scheme *scheme, const as_head *head, const char *name,
                         size_t rank, as_parameters *out) {
    for (size_t t = 0; t < head->table_count; t++) {
        if (strcmp(head->tables[t].name, name) == 0) {
            as_status status = as_scheme_table(scheme, head, name, rank, out);
            return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", name);
        }
    }
    return as_fail(AS_EINVAL, "%s holds no array named %s", as_scheme_file(scheme), name);
}

static as_status check_whole(double p, const char *what, size_t i) {
    return p == floor(p) && fabs(p) <= POSITION_MAX
               ? AS_OK
               : as_fail(AS_EINVAL, "position %g, of %s %zu, is no whole number up to 2^31", p,
                         what, i);
}

as_status as_positions_whole(const as_head *head) {
    as_status status = AS_OK;
    for (size_t i = 0; i < head->rows && status == AS_OK; i++) {
        status = check_whole(as_head_query(head, i), "query", i);
    }
    for (size_t k = 0; k < head->cols && status == AS_OK; k++) {
        status = check_whole(as_head_key(head, k), "key", k);
    }
    return status;
}

void as_positions_span(const as_head *head, double *least, double *largest) {
    double first[2] = {INFINITY, INFINITY}, last[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < head->rows; i++) {
        first[AS_QUERIES] = fmin(first[AS_QUERIES], as_head_query(head, i));
        last[AS_QUERIES] = fmax(last[AS_QUERIES], as_head_query(head, i));
    }
    for (size_t k = 0; k < head->cols; k++) {
        first[AS_KEYS] = fmin(first[AS_KEYS], as_head_key(head, k));
        last[AS_KEYS] = fmax(last[AS_KEYS], as_head_key(head, k));
    }
    *least = first[AS_QUERIES] - last[AS_KEYS];
    *largest = last[AS_QUERIES] - first[AS_KEYS];
}

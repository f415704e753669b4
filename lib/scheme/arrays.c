/* Learned parameters of schemes, drawn or from a file, and the positions that number them.
 * It refuses arrays of another name or shape, and positions between two rows. */
#include "scheme/arrays.h"
#include "base/fail.h"
#include "door/gsl.h"
#include "scheme/type.h"

#include <math.h>
#include <stdio.h>
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

static bool has_array(const as_head *head, const char *name) {
    size_t t = 0;
    while (t < head->table_count && strcmp(head->tables[t].name, name) != 0) {
        t++;
    }
    return t < head->table_count;
}

as_status as_array_named(const as_scheme *scheme, const as_head *head, const char *name,
                         size_t rank, as_parameters *out) {
    if (!has_array(head, name)) {
        return as_fail(AS_EINVAL, "%s holds no array named %s", as_scheme_file(scheme), name);
    }
    as_status status = as_scheme_table(scheme, head, name, rank, out);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", name);
}

bool as_scheme_has_table(const as_head *head, const char *name) {
    return head->table_count > 1 && has_array(head, name);
}

/* "4 × 7"; a length that may be any is *. */
static const char *shape_text(size_t rank, const size_t *shape, char text[64]) {
    size_t used = 0;
    snprintf(text, 64, "a number");
    for (size_t a = 0; a < rank && used < 64; a++) {
        const char *times = a > 0 ? " × " : "";
        used += (size_t)(shape[a] > 0 ? snprintf(text + used, 64 - used, "%s%zu", times, shape[a])
                                      : snprintf(text + used, 64 - used, "%s*", times));
    }
    return text;
}

as_status as_scheme_shaped(const as_scheme *scheme, const as_head *head, const char *name,
                           size_t rank, size_t *shape, const double **out) {
    as_parameters table = {.data = NULL};
    as_status status = as_scheme_table(scheme, head, name, rank, &table);
    if (status != AS_OK) {
        return status;
    }
    bool fits = true;
    size_t count = 1;
    for (size_t a = 0; a < rank; a++) {
        fits &= table.shape[a] > 0 && (shape[a] == 0 || shape[a] == table.shape[a]);
        count *= table.shape[a];
    }
    if (!fits) {
        char has[64], needs[64];
        return as_fail(AS_EINVAL, "%s: %s is %s, but %s is needed", as_scheme_file(scheme), name,
                       shape_text(rank, table.shape, has), shape_text(rank, shape, needs));
    }
    if (!as_all_finite(table.data, count)) {
        return as_fail(AS_EINVAL, "%s: %s holds a number that is not finite",
                       as_scheme_file(scheme), name);
    }
    memcpy(shape, table.shape, rank * sizeof *shape);
    *out = table.data;
    return AS_OK;
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

/* Tokens between a key and a query, and the shapes of arrays that a file has.
 * It refuses heads that are not causal where a scheme asks for that, and arrays of another shape. */
#include "scheme/tokens.h"

#include "base/fail.h"
#include "scheme/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

as_status as_causal_only(const as_head *head) {
    return head->causal ? AS_OK
                        : as_fail(AS_EINVAL,
                                  "it is defined under a causal mask only, since it sums over the "
                                  "tokens from a key up to a query");
}

double as_log_sigmoid(double x) {
    return fmin(x, 0) - log1p(exp(-fabs(x)));
}

double as_sigmoid(double x) {
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

bool as_scheme_has_table(const as_head *head, const char *name) {
    for (size_t t = 0; head->table_count > 1 && t < head->table_count; t++) {
        if (strcmp(head->tables[t].name, name) == 0) {
            return true;
        }
    }
    return false;
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

/* Tables of absolute positions: drawn, N(0, σ²), or from a file.
 * It refuses positions past the table. */
#include "scheme/positions.h"
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Row p of a head's table is dim numbers from data + p·stride on. */
typedef struct positions {
    const double *data; /* NULL: to be drawn */
    size_t stride;
    double rows; /* NaN: as many as are needed */
} positions;

static as_status find(const as_scheme *scheme, const as_head *head, positions *out) {
    *out = (positions){NULL, head->dim, as_scheme_value(scheme, "max_position_embeddings")};
    if (as_scheme_file(scheme) == NULL) {
        return AS_OK;
    }
    as_parameters table;
    as_status status = as_scheme_table(scheme, head, "table", 2, &table);
    if (status != AS_OK) {
        return status;
    }
    size_t dim = head->dim, whole;
    bool by_head = as_mul(head->heads, dim, &whole) && table.shape[1] == whole;
    if (!by_head && table.shape[1] != dim) {
        return as_fail(AS_EINVAL,
                       "%s: the table is %zu × %zu, but %zu heads of size %zu take rows of %zu or "
                       "%zu",
                       as_scheme_file(scheme), table.shape[0], table.shape[1], head->heads, dim,
                       dim, head->heads * dim);
    }
    out->data = table.data + (by_head ? head->head * dim : 0);
    out->stride = table.shape[1];
    /* fmin() leaves out a NaN. */
    out->rows = fmin((double)table.shape[0], out->rows);
    return AS_OK;
}

static double position_of(const as_head *head, as_side side, size_t i) {
    return side == AS_QUERIES ? as_head_query(head, i) : as_head_key(head, i);
}

/* Every position has a row; *rows is one more than the last. */
static as_status check_side(const positions *table, const as_head *head, as_side side,
                            size_t *rows) {
    size_t count = side == AS_QUERIES ? head->rows : head->cols;
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        double p = position_of(head, side, i);
        if (p < 0 || p != floor(p) || p > 0x1p31) {
            return as_fail(AS_EINVAL, "position %g, of %s %zu, has no row in the table", p,
                           side == AS_QUERIES ? "query" : "key", i);
        }
        if (p >= table->rows) {
            return as_fail(AS_EINVAL, "position %.0f is past the table: %s %.0f", p,
                           table->data != NULL ? "its rows, in the file or by "
                                                 "max_position_embeddings, are"
                                               : "max_position_embeddings is",
                           table->rows);
        }
        *rows = p + 1 > (double)*rows ? (size_t)p + 1 : *rows;
    }
    return AS_OK;
}

as_status as_positions_check(const as_scheme *scheme, const as_head *head) {
    positions table;
    size_t rows;
    as_status status = find(scheme, head, &table);
    if (status == AS_OK) {
        status = check_side(&table, head, AS_QUERIES, &rows);
    }
    return status == AS_OK ? check_side(&table, head, AS_KEYS, &rows) : status;
}

static void copy_rows(const positions *table, const as_head *head, as_side side, double *p) {
    size_t count = side == AS_QUERIES ? head->rows : head->cols;
    for (size_t i = 0; i < count; i++) {
        memcpy(p + i * head->dim, table->data + (size_t)position_of(head, side, i) * table->stride,
               head->dim * sizeof *p);
    }
}

/* (P4). One table for the whole model, [positions][heads·dim] of which a head has its columns, so the
 * layer does not count; drawn row by row, so that a longer table begins as a shorter one. */
as_status as_positions_embed(const as_scheme *scheme, const as_head *head, const char *purpose,
                             as_side side, double *p) {
    positions table;
    size_t rows = 0, count, bytes;
    as_status status = find(scheme, head, &table);
    if (status == AS_OK) {
        status = check_side(&table, head, side, &rows);
    }
    if (status != AS_OK) {
        return status;
    }
    if (table.data != NULL) {
        copy_rows(&table, head, side, p);
        return AS_OK;
    }
    bool fits = as_mul(rows, head->dim, &count) && as_mul(count, sizeof *p, &bytes);
    double *drawn = fits ? as_alloc(bytes) : NULL;
    if (drawn == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a table of %zu positions", rows);
    }
    double sigma = as_scheme_value(scheme, "initializer_range");
    status = as_draw_gaussian(head, purpose, 0, head->head, sigma, count, drawn);
    if (status == AS_OK) {
        table.data = drawn;
        copy_rows(&table, head, side, p);
    }
    free(drawn);
    return status;
}

/* Positions of one's own: from a file, or counted from the first token behind padding.
 * It refuses positions that are not finite, and files of another length. */
#include "logits/positions.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

as_status as_positions_read(const char *path, as_matrix *out) {
    as_dump *dump;
    as_status status = as_dump_open(path, NULL, &dump);
    if (status != AS_OK) {
        return status;
    }
    const as_tensor *t = as_dump_tensor_count(dump) == 1 ? as_dump_tensor(dump, 0) : NULL;
    if (t == NULL || t->status != AS_OK || t->rank < 1 || t->rank > 2) {
        status =
            as_fail(AS_EREAD,
                    "%s: positions are one array [keys] or [batch, keys], which is not what it "
                    "holds",
                    path);
    } else {
        as_slice slice = {.row_axis = t->rank == 2 ? 0 : AS_NO_AXIS, .col_axis = t->rank - 1};
        status = as_dump_read(dump, 0, &slice, out);
    }
    as_dump_close(dump);
    if (status == AS_OK && !as_all_finite(out->data, out->rows * out->cols)) {
        status = as_fail(AS_EREAD, "%s: a position is not finite", path);
    }
    return status;
}

static as_status from_file(const as_matrix *read, size_t batch, size_t cols, double *out) {
    size_t row = read->rows == 1 ? 0 : batch;
    if (read->cols != cols || row >= read->rows) {
        return as_fail(AS_EINVAL,
                       "the positions are %zu × %zu, but there are %zu keys in batch entry "
                       "%zu",
                       read->rows, read->cols, cols, batch);
    }
    memcpy(out, read->data + row * cols, cols * sizeof *out);
    return AS_OK;
}

as_status as_positions_place(const as_matrix *read, as_mask mask, size_t batch, as_head *head,
                             as_matrix *room) {
    size_t rows = head->rows, cols = head->cols;
    if (read->rows == 0 && mask.left == 0) {
        return AS_OK;
    }
    as_status status = as_matrix_resize(room, 1, rows + cols);
    double *keys = room->data, *queries = keys + cols;
    if (status == AS_OK && read->rows > 0) {
        status = from_file(read, batch, cols, keys);
    }
    for (size_t k = 0; status == AS_OK && read->rows == 0 && k < cols; k++) {
        keys[k] = k > mask.left ? (double)(k - mask.left) : 0;
    }
    /* Queries before the first key go on in steps of one. */
    for (size_t i = 0; status == AS_OK && i < rows; i++) {
        queries[i] = i + cols >= rows ? keys[i + cols - rows] : keys[0] - (double)(rows - cols - i);
    }
    if (status == AS_OK) {
        head->key_positions = keys;
        head->query_positions = queries;
    }
    return status;
}

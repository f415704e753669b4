/* The arrays of the file that a scheme names, read whole and once.
 * It refuses files without arrays or with others, NaN or infinity in them, and more than 1 GiB of them. */
#include "attnspec/logits.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parameters of schemes are small; a whole checkpoint is not what was meant. */
#define BYTES_MAX ((size_t)1 << 30)
enum { RANK_MAX = 4 }; /* of as_parameters */

void as_tables_free(as_tables *tables) {
    if (tables != NULL) {
        free(tables->item);
        free(tables->numbers);
        free(tables->names);
        *tables = (as_tables){0};
    }
}

/* Elements of a tensor that can be such an array, 0 of one that cannot; SIZE_MAX: more than there can be. */
static size_t elements_of(const as_tensor *t) {
    size_t count = 1;
    if (!as_dtype_is_float(t->dtype) || t->rank < 1 || t->rank > RANK_MAX) {
        return 0;
    }
    for (size_t a = 0; a < t->rank; a++) {
        if (t->shape[a] == 0) {
            return 0;
        }
        count = as_mul(count, t->shape[a], &count) ? count : SIZE_MAX;
    }
    return count;
}

/* Counts arrays, their elements and the bytes of their names. */
static as_status measure(const as_dump *dump, size_t *arrays, size_t *elements, size_t *bytes) {
    size_t most = BYTES_MAX / sizeof(double);
    *arrays = *elements = *bytes = 0;
    for (size_t i = 0; i < as_dump_tensor_count(dump); i++) {
        const as_tensor *t = as_dump_tensor(dump, i);
        size_t count = elements_of(t);
        if (count == 0) {
            return as_fail(AS_EINVAL,
                           "%s%s%s holds %s of rank %zu; parameters are floating-point numbers of "
                           "rank 1 to %d, and not empty",
                           as_dump_path(dump), *t->name != '\0' ? ": " : "", t->name,
                           as_dtype_name(t->dtype), t->rank, RANK_MAX);
        }
        if (t->status != AS_OK) {
            return as_fail(t->status, "%s: %s: %s", as_dump_path(dump), t->name, t->reason);
        }
        if (count > most - *elements) {
            return as_fail(AS_EINVAL,
                           "%s: with its array '%s' it has more than 1 GiB of numbers; a scheme's "
                           "file holds the arrays of the scheme alone",
                           as_dump_path(dump), t->name);
        }
        (*arrays)++;
        *elements += count;
        *bytes += strlen(t->name) + 1;
    }
    return *arrays > 0 ? AS_OK
                       : as_fail(AS_EINVAL, "%s holds no array of floating-point numbers",
                                 as_dump_path(dump));
}

/* One tensor, matrix by matrix, into data. */
static as_status read_array(const as_dump *dump, size_t tensor, as_matrix *room, double *data) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    as_slice slice = {.row_axis = t->rank > 1 ? t->rank - 2 : AS_NO_AXIS, .col_axis = t->rank - 1};
    size_t matrices = 1, first = t->rank > 2 ? t->rank - 2 : 0;
    for (size_t a = 0; a < first; a++) {
        matrices *= t->shape[a];
    }
    for (size_t m = 0; m < matrices; m++) {
        for (size_t a = first, rest = m; a-- > 0; rest /= t->shape[a]) {
            slice.index[a] = rest % t->shape[a];
        }
        as_status status = as_dump_read(dump, tensor, &slice, room);
        if (status != AS_OK) {
            return status;
        }
        size_t size = room->rows * room->cols;
        for (size_t i = 0; i < size; i++) {
            if (!isfinite(room->data[i])) {
                return as_fail(AS_EINVAL, "%s: %s%selement %zu is %g", as_dump_path(dump), t->name,
                               *t->name != '\0' ? ": " : "", m * size + i, room->data[i]);
            }
        }
        memcpy(data + m * size, room->data, size * sizeof *data);
    }
    return AS_OK;
}

static as_status read_all(const as_dump *dump, as_tables *out) {
    as_matrix room = {0};
    double *data = out->numbers;
    char *name = out->names;
    as_status status = AS_OK;
    for (size_t i = 0; i < as_dump_tensor_count(dump) && status == AS_OK; i++) {
        const as_tensor *t = as_dump_tensor(dump, i);
        size_t count = elements_of(t), length = strlen(t->name) + 1;
        as_parameters *array = &out->item[out->count++];
        *array = (as_parameters){.name = memcpy(name, t->name, length), .rank = t->rank};
        memcpy(array->shape, t->shape, t->rank * sizeof *t->shape);
        array->data = data;
        status = read_array(dump, i, &room, data);
        data += count;
        name += length;
    }
    as_matrix_free(&room);
    return status;
}

static as_status read(const char *path, as_tables *out) {
    as_dump *dump = NULL;
    size_t arrays, elements, bytes;
    as_status status = as_dump_open(path, NULL, &dump);
    if (status != AS_OK) {
        return status;
    }
    status = measure(dump, &arrays, &elements, &bytes);
    if (status == AS_OK) {
        out->item = calloc(arrays, sizeof *out->item);
        out->numbers = as_alloc(elements * sizeof *out->numbers);
        out->names = malloc(bytes);
        status = out->item != NULL && out->numbers != NULL && out->names != NULL
                     ? read_all(dump, out)
                     : as_fail(AS_ENOMEM, "%s: no memory for its %zu numbers", path, elements);
    }
    as_dump_close(dump);
    return status;
}

as_status as_tables_read(const as_scheme *scheme, as_tables *out) {
    as_tables found = {0};
    const char *path = as_scheme_file(scheme);
    as_status status = path != NULL ? read(path, &found) : AS_OK;
    if (status != AS_OK) {
        as_tables_free(&found);
        return as_fail(status == AS_ENOMEM ? status : AS_EINVAL, "scheme %s: %s",
                       scheme->type->name, as_message());
    }
    *out = found;
    return AS_OK;
}

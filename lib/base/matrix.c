/* A matrix whose buffer grows and is kept, and the aligned allocation under it.
 * It refuses shapes whose bytes do not fit a size_t. */
#include "base/fail.h"

#include <stdlib.h>

/* A cache line, and the widest vector register. */
enum { ALIGNMENT = 64 };

void *as_alloc(size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

as_status as_matrix_resize(as_matrix *matrix, size_t rows, size_t cols)
{
    size_t elements, bytes;
    if (!as_mul(rows, cols, &elements) || !as_mul(elements, sizeof(double), &bytes)) {
        return as_fail(AS_ENOMEM, "a matrix of %zu × %zu does not fit into memory", rows, cols);
    }
    if (elements > matrix->capacity) {
        double *data = as_alloc(bytes);
        if (data == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a matrix of %zu × %zu (%zu bytes)", rows, cols,
                           bytes);
        }
        free(matrix->data);
        matrix->data = data;
        matrix->capacity = elements;
    }
    matrix->rows = rows;
    matrix->cols = cols;
    return AS_OK;
}

void as_matrix_free(as_matrix *matrix)
{
    if (matrix != NULL) {
        free(matrix->data);
        *matrix = (as_matrix){0};
    }
}

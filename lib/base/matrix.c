/* A matrix whose buffer grows and is kept, and the aligned allocation under it.
 * It refuses shapes whose bytes do not fit a size_t. */
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* A cache line, and the widest vector register. */
enum { ALIGNMENT = 64 };

void *as_alloc(size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

as_status as_matrix_resize(as_matrix *matrix, size_t rows, size_t cols) {
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

void as_matrix_free(as_matrix *matrix) {
    if (matrix != NULL) {
        free(matrix->data);
        *matrix = (as_matrix){0};
    }
}

bool as_all_finite(const double *x, size_t count) {
    /* On the bits: a reduction over integers vectorises, one over doubles would need -ffast-math,
     * which may assume the answer. */
    const uint64_t exponent = UINT64_C(0x7ff0000000000000);
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (uint64_t)((bits & exponent) == exponent);
    }
    return bad == 0;
}

/* One matrix out of a strided tensor in a file, in blocks: any order of axes, any byte order.
 * It refuses nothing of its own; the tensor has been checked against the file. */
#include "dump/strided.h"
#include "base/fail.h"
#include "dump/dtype.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 18, /* fits the second-level cache */
    SKIPPED_GAP = 4096,    /* a page: a shorter gap costs less to read than another call */
    CHUNK = 512            /* elements that are gathered at a time */
};

/* The slice as two nested loops through the file; `outer` has the larger stride. */
typedef struct walk {
    size_t outer, outer_stride, outer_out; /* steps; elements a step in the file, in out */
    size_t inner, inner_stride, inner_out;
} walk;

typedef struct reader {
    const as_file *file;
    uint64_t offset; /* of the slice's first element */
    as_dtype dtype;
    size_t size;
    bool swapped;
    walk walk;
    unsigned char *block;
    size_t block_elements;
    double *out;
} reader;

void as_strided_contiguous(const as_tensor *tensor, bool fortran_order, size_t *stride) {
    size_t step = 1;
    for (size_t i = 0; i < tensor->rank; i++) {
        size_t axis = fortran_order ? i : tensor->rank - 1 - i;
        stride[axis] = step;
        step *= tensor->shape[axis];
    }
}

static walk plan(const as_strided *where, const as_slice *slice, const as_matrix *out) {
    size_t row_stride = slice->row_axis == AS_NO_AXIS ? 1 : where->stride[slice->row_axis];
    size_t col_stride = where->stride[slice->col_axis];
    walk rows_outside = {out->rows, row_stride, out->cols, out->cols, col_stride, 1};
    walk cols_outside = {out->cols, col_stride, 1, out->rows, row_stride, out->cols};
    /* The stride of a single row or column says nothing: it is the outer loop. */
    bool rows_out = out->rows == 1 || (out->cols != 1 && row_stride >= col_stride);
    walk w = rows_outside;
    if (!rows_out) {
        w = cols_outside;
    }
    if (w.outer_stride == w.inner * w.inner_stride && w.outer_out == w.inner * w.inner_out) {
        w.inner *= w.outer;
        w.outer = 1;
    }
    return w;
}

/* count elements from `from`, every inner_stride-th, to every inner_out-th of `to`. */
static void move(const reader *r, const unsigned char *from, size_t count, double *to) {
    const walk *w = &r->walk;
    if (w->inner_stride == 1 && w->inner_out == 1) {
        as_dtype_convert(r->dtype, from, count, to);
        return;
    }
    _Alignas(8) unsigned char raw[CHUNK * 8];
    double values[CHUNK];
    size_t step = w->inner_stride * r->size;
    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK;
        for (size_t i = 0; i < n; i++) {
            memcpy(raw + i * r->size, from + i * step, r->size);
        }
        as_dtype_convert(r->dtype, raw, n, values);
        for (size_t i = 0; i < n; i++) {
            to[i * w->inner_out] = values[i];
        }
        count -= n;
        from += n * step;
        to += n * w->inner_out;
    }
}

static size_t divide_up(size_t a, size_t b) {
    return a / b + (a % b != 0);
}

/* Moves what the block holds, elements [begin, end) of the walk, from outer step `first` on. */
static void place(const reader *r, size_t begin, size_t end, size_t first, size_t last) {
    const walk *w = &r->walk;
    size_t reach = (w->inner - 1) * w->inner_stride;
    size_t o = begin > reach ? divide_up(begin - reach, w->outer_stride) : 0;
    for (o = o > first ? o : first; o < last && o * w->outer_stride < end; o++) {
        size_t start = o * w->outer_stride;
        size_t from = start >= begin ? 0 : divide_up(begin - start, w->inner_stride);
        size_t to = divide_up(end - start, w->inner_stride);
        to = to < w->inner ? to : w->inner;
        if (from < to) {
            move(r, r->block + (start + from * w->inner_stride - begin) * r->size, to - from,
                 r->out + o * w->outer_out + from * w->inner_out);
        }
    }
}

/* Outer steps [first, last): from their first element to their last one, in blocks. */
static as_status read_span(const reader *r, size_t first, size_t last) {
    const walk *w = &r->walk;
    size_t stop = (last - 1) * w->outer_stride + (w->inner - 1) * w->inner_stride + 1;
    for (size_t begin = first * w->outer_stride; begin < stop; begin += r->block_elements) {
        size_t left = stop - begin;
        size_t count = left < r->block_elements ? left : r->block_elements;
        as_status status =
            as_file_read(r->file, r->offset + begin * r->size, r->block, count * r->size);
        if (status != AS_OK) {
            return status;
        }
        if (r->swapped) {
            as_dtype_swap(r->block, r->size, count);
        }
        place(r, begin, begin + count, first, last);
    }
    return AS_OK;
}

/* The whole span at once, or step by step where the gaps between steps are worth skipping. */
static as_status read_all(const reader *r) {
    const walk *w = &r->walk;
    size_t run = (w->inner - 1) * w->inner_stride + 1;
    bool skip = w->outer_stride > run && (w->outer_stride - run) * r->size >= SKIPPED_GAP;
    size_t steps = skip ? 1 : w->outer;
    as_status status = AS_OK;
    for (size_t o = 0; status == AS_OK && o < w->outer; o += steps) {
        status = read_span(r, o, o + steps);
    }
    return status;
}

as_status as_strided_read(const as_file *file, const as_tensor *tensor, const as_strided *where,
                          const as_slice *slice, as_matrix *out) {
    reader r = {.file = file,
                .offset = where->offset,
                .dtype = tensor->dtype,
                .size = as_dtype_size(tensor->dtype),
                .swapped = where->swapped,
                .walk = plan(where, slice, out),
                .out = out->data};
    for (size_t axis = 0; axis < tensor->rank; axis++) {
        if (axis != slice->row_axis && axis != slice->col_axis) {
            r.offset += (uint64_t)slice->index[axis] * where->stride[axis] * r.size;
        }
    }
    const walk *w = &r.walk;
    size_t span = (w->outer - 1) * w->outer_stride + (w->inner - 1) * w->inner_stride + 1;
    r.block_elements = span < BLOCK_BYTES / r.size ? span : BLOCK_BYTES / r.size;
    r.block = as_alloc(r.block_elements * r.size);
    if (r.block == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a block of %zu bytes", r.block_elements * r.size);
    }
    as_status status = read_all(&r);
    free(r.block);
    return status;
}

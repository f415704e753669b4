/* HDF5 files of strangers tried in a child process before this one opens them.
 * It refuses files on which HDF5 crashes, or does not end. */
#include "base/fail.h"
#include "base/trial.h"
#include "door/hdf5_own.h"

#include <stdlib.h>

/* CPU time for any file, and more for a large one: an object in it takes some hundred bytes, and some
 * tens of microseconds. */
enum { SECONDS = 1, BYTES_A_SECOND = 1 << 20, SECONDS_MOST = 60 };

typedef struct trial {
    as_trial_work *work;
    void *context;
} trial;

static as_status work_alone(void *context) {
    const trial *t = context;
    as_h5_hold_alone();
    return t->work(t->context);
}

as_status as_h5_trial(uint64_t bytes, as_status (*work)(void *context), void *context) {
    /* No other thread is inside HDF5 while its memory is copied. */
    HOLD_HDF5;
    uint64_t seconds = SECONDS + bytes / BYTES_A_SECOND;
    trial t = {work, context};
    as_status status;
    if (!as_trial(work_alone, &t, (unsigned)(seconds < SECONDS_MOST ? seconds : SECONDS_MOST),
                  &status)) {
        return as_fail(AS_EREAD, "libhdf5 crashes (or does not end) on it: the file is broken");
    }
    return status;
}

/* Bytes that reading one element unpacks: its chunk, or itself. SIZE_MAX where they do not fit. */
static size_t bytes_of_one(hid_t dataset, const as_h5_tensor *tensor) {
    hsize_t chunk[AS_H5_MAX_RANK];
    hid_t list = H5Dget_create_plist(dataset);
    bool chunked = H5Pget_layout(list) == H5D_CHUNKED;
    bool fits = !chunked || H5Pget_chunk(list, AS_H5_MAX_RANK, chunk) == (int)tensor->rank;
    size_t bytes = tensor->size;
    for (size_t a = 0; chunked && fits && a < tensor->rank; a++) {
        fits = as_mul(bytes, (size_t)chunk[a], &bytes);
    }
    H5Pclose(list);
    return fits ? bytes : SIZE_MAX;
}

/* Reads what as_h5_tree_read() would, into a buffer that nobody sees. */
static void read_some(as_h5_tree *tree, const as_h5_tensor *tensor, const size_t *start,
                      const size_t *count) {
    size_t bytes = tensor->size;
    for (size_t a = 0; a < tensor->rank; a++) {
        bytes *= count[a];
    }
    void *raw = malloc(bytes);
    if (raw != NULL && bytes > 0) {
        as_h5_tree_read(tree, tensor, start, count, raw);
    }
    free(raw);
}

void as_h5_tree_try(as_h5_tree *tree, const as_h5_tensor *tensor, size_t *budget) {
    HOLD_HDF5;
    const size_t first[AS_H5_MAX_RANK] = {0};
    size_t one[AS_H5_MAX_RANK], last[AS_H5_MAX_RANK], whole = tensor->size;
    bool fits = true, empty = false;
    for (size_t a = 0; a < tensor->rank; a++) {
        one[a] = 1;
        last[a] = tensor->shape[a] - 1;
        empty = empty || tensor->shape[a] == 0;
        fits = fits && as_mul(whole, tensor->shape[a], &whole);
    }
    hid_t id = H5Dopen2(tree->id, tensor->name, H5P_DEFAULT);
    if (id < 0 || empty) {
        H5Dclose(id);
        return;
    }
    /* HDF5 counts the bytes of every chunk for it. */
    H5Dget_storage_size(id);
    size_t part = bytes_of_one(id, tensor);
    H5Dclose(id);
    if (fits && whole <= *budget) {
        *budget -= whole;
        read_some(tree, tensor, first, tensor->shape);
    } else if (part <= *budget / 2) {
        *budget -= 2 * part;
        read_some(tree, tensor, first, one);
        read_some(tree, tensor, last, one);
    }
}

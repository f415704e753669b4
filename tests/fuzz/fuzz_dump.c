/* One reader of lib/dump against bytes that libFuzzer makes up: FUZZED names it, such as npy. Bytes
 * that its probe does not take are let go, so the files of every format can be the seeds of each. */
#define _POSIX_C_SOURCE 200809L
#include "attnspec/dump.h"
#include "dump/format.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOINED(prefix, name) prefix##name
#define FORMAT(name)         JOINED(as_format_, name)

enum { MOST_TENSORS = 16, MOST_ELEMENTS = 1 << 14 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__lsan_default_suppressions(void);
void __sanitizer_set_death_callback(void (*callback)(void));

/* HDF5 1.10 forgets a few bytes where it refuses a broken file. */
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

/* What the sanitizers find in the child of a trial is what it is for, and no finding of the fuzzer. */
static void find_nothing(void) {
    __sanitizer_set_death_callback(NULL);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return pthread_atfork(NULL, NULL, find_nothing);
}

static void expect(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s; the last message is: %s\n", what, as_message());
        abort();
    }
}

static void read_slice(const as_dump *dump, size_t tensor, const as_slice *slice) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    size_t rows = slice->row_axis == AS_NO_AXIS ? 1 : t->shape[slice->row_axis];
    size_t cols = t->shape[slice->col_axis];
    if (rows > MOST_ELEMENTS || cols > MOST_ELEMENTS || rows * cols > MOST_ELEMENTS) {
        return;
    }
    as_matrix matrix = {0};
    if (as_dump_read(dump, tensor, slice, &matrix) == AS_OK) {
        expect(matrix.rows == rows && matrix.cols == cols, "a slice has not its tensor's shape");
    } else {
        expect(strncmp(as_message(), as_dump_path(dump), strlen(as_dump_path(dump))) == 0,
               "a message does not begin with the file");
    }
    as_matrix_free(&matrix);
}

/* The first and the last matrix, and the first across: elements of its rows are far apart. */
static void read_tensor(const as_dump *dump, size_t tensor) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    expect(t->rank <= AS_MAX_RANK, "a tensor has more axes than there are");
    expect((t->status == AS_OK) == (t->reason == NULL), "a tensor has no reason, or one too many");
    if (t->status != AS_OK || t->rank == 0) {
        return;
    }
    as_slice slice = {.row_axis = t->rank > 1 ? t->rank - 2 : AS_NO_AXIS, .col_axis = t->rank - 1};
    read_slice(dump, tensor, &slice);
    if (t->rank > 1) {
        read_slice(dump, tensor, &(as_slice){.row_axis = t->rank - 1, .col_axis = 0});
    }
    for (size_t axis = 0; axis + 2 < t->rank; axis++) {
        slice.index[axis] = t->shape[axis] > 0 ? t->shape[axis] - 1 : 0;
    }
    read_slice(dump, tensor, &slice);
}

/* A file of its own for every input, and with a name, as HDF5 wants one. */
static void make_file(char *path, size_t room, const unsigned char *data, size_t size) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, room, "%s/fuzzed_XXXXXX", folder != NULL ? folder : "/tmp");
    int fd = mkstemp(path);
    expect(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no file for the bytes");
    close(fd);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (!FORMAT(FUZZED).probe(data, size < AS_PROBE_BYTES ? size : AS_PROBE_BYTES)) {
        return 0;
    }
    char path[4096];
    make_file(path, sizeof path, data, size);
    const as_dump_options options = {.raw_dtype = "bf16"};
    as_dump *dump = NULL;
    if (as_dump_open(path, &options, &dump) == AS_OK) {
        for (size_t i = 0; i < as_dump_tensor_count(dump) && i < MOST_TENSORS; i++) {
            read_tensor(dump, i);
        }
        as_dump_close(dump);
    } else {
        expect(dump == NULL, "a file was opened and refused at once");
        expect(strncmp(as_message(), path, strlen(path)) == 0,
               "a message does not begin with the file");
    }
    unlink(path);
    return 0;
}

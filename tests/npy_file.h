/* Writes .npy files by hand, byte by byte, for the tests that read them. */
#ifndef AS_TESTS_NPY_FILE_H
#define AS_TESTS_NPY_FILE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A new file under the temporary folder; path[64] is written. */
static inline void temporary_file(char *path) {
    strcpy(path, "/tmp/attnspec_test_XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static inline void write_bytes(const char *path, const void *head, size_t head_bytes,
                               const void *data, size_t data_bytes) {
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(head, 1, head_bytes, f), head_bytes);
    ck_assert_uint_eq(data_bytes > 0 ? fwrite(data, 1, data_bytes, f) : 0, data_bytes);
    ck_assert_int_eq(fclose(f), 0);
}

/* Version 1 with this header text. */
static inline void write_npy_text(const char *path, const char *text, const void *data,
                                  size_t bytes) {
    char head[1024];
    size_t length = strlen(text);
    ck_assert_uint_lt(length, sizeof head - 10);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)(length & 0xff);
    head[9] = (char)(length >> 8);
    memcpy(head + 10, text, length);
    write_bytes(path, head, 10 + length, data, bytes);
}

static inline void write_npy(const char *path, const char *descr, int fortran, size_t rank,
                             const size_t *shape, const void *data, size_t bytes) {
    char text[512];
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr,
                        fortran ? "True" : "False");
    for (size_t i = 0; i < rank; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%zu, ", shape[i]);
    }
    snprintf(text + used, sizeof text - (size_t)used, "), }\n");
    write_npy_text(path, text, data, bytes);
}

#endif

/* The base room: matrices that grow, the finite check, parallel loops, messages, whole files. */
#define _GNU_SOURCE /* mkdtemp, mkfifo */
#include "support.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text_file.h"

START_TEST(matrix_keeps_its_buffer_when_it_shrinks) {
    as_matrix m = {0};
    assert_ok(as_matrix_resize(&m, 13, 37));
    double *data = m.data;
    ck_assert_uint_eq((uintptr_t)data % 64, 0);
    assert_ok(as_matrix_resize(&m, 37, 13));
    assert_ok(as_matrix_resize(&m, 1, 1));
    ck_assert_ptr_eq(m.data, data);
    ck_assert_uint_eq(m.rows, 1);
    as_matrix_free(&m);
    as_matrix_free(NULL);
}
END_TEST

START_TEST(matrix_that_overflows_is_refused_and_unchanged) {
    as_matrix m = {0};
    assert_ok(as_matrix_resize(&m, 2, 3));
    assert_fails(as_matrix_resize(&m, SIZE_MAX / 2, 3), AS_ENOMEM);
    assert_fails(as_matrix_resize(&m, SIZE_MAX / 8, 1), AS_ENOMEM);
    ck_assert_uint_eq(m.rows, 2);
    ck_assert_uint_eq(m.cols, 3);
    as_matrix_free(&m);
}
END_TEST

START_TEST(finite_check_finds_every_kind_at_every_place) {
    double x[37];
    double bad[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 37; i++) {
        x[i] = i % 3 == 0 ? 1.7976931348623157e308 : -5e-324;
    }
    ck_assert(as_all_finite(x, 37));
    ck_assert(as_all_finite(x, 0));
    for (size_t i = 0; i < 37; i++) {
        for (size_t b = 0; b < 4; b++) {
            double kept = x[i];
            x[i] = bad[b];
            ck_assert(!as_all_finite(x, 37));
            ck_assert(as_all_finite(x, i));
            x[i] = kept;
        }
    }
}
END_TEST

typedef struct tally {
    atomic_size_t visits[100];
    atomic_size_t highest_worker;
} tally;

static void visit(void *context, size_t index, size_t worker) {
    tally *t = context;
    atomic_fetch_add(&t->visits[index], 1);
    if (worker > atomic_load(&t->highest_worker)) {
        atomic_store(&t->highest_worker, worker);
    }
}

START_TEST(parallel_for_visits_every_index_once) {
    size_t counts[] = {0, 1, 2, 37, 100}, threads[] = {1, 2, 3, 64};
    for (size_t c = 0; c < 5; c++) {
        for (size_t t = 0; t < 4; t++) {
            tally seen = {0};
            assert_ok(as_parallel_for(counts[c], threads[t], visit, &seen));
            for (size_t i = 0; i < 100; i++) {
                ck_assert_uint_eq(seen.visits[i], i < counts[c] ? 1 : 0);
            }
            ck_assert_uint_lt(seen.highest_worker, threads[t]);
        }
    }
    assert_fails(as_parallel_for(1, 0, visit, NULL), AS_EINVAL);
    assert_fails(as_serial_for(1, 0, visit, NULL), AS_EINVAL);
}
END_TEST

START_TEST(message_may_be_built_from_itself_and_is_cut) {
    as_fail(AS_EREAD, "first");
    ck_assert_str_eq(as_message(), "first");
    ck_assert_int_eq(as_fail(AS_EREAD, "second after %s", as_message()), AS_EREAD);
    ck_assert_str_eq(as_message(), "second after first");
    ck_assert_int_eq(as_fail_prefix(AS_EWRITE, "o.h5"), AS_EWRITE);
    ck_assert_str_eq(as_message(), "o.h5: second after first");
    char long_text[5000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    as_fail(AS_EREAD, "%s", long_text);
    ck_assert_uint_lt(strlen(as_message()), sizeof long_text);
}
END_TEST

START_TEST(every_status_has_its_own_name) {
    for (unsigned i = 0; i < AS_STATUS_COUNT; i++) {
        for (unsigned k = 0; k < i; k++) {
            ck_assert_str_ne(as_status_name((as_status)i), as_status_name((as_status)k));
        }
    }
    ck_assert_str_eq(as_status_name(AS_STATUS_COUNT), "unknown");
    ck_assert_str_eq(as_status_name(AS_ENONFINITE), "nonfinite");
}
END_TEST

START_TEST(the_machine_is_known) {
    ck_assert_uint_ge(as_threads_available(), 1);
    ck_assert_uint_gt(as_memory_total(), 1u << 20);
    ck_assert_str_ne(as_blas_path(), "");
    ck_assert_str_ne(as_version(), "");
}
END_TEST

/* A pipe that nobody writes would be waited for, and the test would run out of time. */
START_TEST(a_whole_file_is_read_and_nothing_else) {
    char folder[] = "/tmp/attnspec-base-XXXXXX", path[64], sentence[128], *bytes = NULL;
    size_t size = 42;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/text", folder);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite("a\0b\n\xff", 1, 5, file), 5);
    fclose(file);
    assert_ok(as_read_text(path, "a text", 5, &bytes, &size));
    ck_assert_uint_eq(size, 5);
    ck_assert_mem_eq(bytes, "a\0b\n\xff", 5);
    free(bytes);
    bytes = NULL;
    assert_fails(as_read_text(path, "a text", 4, &bytes, &size), AS_EREAD);
    snprintf(sentence, sizeof sentence, "%s has 5 bytes, but a text has at most 4", path);
    ck_assert_str_eq(as_message(), sentence);
    ck_assert_int_eq(truncate(path, 0), 0);
    assert_ok(as_read_text(path, "a text", 4, &bytes, &size));
    ck_assert_uint_eq(size, 0);
    free(bytes);
    bytes = NULL;
    unlink(path);
    assert_fails(as_read_text(path, "a text", 4, &bytes, &size), AS_EREAD);
    snprintf(sentence, sizeof sentence, "%s: cannot be opened: No such file or directory", path);
    ck_assert_str_eq(as_message(), sentence);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    const char *const others[] = {folder, path, "/dev/zero"};
    for (size_t i = 0; i < 3; i++) {
        assert_fails(as_read_text(others[i], "a text", 4, &bytes, &size), AS_EREAD);
        snprintf(sentence, sizeof sentence, "%s is no regular file", others[i]);
        ck_assert_str_eq(as_message(), sentence);
    }
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(size, 0);
    unlink(path);
    rmdir(folder);
}
END_TEST

/* What could be written is known before it is; nothing stays of the question. */
START_TEST(an_output_is_tried_beforehand) {
    char folder[] = "/tmp/attnspec-base-XXXXXX", path[64], below[80];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/o", folder);
    snprintf(below, sizeof below, "%s/below", path);
    assert_ok(as_output_try(path, false));
    assert_fails(as_output_try(below, true), AS_EWRITE);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    assert_fails(as_output_try(path, false), AS_EEXIST);
    assert_ok(as_output_try(path, true));
    assert_fails(as_output_try(below, true), AS_EWRITE); /* a file is no folder */
    assert_fails(as_output_try(folder, true), AS_EWRITE);
    assert_fails(as_output_try("/dev/null", true), AS_EWRITE);
    assert_fails(as_output_try("", true), AS_EINVAL);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, matrix_keeps_its_buffer_when_it_shrinks);
    tcase_add_test(t, matrix_that_overflows_is_refused_and_unchanged);
    tcase_add_test(t, finite_check_finds_every_kind_at_every_place);
    tcase_add_test(t, parallel_for_visits_every_index_once);
    tcase_add_test(t, message_may_be_built_from_itself_and_is_cut);
    tcase_add_test(t, every_status_has_its_own_name);
    tcase_add_test(t, the_machine_is_known);
    tcase_add_test(t, a_whole_file_is_read_and_nothing_else);
    tcase_add_test(t, an_output_is_tried_beforehand);
}

AS_TEST_MAIN("base")

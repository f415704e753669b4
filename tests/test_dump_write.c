/* Our own dumps: what is written is read back bit by bit, the same bytes every time, and a failure
 * leaves what was there. */
#define _GNU_SOURCE /* mkdtemp, setrlimit */
#include "npy_file.h"
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const as_dump_shape shape = {
    .layers = 2, .heads = 4, .kv_heads = 2, .rows = 13, .cols = 37, .dim = 6};
static const char *const names[] = {"query", "key", "logits", "content"};
static const char *const attributes[][2] = {
    {"scheme", "rope:base=500000"}, {"content", "gaussian"}, {"mask", "causal"}, {"empty", ""}};

static size_t heads_of(size_t t) {
    return t == 1 ? shape.kv_heads : shape.heads;
}

static size_t rows_of(size_t t) {
    return t == 1 ? shape.cols : shape.rows;
}

static size_t cols_of(size_t t) {
    return t < 2 ? shape.dim : shape.cols;
}

/* Entries that no dtype but float64 holds, and −infinity. */
static double value_of(size_t t, size_t layer, size_t head, size_t i) {
    return t >= 2 && i % 11 == 3
               ? -INFINITY
               : (double)(1000 * t + 100 * layer + 10 * head) + 1 / (double)(i + 3);
}

static as_status write_matrix(as_dump_writer *writer, size_t t, size_t layer, size_t head) {
    double matrix[13 * 37 + 37 * 6];
    for (size_t i = 0; i < rows_of(t) * cols_of(t); i++) {
        matrix[i] = value_of(t, layer, head, i);
    }
    return as_dump_write(writer, names[t], layer, 0, head, matrix);
}

static void write_all(const char *path, bool force) {
    as_dump_writer *writer;
    assert_ok(as_dump_create(path, force, &shape, attributes, 4, &writer));
    for (size_t layer = 0; layer < shape.layers; layer++) {
        for (size_t t = 0; t < 4; t++) {
            for (size_t head = 0; head < heads_of(t); head++) {
                assert_ok(write_matrix(writer, t, layer, head));
            }
        }
    }
    assert_ok(as_dump_write_number(writer, "scale", 1 / sqrt(6)));
    assert_ok(as_dump_write_number(writer, "seed", 7));
    assert_ok(as_dump_finish(writer));
    as_dump_writer_free(writer);
}

/* A fresh folder, and a path in it. */
static void temporary_folder(char folder[32], char path[64]) {
    strcpy(folder, "/tmp/attnspec_test_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, 64, "%s/dump.h5", folder);
}

static size_t files_in(const char *folder) {
    size_t count = 0;
    DIR *d = opendir(folder);
    while (readdir(d) != NULL) {
        count++;
    }
    closedir(d);
    return count - 2;
}

START_TEST(what_is_written_is_read_back) {
    static const char *const sorted[] = {"dump/content", "dump/key", "dump/logits", "dump/query"};
    static const size_t number[] = {3, 1, 2, 0};
    char folder[32], path[64];
    as_dump *dump;
    as_matrix m = {0};
    temporary_folder(folder, path);
    write_all(path, false);
    ck_assert_uint_eq(files_in(folder), 1);
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 4);
    for (size_t s = 0; s < 4; s++) {
        size_t t = number[s];
        const as_tensor *tensor = as_dump_tensor(dump, s);
        const size_t expected[] = {shape.layers, heads_of(t), rows_of(t), cols_of(t)};
        ck_assert_str_eq(tensor->name, sorted[s]);
        ck_assert_int_eq(tensor->dtype, AS_F64);
        ck_assert_uint_eq(tensor->rank, 4);
        ck_assert_mem_eq(tensor->shape, expected, sizeof expected);
        for (size_t at = 0; at < shape.layers * heads_of(t); at++) {
            size_t layer = at / heads_of(t), head = at % heads_of(t);
            assert_ok(as_dump_read(dump, s, &(as_slice){2, 3, {layer, head}}, &m));
            for (size_t i = 0; i < m.rows * m.cols; i++) {
                if (m.data[i] != value_of(t, layer, head, i)) {
                    ck_abort_msg("%s[%zu][%zu] %zu: %g", sorted[s], layer, head, i, m.data[i]);
                }
            }
        }
    }
    ck_assert_str_eq(as_dump_attribute(dump, "scheme"), "rope:base=500000");
    ck_assert_str_eq(as_dump_attribute(dump, "mask"), "causal");
    ck_assert_str_eq(as_dump_attribute(dump, "empty"), "");
    ck_assert_str_eq(as_dump_attribute(dump, "seed"), "7");
    ck_assert_double_eq(strtod(as_dump_attribute(dump, "scale"), NULL), 1 / sqrt(6));
    ck_assert_str_eq(as_dump_attribute(dump, "format_version"), "1");
    ck_assert_ptr_null(as_dump_attribute(dump, "nothing"));
    as_dump_close(dump);
    assert_ok(as_dump_open("data/scalar_f8.npy", NULL, &dump));
    ck_assert_ptr_null(as_dump_attribute(dump, "scheme"));
    as_dump_close(dump);
    as_matrix_free(&m);
    unlink(path);
    rmdir(folder);
}
END_TEST

static size_t read_file(const char *path, char **bytes) {
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(f);
    rewind(f);
    *bytes = malloc(size);
    ck_assert_uint_eq(fread(*bytes, 1, size, f), size);
    fclose(f);
    return size;
}

START_TEST(the_same_bytes_and_the_rights_of_a_new_file) {
    char folder[32], path[64], other[64], *a, *b;
    struct stat facts;
    temporary_folder(folder, path);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    mode_t mask = umask(027);
    write_all(path, false);
    umask(mask);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0640);
    sleep(1); /* times in HDF5 are whole seconds */
    write_all(other, false);
    size_t size = read_file(path, &a);
    ck_assert_uint_eq(size, read_file(other, &b));
    ck_assert_mem_eq(a, b, size);
    free(a);
    free(b);
    unlink(path);
    unlink(other);
    rmdir(folder);
}
END_TEST

static void check_refused(const char *path, bool force, as_status expected, const char *sentence) {
    as_dump_writer *writer = NULL;
    assert_fails(as_dump_create(path, force, &shape, attributes, 4, &writer), expected);
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "%s", as_message());
    ck_assert_ptr_null(writer);
}

START_TEST(outputs_that_are_refused) {
    char folder[32], path[64], below[80];
    temporary_folder(folder, path);
    snprintf(below, sizeof below, "%s/below.h5", path);
    check_refused(folder, true, AS_EWRITE, ": it is a folder");
    check_refused("/dev/null", true, AS_EWRITE, "/dev/null: it is no regular file");
    check_refused("", false, AS_EINVAL, "no name");
    check_refused(below, false, AS_EWRITE, "below.h5: No such file or directory");
    write_bytes(path, "kept", 4, NULL, 0);
    check_refused(path, false, AS_EEXIST, "dump.h5 is there already");
    check_refused(below, true, AS_EWRITE, "below.h5: Not a directory");
    char *bytes;
    ck_assert_uint_eq(read_file(path, &bytes), 4);
    free(bytes);
    write_all(path, true);
    ck_assert_uint_gt(read_file(path, &bytes), 4);
    free(bytes);
    ck_assert_uint_eq(files_in(folder), 1);
    unlink(path);
    rmdir(folder);
}
END_TEST

START_TEST(an_unfinished_dump_leaves_nothing) {
    char folder[32], path[64];
    as_dump_writer *writer;
    temporary_folder(folder, path);
    assert_ok(as_dump_create(path, false, &shape, attributes, 4, &writer));
    ck_assert_uint_eq(files_in(folder), 1);
    assert_ok(write_matrix(writer, 2, 1, 3));
    assert_ok(write_matrix(writer, 2, 1, 3));
    double number = 0;
    assert_fails(as_dump_write(writer, "logits", 2, 0, 0, &number), AS_EINVAL);
    assert_fails(as_dump_write(writer, "key", 0, 0, 2, &number), AS_EINVAL);
    assert_fails(as_dump_write(writer, "weights", 0, 0, 0, &number), AS_EINVAL);
    assert_fails(as_dump_finish(writer), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "dump.h5 lacks 8 of its matrices of query"));
    as_dump_writer_free(writer);
    as_dump_writer_free(NULL);
    ck_assert_uint_eq(files_in(folder), 0);
    rmdir(folder);
}
END_TEST

/* A limit on the size of files does what a full disk does, but for the errno. */
START_TEST(a_full_disk_is_an_error) {
    char folder[32], path[64];
    struct rlimit before, small = {.rlim_cur = 20000};
    temporary_folder(folder, path);
    write_bytes(path, "kept", 4, NULL, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    as_dump_writer *writer;
    as_status status = as_dump_create(path, true, &shape, attributes, 4, &writer);
    ck_assert_int_eq(status, AS_OK);
    for (size_t at = 0; at < 4 * 2 * 4 && status == AS_OK; at++) {
        if (at % 4 < heads_of(at / 8)) {
            status = write_matrix(writer, at / 8, at / 4 % 2, at % 4);
        }
    }
    if (status == AS_OK) {
        status = as_dump_finish(writer);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(status, AS_EWRITE);
    char expected[128];
    snprintf(expected, sizeof expected, "cannot write %s: File too large", path);
    ck_assert_str_eq(as_message(), expected);
    as_dump_writer_free(writer);
    ck_assert_uint_eq(files_in(folder), 1);
    char *bytes;
    ck_assert_uint_eq(read_file(path, &bytes), 4);
    free(bytes);
    unlink(path);
    rmdir(folder);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, what_is_written_is_read_back);
    tcase_add_test(t, the_same_bytes_and_the_rights_of_a_new_file);
    tcase_add_test(t, outputs_that_are_refused);
    tcase_add_test(t, an_unfinished_dump_leaves_nothing);
    tcase_add_test(t, a_full_disk_is_an_error);
}
AS_TEST_MAIN("dump_write")

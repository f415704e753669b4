/* PyTorch's files in the dump room: every dtype, container and view that torch.save wrote, against
 * numbers known by formula. Their lies are in data/broken/. */
#include "support.h"

#include <string.h>

static as_dump *open_dump(const char *path) {
    as_dump *dump = NULL;
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "torch");
    return dump;
}

static size_t find(const as_dump *dump, const char *name) {
    for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
        if (strcmp(as_dump_tensor(dump, t)->name, name) == 0) {
            return t;
        }
    }
    ck_abort_msg("%s has no %s", as_dump_path(dump), name);
    return 0;
}

/* Element number i of the fixtures: i − 100 as the dtype has it. */
static double value_of(as_dtype dtype, size_t i) {
    double number = (double)i - 100;
    return dtype == AS_BOOL ? number != 0 : dtype == AS_U8 && number < 0 ? 256 + number : number;
}

static void check_numbers(const char *path) {
    static const char *const names[] = {"f8", "f4", "f2", "bf16", "i8",
                                        "i4", "i2", "i1", "u1",   "b1"};
    static const size_t shape[] = {2, 3, 5, 7}, stride[] = {105, 35, 7, 1};
    as_dump *dump = open_dump(path);
    ck_assert_uint_eq(as_dump_tensor_count(dump), 10);
    as_matrix m = {0};
    for (size_t n = 0; n < 10; n++) {
        const as_tensor *t = as_dump_tensor(dump, n);
        ck_assert_str_eq(t->name, names[n]);
        ck_assert_str_eq(as_dtype_name(t->dtype), names[n]);
        ck_assert_uint_eq(t->rank, 4);
        ck_assert_mem_eq(t->shape, shape, sizeof shape);
        for (size_t pair = 0; pair < 16; pair++) {
            size_t r = pair / 4, c = pair % 4;
            as_slice slice = {r == c ? AS_NO_AXIS : r, c, {1, 2, 3, 4}};
            assert_ok(as_dump_read(dump, n, &slice, &m));
            for (size_t i = 0; i < m.rows * m.cols; i++) {
                size_t number = 0;
                for (size_t a = 0; a < 4; a++) {
                    size_t at = a == c ? i % m.cols : a == r ? i / m.cols : slice.index[a];
                    number += at * stride[a];
                }
                if (m.data[i] != value_of(t->dtype, number)) {
                    ck_abort_msg("%s: %s axes %zu, %zu: %zu is %g", path, names[n], r, c, i,
                                 m.data[i]);
                }
            }
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}

START_TEST(every_dtype_and_byte_order) {
    check_numbers("data/numbers_2x3x5x7.pt");
    check_numbers("data/numbers_2x3x5x7_big.pt");
}
END_TEST

START_TEST(members_that_a_zip_program_deflated) {
    check_numbers("data/numbers_2x3x5x7_deflated.pt");
}
END_TEST

/* In the file's order; each tensor is full of `value`. */
START_TEST(containers_give_names) {
    static const struct {
        const char *name;
        size_t rows, cols;
        double value;
    } rows[] = {{"tied", 2, 3, 0},         {"state.weight", 2, 3, 1},
                {"state.bias", 1, 2, 2},   {"layers.0.q", 2, 2, 3},
                {"layers.0.k", 2, 3, 4},   {"layers.1.0", 1, 2, 5},
                {"layers.1.1.0", 2, 1, 6}, {"7", 2, 2, 7},
                {"again", 2, 3, 0},        {"ordered.x", 2, 2, 8}};
    as_dump *dump = open_dump("data/containers.pt");
    ck_assert_uint_eq(as_dump_tensor_count(dump), sizeof rows / sizeof *rows);
    as_matrix m = {0};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        ck_assert_str_eq(as_dump_tensor(dump, n)->name, rows[n].name);
        bool vector = as_dump_tensor(dump, n)->rank == 1;
        assert_ok(as_dump_read(dump, n, &(as_slice){vector ? AS_NO_AXIS : 0, !vector, {0}}, &m));
        ck_assert_uint_eq(m.rows, rows[n].rows);
        ck_assert_uint_eq(m.cols, rows[n].cols);
        for (size_t i = 0; i < m.rows * m.cols; i++) {
            ck_assert_double_eq(m.data[i], rows[n].value);
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

START_TEST(a_ragged_tuple_of_layers) {
    static const size_t shapes[3][4] = {{1, 2, 3, 3}, {1, 2, 1, 4}, {1, 2, 1, 5}};
    as_dump *dump = open_dump("data/ragged_protocol4.pt");
    ck_assert_uint_eq(as_dump_tensor_count(dump), 3);
    as_matrix m = {0};
    for (size_t n = 0; n < 3; n++) {
        char name[] = {(char)('0' + n), '\0'};
        ck_assert_str_eq(as_dump_tensor(dump, n)->name, name);
        ck_assert_mem_eq(as_dump_tensor(dump, n)->shape, shapes[n], sizeof shapes[n]);
        assert_ok(as_dump_read(dump, n, &(as_slice){2, 3, {0, 1}}, &m));
        size_t first = shapes[n][2] * shapes[n][3];
        ck_assert_double_eq(m.data[first - 1], (double)(2 * first - 1));
    }
    as_dump_close(dump);
    dump = open_dump("data/single.pt");
    ck_assert_uint_eq(as_dump_tensor_count(dump), 1);
    ck_assert_str_eq(as_dump_tensor(dump, 0)->name, "");
    assert_ok(as_dump_read(dump, 0, &(as_slice){0, 1, {0}}, &m));
    ck_assert_double_eq(m.data[5], 5);
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

/* Element (i, k) of the last two axes is offset + i·down + k·across; so it is transposed. */
START_TEST(views_keep_their_storage) {
    static const struct {
        const char *name;
        size_t axis, rows, cols, offset, down, across;
    } rows[] = {{"whole", 0, 5, 12, 0, 12, 1},      {"offset", 0, 6, 8, 6, 8, 1},
                {"transposed", 0, 8, 6, 6, 1, 8},   {"steps", 0, 3, 2, 16, 16, 3},
                {"row_expanded", 0, 5, 4, 3, 0, 1}, {"col_expanded", 0, 4, 5, 3, 1, 0},
                {"all_expanded", 0, 3, 4, 9, 0, 0}, {"batch_expanded", 1, 6, 8, 6, 8, 1},
                {"sliding", 0, 10, 4, 5, 1, 1},     {"sliding_down", 0, 4, 10, 7, 2, 3},
                {"permuted", 1, 3, 4, 4, 20, 5}};
    as_dump *dump = open_dump("data/views.pt");
    as_matrix m = {0};
    for (size_t n = 0; n < 2 * sizeof rows / sizeof *rows; n++) {
        size_t r = n / 2, axis = rows[r].axis, across = n % 2;
        size_t row_axis = axis + across, col_axis = axis + 1 - across;
        as_slice slice = {row_axis,
                          col_axis,
                          {axis == 0                               ? 0
                           : strcmp(rows[r].name, "permuted") == 0 ? 4
                                                                   : 2}};
        assert_ok(as_dump_read(dump, find(dump, rows[r].name), &slice, &m));
        ck_assert_uint_eq(m.rows, across ? rows[r].cols : rows[r].rows);
        ck_assert_uint_eq(m.cols, across ? rows[r].rows : rows[r].cols);
        for (size_t p = 0; p < m.rows * m.cols; p++) {
            size_t i = across ? p % m.cols : p / m.cols, k = across ? p / m.cols : p % m.cols;
            size_t expected = rows[r].offset + i * rows[r].down + k * rows[r].across;
            ck_assert_msg(m.data[p] == (double)expected, "%s (%zu, %zu) = %g, expected %zu",
                          rows[r].name, i, k, m.data[p], expected);
        }
    }
    /* A single row of an expanded axis. */
    assert_ok(as_dump_read(dump, find(dump, "col_expanded"), &(as_slice){AS_NO_AXIS, 1, {2}}, &m));
    ck_assert_uint_eq(m.cols, 5);
    ck_assert_double_eq(m.data[0], 5);
    ck_assert_double_eq(m.data[4], 5);
    ck_assert_uint_eq(as_dump_tensor(dump, find(dump, "scalar"))->rank, 0);
    assert_ok(as_dump_read(dump, find(dump, "empty"), &(as_slice){0, 1, {0}}, &m));
    ck_assert_uint_eq(m.rows, 0);
    ck_assert_uint_eq(m.cols, 3);
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

START_TEST(tensors_that_are_no_plain_numbers_say_so) {
    as_dump *dump = open_dump("data/views.pt");
    as_matrix m = {0};
    const as_tensor *complex = as_dump_tensor(dump, find(dump, "complex"));
    ck_assert_int_eq(complex->status, AS_SKIPPED);
    ck_assert_str_eq(complex->reason,
                     "holds complex numbers; save the real and the imaginary part");
    as_dump_close(dump);
    dump = open_dump("data/negative.pt");
    ck_assert_int_eq(as_dump_tensor(dump, 0)->status, AS_EREAD);
    assert_fails(as_dump_read(dump, 0, &(as_slice){0, 1, {0}}, &m), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), "is a negated or conjugated view"));
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

/* What is missing has a row; what nobody set has none. */
START_TEST(none_where_a_tensor_is_expected_is_a_row) {
    static const char *const none[] = {"attentions.0", "attentions.1", "logits",
                                       "config.attn_weights"};
    as_dump *dump = open_dump("data/none.pt");
    ck_assert_uint_eq(as_dump_tensor_count(dump), 4);
    as_matrix m = {0};
    for (size_t t = 0; t < 4; t++) {
        const as_tensor *tensor = as_dump_tensor(dump, t);
        ck_assert_str_eq(tensor->name, none[t]);
        ck_assert_int_eq(tensor->status, t == 2 ? AS_OK : AS_SKIPPED);
        if (t != 2) {
            ck_assert(strncmp(tensor->reason, "is None; models give no attention", 33) == 0);
            ck_assert_int_ne(as_dump_read(dump, t, &(as_slice){0, 1, {0}}, &m), AS_OK);
        }
    }
    as_dump_close(dump);
    dump = open_dump("data/none_between.pt");
    ck_assert_uint_eq(as_dump_tensor_count(dump), 3);
    ck_assert_int_eq(as_dump_tensor(dump, 0)->status, AS_OK);
    ck_assert_int_eq(as_dump_tensor(dump, 1)->status, AS_SKIPPED);
    ck_assert_int_eq(as_dump_tensor(dump, 2)->status, AS_OK);
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

enum { READS = 60 };
typedef struct shared {
    const as_dump *dump;
    double last[READS];
} shared;

static void read_one(void *context, size_t index, size_t worker) {
    (void)worker;
    shared *s = context;
    as_matrix m = {0};
    const as_slice slice = {2, 3, {1, 2}};
    s->last[index] =
        as_dump_read(s->dump, index % 5, &slice, &m) == AS_OK ? m.data[34] : (double)NAN;
    as_matrix_free(&m);
}

/* Deflated members share one temporary file. */
START_TEST(threads_share_a_dump) {
    static const char *const paths[] = {"data/numbers_2x3x5x7.pt",
                                        "data/numbers_2x3x5x7_deflated.pt"};
    for (size_t p = 0; p < 2; p++) {
        as_dump *dump = open_dump(paths[p]);
        shared s = {.dump = dump};
        assert_ok(as_parallel_for(READS, 3, read_one, &s));
        for (size_t i = 0; i < READS; i++) {
            ck_assert_double_eq(s.last[i], 109);
        }
        as_dump_close(dump);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_dtype_and_byte_order);
    tcase_add_test(t, members_that_a_zip_program_deflated);
    tcase_add_test(t, containers_give_names);
    tcase_add_test(t, a_ragged_tuple_of_layers);
    tcase_add_test(t, views_keep_their_storage);
    tcase_add_test(t, tensors_that_are_no_plain_numbers_say_so);
    tcase_add_test(t, none_where_a_tensor_is_expected_is_a_row);
    tcase_add_test(t, threads_share_a_dump);
}
AS_TEST_MAIN("dump_torch")

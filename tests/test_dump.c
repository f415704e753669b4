/* The dump room: every dtype, byte order, memory order and rank against bytes made here, every way
 * of lying against its sentence, and files that are no files. */
#define _GNU_SOURCE /* mkdtemp, mkfifo, truncate, utimensat */
#include "npy_file.h"
#include "support.h"

#include <fcntl.h>
#include <float.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_ELEMENTS = 1 << 19 };

/* binary16 and bfloat16 by their definition. */
static double small_float(unsigned bits, int exponent_bits, int mantissa_bits) {
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    int bias = (1 << (exponent_bits - 1)) - 1;
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return mantissa == 0 ? sign * INFINITY : NAN;
    }
    return exponent == 0
               ? sign * ldexp(mantissa, 1 - bias - mantissa_bits)
               : sign * ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

static void all_patterns(const char *descr, const char *raw_dtype, int exponent_bits,
                         int mantissa_bits) {
    static unsigned char data[2 * 65536];
    for (unsigned i = 0; i < 65536; i++) {
        data[2 * i] = (unsigned char)(descr[0] == '>' ? i >> 8 : i);
        data[2 * i + 1] = (unsigned char)(descr[0] == '>' ? i : i >> 8);
    }
    char path[64];
    temporary_file(path);
    write_npy(path, descr, 0, 2, (size_t[]){256, 256}, data, sizeof data);
    as_dump *dump;
    const as_dump_options options = {.raw_dtype = raw_dtype};
    assert_ok(as_dump_open(path, &options, &dump));
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, 0, &(as_slice){.row_axis = 0, .col_axis = 1}, &m));
    for (unsigned i = 0; i < 65536; i++) {
        double expected = small_float(i, exponent_bits, mantissa_bits);
        bool same = isnan(expected)
                        ? isnan(m.data[i])
                        : m.data[i] == expected && signbit(m.data[i]) == signbit(expected);
        if (!same) {
            ck_abort_msg("%s %04x: %.17g, expected %.17g", descr, i, m.data[i], expected);
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
    unlink(path);
}

/* Checks of single elements are plain ifs: each ck_assert writes to Check's pipe. */
START_TEST(every_f16_and_bf16_is_exact) {
    all_patterns("<f2", NULL, 5, 10);
    all_patterns(">f2", NULL, 5, 10);
    all_patterns("|V2", "bf16", 8, 7);
    all_patterns("<V2", "bf16", 8, 7);
}
END_TEST

/* The little-endian bytes of a small whole number. */
static void encode(as_dtype dtype, int value, unsigned char *out) {
    double d = value;
    float f = (float)value;
    uint64_t bits = (uint64_t)(int64_t)value;
    if (dtype == AS_F64) {
        memcpy(&bits, &d, 8);
    } else if (dtype == AS_F32) {
        uint32_t b;
        memcpy(&b, &f, 4);
        bits = b;
    } else if (dtype == AS_F16) {
        int e = 0;
        double m = frexp(fabs(d), &e); /* 1/2 ≤ m < 1 */
        bits = value == 0 ? 0
                          : (uint64_t)(e + 14) << 10 | ((uint64_t)ldexp(m, 11) & 0x3ff) |
                                (value < 0 ? 0x8000u : 0);
    }
    for (size_t i = 0; i < as_dtype_size(dtype); i++) {
        out[i] = (unsigned char)(bits >> (8 * i));
    }
}

/* What element number i (in C order) of the test tensors is. */
static int value_of(as_dtype dtype, size_t i) {
    bool is_unsigned = as_dtype_name(dtype)[0] == 'u' || dtype == AS_BOOL;
    int value = (int)(i % 199) - (is_unsigned ? 0 : 99);
    return dtype == AS_BOOL ? value % 2 : value;
}

typedef struct layout {
    size_t rank;
    size_t shape[5];
    bool fortran;
} layout;

static size_t elements(const layout *l) {
    size_t n = 1;
    for (size_t i = 0; i < l->rank; i++) {
        n *= l->shape[i];
    }
    return n;
}

/* Number in C order, and place in the file, of the element at index. */
static size_t number_of(const layout *l, const size_t *index, bool fortran) {
    size_t n = 0;
    for (size_t i = 0; i < l->rank; i++) {
        size_t axis = fortran ? l->rank - 1 - i : i;
        n = n * l->shape[axis] + index[axis];
    }
    return n;
}

static void write_tensor(const char *path, as_dtype dtype, bool big, const layout *l) {
    static unsigned char data[8 * MAX_ELEMENTS];
    size_t size = as_dtype_size(dtype), n = elements(l);
    ck_assert_uint_le(n, MAX_ELEMENTS);
    for (size_t i = 0; i < n; i++) {
        size_t index[5], rest = i;
        for (size_t a = l->rank; a-- > 0; rest /= l->shape[a]) {
            index[a] = rest % l->shape[a];
        }
        unsigned char *at = data + size * number_of(l, index, l->fortran);
        encode(dtype, value_of(dtype, i), at);
        for (size_t b = 0; big && b < size / 2; b++) {
            unsigned char swap = at[b];
            at[b] = at[size - 1 - b];
            at[size - 1 - b] = swap;
        }
    }
    char descr[8];
    snprintf(descr, sizeof descr, "%s%s", size == 1 ? "|" : big ? ">" : "<", as_dtype_name(dtype));
    write_npy(path, descr, l->fortran, l->rank, l->shape, data, size * n);
}

static void check_slice(const as_dump *dump, as_dtype dtype, const layout *l, as_slice slice) {
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, 0, &slice, &m));
    size_t rows = slice.row_axis == AS_NO_AXIS ? 1 : l->shape[slice.row_axis];
    ck_assert_uint_eq(m.rows, rows);
    ck_assert_uint_eq(m.cols, l->shape[slice.col_axis]);
    size_t index[5];
    memcpy(index, slice.index, sizeof index);
    for (size_t i = 0; i < m.rows; i++) {
        for (size_t k = 0; k < m.cols; k++) {
            if (slice.row_axis != AS_NO_AXIS) {
                index[slice.row_axis] = i;
            }
            index[slice.col_axis] = k;
            int expected = value_of(dtype, number_of(l, index, false));
            if (m.data[i * m.cols + k] != expected) {
                ck_abort_msg("%s rank %zu fortran %d axes %zu, %zu: (%zu, %zu) = %g, expected %d",
                             as_dtype_name(dtype), l->rank, l->fortran, slice.row_axis,
                             slice.col_axis, i, k, m.data[i * m.cols + k], expected);
            }
        }
    }
    as_matrix_free(&m);
}

/* Every ordered pair of axes, and every single one, at the first, an inner and the last index. */
static void check_tensor(as_dtype dtype, bool big, const layout *l) {
    char path[64];
    temporary_file(path);
    write_tensor(path, dtype, big, l);
    as_dump *dump;
    assert_ok(as_dump_open(path, NULL, &dump));
    const as_tensor *t = as_dump_tensor(dump, 0);
    ck_assert_uint_eq(as_dump_tensor_count(dump), 1);
    ck_assert_str_eq(t->name, "");
    ck_assert_int_eq(t->dtype, dtype);
    ck_assert_uint_eq(t->rank, l->rank);
    ck_assert_mem_eq(t->shape, l->shape, l->rank * sizeof *l->shape);
    for (size_t part = 0; part < 3; part++) {
        as_slice slice = {0};
        for (size_t a = 0; a < l->rank; a++) {
            slice.index[a] = part * (l->shape[a] - 1) / 2;
        }
        for (slice.col_axis = 0; slice.col_axis < l->rank; slice.col_axis++) {
            for (size_t row = 0; row <= l->rank; row++) {
                slice.row_axis = row < l->rank ? row : AS_NO_AXIS;
                if (slice.row_axis != slice.col_axis) {
                    check_slice(dump, dtype, l, slice);
                }
            }
        }
    }
    as_dump_close(dump);
    unlink(path);
}

START_TEST(every_dtype_order_and_rank) {
    for (as_dtype dtype = 0; dtype < AS_DTYPE_COUNT; dtype++) {
        bool in_npy = strlen(as_dtype_name(dtype)) == 2;
        for (int variant = 0; in_npy && variant < 4; variant++) {
            for (size_t rank = 1; rank <= 5; rank++) {
                layout l = {rank, {3, 1, 5, 2, 7}, variant & 1};
                check_tensor(dtype, variant & 2, &l);
            }
        }
    }
}
END_TEST

/* Larger than a block (256 KiB), rows longer than a block, and gaps on both sides of a page. */
START_TEST(slices_larger_than_a_block) {
    const layout layouts[] = {{2, {300, 700}, true},       {2, {700, 300}, false},
                              {3, {3, 130, 1111}, true},   {3, {130, 3, 1111}, false},
                              {3, {130, 1111, 3}, false},  {4, {2, 370, 2, 311}, true},
                              {4, {370, 2, 311, 2}, true}, {2, {2, 200003}, false},
                              {2, {200003, 2}, false},     {2, {2, 200003}, true}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        check_tensor(i % 2 == 0 ? AS_F32 : AS_F64, i % 3 == 0, &layouts[i]);
    }
}
END_TEST

static void check_header(const char *text, bool fortran) {
    /* One more than promised is legal: numpy appends arrays to one file. */
    const float data[] = {1, 2, 3, 4, 5, 6, 7};
    char path[64];
    temporary_file(path);
    write_npy_text(path, text, data, sizeof data);
    as_dump *dump;
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dump_path(dump), path);
    ck_assert_str_eq(as_dump_format(dump), "npy");
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, 0, &(as_slice){.row_axis = 0, .col_axis = 1}, &m));
    ck_assert_uint_eq(m.rows, 2);
    ck_assert_uint_eq(m.cols, 3);
    ck_assert_double_eq(m.data[1], fortran ? 3 : 2);
    ck_assert_double_eq(m.data[3], fortran ? 2 : 4);
    as_matrix_free(&m);
    as_dump_close(dump);
    unlink(path);
}

START_TEST(headers_that_other_writers_make) {
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n", false);
    check_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", true);
    check_header("{'shape': (2L, 3L), 'fortran_order': False, 'descr': '<f4'}\n", false);
    check_header("  {\t\"shape\":(2,3,),\n\"descr\":\"<f4\" ,\"fortran_order\":True,}\n\n", true);
    check_header("{u'descr': u'=f4', u'fortran_order': False, u'shape': (2, 3)}", false);
    check_header("{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3)}", false);
    check_header("{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3)}", false);
}
END_TEST

START_TEST(every_way_of_lying_has_its_sentence) {
    FILE *list = fopen("data/broken/expected.txt", "r");
    ck_assert_ptr_nonnull(list);
    char line[512], path[600], expected[1200];
    const char *open_end = "that are read";
    size_t count = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *sentence = strchr(line, '\t');
        ck_assert_ptr_nonnull(sentence);
        *sentence++ = '\0';
        snprintf(path, sizeof path, "data/broken/%s", line);
        snprintf(expected, sizeof expected, "%s: %s", path, sentence);
        as_dump *dump = NULL;
        clock_t start = clock();
        assert_fails(as_dump_open(path, NULL, &dump), AS_EREAD);
        ck_assert_msg(clock() - start < AS_TEST_SECOND, "%s took too long", path);
        ck_assert_ptr_null(dump);
        size_t length = strlen(expected), tail = strlen(open_end);
        bool whole = strcmp(expected + length - tail, open_end) != 0 && expected[length - 1] != ':';
        ck_assert_msg(strncmp(as_message(), expected, whole ? sizeof expected : length) == 0,
                      "\n%s\nexpected\n%s", as_message(), expected);
        count++;
    }
    fclose(list);
    ck_assert_uint_ge(count, 50);
}
END_TEST

static void check_refused(const char *path, const char *sentence) {
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", path, sentence);
    as_dump *dump = NULL;
    assert_fails(as_dump_open(path, NULL, &dump), AS_EREAD);
    ck_assert_str_eq(as_message(), expected);
    ck_assert_ptr_null(dump);
}

START_TEST(what_is_no_file_never_blocks) {
    char folder[] = "/tmp/attnspec_test_XXXXXX", pipe[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    check_refused(folder, "is a directory, not a file");
    check_refused(pipe, "cannot be opened: No such file or directory");
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    check_refused(pipe, "is a pipe, not a file");
    check_refused("/dev/null", "is a device, not a file");
    check_refused("", "cannot be opened: No such file or directory");
    unlink(pipe);
    rmdir(folder);
}
END_TEST

START_TEST(a_file_that_changes_is_noticed) {
    const double data[] = {1, 2, 3, 4};
    const as_slice slice = {.row_axis = 0, .col_axis = 1};
    for (int change = 0; change < 3; change++) {
        char path[64];
        temporary_file(path);
        write_npy(path, "<f8", 0, 2, (size_t[]){2, 2}, data, sizeof data);
        as_dump *dump;
        assert_ok(as_dump_open(path, NULL, &dump));
        as_matrix m = {0};
        assert_ok(as_dump_read(dump, 0, &slice, &m));
        const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
        ck_assert_int_eq(change == 0   ? truncate(path, 90)
                         : change == 1 ? utimensat(AT_FDCWD, path, times, 0)
                                       : unlink(path),
                         0);
        assert_fails(as_dump_read(dump, 0, &slice, &m), AS_EREAD);
        ck_assert_msg(strstr(as_message(), change == 0   ? ": changed since it was opened"
                                           : change == 1 ? ": was written again since"
                                                         : ": cannot be opened: No such file"),
                      "%s", as_message());
        as_matrix_free(&m);
        as_dump_close(dump);
        unlink(path);
    }
}
END_TEST

START_TEST(slices_outside_the_tensor) {
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers_2x3x5x7_f4_little_C.npy", NULL, &dump));
    as_matrix m = {0};
    const as_slice slices[] = {{2, 4, {0}},
                               {4, 3, {0}},
                               {3, 3, {0}},
                               {2, AS_NO_AXIS, {0}},
                               {2, 3, {2, 0}},
                               {2, 3, {0, 3}},
                               {AS_NO_AXIS, 3, {0, 0, 5}}};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        assert_fails(as_dump_read(dump, 0, &slices[i], &m), AS_EINVAL);
    }
    assert_fails(as_dump_read(dump, 1, &(as_slice){2, 3, {0}}, &m), AS_EINVAL);
    as_dump_close(dump);
    assert_fails(as_dump_open("data/scalar_f8.npy", &(as_dump_options){.raw_dtype = "bf17"}, &dump),
                 AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "\"bf17\""));
    as_matrix_free(&m);
}
END_TEST

static void check_numbers(const char *path, const char *code) {
    as_dump *dump;
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dtype_name(as_dump_tensor(dump, 0)->dtype), code);
    as_matrix m = {0};
    for (size_t i = 0; i < 2 * 3; i++) {
        const as_slice slice = {2, 3, {i / 3, i % 3}};
        assert_ok(as_dump_read(dump, 0, &slice, &m));
        for (size_t k = 0; k < 5 * 7; k++) {
            int number = (int)(i * 35 + k) - 100;
            double expected = strcmp(code, "b1") == 0   ? number != 0
                              : strcmp(code, "u1") == 0 ? number & 0xff
                                                        : number;
            ck_assert_msg(m.data[k] == expected, "%s: %zu, %zu: %g, expected %g", path, i, k,
                          m.data[k], expected);
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}

START_TEST(files_that_numpy_wrote) {
    char path[128];
    const char *codes[] = {"f2", "f4", "f8"}, *orders[] = {"little", "big"};
    for (size_t i = 0; i < 3 * 2 * 2; i++) {
        const char *code = codes[i / 4];
        snprintf(path, sizeof path, "data/numbers_2x3x5x7_%s_%s_%c.npy", code, orders[i / 2 % 2],
                 "CF"[i % 2]);
        check_numbers(path, code);
    }
    const char *others[] = {"i1", "i4", "u1", "b1", "f4_version2", "f4_version3"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "data/numbers_2x3x5x7_%s.npy", others[i]);
        check_numbers(path, i < 4 ? others[i] : "f4");
    }
    as_dump *dump;
    as_matrix m = {0};
    assert_ok(as_dump_open("data/scalar_f8.npy", NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor(dump, 0)->rank, 0);
    as_dump_close(dump);
    assert_ok(as_dump_open("data/empty_2x0x3_f4.npy", NULL, &dump));
    assert_ok(as_dump_read(dump, 0, &(as_slice){1, 2, {1}}, &m));
    ck_assert_uint_eq(m.rows, 0);
    ck_assert_uint_eq(m.cols, 3);
    as_dump_close(dump);
    const as_dump_options bf16 = {.raw_dtype = "bf16"};
    assert_ok(as_dump_open("data/opaque_2x2_bf16.npy", &bf16, &dump));
    ck_assert_int_eq(as_dump_tensor(dump, 0)->dtype, AS_BF16);
    assert_ok(as_dump_read(dump, 0, &(as_slice){0, 1, {0}}, &m));
    const double expected[] = {1, 2, -INFINITY, 3.140625};
    ck_assert_mem_eq(m.data, expected, sizeof expected);
    as_dump_close(dump);
    as_matrix_free(&m);
}
END_TEST

/* A file of 2^40 bytes that takes no room on the disk: to open it must not take memory either. */
START_TEST(a_huge_sparse_file_is_opened_and_not_read) {
    char path[64];
    temporary_file(path);
    write_npy(path, "|u1", 0, 2, (size_t[]){1 << 20, 1 << 20}, NULL, 0);
    if (truncate(path, ((off_t)1 << 40) + 4096) != 0) {
        printf("skipped: this file system has no sparse files of 2^40 bytes\n");
        unlink(path);
        return;
    }
    as_dump *dump;
    assert_ok(as_dump_open(path, NULL, &dump));
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, 0, &(as_slice){AS_NO_AXIS, 1, {(1 << 20) - 1}}, &m));
    ck_assert_uint_eq(m.cols, 1 << 20);
    ck_assert_double_eq(m.data[m.cols - 1], 0);
    as_matrix_free(&m);
    as_dump_close(dump);
    unlink(path);
}
END_TEST

typedef struct shared {
    const as_dump *dump;
    as_matrix out[12];
} shared;

static void read_one(void *context, size_t index, size_t worker) {
    (void)worker;
    shared *s = context;
    const as_slice slice = {2, 3, {index / 3 % 2, index % 3}};
    if (as_dump_read(s->dump, 0, &slice, &s->out[index]) != AS_OK) {
        s->out[index].rows = 0;
    }
}

START_TEST(threads_share_a_dump) {
    for (int i = 0; i < 20; i++) {
        shared s = {0};
        as_dump *dump;
        assert_ok(as_dump_open("data/numbers_2x3x5x7_f2_big_F.npy", NULL, &dump));
        s.dump = dump;
        assert_ok(as_parallel_for(12, 3, read_one, &s));
        for (size_t j = 0; j < 12; j++) {
            ck_assert_uint_eq(s.out[j].rows, 5);
            ck_assert_double_eq(s.out[j].data[34], (double)(j % 6 * 35 + 34) - 100);
            as_matrix_free(&s.out[j]);
        }
        as_dump_close(dump);
    }
}
END_TEST

START_TEST(dtypes_and_formats_are_described) {
    ck_assert_double_eq(as_dtype_lowest(AS_F16), small_float(0xfbff, 5, 10));
    ck_assert_double_eq(as_dtype_lowest(AS_BF16), small_float(0xff7f, 8, 7));
    ck_assert_double_eq(as_dtype_lowest(AS_F32), -(double)FLT_MAX);
    ck_assert_double_eq(as_dtype_lowest(AS_F64), -DBL_MAX);
    ck_assert_double_eq(as_dtype_epsilon(AS_F16), small_float(0x3c01, 5, 10) - 1);
    ck_assert_double_eq(as_dtype_epsilon(AS_BF16), small_float(0x3f81, 8, 7) - 1);
    for (as_dtype d = 0; d < AS_DTYPE_COUNT; d++) {
        ck_assert_int_eq(as_dtype_find(as_dtype_name(d)), d);
        ck_assert_int_eq(as_dtype_is_float(d), d <= AS_F8_E5M2);
    }
    ck_assert_int_eq(as_dtype_find("f3"), AS_DTYPE_COUNT);
    ck_assert_str_eq(as_dtype_name(AS_DTYPE_COUNT), "unknown");
    size_t count = 0;
    for (const as_format_info *f; (f = as_format_list(count)) != NULL; count++) {
        ck_assert_uint_gt(strlen(f->name), 0);
        ck_assert_uint_gt(strlen(f->summary), 0);
        ck_assert_uint_gt(strlen(f->reference), 0);
    }
    ck_assert_uint_ge(count, 1);
    as_dump_close(NULL);
}
END_TEST

/* Elements of files of real models as numpy 1.24 prints them. */
START_TEST(elements_of_real_files) {
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    if (folder == NULL) {
        printf("skipped: elements of real files (ATTNSPEC_TEST_DATA is not set)\n");
        return;
    }
    static const struct {
        const char *name;
        as_slice slice;
        size_t row, col;
        double value;
    } rows[] = {
        {"found_spatial_probing_crossattn_first8_8x8x16x196_f32.npy",
         {2, 3, {5, 6}},
         0,
         158,
         0x1.214e180000000p-8},
        {"found_spatial_probing_crossattn_first8_8x8x16x196_f32.npy",
         {2, 3, {3, 4}},
         10,
         56,
         0x1.4697780000000p-8},
        {"found_unitree_worldmodel_attentions_2x1x2x39x39_f32.npy",
         {3, 4, {1, 0, 0}},
         10,
         14,
         0x1.55ae960000000p-7},
        {"found_unitree_worldmodel_attentions_2x1x2x39x39_f32.npy",
         {3, 4, {1, 0, 0}},
         5,
         1,
         0x1.e11c600000000p-6},
        {"ngswin_x2_enc1b0_logits_8x6x64x64_f32.npy", {2, 3, {0, 0}}, 9, 63, 0x1.1a2bb20000000p+6},
        {"ngswin_x2_enc1b0_logits_8x6x64x64_f32.npy", {2, 3, {1, 3}}, 48, 15, 0x1.09cae80000000p-1},
        {"stories260K_logits_masked_layer2_1x8x160x160_f16.npy",
         {2, 3, {0, 2}},
         69,
         42,
         -0x1.afc0000000000p+4},
        {"stories260K_logits_masked_layer2_1x8x160x160_f16.npy",
         {2, 3, {0, 7}},
         28,
         28,
         0x1.f3c0000000000p+0},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian.npy",
         {0, 1, {0}},
         127,
         135,
         -0x1.5601f60000000p+2},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian.npy",
         {0, 1, {0}},
         18,
         62,
         0x1.95d22a0000000p+2},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f64_fortran.npy",
         {0, 1, {0}},
         100,
         78,
         -0x1.07188c83796edp+1},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f64_fortran.npy",
         {0, 1, {0}},
         106,
         108,
         0x1.9ce85ee9d70a5p+0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].name);
        as_dump *dump;
        assert_ok(as_dump_open(path, NULL, &dump));
        as_matrix m = {0};
        assert_ok(as_dump_read(dump, 0, &rows[i].slice, &m));
        double actual = m.data[rows[i].row * m.cols + rows[i].col];
        ck_assert_msg(actual == rows[i].value, "%s: %.17g, expected %.17g", path, actual,
                      rows[i].value);
        as_matrix_free(&m);
        as_dump_close(dump);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_f16_and_bf16_is_exact);
    tcase_add_test(t, every_dtype_order_and_rank);
    tcase_add_test(t, slices_larger_than_a_block);
    tcase_add_test(t, headers_that_other_writers_make);
    tcase_add_test(t, every_way_of_lying_has_its_sentence);
    tcase_add_test(t, what_is_no_file_never_blocks);
    tcase_add_test(t, a_file_that_changes_is_noticed);
    tcase_add_test(t, slices_outside_the_tensor);
    tcase_add_test(t, files_that_numpy_wrote);
    tcase_add_test(t, a_huge_sparse_file_is_opened_and_not_read);
    tcase_add_test(t, threads_share_a_dump);
    tcase_add_test(t, dtypes_and_formats_are_described);
    tcase_add_test(t, elements_of_real_files);
}
AS_TEST_MAIN("dump")

/* safetensors: every dtype against numbers made in Python, floats of one byte against their
 * definition, the legal oddities, several files as one, and real files. (How a header can lie is
 * data/broken/, which test_dump.c reads.) */
#define _GNU_SOURCE /* mkdtemp */
#include "npy_file.h"
#include "support.h"

#include <stdbool.h>

static size_t tensor_named(const as_dump *dump, const char *name) {
    size_t t = 0;
    while (t < as_dump_tensor_count(dump) && strcmp(as_dump_tensor(dump, t)->name, name) != 0) {
        t++;
    }
    ck_assert_msg(t < as_dump_tensor_count(dump), "no tensor %s", name);
    return t;
}

/* One byte by the definition in arXiv:2209.05433, table 1, in decimal steps. */
static double one_byte(unsigned bits, int exponent_bits, bool has_infinity) {
    int mantissa_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    double fraction = (double)(bits & ((1u << mantissa_bits) - 1)) / (1 << mantissa_bits);
    double sign = bits >= 128 ? -1 : 1;
    if (has_infinity && exponent == (1 << exponent_bits) - 1) {
        return fraction > 0 ? NAN : sign * INFINITY;
    }
    if (!has_infinity && (bits & 127) == 127) {
        return NAN;
    }
    return sign *
           (exponent == 0 ? fraction * pow(2, 1 - bias) : (1 + fraction) * pow(2, exponent - bias));
}

START_TEST(every_float_of_one_byte_is_exact) {
    static const struct {
        const char *name;
        as_dtype dtype;
        int exponent_bits;
        double largest, smallest; /* of the paper's table */
    } rows[] = {{"F8_E4M3", AS_F8_E4M3, 4, 448, 0x1p-9},
                {"F8_E5M2", AS_F8_E5M2, 5, 57344, 0x1p-16}};
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers.safetensors", NULL, &dump));
    as_matrix m = {0};
    for (size_t r = 0; r < 2; r++) {
        size_t t = tensor_named(dump, rows[r].name);
        ck_assert_int_eq(as_dump_tensor(dump, t)->dtype, rows[r].dtype);
        assert_ok(as_dump_read(dump, t, &(as_slice){.row_axis = 0, .col_axis = 1}, &m));
        double largest = 0, smallest = INFINITY;
        for (unsigned i = 0; i < 256; i++) {
            double x = m.data[i], expected = one_byte(i, rows[r].exponent_bits, r == 1);
            bool same =
                isnan(expected) ? isnan(x) : x == expected && signbit(x) == signbit(expected);
            ck_assert_msg(same, "%s %02x: %.17g, expected %.17g", rows[r].name, i, x, expected);
            largest = isfinite(x) ? fmax(largest, x) : largest;
            smallest = x > 0 ? fmin(smallest, x) : smallest;
        }
        ck_assert_double_eq(largest, rows[r].largest);
        ck_assert_double_eq(smallest, rows[r].smallest);
        ck_assert_double_eq(as_dtype_lowest(rows[r].dtype), -largest);
        unsigned one = 1u << (7 - rows[r].exponent_bits);
        one *= (1u << (rows[r].exponent_bits - 1)) - 1;
        ck_assert_double_eq(m.data[one], 1);
        ck_assert_double_eq(as_dtype_epsilon(rows[r].dtype), m.data[one + 1] - 1);
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

START_TEST(every_dtype_has_its_numbers) {
    static const struct {
        const char *name;
        as_dtype dtype;
        double modulus; /* of unsigned ones */
    } rows[] = {{"F64", AS_F64, 0},      {"F32", AS_F32, 0},      {"F16", AS_F16, 0},
                {"BF16", AS_BF16, 0},    {"I64", AS_I64, 0},      {"I32", AS_I32, 0},
                {"I16", AS_I16, 0},      {"I8", AS_I8, 0},        {"U64", AS_U64, 0x1p64},
                {"U32", AS_U32, 0x1p32}, {"U16", AS_U16, 0x1p16}, {"U8", AS_U8, 256},
                {"BOOL", AS_BOOL, 0}};
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers.safetensors", NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "safetensors");
    as_matrix m = {0};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t t = tensor_named(dump, rows[r].name);
        ck_assert_int_eq(as_dump_tensor(dump, t)->dtype, rows[r].dtype);
        for (size_t i = 0; i < 2 * 3 * 35; i++) {
            if (i % 35 == 0) {
                assert_ok(as_dump_read(dump, t, &(as_slice){2, 3, {i / 105, i / 35 % 3}}, &m));
            }
            double number = (double)i - 100;
            number += number < 0 ? rows[r].modulus : 0;
            number = rows[r].dtype == AS_BOOL ? number != 0 : number;
            /* 210 − 100 fits the seven bits of an int8, 2^64 − 100 is no double. */
            ck_assert_msg(m.data[i % 35] == number, "%s, %zu: %.17g, expected %.17g", rows[r].name,
                          i, m.data[i % 35], number);
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

/* The header's order is by name backwards; the bytes' is the one that counts. */
START_TEST(oddities_are_legal_and_in_the_order_of_their_bytes) {
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers.safetensors", NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 19);
    ck_assert_str_eq(as_dump_tensor(dump, 0)->name, "F64");
    ck_assert_str_eq(as_dump_tensor(dump, 18)->name, "nine_axes");
    ck_assert_uint_eq(as_dump_tensor(dump, tensor_named(dump, "scalar"))->rank, 0);
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, tensor_named(dump, "empty"), &(as_slice){1, 2, {1}}, &m));
    ck_assert(m.rows == 0 && m.cols == 3);
    const as_tensor *t = as_dump_tensor(dump, tensor_named(dump, "unknown"));
    ck_assert_int_eq(t->status, AS_EREAD);
    ck_assert_int_eq(t->dtype, AS_DTYPE_COUNT);
    ck_assert_str_eq(t->reason, "has the dtype F8_E8M0, which is not read; save it as F32");
    assert_fails(
        as_dump_read(dump, tensor_named(dump, "unknown"), &(as_slice){AS_NO_AXIS, 0, {0}}, &m),
        AS_EREAD);
    ck_assert_str_eq(as_dump_tensor(dump, 18)->reason, "has 9 axes, more than 8");
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

START_TEST(bytes_of_bfloat16) {
    static const char text[] = "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}";
    char head[8 + sizeof text - 1] = {sizeof text - 1}, path[64];
    memcpy(head + 8, text, sizeof text - 1);
    temporary_file(path);
    write_bytes(path, head, sizeof head, "\x80\x3f\x00\x40", 4);
    as_dump *dump;
    as_matrix m = {0};
    assert_ok(as_dump_open(path, NULL, &dump));
    assert_ok(as_dump_read(dump, 0, &(as_slice){AS_NO_AXIS, 0, {0}}, &m));
    ck_assert(m.rows == 1 && m.cols == 2 && m.data[0] == 1 && m.data[1] == 2);
    as_dump_close(dump);
    /* No tensor at all. */
    write_bytes(path, "\2\0\0\0\0\0\0\0{}", 10, NULL, 0);
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 0);
    as_dump_close(dump);
    as_matrix_free(&m);
    unlink(path);
}
END_TEST

/* What other files are called is said, and JSON whose ninth byte is a brace is none of ours. */
START_TEST(other_files_are_named) {
    static const struct {
        const char *bytes;
        size_t size;
        const char *word;
    } rows[] = {{"PK\3\4\24\0\0\0\0", 9, "zip"},
                {"\x80\2}q\0}q\1.", 9, "pickle"},
                {"{\"abcd\":{\"a", 11, "text"}};
    char path[64];
    temporary_file(path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_bytes(path, rows[i].bytes, rows[i].size, NULL, 0);
        as_dump *dump = NULL;
        if (as_dump_open(path, NULL, &dump) == AS_OK) {
            ck_assert_str_ne(as_dump_format(dump), "safetensors");
            as_dump_close(dump);
            continue;
        }
        ck_assert_msg(strstr(as_message(), "safetensors header") == NULL &&
                          (i == 2 || strstr(as_message(), rows[i].word) != NULL),
                      "%s", as_message());
    }
    unlink(path);
}
END_TEST

/* numpy has floats of one byte under no name: ours are not to be taken from a .npy. */
START_TEST(floats_of_one_byte_have_no_npy_name) {
    static const char *const descr[] = {"<f8e4m3", "|f8e5m2", "f8e4m3"};
    char path[64];
    temporary_file(path);
    for (size_t i = 0; i < 3; i++) {
        write_npy(path, descr[i], 0, 1, (size_t[]){8}, "01234567", 8);
        as_dump *dump = NULL;
        assert_fails(as_dump_open(path, NULL, &dump), AS_EREAD);
    }
    unlink(path);
}
END_TEST

START_TEST(several_files_are_one) {
    static const struct {
        const char *name, *reason;
        double first;
    } rows[] = {
        {"b", NULL, 0},
        {"a", NULL, 4},
        {"c", NULL, 8},
        {"lost", "is not in its file sharded-2.safetensors, where the index has it", 0},
        {"gone.0",
         "is out of reach: its file sharded-3.safetensors cannot be opened: No such file or "
         "directory",
         0},
        {"gone.1",
         "is out of reach: its file sharded-3.safetensors cannot be opened: No such file or "
         "directory",
         0},
    };
    as_dump *dump;
    assert_ok(as_dump_open("data/sharded.safetensors.index.json", NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "safetensors_index");
    ck_assert_uint_eq(as_dump_tensor_count(dump), sizeof rows / sizeof *rows);
    as_matrix m = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const as_tensor *t = as_dump_tensor(dump, i);
        ck_assert_str_eq(t->name, rows[i].name);
        if (rows[i].reason != NULL) {
            ck_assert_int_eq(t->status, AS_EREAD);
            ck_assert_str_eq(t->reason, rows[i].reason);
            continue;
        }
        assert_ok(as_dump_read(dump, i, &(as_slice){0, 1, {0}}, &m));
        for (size_t k = 0; k < 4; k++) {
            ck_assert_double_eq(m.data[k], rows[i].first + (double)k);
        }
    }
    as_matrix_free(&m);
    as_dump_close(dump);
}
END_TEST

/* A shard in a folder below, one that is broken, and one that changes under our hands. */
START_TEST(shards_that_are_broken_or_change) {
    static const char index[] =
        "{\"weight_map\":{\"a\":\"./in/..a\",\"b\":\"bad\"},\"metadata\":{}}";
    static const char text[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    char folder[] = "/tmp/attnspec_test_XXXXXX", in[64], a[64], bad[64], path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(in, sizeof in, "mkdir %s/in", folder);
    ck_assert_int_eq(system(in), 0);
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(a, sizeof a, "%s/in/..a", folder);
    snprintf(bad, sizeof bad, "%s/bad", folder);
    snprintf(path, sizeof path, "%s/index", folder);
    char head[8 + sizeof text - 1] = {sizeof text - 1};
    memcpy(head + 8, text, sizeof text - 1);
    write_bytes(a, head, sizeof head, "\7", 1);
    write_bytes(bad, "\x93NUMPY\1", 7, NULL, 0);
    write_bytes(path, index, sizeof index - 1, NULL, 0);
    as_dump *dump;
    as_matrix m = {0};
    const as_slice slice = {AS_NO_AXIS, 0, {0}};
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 2);
    assert_ok(as_dump_read(dump, 0, &slice, &m));
    ck_assert_double_eq(m.data[0], 7);
    assert_fails(as_dump_read(dump, 1, &slice, &m), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), "its file bad ends at byte 7"));
    write_bytes(a, head, sizeof head, "\7\7", 2);
    assert_fails(as_dump_read(dump, 0, &slice, &m), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), "/./in/..a: changed since it was opened"));
    as_dump_close(dump);
    as_matrix_free(&m);
    unlink(a), unlink(bad), unlink(path);
    rmdir(in), rmdir(folder);
}
END_TEST

/* Every beginning of a file, and every byte of it changed: an answer, never a crash. */
START_TEST(mutilated_files_never_crash) {
    static const char text[] = "{\"a\":{\"dtype\":\"F16\",\"shape\":[2,1],\"data_offsets\":[0,4]},"
                               "\"__metadata__\":{\"b\":\"c\"}}";
    enum { SIZE = 8 + sizeof text - 1 + 4 };
    unsigned char whole[SIZE] = {sizeof text - 1};
    memcpy(whole + 8, text, sizeof text - 1);
    char path[64];
    temporary_file(path);
    as_matrix m = {0};
    size_t opened = 0;
    for (size_t i = 0; i < 5 * SIZE; i++) {
        static const unsigned char changes[] = {0x80, 0x01, 0x10, 0xff};
        unsigned char bytes[SIZE];
        memcpy(bytes, whole, SIZE);
        size_t size = i < SIZE ? i : SIZE;
        if (i >= SIZE) {
            bytes[i % SIZE] ^= changes[i / SIZE - 1];
        }
        write_bytes(path, bytes, size, NULL, 0);
        as_dump *dump = NULL;
        if (as_dump_open(path, NULL, &dump) != AS_OK) {
            continue;
        }
        opened++;
        ck_assert_uint_eq(size, SIZE);
        for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
            if (as_dump_tensor(dump, t)->rank == 2) {
                as_dump_read(dump, t, &(as_slice){0, 1, {0}}, &m);
            }
        }
        as_dump_close(dump);
    }
    ck_assert_uint_gt(opened, 4 * 4); /* the changes of the data at least */
    as_matrix_free(&m);
    unlink(path);
}
END_TEST

/* The same q in two files: pairs of head dimensions (2i, 2i+1) there are (i, i+d/2) here, and
 * bfloat16 has 8 bits. And both agree with the .npy of the same model. */
START_TEST(real_files) {
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    if (folder == NULL) {
        printf("skipped: real safetensors (ATTNSPEC_TEST_DATA is not set)\n");
        return;
    }
    static const char *const names[] = {"qk_halfsplit_f32.safetensors",
                                        "qk_interleaved_bf16.safetensors",
                                        "q_prepe_5x8x160x8_f32.npy"};
    as_dump *dumps[3];
    for (size_t i = 0; i < 3; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/stories260K_%s", folder, names[i]);
        assert_ok(as_dump_open(path, NULL, &dumps[i]));
    }
    ck_assert_uint_eq(as_dump_tensor_count(dumps[0]), 20);
    as_matrix half = {0}, pairs = {0}, npy = {0};
    for (size_t layer = 0; layer < 5; layer++) {
        char name[32];
        snprintf(name, sizeof name, "layers.%zu.q_prepe", layer);
        for (size_t head = 0; head < 8; head++) {
            const as_slice slice = {1, 2, {head}}, in_npy = {2, 3, {layer, head}};
            assert_ok(as_dump_read(dumps[0], tensor_named(dumps[0], name), &slice, &half));
            assert_ok(as_dump_read(dumps[1], tensor_named(dumps[1], name), &slice, &pairs));
            assert_ok(as_dump_read(dumps[2], 0, &in_npy, &npy));
            ck_assert(half.rows == 160 && half.cols == 8);
            for (size_t i = 0; i < 160 * 8; i++) {
                size_t k = i % 8, at = i - k + k / 2 + k % 2 * 4;
                if (half.data[at] != npy.data[i] ||
                    fabs(pairs.data[i] - npy.data[i]) > 0x1p-8 * fabs(npy.data[i])) {
                    ck_abort_msg("%s, head %zu, %zu: %g, %g, expected %g", name, head, i,
                                 half.data[at], pairs.data[i], npy.data[i]);
                }
            }
        }
    }
    as_matrix_free(&half), as_matrix_free(&pairs), as_matrix_free(&npy);
    for (size_t i = 0; i < 3; i++) {
        as_dump_close(dumps[i]);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_float_of_one_byte_is_exact);
    tcase_add_test(t, every_dtype_has_its_numbers);
    tcase_add_test(t, oddities_are_legal_and_in_the_order_of_their_bytes);
    tcase_add_test(t, bytes_of_bfloat16);
    tcase_add_test(t, other_files_are_named);
    tcase_add_test(t, floats_of_one_byte_have_no_npy_name);
    tcase_add_test(t, several_files_are_one);
    tcase_add_test(t, shards_that_are_broken_or_change);
    tcase_add_test(t, mutilated_files_never_crash);
    tcase_add_test(t, real_files);
}

AS_TEST_MAIN("dump: safetensors")

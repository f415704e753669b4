/* Text and raw files: numbers exact in any locale, shapes, masks and kinds against values written out
 * here, and bombs that must not go off. What is broken stands in data/broken. */
#define _GNU_SOURCE
#include "npy_file.h"
#include "support.h"

#include <locale.h>

static void write_text(const char *path, const char *text) {
    write_bytes(path, text, strlen(text), NULL, 0);
}

static as_dump *open_text(const char *path, const char *text) {
    as_dump *dump;
    write_text(path, text);
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "text");
    return dump;
}

static void check_matrix(const as_dump *dump, size_t tensor, const as_slice *slice, size_t count,
                         const double *expected) {
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, tensor, slice, &m));
    ck_assert_uint_eq(m.rows * m.cols, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(m.data[i] == expected[i] || (isnan(m.data[i]) && isnan(expected[i])),
                      "%zu: %.17g, expected %.17g", i, m.data[i], expected[i]);
    }
    as_matrix_free(&m);
}

static const as_slice matrix = {.row_axis = 0, .col_axis = 1};
static const as_slice transposed = {.row_axis = 1, .col_axis = 0};

START_TEST(rows_in_every_dress) {
    static const char *const texts[] = {
        "1,-2.5\n3e1,.25\n5,6.\n",
        "1\t-2.5\n3e1\t.25\n5\t6.\n",
        "1;-2.5\n3E+1;.25\n5;6.",
        " 1   -2.5 \r\n 30 .25\r\n+5 6\r\n",
        "\357\273\277left,right\n1, -2.5,\n300e-1 , .25\n5,6\n",
        "# numpy.savetxt\n1.000000000000000000e+00 -2.5e+00\n# more\n3e1 25e-2\n5 6\n\n\n",
    };
    static const double by_row[] = {1, -2.5, 30, .25, 5, 6}, by_col[] = {1, 30, 5, -2.5, .25, 6};
    char path[64];
    temporary_file(path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        as_dump *dump = open_text(path, texts[i]);
        ck_assert_uint_eq(as_dump_tensor_count(dump), 1);
        const as_tensor *t = as_dump_tensor(dump, 0);
        ck_assert(t->name[0] == '\0' && t->rank == 2 && t->shape[0] == 3 && t->shape[1] == 2);
        ck_assert_int_eq(t->dtype, AS_F64);
        check_matrix(dump, 0, &matrix, 6, by_row);
        check_matrix(dump, 0, &transposed, 6, by_col);
        as_dump_close(dump);
    }
    unlink(path);
}
END_TEST

START_TEST(blank_lines_part_matrices) {
    char path[64];
    temporary_file(path);
    as_dump *dump = open_text(path, "\n1 2 3\n4 5 6\n\n \n7 8 9\n10 11 12\n");
    const as_tensor *t = as_dump_tensor(dump, 0);
    ck_assert(t->rank == 3 && t->shape[0] == 2 && t->shape[1] == 2 && t->shape[2] == 3);
    check_matrix(dump, 0, &(as_slice){.row_axis = 1, .col_axis = 2, .index = {1}}, 6,
                 (double[]){7, 8, 9, 10, 11, 12});
    as_dump_close(dump);
    unlink(path);
}
END_TEST

/* The bits that C's own hexadecimal constants have; halfway cases and the edges of the range. */
START_TEST(numbers_are_exact_in_any_locale) {
    static const char text[] =
        "0.1 1e23 9007199254740993 2.2250738585072011e-308 4.9e-324 1.7976931348623157e308 -0 "
        "1e-400 123456789012345678901234567890 0.30000000000000004 9007199254740992.5 -Inf NaN\n";
    static const double expected[] = {0x1.999999999999ap-4,
                                      0x1.52d02c7e14af6p+76,
                                      0x1p53,
                                      0x0.fffffffffffffp-1022,
                                      0x1p-1074,
                                      0x1.fffffffffffffp+1023,
                                      0,
                                      0,
                                      0x1.8ee90ff6c373ep+96,
                                      0x1.3333333333334p-2,
                                      0x1p53,
                                      -INFINITY,
                                      NAN};
    char path[64];
    temporary_file(path);
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        setlocale(LC_ALL, locales[i]); /* where it is not there the old one stays */
        as_dump *dump = open_text(path, text);
        check_matrix(dump, 0, &matrix, sizeof expected / sizeof *expected, expected);
        as_dump_close(dump);
    }
    setlocale(LC_ALL, "C");
    unlink(path);
}
END_TEST

START_TEST(lists_are_tensors_by_name) {
    static const char text[] =
        " {\"tokens\": [\"a\", \"\\\"b\\u00e9\"], \"loss\": 1.5, \"none\": null,\n"
        "  \"layers\": [{\"attn\": [[[1, 2], [3, 4]]]}, {\"attn\": [[[5, 6], [7, 8e0]]]}],\n"
        "  \"keep\": [true, false], \"torn\": [[1, 2], [3]], \"hole\": [[null]],\n"
        "  \"a\\/b\": [[NaN, Infinity, -Infinity]], \"empty\": [[], []], \"one\": [4]}\n";
    static const struct {
        const char *name;
        as_status status;
        size_t rank, shape[3];
        const char *reason;
    } expected[] = {
        {"tokens", AS_SKIPPED, 0, {0}, "holds text, not numbers"},
        {"layers/0/attn", AS_OK, 3, {1, 2, 2}, NULL},
        {"layers/1/attn", AS_OK, 3, {1, 2, 2}, NULL},
        {"keep", AS_SKIPPED, 0, {0}, "holds true and false, not numbers"},
        {"torn", AS_EREAD, 0, {0}, "byte 180: a list of 1 ends beside one of 2"},
        {"hole",
         AS_EREAD,
         0,
         {0},
         "byte 193: null is no number; models give no attention weights unless they are loaded "
         "with "
         "attn_implementation=\"eager\""},
        {"a/b", AS_OK, 2, {1, 3}, NULL},
        {"empty", AS_OK, 2, {2, 0}, NULL},
        {"one", AS_OK, 1, {1}, NULL},
    };
    enum { COUNT = sizeof expected / sizeof *expected };
    char path[64];
    temporary_file(path);
    as_dump *dump = open_text(path, text);
    ck_assert_uint_eq(as_dump_tensor_count(dump), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const as_tensor *t = as_dump_tensor(dump, i);
        ck_assert_str_eq(t->name, expected[i].name);
        ck_assert_int_eq(t->status, expected[i].status);
        ck_assert_pstr_eq(t->reason, expected[i].reason);
        ck_assert_uint_eq(t->rank, expected[i].rank);
        ck_assert_mem_eq(t->shape, expected[i].shape, sizeof expected[i].shape);
    }
    check_matrix(dump, 2, &(as_slice){.row_axis = 1, .col_axis = 2}, 4, (double[]){5, 6, 7, 8});
    check_matrix(dump, 6, &matrix, 3, (double[]){NAN, INFINITY, -INFINITY});
    as_dump_close(dump);
    unlink(path);
}
END_TEST

/* Digits after the point at most, and what the sum of a row of them may be off. */
START_TEST(decimals_round_weights) {
    static const struct {
        const char *text;
        int decimals;
        as_kind kind;
    } cases[] = {
        {"0.333,0.333,0.333\n0.5,0.5,0\n", 3, AS_KIND_WEIGHTS},
        {"0.3333,0.3333,0.333\n0.5,0.5,0\n", 4, AS_KIND_LOGITS},
        {"[[0.333, 0.333, 0.333], [0.25, 0.75, 0]]", 3, AS_KIND_WEIGHTS},
        {"3.333e-01 3.333e-01 3.333e-01\n0.999999 1e-6 0\n", 6, AS_KIND_LOGITS},
        {"9.9999e-01 1.2e-10\n1 0\n", 6, AS_KIND_LOGITS},
        {"1 0\n0 1\n", 0, AS_KIND_WEIGHTS},
        {"3 0\n0 1\n", 0, AS_KIND_LOGITS},
        {"0.33333333 0.33333333 0.33333333\n", 8, AS_KIND_WEIGHTS},
    };
    char path[64];
    temporary_file(path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_dump_close(open_text(path, cases[i].text));
        as_source *source;
        as_loaded loaded = {0};
        assert_ok(as_source_open((const char *const[]){path}, 1, &(as_source_options){0}, &source));
        ck_assert_int_eq(as_dump_tensor(as_source_dump(source, 0), 0)->decimals, cases[i].decimals);
        assert_ok(as_source_load(source, 0, &loaded));
        ck_assert_msg(loaded.logits.kind == cases[i].kind, "%s", cases[i].text);
        as_loaded_free(&loaded);
        as_source_close(source);
    }
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers_2x3x5x7_i4.npy", NULL, &dump));
    ck_assert_int_eq(as_dump_tensor(dump, 0)->decimals, -1);
    as_dump_close(dump);
    unlink(path);
}
END_TEST

/* By the gzip of the system; `to` is ">" or ">>". */
static void write_gz(const char *path, const char *text, size_t times, const char *to) {
    char command[128];
    snprintf(command, sizeof command, "gzip -1 -c %s%s", to, path);
    FILE *gz = popen(command, "w");
    ck_assert_ptr_nonnull(gz);
    for (size_t i = 0; i < times; i++) {
        ck_assert_int_ge(fputs(text, gz), 0);
    }
    ck_assert_int_eq(pclose(gz), 0);
}

START_TEST(packed_text_is_text) {
    char path[64];
    temporary_file(path);
    as_dump *dump;
    write_gz(path, "1,2\n", 1, ">");
    write_gz(path, "3,4\n", 1, ">>"); /* a second member, as `cat a.gz b.gz` makes */
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "text");
    check_matrix(dump, 0, &matrix, 4, (double[]){1, 2, 3, 4});
    as_dump_close(dump);
    write_gz(path, "{\"a\": [[1, 2]]}", 1, ">");
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_str_eq(as_dump_tensor(dump, 0)->name, "a");
    as_dump_close(dump);
    unlink(path);
}
END_TEST

static void check_bomb(const char *path, const char *letter, const char *sentence) {
    char block[65537];
    for (size_t i = 0; i < 65536; i += strlen(letter)) {
        memcpy(block + i, letter, strlen(letter));
    }
    block[65536] = '\0';
    write_gz(path, block, 1024, ">");
    as_dump *dump;
    assert_fails(as_dump_open(path, NULL, &dump), AS_EREAD);
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "%s", as_message());
}

START_TEST(bombs_do_not_go_off) {
    char path[64];
    temporary_file(path);
    check_bomb(path, "0", "a number of more than 1023 characters");
    check_bomb(path, " ", "of white space in a row");
    check_bomb(path, "[", "nested more than 64 deep");
    check_bomb(path, "0,", "more than 1048576 numbers in a row");
    check_bomb(path, "0\n", "unpacks to more than 200 times its size");
    unlink(path);
}
END_TEST

START_TEST(raw_elements_are_what_the_user_says) {
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x40, 0x40, 0, 0,
                                        0x7f, 0x80, 0, 0, 0,    0, 0, 0, 0x3f, 0,    0, 0};
    char path[64];
    temporary_file(path);
    write_bytes(path, big, sizeof big, NULL, 0);
    as_dump *dump;
    static const char *const same[] = {"2x3:>f32", "2x3:>f4", "2x3:>float32"};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(as_dump_open(path, &(as_dump_options){.raw = same[i]}, &dump));
        ck_assert_str_eq(as_dump_format(dump), "raw");
        check_matrix(dump, 0, &matrix, 6, (double[]){1, -2, 3, INFINITY, 0, 0.5});
        as_dump_close(dump);
    }
    assert_ok(as_dump_open(path, &(as_dump_options){.raw = "3x8:uint8"}, &dump));
    check_matrix(dump, 0, &transposed, 24,
                 (double[]){0x3f, 0x40, 0,    0x80, 0x40, 0, 0, 0, 0, 0, 0, 0,
                            0xc0, 0x7f, 0x3f, 0,    0x80, 0, 0, 0, 0, 0, 0, 0});
    as_dump_close(dump);
    assert_fails(as_dump_open(path, &(as_dump_options){.raw = "2x4:f32"}, &dump), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), "holds 24 bytes, --raw 2x4:f32 stands for 32"));
    static const char *const wrong[] = {"",
                                        "2x3",
                                        "2x3:",
                                        "x3:f4",
                                        "2x:f4",
                                        "0x3:f4",
                                        "-2x3:f4",
                                        "2x3:f5",
                                        "2x3:f4 ",
                                        "2,3:f4",
                                        "1x1x1x1x1x1x1x1x6:f4",
                                        "4294967296x4294967296:f4",
                                        "99999999999999999999:f4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(as_dump_open(path, &(as_dump_options){.raw = wrong[i]}, &dump), AS_EINVAL);
    }
    unlink(path);
}
END_TEST

/* Attention of real models, where the folder of it is named. */
START_TEST(real_texts) {
    static const struct {
        const char *name, *tensor;
        size_t items;
        as_kind kind;
    } files[] = {
        {"microgpt_attn_1x4x16x16.json", "layers/0/heads", 4, AS_KIND_WEIGHTS},
        {"microgpt_logits_unmasked_layer0_head0_16x16.csv", "", 1, AS_KIND_LOGITS},
        {"found_dodrio_bert_sst2_attention_1125.json.gz", "", 144, AS_KIND_WEIGHTS},
    };
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    for (size_t f = 0; folder != NULL && folder[0] != '\0' && f < 3; f++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, files[f].name);
        as_source *source;
        as_loaded loaded = {0};
        size_t seen = 0;
        assert_ok(as_source_open((const char *const[]){path}, 1, &(as_source_options){0}, &source));
        for (size_t i = 0; i < as_source_count(source); i++) {
            if (strcmp(as_source_item(source, i)->tensor, files[f].tensor) != 0) {
                ck_assert_int_eq(as_source_item(source, i)->status, AS_SKIPPED);
                continue;
            }
            assert_ok(as_source_load(source, i, &loaded));
            ck_assert_int_eq(loaded.logits.kind, files[f].kind);
            seen++;
        }
        ck_assert_uint_eq(seen, files[f].items);
        as_loaded_free(&loaded);
        as_source_close(source);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, rows_in_every_dress);
    tcase_add_test(t, blank_lines_part_matrices);
    tcase_add_test(t, numbers_are_exact_in_any_locale);
    tcase_add_test(t, lists_are_tensors_by_name);
    tcase_add_test(t, decimals_round_weights);
    tcase_add_test(t, packed_text_is_text);
    tcase_add_test(t, bombs_do_not_go_off);
    tcase_add_test(t, raw_elements_are_what_the_user_says);
    tcase_add_test(t, real_texts);
}

AS_TEST_MAIN("dump_text")

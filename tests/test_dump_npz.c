/* .npz in the dump room: stored, deflated and ZIP64 archives against numbers known by formula, members
 * that lie each against its sentence, archives that are cut off at every byte, and real files. */
#define _GNU_SOURCE /* setenv */
#include "npy_file.h"
#include "support.h"

#include <stdbool.h>
#include <time.h>

static size_t find(const as_dump *dump, const char *name) {
    for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
        if (strcmp(as_dump_tensor(dump, t)->name, name) == 0) {
            return t;
        }
    }
    ck_abort_msg("%s has no %s", as_dump_path(dump), name);
    return 0;
}

/* Element number i of the fixtures' arrays of 2 × 3 × 5 × 7 is i − 100. */
static bool slices_are_right(const as_dump *dump, size_t tensor) {
    static const size_t shape[] = {2, 3, 5, 7}, weight[] = {105, 35, 7, 1};
    as_matrix m = {0};
    bool right = true;
    for (size_t r = 0; r < 4; r++) {
        for (size_t c = 0; c < 4; c++) {
            as_slice slice = {r, c, {1, 2, 3, 4}};
            if (r == c || as_dump_read(dump, tensor, &slice, &m) != AS_OK) {
                right = right && r == c;
                continue;
            }
            right = right && m.rows == shape[r] && m.cols == shape[c];
            for (size_t i = 0; right && i < m.rows * m.cols; i++) {
                size_t number = i / m.cols * weight[r] + i % m.cols * weight[c];
                for (size_t a = 0; a < 4; a++) {
                    number += a != r && a != c ? slice.index[a] * weight[a] : 0;
                }
                right = m.data[i] == (double)number - 100;
            }
        }
    }
    as_matrix_free(&m);
    return right;
}

static void check_tensor(const as_dump *dump, size_t tensor, const char *name, as_dtype dtype) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    ck_assert_str_eq(t->name, name);
    ck_assert_int_eq(t->status, AS_OK);
    ck_assert_ptr_null(t->reason);
    ck_assert_int_eq(t->dtype, dtype);
    ck_assert_uint_eq(t->rank, 4);
    ck_assert_uint_eq(t->shape[0], 2);
    ck_assert_uint_eq(t->shape[3], 7);
    ck_assert_msg(slices_are_right(dump, tensor), "%s: %s", as_dump_path(dump), name);
}

START_TEST(what_numpy_saves) {
    static const char *const files[] = {"data/numbers_stored.npz", "data/numbers_deflated.npz"};
    for (size_t f = 0; f < 2; f++) {
        as_dump *dump;
        assert_ok(as_dump_open(files[f], NULL, &dump));
        ck_assert_str_eq(as_dump_format(dump), "npz");
        ck_assert_uint_eq(as_dump_tensor_count(dump), 4);
        check_tensor(dump, 0, "f8", AS_F64);
        check_tensor(dump, 1, "f4_F", AS_F32);
        check_tensor(dump, 2, "f2", AS_F16);
        as_matrix m = {0};
        ck_assert_str_eq(as_dump_tensor(dump, 3)->name, "layer_0/head_3");
        assert_ok(as_dump_read(dump, 3, &(as_slice){0, 1, {0}}, &m));
        ck_assert_uint_eq(m.rows, 5);
        ck_assert_uint_eq(m.cols, 7);
        ck_assert_double_eq(m.data[3 * 7 + 2], 1 * 105 + 2 * 35 + 3 * 7 + 2 - 100);
        as_matrix_free(&m);
        as_dump_close(dump);
    }
}
END_TEST

START_TEST(zip64_descriptors_and_names) {
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers_zip64.npz", NULL, &dump));
    static const char *const names[] = {"local", "central", "both", "descriptor", "bare"};
    ck_assert_uint_eq(as_dump_tensor_count(dump), 5);
    for (size_t i = 0; i < 5; i++) {
        check_tensor(dump, i, names[i], AS_F64);
    }
    as_dump_close(dump);
}
END_TEST

static size_t load(const char *path, unsigned char *bytes, size_t room) {
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return size;
}

/* 4 GiB of nothing between the first member and the others. */
START_TEST(members_behind_4_gib) {
    static unsigned char bytes[8192];
    size_t size = load("data/numbers_around_hole.npz", bytes, sizeof bytes), second = 1;
    while (memcmp(bytes + second, "PK\x03\x04", 4) != 0) {
        second++;
    }
    char path[64];
    temporary_file(path);
    write_bytes(path, bytes, second, NULL, 0);
    FILE *f = fopen(path, "r+b");
    ck_assert_int_eq(fseeko(f, (off_t)second + ((off_t)1 << 32), SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(bytes + second, 1, size - second, f), size - second);
    ck_assert_int_eq(fclose(f), 0);
    as_dump *dump;
    assert_ok(as_dump_open(path, NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 3);
    check_tensor(dump, 0, "before", AS_F64);
    check_tensor(dump, 1, "behind", AS_F64);
    check_tensor(dump, 2, "deflated", AS_F64);
    as_dump_close(dump);
    unlink(path);
}
END_TEST

START_TEST(an_archive_without_members_holds_no_tensors) {
    as_dump *dump;
    assert_ok(as_dump_open("data/empty.npz", NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "npz");
    ck_assert_uint_eq(as_dump_tensor_count(dump), 0);
    as_dump_close(dump);
}
END_TEST

/* The status and sentence of a member that can be seen to be wrong before it is read whole. */
static const struct {
    const char *name;
    as_status status;
    const char *reason; /* how it begins */
} refused[] = {
    {"objects", AS_EREAD, "the .npy holds Python objects (|O), a pickle, which is never opened"},
    {"text", AS_SKIPPED, "the .npy holds text (<U2), not numbers"},
    {"records", AS_SKIPPED, "the .npy holds records"},
    {"readme.txt", AS_SKIPPED, "is no array of numpy (.npy)"},
    {"encrypted", AS_EREAD, "its member 'encrypted.npy': is encrypted, which is not read"},
    {"bzip2", AS_EREAD, "its member 'bzip2.npy': is compressed by method 12;"},
    {"bomb_declared", AS_EREAD, "unpacks to 16777392 bytes, but its header declares 176 only"},
    {"sizes_differ", AS_EREAD,
     "its member 'sizes_differ.npy': is stored, but should have 177 bytes in 176 bytes"},
    {"no_deflate", AS_EREAD, "its member 'no_deflate.npy': its deflated bytes are broken ("},
    {"short", AS_EREAD, "is too short: the shape (2, 3) of f8 needs 48 bytes, the file holds 47"},
    {"cut_header", AS_EREAD, "ends inside the .npy header, which should be 118 bytes long"},
    {"empty", AS_EREAD, "ends inside the .npy header, after 0 bytes"},
};

/* And when it is read; the second time, too. */
static const struct {
    const char *name, *message;
} damaged[] = {
    {"flipped_stored", "'flipped_stored.npy': is damaged: its CRC is "},
    {"flipped_deflated", "'flipped_deflated.npy': is damaged: its CRC is "},
    {"bomb_hidden", "'bomb_hidden.npy': unpacks to more than the 176 bytes it should have"},
    {"too_short", "'too_short.npy': its deflated bytes end too soon"},
};

static void check_damaged(const as_dump *dump, size_t i) {
    char expected[200];
    snprintf(expected, sizeof expected, "data/members_odd.npz: its member %s", damaged[i].message);
    as_matrix m = {0};
    for (int again = 0; again < 2; again++) {
        as_slice slice = {0, 1, {0}};
        assert_fails(as_dump_read(dump, find(dump, damaged[i].name), &slice, &m), AS_EREAD);
        ck_assert_msg(strncmp(as_message(), expected, strlen(expected)) == 0, "\n%s\nexpected\n%s",
                      as_message(), expected);
    }
    as_matrix_free(&m);
}

START_TEST(a_broken_member_is_refused_alone) {
    clock_t start = clock();
    as_dump *dump;
    assert_ok(as_dump_open("data/members_odd.npz", NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 17);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const as_tensor *t = as_dump_tensor(dump, find(dump, refused[i].name));
        ck_assert_msg(t->status == refused[i].status, "%s: %s", t->name, as_status_name(t->status));
        ck_assert_msg(strncmp(t->reason, refused[i].reason, strlen(refused[i].reason)) == 0,
                      "%s: %s\nexpected\n%s", t->name, t->reason, refused[i].reason);
    }
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        check_damaged(dump, i);
    }
    check_tensor(dump, find(dump, "good"), "good", AS_F64);
    as_dump_close(dump);
    ck_assert_msg(clock() - start < AS_TEST_SECOND, "it took too long");
}
END_TEST

START_TEST(an_archive_cut_anywhere_is_refused) {
    static unsigned char bytes[8192];
    size_t size = load("data/numbers_deflated.npz", bytes, sizeof bytes);
    char path[64];
    temporary_file(path);
    for (size_t cut = 1; cut < size; cut++) {
        write_bytes(path, bytes, cut, NULL, 0);
        as_dump *dump = NULL;
        as_status status = as_dump_open(path, NULL, &dump);
        if (status != AS_EREAD || dump != NULL) {
            ck_abort_msg("cut after %zu bytes: %s", cut, as_status_name(status));
        }
    }
    unlink(path);
}
END_TEST

/* Whatever is read from an archive with one other byte is what was saved, or an error: only names and
 * what no reader looks at may change unseen. */
START_TEST(a_flipped_byte_gives_no_other_numbers) {
    static unsigned char bytes[8192];
    static const char *const files[] = {"data/numbers_stored.npz", "data/numbers_deflated.npz"};
    char path[64];
    temporary_file(path);
    for (size_t f = 0; f < 2; f++) {
        size_t size = load(files[f], bytes, sizeof bytes), opened = 0, damaged_ones = 0;
        for (size_t at = 0; at < size; at++) {
            bytes[at] ^= 0x11;
            write_bytes(path, bytes, size, NULL, 0);
            bytes[at] ^= 0x11;
            as_dump *dump = NULL;
            if (as_dump_open(path, NULL, &dump) != AS_OK) {
                continue;
            }
            opened++;
            as_matrix m = {0};
            for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
                const as_tensor *tensor = as_dump_tensor(dump, t);
                as_slice slice = {0, 1, {0}};
                as_status status = as_dump_read(dump, t, &slice, &m);
                damaged_ones += status != AS_OK;
                double first = tensor->rank == 4 ? -100 : 75;
                if (status == AS_OK && m.data[0] != first) {
                    ck_abort_msg("%s: byte %zu: %s begins with %g", files[f], at, tensor->name,
                                 m.data[0]);
                }
            }
            as_matrix_free(&m);
            as_dump_close(dump);
        }
        ck_assert_uint_gt(opened, size / 2);
        ck_assert_uint_gt(damaged_ones, size / 2);
    }
    unlink(path);
}
END_TEST

typedef struct reading {
    const as_dump *dump;
    bool right[64];
} reading;

static void read_one(void *context, size_t index, size_t worker) {
    (void)worker;
    reading *r = context;
    r->right[index] = slices_are_right(r->dump, index % 3);
}

START_TEST(threads_may_read_one_archive) {
    reading r = {0};
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers_deflated.npz", NULL, &dump));
    r.dump = dump;
    assert_ok(as_parallel_for(64, 3, read_one, &r));
    for (size_t i = 0; i < 64; i++) {
        ck_assert_msg(r.right[i], "reading %zu", i);
    }
    as_dump_close(dump);
}
END_TEST

START_TEST(a_temporary_folder_that_is_missing_is_named) {
    const char *before = getenv("TMPDIR");
    as_dump *dump;
    as_matrix m = {0};
    assert_ok(as_dump_open("data/numbers_deflated.npz", NULL, &dump));
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_fails(as_dump_read(dump, 0, &(as_slice){2, 3, {0}}, &m), AS_EREAD);
    ck_assert_ptr_nonnull(
        strstr(as_message(), "no temporary file could be made (/nowhere/at/all/"));
    before != NULL ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
    as_matrix_free(&m);
    as_dump_close(dump);
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
        const char *file, *tensor;
        size_t tensors;
        as_dtype dtype;
        size_t rank, shape[4];
        as_slice slice;
        size_t row, col;
        double value;
    } rows[] = {
        {"stories260K_attn_perlayer_f16_stored.npz",
         "layer_0",
         5,
         AS_F16,
         3,
         {8, 160, 160},
         {1, 2, {3}},
         100,
         7,
         0x1.4000000000000p-21},
        {"stories260K_attn_perlayer_f16_stored.npz",
         "layer_4",
         5,
         AS_F16,
         3,
         {8, 160, 160},
         {1, 2, {7}},
         159,
         158,
         0x1.9a80000000000p-5},
        {"stories260K_attn_perlayer_f16_stored.npz",
         "layer_2",
         5,
         AS_F16,
         3,
         {8, 160, 160},
         {1, 2, {0}},
         20,
         21,
         0x0.0p+0},
        {"microgpt_qk_logits_attn_f64_deflated.npz",
         "q",
         5,
         AS_F64,
         4,
         {1, 4, 16, 4},
         {2, 3, {0, 3}},
         15,
         2,
         -0x1.a8b3ceaf4269ap-1},
        {"microgpt_qk_logits_attn_f64_deflated.npz",
         "attn",
         5,
         AS_F64,
         4,
         {1, 4, 16, 16},
         {2, 3, {0, 1}},
         9,
         4,
         0x1.2e00fc2ed13d5p-3},
        {"microgpt_qk_logits_attn_f64_deflated.npz",
         "logits_masked",
         5,
         AS_F64,
         4,
         {1, 4, 16, 16},
         {2, 3, {0, 2}},
         5,
         6,
         -INFINITY},
        {"ngswin_x2_relpos_tables_225xH_stored.npz",
         "encoder_layer2.blocks.1.attn.relative_position_bias_table",
         20,
         AS_F32,
         2,
         {225, 4},
         {0, 1, {0}},
         101,
         3,
         0x1.4e436a0000000p-2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].file);
        as_dump *dump;
        assert_ok(as_dump_open(path, NULL, &dump));
        ck_assert_uint_eq(as_dump_tensor_count(dump), rows[i].tensors);
        size_t tensor = find(dump, rows[i].tensor);
        const as_tensor *t = as_dump_tensor(dump, tensor);
        ck_assert_int_eq(t->dtype, rows[i].dtype);
        ck_assert_uint_eq(t->rank, rows[i].rank);
        ck_assert_mem_eq(t->shape, rows[i].shape, t->rank * sizeof *t->shape);
        as_matrix m = {0};
        assert_ok(as_dump_read(dump, tensor, &rows[i].slice, &m));
        ck_assert_double_eq(m.data[rows[i].row * m.cols + rows[i].col], rows[i].value);
        as_matrix_free(&m);
        as_dump_close(dump);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, what_numpy_saves);
    tcase_add_test(t, zip64_descriptors_and_names);
    tcase_add_test(t, members_behind_4_gib);
    tcase_add_test(t, an_archive_without_members_holds_no_tensors);
    tcase_add_test(t, a_broken_member_is_refused_alone);
    tcase_add_test(t, an_archive_cut_anywhere_is_refused);
    tcase_add_test(t, a_flipped_byte_gives_no_other_numbers);
    tcase_add_test(t, threads_may_read_one_archive);
    tcase_add_test(t, a_temporary_folder_that_is_missing_is_named);
    tcase_add_test(t, elements_of_real_files);
}

AS_TEST_MAIN("dump_npz")

/* Dumps in any number: few files stay open whatever the format, and what was let go reads as before. */
#define _DEFAULT_SOURCE
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

enum { DUMPS = 60, MOST = 16 };

static size_t open_files(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static const char *const files[] = {
    "data/numbers_2x3x5x7_f4_little_C.npy",
    "data/numbers_stored.npz",
    "data/numbers_deflated.npz",
    "data/numbers.safetensors",
    "data/numbers_2x3x5x7_deflated.pt",
    "data/numbers_2x3x5x7.h5",
    "data/numbers.json",
};

/* The fixture's numbers as nested lists: element number i of 2 × 3 × 5 × 7 is i − 100. */
static void write_lists(const char *path) {
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < 210; i++) {
        fprintf(out, "%s%s%s%s%d%s%s%s%s", i % 210 == 0 ? "[" : "", i % 105 == 0 ? "[" : "",
                i % 35 == 0 ? "[" : "", i % 7 == 0 ? "[" : "", i - 100, i % 7 == 6 ? "]" : "",
                i % 35 == 34 ? "]" : "", i % 105 == 104 ? "]" : "", i < 209 ? "," : "]");
    }
    fclose(out);
}

static size_t first_of_rank_4(const as_dump *dump) {
    for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
        if (as_dump_tensor(dump, t)->rank == 4 && as_dump_tensor(dump, t)->status == AS_OK) {
            return t;
        }
    }
    ck_abort_msg("%s has no tensor of rank 4", as_dump_path(dump));
    return 0;
}

/* Two rounds, forth and back, so that the second one finds some kept and some let go. */
static void check_reads(as_dump *const dumps[DUMPS]) {
    const as_slice slice = {2, 3, {1, 2, 0, 0}};
    as_matrix m = {0};
    for (size_t turn = 0; turn < 2 * DUMPS; turn++) {
        const as_dump *dump = dumps[turn < DUMPS ? turn : 2 * DUMPS - 1 - turn];
        assert_ok(as_dump_read(dump, first_of_rank_4(dump), &slice, &m));
        ck_assert_uint_eq(m.rows, 5);
        ck_assert_uint_eq(m.cols, 7);
        for (size_t i = 0; i < 35; i++) {
            ck_assert_msg(m.data[i] == (double)i + 75, "%s: element %zu is %g", as_dump_path(dump),
                          i, m.data[i]);
        }
    }
    as_matrix_free(&m);
}

START_TEST(few_files_stay_open) {
    char path[] = "/tmp/attnspec_held_XXXXXX";
    bool lists = _i == (int)(sizeof files / sizeof *files) - 1;
    if (lists) {
        int fd = mkstemp(path);
        ck_assert_int_ge(fd, 0);
        close(fd);
        write_lists(path);
    }
    size_t before = open_files();
    as_dump *dumps[DUMPS];
    for (size_t d = 0; d < DUMPS; d++) {
        assert_ok(as_dump_open(lists ? path : files[_i], NULL, &dumps[d]));
    }
    ck_assert_uint_le(open_files(), before + MOST);
    check_reads(dumps);
    ck_assert_uint_le(open_files(), before + MOST);
    for (size_t d = 0; d < DUMPS; d++) {
        as_dump_close(dumps[d]);
    }
    ck_assert_uint_eq(open_files(), before);
    if (lists) {
        remove(path);
    }
}
END_TEST

typedef struct readers {
    as_dump *dumps[DUMPS];
    bool right[4 * DUMPS]; /* one a turn: no two threads write the same */
} readers;

static void read_one(void *context, size_t index, size_t worker) {
    readers *r = context;
    const as_slice slice = {2, 3, {0, 1, 0, 0}};
    as_matrix m = {0};
    const as_dump *dump = r->dumps[index % DUMPS];
    (void)worker;
    r->right[index] =
        as_dump_read(dump, first_of_rank_4(dump), &slice, &m) == AS_OK && m.data[34] == -31;
    as_matrix_free(&m);
}

START_TEST(threads_share_what_is_kept) {
    readers r = {0};
    for (size_t d = 0; d < DUMPS; d++) {
        assert_ok(as_dump_open(files[2 + d % 2 * 3], NULL, &r.dumps[d]));
    }
    assert_ok(as_parallel_for(4 * DUMPS, 4, read_one, &r));
    for (size_t i = 0; i < 4 * DUMPS; i++) {
        ck_assert_msg(r.right[i], "turn %zu of dump %zu", i / DUMPS, i % DUMPS);
    }
    for (size_t d = 0; d < DUMPS; d++) {
        as_dump_close(r.dumps[d]);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, few_files_stay_open, 0, sizeof files / sizeof *files);
    tcase_add_test(t, threads_share_what_is_kept);
}

AS_TEST_MAIN("held")

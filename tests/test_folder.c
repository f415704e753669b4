/* Folders and patterns as inputs: which files they stand for, in which order, and what is left out. */
#define _GNU_SOURCE
#include "npy_file.h"
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/attnspec_folder_XXXXXX";

static void enter(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

static void matrix(const char *path) {
    const float one[4] = {1, 2, 3, 4};
    write_npy(path, "<f4", 0, 2, (size_t[]){2, 2}, one, sizeof one);
}

/* That these inputs are those files, separated by spaces. */
static void check_inputs(const char *const *inputs, size_t count, const char *files,
                         size_t repeated) {
    char found[1000] = "";
    as_source *source;
    assert_ok(as_source_open(inputs, count, NULL, &source));
    for (size_t i = 0; i < as_source_input_count(source); i++) {
        strcat(strcat(found, i > 0 ? " " : ""), as_source_input_path(source, i));
    }
    ck_assert_str_eq(found, files);
    ck_assert_uint_eq(as_source_left_out(source)->repeated, repeated);
    as_source_close(source);
}
#define CHECK_INPUTS(files, repeated, ...)                                                         \
    check_inputs((const char *[]){__VA_ARGS__},                                                    \
                 sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *), files, repeated)

START_TEST(numbers_are_in_order) {
    static const char *const names[] = {"runs/layer_10.npy",
                                        "runs/layer_2.npy",
                                        "runs/layer_02.npy",
                                        "runs/layer_1.npy",
                                        "runs/a/z.npy",
                                        "runs/a.npy",
                                        "runs/b10/1.npy",
                                        "runs/b9/2.npy",
                                        "runs/step100000000000000000000_layer1.npy",
                                        "runs/step99999999999999999999_layer1.npy"};
    enter();
    mkdir("runs", 0777), mkdir("runs/a", 0777), mkdir("runs/b9", 0777), mkdir("runs/b10", 0777);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        matrix(names[i]);
    }
    const char *whole = "runs/a/z.npy runs/a.npy runs/b9/2.npy runs/b10/1.npy runs/layer_1.npy "
                        "runs/layer_02.npy runs/layer_2.npy runs/layer_10.npy "
                        "runs/step99999999999999999999_layer1.npy "
                        "runs/step100000000000000000000_layer1.npy";
    CHECK_INPUTS(whole, 0, "runs");
    CHECK_INPUTS(whole, 0, "runs/");
    CHECK_INPUTS("runs/layer_1.npy runs/layer_02.npy runs/layer_2.npy runs/layer_10.npy", 0,
                 "runs/layer_*.npy");
    CHECK_INPUTS("runs/b9/2.npy runs/b10/1.npy", 0, "r?ns/b[0-9]*");
    leave();
}
END_TEST

START_TEST(links_hidden_files_and_pipes) {
    enter();
    mkdir("runs", 0777), mkdir("runs/in", 0777), mkdir("runs/.git", 0777);
    matrix("runs/in/a.npy"), matrix("runs/.hidden.npy"), matrix("runs/.git/b.npy");
    matrix("elsewhere.npy");
    /* Loops, one of them through itself. */
    ck_assert_int_eq(symlink("..", "runs/in/up"), 0);
    ck_assert_int_eq(symlink("self", "runs/self"), 0);
    ck_assert_int_eq(symlink("../elsewhere.npy", "runs/link.npy"), 0);
    ck_assert_int_eq(symlink("runs", "other"), 0);
    ck_assert_int_eq(mkfifo("runs/pipe", 0666), 0);
    CHECK_INPUTS("runs/in/a.npy runs/link.npy runs/self", 0, "runs");
    CHECK_INPUTS("other/in/a.npy other/link.npy other/self", 0, "other");
    leave();
}
END_TEST

/* By a pattern as in a folder; where that was all, the input is refused. */
START_TEST(what_holds_nothing_is_left_out) {
    enter();
    mkdir("runs", 0777), mkdir("runs/b", 0777), mkdir("runs/c", 0777), mkdir("runs/c/d", 0777);
    matrix("runs/a.npy"), matrix("runs/b/.hidden.npy");
    ck_assert_int_eq(mkfifo("runs/pipe", 0666), 0);
    static const struct {
        const char *input, *status, *first;
        size_t others;
    } rows[] = {{"runs", "ok", "runs/b", 3},
                {"runs/*", "ok", "runs/b", 3},
                {"runs/p*", "matches no file to read", "runs/pipe", 1},
                {"runs/[bc]", "matches no file to read", "runs/b", 2},
                {"runs/b", "is a folder without files to read", NULL, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        as_source *source;
        assert_ok(as_source_open(&rows[i].input, 1, NULL, &source));
        ck_assert_uint_eq(as_source_count(source), 1);
        const as_item *item = as_source_item(source, 0);
        ck_assert_str_eq(item->status == AS_OK ? "ok" : item->reason, rows[i].status);
        const as_left_out *out = as_source_left_out(source);
        ck_assert_uint_eq(out->others, rows[i].others);
        ck_assert_pstr_eq(out->other, rows[i].first);
        as_source_close(source);
    }
    leave();
}
END_TEST

/* A pattern that takes nothing of a file: a mistake where the file was named, whichever came first. */
START_TEST(named_and_found_is_named) {
    enter();
    mkdir("runs", 0777), matrix("runs/1.npy");
    const char *found_first[] = {"runs:x", "runs/1.npy:x"},
               *named_first[] = {"runs/1.npy:x", "runs/*:x"};
    const char *const *const inputs[] = {found_first, named_first, found_first};
    for (size_t i = 0; i < 3; i++) {
        as_source *source;
        assert_ok(as_source_open(inputs[i], i < 2 ? 2 : 1, NULL, &source));
        ck_assert_uint_eq(as_source_count(source), 1);
        ck_assert_int_eq(as_source_item(source, 0)->status, i < 2 ? AS_EREAD : AS_SKIPPED);
        as_source_close(source);
    }
    leave();
}
END_TEST

START_TEST(what_is_found_twice_is_read_once) {
    enter();
    mkdir("runs", 0777);
    matrix("runs/1.npy"), matrix("runs/2.npy"), matrix("1.npy");
    char absolute[64];
    snprintf(absolute, sizeof absolute, "%s/runs/2.npy", folder);
    CHECK_INPUTS("runs/2.npy runs/1.npy", 1, "runs/2.npy", "runs");
    CHECK_INPUTS("runs/1.npy runs/2.npy", 3, "runs", absolute, "./runs/../runs/1.npy",
                 "runs/[1].npy");
    /* Other folders, and other tensors of one file, are other inputs. */
    CHECK_INPUTS("1.npy runs/1.npy", 0, "1.npy", "runs/1.npy");
    CHECK_INPUTS("1.npy 1.npy", 0, "1.npy:a", "1.npy:b");
    CHECK_INPUTS("x/1.npy x/2.npy y/3.npy y/2.npy", 0, "x/1.npy", "x/2.npy", "y/3.npy", "y/2.npy");
    leave();
}
END_TEST

/* An index is no input beside its files; alone it is. */
START_TEST(index_of_files_that_are_there) {
    enter();
    mkdir("a", 0777), mkdir("b", 0777), mkdir("b/c", 0777);
    matrix("a/m-1.safetensors"), matrix("a/m.safetensors.index.json");
    matrix("b/m.safetensors.index.json"), matrix("b/c/m-1.safetensors");
    CHECK_INPUTS("a/m-1.safetensors", 1, "a");
    CHECK_INPUTS("b/c/m-1.safetensors b/m.safetensors.index.json", 0, "b");
    leave();
}
END_TEST

START_TEST(names_that_are_no_patterns) {
    enter();
    matrix("a*.npy"), matrix("ab.npy"), matrix("c:d.npy");
    CHECK_INPUTS("a*.npy", 0, "a*.npy");
    CHECK_INPUTS("a*.npy ab.npy", 0, "a?.npy");
    CHECK_INPUTS("c:d.npy", 0, "c:*.npy");
    CHECK_INPUTS("ab.npy", 0, "[a]b.npy:layer*");
    CHECK_INPUTS("none*.npy", 0, "none*.npy");
    leave();
}
END_TEST

START_TEST(results_are_left_out) {
    enter();
    matrix("1.npy");
    as_result_writer *writer;
    const as_result_options how = {.fingerprint = "{}", .provenance = "{}"};
    assert_ok(as_result_create("r.h5", &how, &writer));
    const char *inputs[] = {"."};
    as_source *source;
    assert_ok(as_source_open(inputs, 1, NULL, &source)); /* r.h5.part is there */
    ck_assert_uint_eq(as_source_input_count(source), 1);
    ck_assert_uint_eq(as_source_left_out(source)->results, 1);
    ck_assert_str_eq(as_source_left_out(source)->result, "./r.h5.part");
    as_source_close(source);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    ck_assert(as_dump_is_result("r.h5"));
    ck_assert(!as_dump_is_result("1.npy") && !as_dump_is_result("none") && !as_dump_is_result("."));
    CHECK_INPUTS("./1.npy", 0, ".");
    CHECK_INPUTS("./1.npy", 0, ".:*");
    CHECK_INPUTS("1.npy", 0, "[1r].*:*");
    const char *named[] = {"r.h5", "*.h5"};
    assert_ok(as_source_open(named, 2, NULL, &source));
    ck_assert_int_eq(as_source_item(source, 0)->status, AS_SKIPPED);
    ck_assert_str_eq(as_source_item(source, 1)->reason, "matches nothing but results of attnspec");
    as_source_close(source);
    leave();
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, numbers_are_in_order);
    tcase_add_test(t, links_hidden_files_and_pipes);
    tcase_add_test(t, what_holds_nothing_is_left_out);
    tcase_add_test(t, named_and_found_is_named);
    tcase_add_test(t, what_is_found_twice_is_read_once);
    tcase_add_test(t, index_of_files_that_are_there);
    tcase_add_test(t, names_that_are_no_patterns);
    tcase_add_test(t, results_are_left_out);
}

AS_TEST_MAIN("folder")

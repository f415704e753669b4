/* Rows to files and back: the round trip, what the readers refuse, provenance. */
#define _GNU_SOURCE /* mkdtemp, setenv */
#include "result_rows.h"

#include <sys/file.h>

START_TEST(rows_come_back_from_memory_journal_and_hdf5) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    as_result_writer *writer = NULL;
    as_result *result = NULL;
    assert_ok(as_result_create(NULL, &fresh, &writer));
    append_rows(writer, 0, 41);
    assert_ok(as_result_of_writer(writer, &result));
    assert_rows(result, 41);
    ck_assert_str_eq(as_result_provenance(result), "{\"a\":[1,0.1]}");
    as_result_free(result);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);

    assert_ok(as_result_create(path, &fresh, &writer));
    append_rows(writer, 0, 41);
    assert_file(part, 41);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(path, 41);
    ck_assert(!is_there(part));
    ck_assert(!is_there(in_folder(folder, "o.h5.part.h5")));
    assert_ok(as_result_open(path, &result));
    ck_assert_str_eq(as_result_provenance(result), "{\"a\":[1,0.1]}");
    as_result_free(result);
    remove_folder(folder);
}
END_TEST

/* Rows come in the order of items, whatever the order they were finished in; the last of an item
 * counts. */
START_TEST(rows_are_sorted_and_the_last_of_an_item_counts) {
    char *folder = new_folder();
    as_result_writer *writer = NULL;
    assert_ok(as_result_create(in_folder(folder, "o.h5"), &fresh, &writer));
    as_row wrong = a_row(5);
    wrong.item = 2;
    assert_ok(as_result_append(writer, &wrong));
    for (size_t i = 9; i-- > 0;) {
        append_rows(writer, i, i + 1);
    }
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(in_folder(folder, "o.h5"), 9);
    remove_folder(folder);
}
END_TEST

/* More rows than a block and a chunk hold, read in order, backwards and by leaps. */
START_TEST(blocks_fit_together) {
    enum { N = 20011 };
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    write_result(path, N, true);
    assert_file(path, N);
    as_result *result = NULL;
    assert_ok(as_result_open(path, &result));
    for (size_t i = 0; i < 24; i++) {
        size_t index = i % 2 ? N - 1 - 31 * i : 811 * i;
        as_row row, expected = a_row(index);
        assert_ok(as_result_row(result, index, &row));
        assert_same_row(&row, &expected);
    }
    as_row row;
    assert_fails(as_result_row(result, N, &row), AS_EINVAL);
    as_result_free(result);
    remove_folder(folder);
}
END_TEST

/* Wider than a chunk; and a matrix of one entry, whose column is squeezed. */
START_TEST(widths_from_one_to_many) {
    static const size_t widths[] = {1, 2, 40009};
    for (size_t w = 0; w < 3; w++) {
        char *folder = new_folder();
        const char *path = in_folder(folder, "o.h5");
        double *sigma = calloc(widths[w], sizeof *sigma);
        for (size_t i = 0; i < widths[w]; i++) {
            sigma[i] = sqrt((double)(widths[w] - i));
        }
        as_row row = as_row_empty(), back;
        row.rows = row.cols = row.sigma_count = widths[w];
        row.sigma = sigma;
        as_result_writer *writer = NULL;
        as_result *result = NULL;
        assert_ok(as_result_create(path, &fresh, &writer));
        for (row.item = 0; row.item < 3; row.item++) {
            assert_ok(as_result_append(writer, &row));
        }
        assert_ok(as_result_finish(writer));
        as_result_writer_free(writer);
        assert_ok(as_result_open(path, &result));
        for (row.item = 0; row.item < 3; row.item++) {
            assert_ok(as_result_row(result, (size_t)row.item, &back));
            assert_same_row(&back, &row);
        }
        as_result_free(result);
        free(sigma);
        remove_folder(folder);
    }
}
END_TEST

START_TEST(nothing_ok_and_nothing_at_all_are_files_too) {
    char *folder = new_folder();
    for (size_t count = 0; count < 2; count++) {
        const char *path = in_folder(folder, count ? "failed.h5" : "none.h5");
        as_result_writer *writer = NULL;
        as_result *result = NULL;
        as_row row = a_row(3), back;
        assert_ok(as_result_create(path, &fresh, &writer));
        if (count) {
            assert_ok(as_result_append(writer, &row));
        }
        assert_ok(as_result_finish(writer));
        as_result_writer_free(writer);
        assert_ok(as_result_open(path, &result));
        ck_assert_uint_eq(as_result_count(result), count);
        if (count) {
            assert_ok(as_result_row(result, 0, &back));
            assert_same_row(&back, &row);
        }
        as_result_free(result);
    }
    remove_folder(folder);
}
END_TEST

/* Layers and heads are numbers out of names: they must not decide how much memory there is. */
START_TEST(huge_layer_numbers_are_no_image) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    as_result_writer *writer = NULL;
    as_result *result = NULL;
    as_row row = a_row(0), back;
    assert_ok(as_result_create(path, &fresh, &writer));
    assert_ok(as_result_append(writer, &row));
    row.item = 1;
    row.layer = UINT64_MAX;
    row.head = UINT64_MAX - 1;
    assert_ok(as_result_append(writer, &row));
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_ok(as_result_open(path, &result));
    assert_ok(as_result_row(result, 1, &back));
    assert_same_row(&back, &row);
    as_result_free(result);
    remove_folder(folder);
}
END_TEST

/* Bytes that are not UTF-8 stay in the journal and become U+FFFD in the result's JSON. */
START_TEST(names_that_are_not_utf8) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    as_result_writer *writer = NULL;
    as_result *result = NULL;
    as_row row = as_row_empty(), back;
    row.source = "caf\xE9.npy";
    row.tensor = "\xED\xA0\x80\xC0\x80\xFF\x01";
    assert_ok(as_result_create(path, &fresh, &writer));
    assert_ok(as_result_append(writer, &row));
    assert_ok(as_result_of_writer(writer, &result));
    assert_ok(as_result_row(result, 0, &back));
    assert_same_row(&back, &row);
    as_result_free(result);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_ok(as_result_open(path, &result));
    assert_ok(as_result_row(result, 0, &back));
    ck_assert_str_eq(back.source, "caf\xEF\xBF\xBD.npy");
    ck_assert_str_eq(back.tensor, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                  "\xEF\xBF\xBD\x01");
    as_result_free(result);
    remove_folder(folder);
}
END_TEST

START_TEST(rows_that_contradict_themselves_are_refused) {
    as_result_writer *writer = NULL;
    assert_ok(as_result_create(NULL, &fresh, &writer));
    as_row row = a_row(0);
    row.status = AS_EWRITE;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.profile_count--;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.rows = 0;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.metrics.ky_fan_count = AS_KY_FAN_MAX + 1;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.metrics.reason[2] = AS_REASON_COUNT;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.eig_im = NULL;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.contraction.ky_fan_count = AS_KY_FAN_MAX + 1;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.contraction.reason[1] = AS_REASON_COUNT;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.contraction.guarantee[1] = AS_UNDEFINED + 1;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.contraction.alignment_reason[2][2] = AS_REASON_COUNT;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.contraction.none = AS_REASON_NEEDS_DENSE;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    row = a_row(0);
    row.baseline = NULL;
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "without a baseline"));
    as_result *result = NULL;
    assert_ok(as_result_of_writer(writer, &result));
    ck_assert_uint_eq(as_result_count(result), 0);
    as_result_free(result);
    as_result_writer_free(writer);
}
END_TEST

/* ---- what is no result ------------------------------------------------------------------------ */

static void assert_unreadable(const char *path, const char *sentence) {
    as_result *result = NULL;
    assert_fails(as_result_open(path, &result), AS_EREAD);
    ck_assert_msg(strstr(as_message(), path) != NULL, "no file in: %s", as_message());
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "not \"%s\": %s", sentence, as_message());
}

START_TEST(other_files_are_refused_in_words) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "x");
    assert_unreadable(path, "No such file");
    assert_unreadable(folder, "no regular file");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    assert_unreadable(path, "no regular file");
    unlink(path);
    spit(path, "", 0);
    assert_unreadable(path, "empty journal");
    spit(path, "attnspec jou", 12);
    assert_unreadable(path, "empty journal");
    spit(path, "hello\n", 6);
    assert_unreadable(path, "neither a result nor a journal");
    spit(path, "\x89HDF\r\n\x1a\nnot really", 18);
    assert_unreadable(path, "cannot read");
    remove_folder(folder);
}
END_TEST

/* Every prefix and every kind of damage is an error or the rows, never a crash. */
START_TEST(broken_hdf5_is_an_error) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *bad = in_folder(folder, "bad.h5");
    size_t size;
    write_result(path, 6, true);
    unsigned char *bytes = slurp(path, &size);
    as_result *result = NULL;
    for (size_t cut = 8; cut < size; cut += size / 29) {
        spit(bad, bytes, cut);
        assert_fails(as_result_open(bad, &result), AS_EREAD);
    }
    /* Codes whose names are not where they are looked for. */
    unsigned char *names = memmem(bytes, size, "\"names\"", 7);
    ck_assert_ptr_nonnull(names);
    memcpy(names, "\"mames\"", 7);
    spit(bad, bytes, size);
    assert_ok(as_result_open(bad, &result));
    as_row row;
    assert_fails(as_result_row(result, 0, &row), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), "contradict"));
    as_result_free(result);
    free(bytes);
    remove_folder(folder);
}
END_TEST

/* A file without the columns of later versions still has its rows; one that lacks half of a pair is
 * refused. The new name keeps the order in which HDF5 looks for it. */
START_TEST(missing_columns) {
    static const struct {
        const char *name, *other, *sentence;
    } losses[] = {
        {"baseline", "baselinf", NULL},
        {"eig_im", "eig_in", "eig_im"},
        {"spread_guarantee", "spread_guaranteg", "spread_guarantee"},
        {"ky_fan_count", "ky_fan_counu", "ky_fan_count"},
        {"rows", "rowt", "rows"},
    };
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *bad = in_folder(folder, "bad.h5");
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        size_t size, length = strlen(losses[i].name) + 1;
        as_result_writer *writer = NULL;
        assert_ok(as_result_create(path, &force, &writer));
        append_rows(writer, 0, 6);
        assert_ok(as_result_finish(writer));
        as_result_writer_free(writer);
        unsigned char *bytes = slurp(path, &size);
        /* Names of links stand in heaps, each with its NUL, from a multiple of eight on. */
        for (unsigned char *at = bytes; at + length < bytes + size; at += 8) {
            if (memcmp(at, losses[i].name, length) == 0) {
                memcpy(at, losses[i].other, length);
            }
        }
        spit(bad, bytes, size);
        free(bytes);
        if (losses[i].sentence != NULL) {
            assert_unreadable(bad, losses[i].sentence);
            continue;
        }
        as_result *result = NULL;
        as_row row;
        assert_ok(as_result_open(bad, &result));
        assert_ok(as_result_row(result, 1, &row));
        ck_assert_ptr_null(row.baseline);
        as_result_free(result);
    }
    remove_folder(folder);
}
END_TEST

/* Another program that writes the file holds its lock. */
START_TEST(a_locked_file_says_what_helps) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    write_result(path, 2, true);
    unsetenv("HDF5_USE_FILE_LOCKING");
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_unreadable(path, "HDF5_USE_FILE_LOCKING=FALSE");
    close(fd);
    assert_file(path, 2);
    remove_folder(folder);
}
END_TEST

/* ---- provenance ------------------------------------------------------------------------------- */

static const char *const options[][2] = {
    {"mask", "causal"}, {"scheme", "rope"}, {"driver", NULL}, {"scheme", "nope"}};
static const char *const words[] = {"analyze", "caf\xE9.npy"};

static as_provenance_input an_input(const char *const *path, bool deterministic) {
    return (as_provenance_input){.tool = "analyze",
                                 .argc = 2,
                                 .argv = words,
                                 .inputs = path,
                                 .input_count = 1,
                                 .options = options,
                                 .option_count = 4,
                                 .threads = 3,
                                 .git = "0123abc",
                                 .deterministic = deterministic};
}

START_TEST(provenance_says_what_ran) {
    char *folder = new_folder(), *text = NULL;
    const char *path = in_folder(folder, "i.npy");
    spit(path, "123456789", 9);
    as_provenance_input input = an_input(&path, false);
    assert_ok(as_provenance(&input, &text));
    static const char *const parts[] = {
        "\"command\":[\"analyze\",\"caf\\ufffd.npy\"]",
        "\"size\":9,\"mtime\":\"20",
        ("\"options\":{\"mask\":\"causal\",\"scheme\":[\"rope\",\"nope\"],"
         "\"driver\":null}"),
        "\"threads\":3",
        "\"git\":\"0123abc\"",
        "\"cpu\":",
        "\"started\":\"20",
        "\"tool\":\"analyze\"",
        "\"blas\":{\"config\":",
        "\"hdf5\":\"1."};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no %s in %s", parts[i], text);
    }
    free(text);
    input.deterministic = true;
    for (int i = 0; i < 2; i++) {
        assert_ok(as_provenance(&input, &text));
        static const char *const absent[] = {"mtime", "threads", "cpu", "started"};
        for (size_t k = 0; k < 4; k++) {
            ck_assert_msg(strstr(text, absent[k]) == NULL, "%s in %s", absent[k], text);
        }
        free(text);
        input.deterministic = false;
        setenv("SOURCE_DATE_EPOCH", "0", 1);
    }
    remove_folder(folder);
}
END_TEST

START_TEST(fingerprint_notices_a_changed_input) {
    char *folder = new_folder(), *before = NULL, *after = NULL;
    const char *path = in_folder(folder, "i.npy");
    for (int deterministic = 0; deterministic < 2; deterministic++) {
        as_provenance_input input = an_input(&path, deterministic);
        spit(path, "123456789", 9);
        assert_ok(as_fingerprint(&input, &before));
        assert_ok(as_fingerprint(&input, &after));
        ck_assert_str_eq(before, after);
        /* The CRC-32 of these nine bytes is the check value of its definition. */
        ck_assert((strstr(before, "\"crc32\":3421780262") != NULL) == deterministic);
        free(after);
        spit(path, "123456780", 9);
        assert_ok(as_fingerprint(&input, &after));
        ck_assert_str_ne(before, after);
        free(before);
        free(after);
    }
    remove_folder(folder);
}
END_TEST

START_TEST(same_rows_are_the_same_bytes) {
    char *folder = new_folder();
    size_t size[2];
    unsigned char *bytes[2];
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder(folder, i ? "a.h5" : "b.h5");
        write_result(path, 1003, true);
        bytes[i] = slurp(path, &size[i]);
        /* HDF5's object times count seconds. */
        sleep(i == 0);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    remove_folder(folder);
}
END_TEST

/* From outside: python3 and h5py where they are there (exit 77 says that they are not). */
START_TEST(h5py_finds_a_nexus_file) {
    static const char script[] = "tests/check_result_h5.py";
    if (access(script, R_OK) != 0) {
        puts("skipped: tests/check_result_h5.py is not here");
        return;
    }
    char *folder = new_folder(), command[256];
    write_result(in_folder(folder, "many.h5"), 1003, true);
    write_result(in_folder(folder, "few.h5"), 7, true);
    write_result(in_folder(folder, "one.h5"), 1, true);
    /* Of one source and scheme: with images. Without a baseline: no group of the contraction. */
    static const char *const files[] = {"images.h5", "plain.h5", "steps.h5", "shapes.h5"};
    for (size_t f = 0; f < 4; f++) {
        as_result_writer *writer = NULL;
        assert_ok(as_result_create(in_folder(folder, files[f]), &fresh, &writer));
        for (size_t item = 0; item < 50; item++) {
            as_row row = a_row(item);
            row.source = "a.npy";
            row.scheme = row.content = NULL;
            /* A batch of equals is averaged; matrices of one place or of several shapes are not. */
            row.batch = f == 2 ? row.batch : item;
            row.head = f == 3 ? item % 5 : row.head;
            if (f == 1) {
                row.baseline = NULL;
                row.baseline_count = row.eigen_count = row.symmetric_count = 0;
                as_contraction_clear(&row.contraction, AS_REASON_NO_BASELINE);
            }
            assert_ok(as_result_append(writer, &row));
        }
        assert_ok(as_result_finish(writer));
        as_result_writer_free(writer);
    }
    snprintf(command, sizeof command,
             "for p in python3 /usr/bin/python3; do $p -c 'import h5py' 2>&- && break; done; "
             "command -v $p >/dev/null || exit 77; $p %s %s/*.h5",
             script, folder);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77),
                  "%s says that the file is wrong", script);
    remove_folder(folder);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, rows_come_back_from_memory_journal_and_hdf5);
    tcase_add_test(t, rows_are_sorted_and_the_last_of_an_item_counts);
    tcase_add_test(t, blocks_fit_together);
    tcase_add_test(t, widths_from_one_to_many);
    tcase_add_test(t, nothing_ok_and_nothing_at_all_are_files_too);
    tcase_add_test(t, huge_layer_numbers_are_no_image);
    tcase_add_test(t, names_that_are_not_utf8);
    tcase_add_test(t, rows_that_contradict_themselves_are_refused);
    tcase_add_test(t, other_files_are_refused_in_words);
    tcase_add_test(t, broken_hdf5_is_an_error);
    tcase_add_test(t, missing_columns);
    tcase_add_test(t, a_locked_file_says_what_helps);
    tcase_add_test(t, provenance_says_what_ran);
    tcase_add_test(t, fingerprint_notices_a_changed_input);
    tcase_add_test(t, same_rows_are_the_same_bytes);
    tcase_add_test(t, h5py_finds_a_nexus_file);
}

AS_TEST_MAIN("result")

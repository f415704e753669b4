/* What survives: torn and damaged journals, locks, what may be replaced, full disks. */
#define _GNU_SOURCE /* mkdtemp, memmem */
#include "result_rows.h"

#include "door/zlib.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Opening must give `status`, say `sentence`, and leave no writer behind. */
static void assert_refused(const char *path, const as_result_options *how, as_status status,
                           const char *sentence) {
    as_result_writer *writer = NULL;
    assert_fails(as_result_create(path, how, &writer), status);
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "not \"%s\": %s", sentence, as_message());
}

static as_result_writer *open_writer(const char *path, const as_result_options *how) {
    as_result_writer *writer = NULL;
    assert_ok(as_result_create(path, how, &writer));
    return writer;
}

/* ---- torn and damaged ------------------------------------------------------------------------- */

/* Killed at any byte of the last of three rows: two are there, and the third can be added. */
START_TEST(a_row_torn_at_any_byte_is_dropped) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    size_t before, whole;
    write_result(path, 2, false);
    before = size_of(part);
    unlink(part);
    write_result(path, 3, false);
    unsigned char *bytes = slurp(part, &whole);
    for (size_t cut = before; cut < whole; cut++) {
        spit(part, bytes, cut);
        assert_file(part, 2);
        as_result_writer *writer = open_writer(path, &resume);
        ck_assert(as_result_has(writer, 0) && as_result_has(writer, 1));
        ck_assert(!as_result_has(writer, 2) && !as_result_has(writer, UINT64_MAX));
        ck_assert_uint_eq(size_of(part), before);
        append_rows(writer, 2, 3);
        ck_assert_uint_eq(size_of(part), whole);
        if (cut % 101 == 0) {
            assert_ok(as_result_finish(writer));
            assert_file(path, 3);
            unlink(path);
        }
        as_result_writer_free(writer);
    }
    free(bytes);
    remove_folder(folder);
}
END_TEST

/* Killed while the head was written: nothing was done yet, so the run begins anew. */
START_TEST(a_torn_head_begins_anew) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    size_t whole;
    write_result(path, 0, false);
    unsigned char *bytes = slurp(part, &whole);
    for (size_t cut = 0; cut < whole; cut++) {
        spit(part, bytes, cut);
        as_result_writer *writer = open_writer(path, &resume);
        append_rows(writer, 0, 1);
        as_result_writer_free(writer);
        assert_file(part, 1);
    }
    free(bytes);
    remove_folder(folder);
}
END_TEST

/* A flipped bit costs the row that it is in, whichever that is, and only that; a flip in a length
 * may cost what follows, never what is before. */
START_TEST(a_flipped_bit_costs_one_row) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    size_t head, first, whole;
    write_result(path, 0, false);
    head = size_of(part);
    unlink(part);
    write_result(path, 1, false);
    first = size_of(part);
    unlink(part);
    write_result(path, 5, false);
    unsigned char *bytes = slurp(part, &whole);
    for (size_t at = head + 4; at < first; at += 7) {
        bytes[at] ^= 0x10;
        spit(part, bytes, whole);
        bytes[at] ^= 0x10;
        as_result_writer *writer = open_writer(path, &resume);
        ck_assert(!as_result_has(writer, 0));
        for (uint64_t item = 1; item < 5; item++) {
            ck_assert(as_result_has(writer, item));
        }
        append_rows(writer, 0, 1);
        as_result_writer_free(writer);
        assert_file(part, 5);
    }
    for (size_t at = first; at < first + 4; at++) {
        bytes[at] ^= 0x10;
        spit(part, bytes, whole);
        bytes[at] ^= 0x10;
        as_result_writer *writer = open_writer(path, &resume);
        ck_assert(as_result_has(writer, 0) && !as_result_has(writer, 1));
        append_rows(writer, 1, 5);
        as_result_writer_free(writer);
        assert_file(part, 5);
    }
    free(bytes);
    remove_folder(folder);
}
END_TEST

/* Zeros at the end, as a file system leaves them after a crash, are no rows. */
START_TEST(a_tail_of_zeros_is_dropped) {
    static const char zeros[4096];
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    write_result(path, 3, false);
    size_t whole = size_of(part);
    FILE *file = fopen(part, "ab");
    ck_assert_uint_eq(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
    fclose(file);
    assert_file(part, 3);
    as_result_writer_free(open_writer(path, &resume));
    ck_assert_uint_eq(size_of(part), whole);
    remove_folder(folder);
}
END_TEST

START_TEST(a_damaged_head_is_refused) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    size_t whole;
    write_result(path, 2, false);
    unsigned char *bytes = slurp(part, &whole);
    bytes[60] ^= 1;
    spit(part, bytes, whole);
    as_result *result = NULL;
    assert_refused(path, &resume, AS_EMISMATCH, "head");
    assert_fails(as_result_open(part, &result), AS_EREAD);
    bytes[60] ^= 1;
    bytes[0] = 'A';
    spit(part, bytes, whole);
    assert_refused(path, &resume, AS_EMISMATCH, "no journal");
    ck_assert_uint_eq(size_of(part), whole);
    as_result_writer_free(open_writer(path, &force));
    free(bytes);
    remove_folder(folder);
}
END_TEST

/* A program with other fields, ratios or arrays says so; its journal is not called damaged. */
START_TEST(another_layout_is_another_version) {
    static const char *const names[] = {"baseline ", "contraction.spread ", "array.eig_im "};
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    for (size_t i = 0; i < 3; i++) {
        size_t size, head = sizeof "attnspec journal 1\n" - 1;
        as_result_writer *writer = open_writer(path, &force);
        append_rows(writer, 0, 2);
        as_result_writer_free(writer);
        unsigned char *bytes = slurp(part, &size);
        unsigned char *name = memmem(bytes, size, names[i], strlen(names[i]));
        ck_assert_msg(name != NULL, "%s is not in the layout", names[i]);
        name[0] = 'X';
        /* Length and CRC of the head, little endian, stand before it. */
        size_t length = bytes[head] + 256U * bytes[head + 1] + 65536U * bytes[head + 2];
        uint32_t crc = as_crc32(0, bytes + head + 8, length);
        for (int k = 0; k < 4; k++) {
            bytes[head + 4 + (size_t)k] = (unsigned char)(crc >> 8 * k);
        }
        spit(part, bytes, size);
        free(bytes);
        as_result *result = NULL;
        assert_refused(path, &resume, AS_EMISMATCH, "another version");
        assert_fails(as_result_open(part, &result), AS_EREAD);
        ck_assert_ptr_nonnull(strstr(as_message(), "another version"));
    }
    remove_folder(folder);
}
END_TEST

/* ---- what may be replaced --------------------------------------------------------------------- */

START_TEST(an_output_that_is_there_needs_force) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    spit(path, "precious", 8);
    assert_refused(path, &fresh, AS_EEXIST, "o.h5 is there already");
    assert_refused(path, &resume, AS_EMISMATCH, "no result of this run");
    ck_assert(!is_there(part));
    as_result_writer *writer = open_writer(path, &force);
    append_rows(writer, 0, 3);
    ck_assert_uint_eq(size_of(path), 8);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(path, 3);
    ck_assert(!is_there(part));

    /* The journal of an unfinished run. */
    writer = open_writer(path, &force);
    append_rows(writer, 0, 2);
    as_result_writer_free(writer);
    unlink(path);
    assert_refused(path, &fresh, AS_EEXIST, "o.h5.part is there already");
    assert_file(part, 2);
    writer = open_writer(path, &force);
    ck_assert(!as_result_has(writer, 0));
    as_result_writer_free(writer);
    assert_file(part, 0);
    remove_folder(folder);
}
END_TEST

START_TEST(resume_wants_the_same_run) {
    static const as_result_options other = {.resume = true, .fingerprint = "g"};
    static const as_result_options either = {.resume = true, .force = true, .fingerprint = "g"};
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    write_result(path, 3, false);
    assert_refused(path, &other, AS_EMISMATCH, "another run");
    assert_file(part, 3);
    as_result_writer *writer = open_writer(path, &resume);
    ck_assert(!as_result_writer_complete(writer) && as_result_has(writer, 2));
    append_rows(writer, 3, 5);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(path, 5);

    /* Finished: the same run has nothing to do, another one may not touch it without force. */
    writer = open_writer(path, &resume);
    ck_assert(as_result_writer_complete(writer) && as_result_has(writer, 2));
    as_result *result = NULL;
    assert_ok(as_result_of_writer(writer, &result));
    assert_rows(result, 5);
    as_result_free(result);
    as_row row = a_row(9);
    assert_fails(as_result_append(writer, &row), AS_EINVAL);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_refused(path, &other, AS_EMISMATCH, "another run");
    writer = open_writer(path, &either);
    ck_assert(!as_result_writer_complete(writer) && !as_result_has(writer, 0));
    as_result_discard(writer);
    assert_file(path, 5);
    ck_assert(!is_there(part));
    remove_folder(folder);
}
END_TEST

/* A resumed run gives the same bytes as one that was never interrupted. */
START_TEST(a_resumed_run_is_the_same_file) {
    char *folder = new_folder();
    const char *once = in_folder(folder, "once.h5"), *twice = in_folder(folder, "twice.h5");
    write_result(once, 23, true);
    write_result(twice, 11, false);
    as_result_writer *writer = open_writer(twice, &resume);
    for (size_t i = 23; i-- > 11;) {
        append_rows(writer, i, i + 1);
    }
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    size_t size[2];
    unsigned char *bytes[2] = {slurp(once, &size[0]), slurp(twice, &size[1])};
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    remove_folder(folder);
}
END_TEST

START_TEST(what_may_change_is_tried_again) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    as_result_writer *writer = open_writer(path, &fresh);
    for (int s = 0; s < AS_MATRIX_STATUS_COUNT; s++) {
        as_row row = as_row_empty();
        row.item = (uint64_t)s;
        row.status = (as_status)s;
        assert_ok(as_result_append(writer, &row));
    }
    as_result_writer_free(writer);
    writer = open_writer(path, &resume);
    for (int s = 0; s < AS_MATRIX_STATUS_COUNT; s++) {
        ck_assert_int_eq(as_result_has(writer, (uint64_t)s), s != AS_EREAD && s != AS_ENOMEM);
    }
    as_result_writer_free(writer);
    remove_folder(folder);
}
END_TEST

START_TEST(discard_keeps_what_was_there_before) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    as_result_discard(open_writer(path, &fresh));
    ck_assert(!is_there(part) && !is_there(path));
    write_result(path, 2, false);
    as_result_discard(open_writer(path, &resume));
    assert_file(part, 2);
    as_result_discard(NULL);
    as_result_writer_free(NULL);
    as_result_free(NULL);
    remove_folder(folder);
}
END_TEST

START_TEST(one_writer_at_a_time) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5");
    as_result_writer *writer = open_writer(path, &fresh);
    append_rows(writer, 0, 2);
    assert_refused(path, &resume, AS_EBUSY, "o.h5.part is in use");
    assert_refused(path, &force, AS_EBUSY, "o.h5.part is in use");
    pid_t child = fork();
    if (child == 0) {
        as_result_writer *second = NULL;
        _exit(as_result_create(path, &force, &second) == AS_EBUSY ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    append_rows(writer, 2, 4);
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(path, 4);
    remove_folder(folder);
}
END_TEST

/* ---- what cannot be written ------------------------------------------------------------------- */

START_TEST(places_that_cannot_be_written) {
    char *folder = new_folder();
    const char *file = in_folder(folder, "plain");
    spit(file, "x", 1);
    assert_refused(in_folder(folder, "plain/o.h5"), &fresh, AS_EWRITE, "Not a directory");
    assert_refused(in_folder(folder, "none/o.h5"), &fresh, AS_EWRITE, "No such file");
    assert_refused(folder, &force, AS_EWRITE, "no regular file");
    assert_refused("/dev/null", &force, AS_EWRITE, "no regular file");
    assert_refused("", &fresh, AS_EINVAL, "no name");
    ck_assert_uint_eq(size_of(file), 1);
    static const as_result_options list = {.provenance = "[1]"}, torn = {.provenance = "{"};
    assert_refused(in_folder(folder, "o.h5"), &list, AS_EINVAL, "no object");
    assert_refused(in_folder(folder, "o.h5"), &torn, AS_EINVAL, "no JSON");
    ck_assert(!is_there(in_folder(folder, "o.h5.part")));
    remove_folder(folder);
}
END_TEST

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The row that does not fit is an error and leaves no trace; the ones before stay, and it fits when
 * there is room again. */
START_TEST(a_full_disk_keeps_the_journal_whole) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *part = in_folder(folder, "o.h5.part");
    as_result_writer *writer = open_writer(path, &fresh);
    append_rows(writer, 0, 2);
    size_t size = size_of(part);
    as_row row = a_row(2);
    for (size_t room = 0; room < 500; room += 99) {
        limit_files(size + room);
        assert_fails(as_result_append(writer, &row), AS_EWRITE);
        ck_assert_ptr_nonnull(strstr(as_message(), "o.h5.part: File too large"));
        limit_files(RLIM_INFINITY);
        ck_assert_uint_eq(size_of(part), size);
        assert_file(part, 2);
    }
    append_rows(writer, 2, 3);
    as_result_writer_free(writer);
    assert_file(part, 3);

    limit_files(10);
    assert_refused(in_folder(folder, "p.h5"), &fresh, AS_EWRITE, "File too large");
    limit_files(RLIM_INFINITY);
    ck_assert(!is_there(in_folder(folder, "p.h5.part")));
    remove_folder(folder);
}
END_TEST

/* HDF5 may find out as late as on closing. Whenever it does: the output is as it was, the temporary
 * is gone, the journal is there, and the process goes on (and ends) well. */
START_TEST(a_full_disk_leaves_the_output_alone) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "o.h5"), *other = in_folder(folder, "p.h5");
    const char *part = in_folder(folder, "o.h5.part"),
               *temporary = in_folder(folder, "o.h5.part.h5");
    spit(path, "precious", 8);
    as_result_writer *writer = open_writer(path, &force);
    append_rows(writer, 0, 2003);
    write_result(other, 2003, true);
    size_t size = size_of(other);
    size_t limits[16] = {1, 8, 95, 96, 97, 2047, 2048, size - 1, size - 2, size - 4096};
    for (size_t i = 10; i < 16; i++) {
        limits[i] = size * (i - 9) / 7;
    }
    for (size_t i = 0; i < 16; i++) {
        limit_files(limits[i]);
        assert_fails(as_result_finish(writer), AS_EWRITE);
        ck_assert_msg(strstr(as_message(), "File too large") != NULL, "%s", as_message());
        limit_files(RLIM_INFINITY);
        ck_assert_uint_eq(size_of(path), 8);
        ck_assert(!is_there(temporary));
        ck_assert(is_there(part));
    }
    assert_ok(as_result_finish(writer));
    as_result_writer_free(writer);
    assert_file(path, 2003);
    remove_folder(folder);
}
END_TEST

/* Rows of many threads: each is whole. */
static void append_one(void *context, size_t index, size_t worker) {
    (void)worker;
    as_row row = as_row_empty();
    double sigma[37];
    for (size_t i = 0; i < 37; i++) {
        sigma[i] = (double)(index + 37 - i);
    }
    row.item = index;
    row.sigma = sigma;
    row.sigma_count = 37;
    if (as_result_append(context, &row) != AS_OK) {
        abort();
    }
}

START_TEST(threads_may_append) {
    as_result_writer *writer = open_writer(NULL, &fresh);
    as_result *result = NULL;
    assert_ok(as_parallel_for(301, 3, append_one, writer));
    assert_ok(as_result_of_writer(writer, &result));
    ck_assert_uint_eq(as_result_count(result), 301);
    for (size_t i = 0; i < 301; i++) {
        as_row row;
        assert_ok(as_result_row(result, i, &row));
        ck_assert_uint_eq(row.item, i);
        ck_assert_double_eq(row.sigma[0], (double)(i + 37));
        ck_assert_double_eq(row.sigma[36], (double)(i + 1));
    }
    as_result_free(result);
    as_result_writer_free(writer);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, a_row_torn_at_any_byte_is_dropped);
    tcase_add_test(t, a_torn_head_begins_anew);
    tcase_add_test(t, a_flipped_bit_costs_one_row);
    tcase_add_test(t, a_tail_of_zeros_is_dropped);
    tcase_add_test(t, a_damaged_head_is_refused);
    tcase_add_test(t, another_layout_is_another_version);
    tcase_add_test(t, an_output_that_is_there_needs_force);
    tcase_add_test(t, resume_wants_the_same_run);
    tcase_add_test(t, a_resumed_run_is_the_same_file);
    tcase_add_test(t, what_may_change_is_tried_again);
    tcase_add_test(t, discard_keeps_what_was_there_before);
    tcase_add_test(t, one_writer_at_a_time);
    tcase_add_test(t, places_that_cannot_be_written);
    tcase_add_test(t, a_full_disk_keeps_the_journal_whole);
    tcase_add_test(t, a_full_disk_leaves_the_output_alone);
    tcase_add_test(t, threads_may_append);
}

AS_TEST_MAIN("result_journal")

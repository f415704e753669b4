/* Files of runs and comparisons: the round trip, the dump inside, what is refused and what is left alone. */
#define _GNU_SOURCE /* mkdtemp, setrlimit */
#include "run_rows.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

static size_t files_in(const char *folder) {
    size_t count = 0;
    DIR *d = opendir(folder);
    while (readdir(d) != NULL) {
        count++;
    }
    closedir(d);
    return count - 2;
}

static void assert_says(const char *sentence) {
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "%s", as_message());
}

START_TEST(a_run_comes_back) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5");
    for (int kind = 0; kind < 4; kind++) {
        as_run *run = a_run(kind & 1, kind & 2);
        assert_ok(as_run_save(path, kind > 0, run, NULL));
        assert_run(path, run);
        ck_assert(as_run_is(path));
        ck_assert(!as_comparison_is(path));
        ck_assert(as_dump_is_result(path));
        ck_assert_uint_eq(files_in(folder), 1);
        free_run(run);
    }
    remove_folder(folder);
}
END_TEST

/* A run that has not begun, a spectrum that nobody took, and numbers at the ends of their range. */
START_TEST(what_is_not_there_comes_back_too) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5");
    const as_run empty = {
        .accuracy = NAN, .loss = NAN, .plateau = NAN, .samples_per_second = 1e300};
    as_run *run = a_run(false, true), *back = NULL;
    assert_ok(as_run_save(path, false, &empty, NULL));
    assert_ok(as_run_load(path, &back));
    ck_assert_str_eq(back->provenance, "{}");
    ck_assert_uint_eq(back->point_count + back->tensor_count + back->config_count, 0);
    ck_assert_uint_eq(back->spectra.steps + back->ablation.head_count + back->answers, 0);
    ck_assert_double_eq(back->samples_per_second, 1e300);
    ck_assert_double_nan(back->accuracy);
    ck_assert_ptr_null(as_run_config(back, "task"));
    as_run_free(back);
    as_run_free(NULL);

    free(run->spectra.value[AS_RUN_SPECTRUM_spectral_norm]);
    run->spectra.value[AS_RUN_SPECTRUM_spectral_norm] = NULL;
    run->steps = run->history[POINTS - 1].step = INT64_MAX;
    assert_ok(as_run_save(path, true, run, NULL));
    assert_ok(as_run_load(path, &back));
    ck_assert_uint_eq(back->steps, INT64_MAX);
    ck_assert_uint_eq(back->history[POINTS - 1].step, INT64_MAX);
    ck_assert_str_eq(as_run_config(back, "scheme"), "rope:base=100");
    for (size_t i = 0; i < STEPS * LAYERS * HEADS; i++) {
        ck_assert_double_nan(back->spectra.value[AS_RUN_SPECTRUM_spectral_norm][i]);
    }
    as_run_free(back);
    free_run(run);
    remove_folder(folder);
}
END_TEST

static void assert_tensor(const as_dump *dump, size_t t, const as_dump_shape *s) {
    const char *name = as_dump_tensor(dump, t)->name + strlen("dump/");
    size_t heads = name[0] == 'k' ? s->kv_heads : s->heads, axes = s->batches > 0 ? 5 : 4;
    size_t batches = s->batches > 0 ? s->batches : 1;
    as_matrix m = {0};
    ck_assert_uint_eq(as_dump_tensor(dump, t)->rank, axes);
    for (size_t at = 0; at < s->layers * batches * heads; at++) {
        const size_t place[3] = {at / heads / batches, at / heads % batches, at % heads};
        as_slice slice = {axes - 2, axes - 1, {place[0], place[1], place[2]}};
        if (axes == 4) {
            slice.index[1] = place[2];
        }
        assert_ok(as_dump_read(dump, t, &slice, &m));
        for (size_t i = 0; i < m.rows * m.cols; i++) {
            ck_assert_double_eq(m.data[i], entry_of(name, place, i));
        }
    }
    as_matrix_free(&m);
}

/* With samples and without; logits have their layer, batch and head, and content beside them. */
START_TEST(a_run_has_a_dump) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5"), *ablated = in_folder(folder, "a.h5");
    as_run *run = a_run(true, true);
    as_dump_shape shape;
    as_run_dump dump = a_dump(&shape);
    for (size_t batches = 0; batches < 6; batches += 5) {
        as_dump *read = NULL;
        as_source *source = NULL;
        dump.shape.batches = shape.batches = batches;
        assert_ok(as_run_save(path, batches > 0, run, &dump));
        assert_run(path, run);
        ck_assert(as_run_is(path) && !as_dump_is_result(path));
        assert_ok(as_run_ablated(path, ablated, true, &run->ablation));
        for (int which = 0; which < 2; which++) {
            assert_ok(as_dump_open(which ? ablated : path, NULL, &read));
            ck_assert_uint_eq(as_dump_tensor_count(read), 4);
            for (size_t t = 0; t < 4; t++) {
                assert_tensor(read, t, &shape);
            }
            ck_assert_str_eq(as_dump_attribute(read, "content"), "trained");
            ck_assert_str_eq(as_dump_attribute(read, "seed"), "37");
            ck_assert_str_eq(as_dump_attribute(read, "provenance"), run->provenance);
            as_dump_close(read);
        }
        assert_ok(as_source_open(&path, 1, NULL, &source));
        size_t samples = batches > 0 ? batches : 1;
        ck_assert_uint_eq(as_source_count(source), LAYERS * samples * 2 * HEADS);
        for (size_t i = 0; i < as_source_count(source); i++) {
            const as_item *item = as_source_item(source, i);
            size_t place = (item->layer * samples + item->batch) * 2 * HEADS + item->head;
            ck_assert_uint_eq(place, i);
            ck_assert_str_eq(item->tensor, "dump/logits");
        }
        as_source_close(source);
    }
    free_run(run);
    remove_folder(folder);
}
END_TEST

START_TEST(the_same_bytes) {
    char *folder = new_folder();
    const char *path[] = {in_folder(folder, "a.h5"), in_folder(folder, "b.h5")};
    as_run *run = a_run(true, true);
    as_dump_shape shape;
    const as_run_dump dump = a_dump(&shape);
    unsigned char *bytes[2];
    size_t size[2];
    for (int which = 0; which < 2; which++) {
        assert_ok(as_run_save(path[which], false, run, &dump));
        bytes[which] = slurp(path[which], &size[which]);
        sleep(which == 0); /* times in HDF5 are whole seconds */
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    free_run(run);
    remove_folder(folder);
}
END_TEST

START_TEST(what_is_there_stays_without_force) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5");
    as_run *run = a_run(false, false);
    size_t size;
    spit(path, "kept", 4);
    assert_fails(as_run_save(path, false, run, NULL), AS_EEXIST);
    assert_says("r.h5 is there already");
    assert_fails(as_comparison_save(path, false, &(as_comparison){0}), AS_EEXIST);
    free(slurp(path, &size));
    ck_assert_uint_eq(size, 4);
    assert_fails(as_run_save(folder, true, run, NULL), AS_EWRITE);
    assert_fails(as_run_save("", true, run, NULL), AS_EINVAL);
    assert_fails(as_run_save(in_folder(folder, "no/r.h5"), true, run, NULL), AS_EWRITE);
    assert_says("no/r.h5: No such file or directory");
    assert_ok(as_run_save(path, true, run, NULL));
    assert_run(path, run);
    ck_assert_uint_eq(files_in(folder), 1);
    free_run(run);
    remove_folder(folder);
}
END_TEST

static void refuse(const as_run *run, as_status status, const char *sentence) {
    char *folder = new_folder();
    assert_fails(as_run_save(in_folder(folder, "r.h5"), false, run, NULL), status);
    assert_says(sentence);
    ck_assert_uint_eq(files_in(folder), 0);
    remove_folder(folder);
}

START_TEST(what_no_file_can_hold_is_refused) {
    static const char *const names[] = {"a/b", "", ".", NULL};
    as_run *run = a_run(false, true);
    as_run_tensor *t = &run->tensors[1], kept = *t;
    for (size_t i = 0; i < 4; i++) {
        t->name = names[i];
        refuse(run, AS_EINVAL, "a tensor cannot be named \"");
    }
    t->name = run->tensors[0].name;
    refuse(run, AS_EWRITE, "r.h5"); /* twice */
    *t = kept;
    t->rank = 0;
    refuse(run, AS_EINVAL, "a.bias has 0 axes");
    t->rank = 4;
    refuse(run, AS_EINVAL, "a.bias has 4 axes");
    *t = kept;
    t->shape[0] = 0;
    refuse(run, AS_EINVAL, "a.bias has no numbers");
    *t = kept;
    run->provenance = "[1]";
    refuse(run, AS_EINVAL, "the provenance: it is no object");
    run->provenance = "{";
    refuse(run, AS_EINVAL, "the provenance");
    run->provenance = NULL;
    run->config[1][0] = "task";
    refuse(run, AS_EINVAL, "the setting task is there twice");
    run->config[1][0] = "NX_class";
    refuse(run, AS_EINVAL, "the setting NX_class");
    run->config[1][0] = "scheme";
    run->ablation.head[4].drop = NAN;
    refuse(run, AS_ENONFINITE, "/run/ablation/drop is nan in row 4");
    free_run(run);
}
END_TEST

/* A reader refuses such numbers, so that a checkpoint that held them would be lost. */
START_TEST(numbers_that_are_none_are_refused) {
    as_run *run = a_run(true, true);
    float broken[13] = {[3] = INFINITY};
    as_run_tensor *t = &run->tensors[1], kept = *t;
    t->data = broken;
    refuse(run, AS_ENONFINITE, "/run/weights of tensor a.bias is infinite at 3");
    *t = kept;
    broken[3] = NAN;
    t->moment2 = broken;
    refuse(run, AS_ENONFINITE, "/run/moment2 of tensor a.bias is no number at 3");
    *t = kept;
    run->history[2].test_loss = INFINITY;
    refuse(run, AS_ENONFINITE, "/run/history/test_loss is inf in row 2");
    run->history[2].test_loss = NAN;
    run->loss = -INFINITY;
    refuse(run, AS_ENONFINITE, "the run's loss is infinite");
    run->loss = NAN;
    run->spectra.value[0][0] = INFINITY;
    refuse(run, AS_ENONFINITE, "/spectral_norm/spectral_norm is infinite at 0");
    free_run(run);
}
END_TEST

/* The third matrix fails, or has another shape. */
static as_status third(void *context, const char *tensor, size_t layer, size_t batch, size_t head,
                       as_matrix *out) {
    static int count;
    as_status status = a_matrix(context, tensor, layer, batch, head, out);
    count = count % 3 + 1;
    if (count == 3) {
        status =
            ((as_dump_shape *)context)->batches == 7 ? AS_ENOCONV : as_matrix_resize(out, 3, 4);
    }
    return status;
}

START_TEST(a_dump_that_fails_leaves_nothing) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5");
    as_run *run = a_run(false, false);
    as_dump_shape shape;
    as_run_dump dump = a_dump(&shape);
    dump.matrix = third;
    assert_fails(as_run_save(path, false, run, &dump), AS_EINVAL);
    assert_says("query of layer 0, batch 0, head 2 is 3 × 4, not 13 × 6");
    shape.batches = 7;
    assert_fails(as_run_save(path, false, run, &dump), AS_ENOCONV);
    dump.shape.dim = 0;
    assert_fails(as_run_save(path, false, run, &dump), AS_EINVAL);
    ck_assert_uint_eq(files_in(folder), 0);
    free_run(run);
    remove_folder(folder);
}
END_TEST

static void limit_files(size_t bytes) {
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes > 0 ? bytes : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A limit on the size of files does what a full disk does, but for the errno: while the dump is written,
 * while the run is added to it, at the end. */
START_TEST(a_full_disk_is_an_error) {
    char *folder = new_folder(), expected[128];
    const char *path = in_folder(folder, "r.h5"), *other = in_folder(folder, "o.h5");
    as_run *run = a_run(true, true);
    as_dump_shape shape;
    const as_run_dump dump = a_dump(&shape);
    assert_ok(as_run_save(other, false, run, &dump));
    size_t whole = size_of(other);
    spit(path, "kept", 4);
    for (size_t i = 1; i < 24; i++) {
        limit_files(i * whole / 24);
        as_status status = as_run_save(path, true, run, &dump);
        as_status ablated = as_run_ablated(other, other, false, &run->ablation);
        limit_files(0);
        ck_assert_int_eq(status, AS_EWRITE);
        ck_assert_int_eq(ablated, AS_EWRITE);
        snprintf(expected, sizeof expected, "cannot write %s: File too large", other);
        ck_assert_str_eq(as_message(), expected);
        ck_assert_uint_eq(size_of(path), 4);
        ck_assert_uint_eq(files_in(folder), 2);
    }
    limit_files(whole / 3);
    as_status status = as_run_save(path, true, run, NULL);
    limit_files(0);
    ck_assert_msg(status == AS_OK || status == AS_EWRITE, "%s", as_message());
    assert_run(other, run);
    free_run(run);
    remove_folder(folder);
}
END_TEST

START_TEST(an_ablation_is_replaced) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5"), *other = in_folder(folder, "o.h5");
    as_run *run = a_run(true, true);
    as_run_ablation first = run->ablation, none = {0}, kept;
    run->ablation = none;
    assert_ok(as_run_save(path, false, run, NULL));
    run->ablation = first;
    assert_ok(as_run_ablated(path, path, false, &first));
    assert_run(path, run);
    size_t size = 0, again = 0;
    unsigned char *before = slurp(path, &size);
    run->ablation = an_ablation(100);
    assert_ok(as_run_ablated(path, path, false, &run->ablation));
    assert_run(path, run);
    /* The same ablation is the same bytes, whatever stood there in between. */
    assert_ok(as_run_ablated(path, path, false, &first));
    unsigned char *after = slurp(path, &again);
    ck_assert_uint_eq(again, size);
    ck_assert_mem_eq(after, before, size);
    free(before);
    free(after);
    /* Of fewer heads, it has another place. */
    as_run_ablation fewer = run->ablation;
    fewer.head_count--;
    assert_ok(as_run_ablated(path, path, false, &fewer));
    kept = run->ablation;
    run->ablation = fewer;
    assert_run(path, run);
    run->ablation = kept;
    assert_ok(as_run_ablated(path, path, false, &run->ablation));
    assert_run(path, run);
    assert_ok(as_run_ablated(path, other, false, &first));
    assert_run(path, run);
    free_ablation(&run->ablation);
    run->ablation = first;
    assert_run(other, run);
    assert_fails(as_run_ablated(path, other, false, &first), AS_EEXIST);
    run->ablation = none;
    assert_ok(as_run_ablated(path, other, true, &none));
    assert_run(other, run);
    ck_assert_uint_eq(files_in(folder), 2);
    spit(path, "no run", 6);
    assert_fails(as_run_ablated(path, other, true, &first), AS_EREAD);
    assert_says("r.h5 is no HDF5 file");
    assert_fails(as_run_ablated("data/broken", other, true, &first), AS_EREAD);
    assert_run(other, run);
    ck_assert_uint_eq(files_in(folder), 2);
    run->ablation = first;
    free_run(run);
    remove_folder(folder);
}
END_TEST

START_TEST(a_comparison_comes_back) {
    static const as_trial_row rows[] = {
        {"distance:between=18,side=6", "rope", 0, 350, 1 / 3.0, 0.1, 0.3, NAN},
        {"copy", "none", 1, INT64_MAX, NAN, NAN, NAN, 1234.5},
        {"copy", "", 2, 0, 0.5, 0.1, 0.2, NAN}};
    char *folder = new_folder();
    const char *path = in_folder(folder, "c.h5");
    as_run *run = a_run(false, false);
    as_comparison c = {.config = run->config,
                       .config_count = run->config_count,
                       .provenance = "{\"a\":1}",
                       .row = (as_trial_row *)rows};
    for (c.count = 0; c.count < 4; c.count++) {
        as_comparison *back = NULL;
        c.finished = c.count == 3;
        assert_ok(as_comparison_save(path, c.count > 0, &c));
        ck_assert(as_comparison_is(path) && !as_run_is(path) && as_dump_is_result(path));
        assert_ok(as_comparison_load(path, &back));
        ck_assert_uint_eq(back->count, c.count);
        ck_assert_int_eq(back->finished, c.finished);
        ck_assert_str_eq(back->provenance, c.provenance);
        ck_assert_uint_eq(back->config_count, c.config_count);
        ck_assert_str_eq(back->config[6][1], "ü");
        for (size_t i = 0; i < c.count; i++) {
            ck_assert_str_eq(back->row[i].task, rows[i].task);
            ck_assert_str_eq(back->row[i].scheme, rows[i].scheme);
            ck_assert_uint_eq(back->row[i].seed, rows[i].seed);
            ck_assert_uint_eq(back->row[i].steps, rows[i].steps);
            ck_assert(same_numbers(&back->row[i].accuracy, &rows[i].accuracy, 4));
        }
        as_comparison_free(back);
    }
    as_comparison_free(NULL);
    assert_fails(as_run_load(path, &(as_run *){NULL}), AS_EREAD);
    assert_says("c.h5 is HDF5, but its /run is not of the format attnspec-run");
    ck_assert_uint_eq(files_in(folder), 1);
    free_run(run);
    remove_folder(folder);
}
END_TEST

/* What is no run is none, and says why it cannot be read. */
START_TEST(other_files_are_no_runs) {
    static const char *const others[][2] = {
        {"data/nothing.h5", "cannot open data/nothing.h5: No such"},
        {"data", "data is no regular file"},
        {"/dev/null", "/dev/null is no regular file"},
        {"data/scalar_f8.npy", "is no HDF5 file"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        as_run *run = NULL;
        as_comparison *comparison = NULL;
        ck_assert(!as_run_is(others[i][0]) && !as_comparison_is(others[i][0]));
        assert_fails(as_run_load(others[i][0], &run), AS_EREAD);
        assert_says(others[i][1]);
        assert_fails(as_comparison_load(others[i][0], &comparison), AS_EREAD);
        assert_says(others[i][1]);
        ck_assert(run == NULL && comparison == NULL);
    }
}
END_TEST

/* From outside: python3 and h5py where they are there (exit 77 says that they are not). */
START_TEST(h5py_finds_plots) {
    static const char script[] = "tests/check_run_h5.py";
    if (access(script, R_OK) != 0) {
        puts("skipped: tests/check_run_h5.py is not here");
        return;
    }
    char *folder = new_folder(), command[256];
    as_run *run = a_run(true, true), *part = a_run(false, false);
    as_trial_row row = {"distance", "rope:base=100", 0, 350, 1 / 3.0, 0.1, 0.3, NAN};
    as_dump_shape shape;
    const as_run_dump dump = a_dump(&shape);
    assert_ok(as_run_save(in_folder(folder, "numbers.h5"), false, run, &dump));
    assert_ok(as_run_save(in_folder(folder, "part.h5"), false, part, NULL));
    assert_ok(as_run_save(in_folder(folder, "empty.h5"), false, &(as_run){.loss = NAN}, NULL));
    assert_ok(as_comparison_save(in_folder(folder, "comparison.h5"), false,
                                 &(as_comparison){.count = 1, .row = &row}));
    assert_ok(as_run_ablated(in_folder(folder, "numbers.h5"), in_folder(folder, "ablated.h5"),
                             false, &run->ablation));
    snprintf(command, sizeof command,
             "for p in python3 /usr/bin/python3; do $p -c 'import h5py' 2>&- && break; done; "
             "command -v $p >/dev/null || exit 77; $p %s %s/*.h5",
             script, folder);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77),
                  "%s says that the file is wrong", script);
    free_run(run);
    free_run(part);
    remove_folder(folder);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, a_run_comes_back);
    tcase_add_test(t, what_is_not_there_comes_back_too);
    tcase_add_test(t, a_run_has_a_dump);
    tcase_add_test(t, the_same_bytes);
    tcase_add_test(t, what_is_there_stays_without_force);
    tcase_add_test(t, what_no_file_can_hold_is_refused);
    tcase_add_test(t, numbers_that_are_none_are_refused);
    tcase_add_test(t, a_dump_that_fails_leaves_nothing);
    tcase_add_test(t, a_full_disk_is_an_error);
    tcase_add_test(t, an_ablation_is_replaced);
    tcase_add_test(t, a_comparison_comes_back);
    tcase_add_test(t, other_files_are_no_runs);
    tcase_add_test(t, h5py_finds_plots);
}
AS_TEST_MAIN("run")

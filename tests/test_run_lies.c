/* Files of runs and comparisons that lie or are damaged: each is refused by a sentence that names file and
 * dataset, and none crashes. */
#define _GNU_SOURCE /* mkdtemp */
#include "door/hdf5.h"
#include "run_rows.h"

/* What takes the place of the object at a path: nothing, a group, or numbers of a shape, all of them
 * `value`. */
typedef struct lie {
    const char *path;
    enum { MISSING, GROUP, NUMBERS, TEXTS } what;
    as_h5_type type;
    size_t rank, shape[3];
    double value;
    const char *sentence; /* NULL: it is no lie, the file is read */
} lie;

static void put_numbers(as_h5 *file, const lie *l) {
    as_h5_data data = {0};
    size_t count = 1;
    for (size_t a = 0; a < l->rank; a++) {
        count *= l->shape[a];
    }
    double *numbers = calloc(count + 1, sizeof *numbers);
    int64_t *whole = calloc(count + 1, sizeof *whole);
    float *single = calloc(count + 1, sizeof *single);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = l->value;
        whole[i] = l->type == AS_H5_I64 ? (int64_t)l->value : 0;
        single[i] = (float)l->value;
    }
    const void *from = l->type == AS_H5_F64   ? (void *)numbers
                       : l->type == AS_H5_F32 ? (void *)single
                                              : whole;
    assert_ok(as_h5_data_create(file, l->path, l->type, l->rank, l->shape, &data));
    assert_ok(as_h5_data_write(&data, 0, l->shape[0], from));
    assert_ok(as_h5_data_close(&data));
    free(numbers);
    free(whole);
    free(single);
}

static void tell(const char *path, const lie *l) {
    static const char *const texts[] = {"a/b", "ü"};
    as_h5 *file = NULL;
    assert_ok(as_h5_edit(path, &file));
    assert_ok(as_h5_delete(file, l->path));
    switch (l->what) {
    case MISSING:
        break;
    case GROUP:
        assert_ok(as_h5_group(file, l->path, NULL));
        break;
    case NUMBERS:
        put_numbers(file, l);
        break;
    case TEXTS:
        assert_ok(as_h5_write_strings(file, l->path, texts, l->shape[0]));
        break;
    }
    assert_ok(as_h5_close(file));
}

static const lie lies[] = {
    {"/run", MISSING, 0, 0, {0}, 0, "is HDF5, but its /run is not of the format attnspec-run"},
    {"/run", GROUP, 0, 0, {0}, 0, "is HDF5, but its /run is not of the format attnspec-run"},
    {"/run", NUMBERS, AS_H5_F64, 1, {3}, 0, "is HDF5, but its /run is not"},
    {"/run/config", MISSING, 0, 0, {0}, 0, "/run/config/names of"},
    {"/run/config", GROUP, 0, 0, {0}, 0, "/run/config/names of"},
    {"/run/config/names", TEXTS, 0, 0, {2}, 0, "lacks the setting a/b"},
    {"/run/config/names", NUMBERS, AS_H5_I64, 1, {7}, 0, "/run/config/names of"},
    {"/run/config/names", TEXTS, 0, 0, {0}, 0, NULL},
    {"/run/provenance", MISSING, 0, 0, {0}, 0, "/run/provenance/data of"},
    {"/run/provenance/data", TEXTS, 0, 0, {1}, 0, "/run/provenance/data of"},
    {"/run/provenance/data", TEXTS, 0, 0, {2}, 0, "/run/provenance/data of"},
    {"/run/tensors", MISSING, 0, 0, {0}, 0, "/run/tensors of"},
    {"/run/tensors", TEXTS, 0, 0, {1}, 0, "names a tensor \"a/b\""},
    {"/run/tensors", TEXTS, 0, 0, {0}, 0, NULL},
    {"/run/weights", MISSING, 0, 0, {0}, 0, "/run/weights/layer_0.query.weight of"},
    {"/run/weights/a.bias", MISSING, 0, 0, {0}, 0, "/run/weights/a.bias of"},
    {"/run/weights/a.bias", GROUP, 0, 0, {0}, 0, "/run/weights/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F32, 1, {12}, 0, "/run/moment1/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F32, 2, {13, 1}, 0, "/run/moment1/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F32, 1, {0}, 0, "/run/weights/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F32, 1, {13}, NAN, "/run/weights/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F64, 1, {13}, 1e300, "/run/weights/a.bias of"},
    {"/run/weights/a.bias", NUMBERS, AS_H5_F32, 1, {13}, 1, NULL},
    {"/run/moment1", MISSING, 0, 0, {0}, 0, NULL},
    {"/run/moment1", NUMBERS, AS_H5_F32, 1, {13}, 0, NULL},
    {"/run/moment1/a.bias", MISSING, 0, 0, {0}, 0, NULL},
    {"/run/moment1/a.bias", TEXTS, 0, 0, {2}, 0, "/run/moment1/a.bias of"},
    {"/run/moment2/tables", NUMBERS, AS_H5_F32, 3, {2, 251, 41}, 0, "/run/moment2/tables of"},
    {"/run/moment2/tables",
     NUMBERS,
     AS_H5_F32,
     3,
     {2, 41, 251},
     INFINITY,
     "/run/moment2/tables of"},
    {"/run/history", MISSING, 0, 0, {0}, 0, "/run/history/step of"},
    {"/run/history/step", NUMBERS, AS_H5_I64, 1, {12}, 0, "/run/history/loss of"},
    {"/run/history/step", NUMBERS, AS_H5_I64, 1, {13}, -1, "/run/history/step of"},
    {"/run/history/step", NUMBERS, AS_H5_I64, 2, {13, 2}, 0, "/run/history/step of"},
    {"/run/history/rate", MISSING, 0, 0, {0}, 0, "/run/history/rate of"},
    {"/run/history/rate", NUMBERS, AS_H5_F64, 1, {14}, 0, "/run/history/rate of"},
    {"/run/history/rate", NUMBERS, AS_H5_F64, 3, {13, 2, 2}, 0, "/run/history/rate of"},
    {"/run/history/rate", NUMBERS, AS_H5_F64, 1, {13}, -INFINITY, "/run/history/rate of"},
    {"/run/history/rate", NUMBERS, AS_H5_F64, 1, {13}, NAN, NULL},
    {"/run/history/rate", TEXTS, 0, 0, {2}, 0, "/run/history/rate of"},
    {"/run/spectra", MISSING, 0, 0, {0}, 0, NULL},
    {"/run/spectra/alignment", MISSING, 0, 0, {0}, 0, NULL},
    {"/run/spectra/alignment", GROUP, 0, 0, {0}, 0, "/run/spectra/alignment/alignment of"},
    {"/run/spectra/alignment/step", MISSING, 0, 0, {0}, 0, "/run/spectra/alignment/step of"},
    {"/run/spectra/alignment/step",
     NUMBERS,
     AS_H5_I64,
     1,
     {5},
     7,
     "/run/spectra/alignment/step of"},
    {"/run/spectra/alignment/step",
     NUMBERS,
     AS_H5_I64,
     1,
     {4},
     0,
     "/run/spectra/alignment/step of"},
    {"/run/spectra/spectral_norm/step",
     NUMBERS,
     AS_H5_I64,
     1,
     {5},
     -1,
     "/run/spectra/spectral_norm/"},
    {"/run/spectra/spectral_norm/spectral_norm", NUMBERS, AS_H5_F64, 3, {3, 2, 4}, 0, "/step of"},
    {"/run/spectra/spectral_norm/spectral_norm", NUMBERS, AS_H5_F64, 3, {3, 1, 5}, 0, "_ratio of"},
    {"/run/spectra/spectral_norm/spectral_norm", NUMBERS, AS_H5_F64, 3, {3, 0, 5}, 0, "_norm of"},
    {"/run/spectra/spectral_norm/spectral_norm", NUMBERS, AS_H5_F64, 2, {6, 5}, 0, "has 2 axes"},
    {"/run/spectra/spectral_norm/spectral_norm",
     NUMBERS,
     AS_H5_F64,
     3,
     {3, 2, 5},
     INFINITY,
     "infinite"},
    {"/run/ablation", MISSING, 0, 0, {0}, 0, NULL},
    {"/run/ablation", GROUP, 0, 0, {0}, 0, "attribute answers of /run/ablation of"},
    {"/run/ablation/deposit", MISSING, 0, 0, {0}, 0, "/run/ablation/deposit/layer of"},
    {"/run/ablation/drop", NUMBERS, AS_H5_F64, 1, {6}, NAN, "/run/ablation/drop of"},
    {"/run/ablation/mean_drop", NUMBERS, AS_H5_F64, 1, {6}, NAN, NULL},
    {"/run/ablation/head", NUMBERS, AS_H5_I64, 1, {6}, -3, "/run/ablation/head of"},
    {"/comparison",
     GROUP,
     0,
     0,
     {0},
     0,
     "its /comparison is not of the format attnspec-comparison"},
    {"/comparison/trials", MISSING, 0, 0, {0}, 0, "/comparison/trials/task of"},
    {"/comparison/trials/task", TEXTS, 0, 0, {1}, 0, "/comparison/trials/scheme of"},
    {"/comparison/trials/task", TEXTS, 0, 0, {2}, 0, NULL},
    {"/comparison/trials/task", NUMBERS, AS_H5_I64, 1, {2}, 0, "/comparison/trials/task of"},
    {"/comparison/trials/seed", NUMBERS, AS_H5_I64, 1, {1}, 0, "/comparison/trials/seed of"},
    {"/comparison/trials/loss", NUMBERS, AS_H5_F64, 1, {2}, INFINITY, "/comparison/trials/loss of"},
};

static void make(const char *path, const as_run *run) {
    as_trial_row rows[] = {{"a", "b", 0, 1, 0.5, 0.5, 0.5, NAN},
                           {"c", "d", 0, 1, 0.5, 0.5, 0.5, NAN}};
    as_comparison c = {.count = 2, .row = rows};
    if (run != NULL) {
        assert_ok(as_run_save(path, true, run, NULL));
    } else {
        assert_ok(as_comparison_save(path, true, &c));
    }
}

static as_status load_any(const char *path) {
    as_run *run = NULL;
    as_comparison *comparison = NULL;
    bool of_run = strstr(path, "run.h5") != NULL;
    as_status status = of_run ? as_run_load(path, &run) : as_comparison_load(path, &comparison);
    ck_assert((status == AS_OK) == (run != NULL || comparison != NULL));
    as_run_free(run);
    as_comparison_free(comparison);
    return status;
}

START_TEST(every_lie_is_found_out) {
    char *folder = new_folder();
    as_run *run = a_run(true, true);
    const char *paths[] = {in_folder(folder, "run.h5"), in_folder(folder, "other.h5")};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        bool other = lies[i].path[1] == 'c';
        make(paths[other], other ? NULL : run);
        tell(paths[other], &lies[i]);
        as_status status = load_any(paths[other]);
        const char *expected = lies[i].sentence;
        ck_assert_msg(status == (expected != NULL ? AS_EREAD : AS_OK), "lie %zu of %s: %s, %s", i,
                      lies[i].path, as_status_name(status), as_message());
        ck_assert_msg(expected == NULL || (strstr(as_message(), expected) != NULL &&
                                           strstr(as_message(), paths[other]) != NULL),
                      "lie %zu of %s: %s", i, lies[i].path, as_message());
    }
    free_run(run);
    remove_folder(folder);
}
END_TEST

/* Attributes of another kind or value; a reader of today does not guess what version 2 means. */
START_TEST(attributes_that_lie) {
    static const struct {
        const char *name, *sentence;
        int64_t value;
    } wrong[] = {{"format_version", "has attnspec-run version 2; this program knows version 1", 2},
                 {"steps", "attribute steps of /run in", -1},
                 {"answers", "attribute answers of /run in", -5},
                 {"loss", "attribute loss of /run in", 3}};
    char *folder = new_folder();
    const char *path = in_folder(folder, "run.h5");
    as_run *run = a_run(false, true), *back = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_h5 *file = NULL;
        assert_ok(as_run_save(path, true, run, NULL));
        assert_ok(as_h5_edit(path, &file));
        assert_ok(as_h5_set_integer(file, "/run", wrong[i].name, wrong[i].value));
        assert_ok(as_h5_close(file));
        assert_fails(as_run_load(path, &back), AS_EREAD);
        ck_assert_msg(strstr(as_message(), wrong[i].sentence) != NULL, "%s", as_message());
    }
    free_run(run);
    remove_folder(folder);
}
END_TEST

/* Whatever is read can be gone through to its end and written again. */
static void use(const char *path, const char *again, const as_run *expected, size_t *read) {
    as_run *run = NULL;
    as_status status = as_run_load(path, &run);
    ck_assert_msg(status == AS_OK || status == AS_EREAD || status == AS_ENOMEM, "%s", as_message());
    if (status == AS_OK) {
        run_difference(run, run);
        run_difference(run, expected);
        status = as_run_save(again, true, run, NULL);
        ck_assert_msg(status == AS_OK || status == AS_EINVAL, "%s", as_message());
        ++*read;
    }
    as_run_free(run);
    as_dump_is_result(path);
}

START_TEST(a_file_that_is_cut_short_is_refused) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "run.h5"), *again = in_folder(folder, "again.h5");
    as_run *run = a_run(false, true);
    size_t size, read = 0;
    assert_ok(as_run_save(path, false, run, NULL));
    unsigned char *bytes = slurp(path, &size);
    for (size_t i = 0; i < 64; i++) {
        spit(path, bytes, size * i / 64);
        use(path, again, run, &read);
        assert_fails(as_run_ablated(path, path, false, &run->ablation), AS_EREAD);
    }
    ck_assert_uint_eq(read, 0);
    free(bytes);
    free_run(run);
    remove_folder(folder);
}
END_TEST

/* A byte here and there: the same ones each time. A number that is changed in its place cannot be told
 * from another; all else is found out, or does no harm. */
START_TEST(bytes_that_are_changed_crash_nothing) {
    enum { FLIPS = 200 };
    char *folder = new_folder();
    const char *path = in_folder(folder, "run.h5"), *again = in_folder(folder, "again.h5");
    as_run *run = a_run(false, true);
    run->tensor_count = 2; /* without the large one: most bytes are then the file's own */
    size_t size, read = 0;
    uint64_t state = 37;
    assert_ok(as_run_save(path, false, run, NULL));
    unsigned char *bytes = slurp(path, &size);
    for (size_t i = 0; i < FLIPS; i++) {
        size_t at[3];
        unsigned char kept[3];
        for (size_t k = 0; k <= i % 3; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            at[k] = (size_t)(state >> 33) % size;
            kept[k] = bytes[at[k]];
            bytes[at[k]] ^= (unsigned char)(1 + (state >> 20) % 255);
        }
        spit(path, bytes, size);
        use(path, again, run, &read);
        /* Twice written and synced: not each time. */
        as_status status = i % 4 == 0 ? as_run_ablated(path, again, true, &run->ablation) : AS_OK;
        ck_assert_msg(status == AS_OK || status == AS_EREAD || status == AS_EWRITE, "%s",
                      as_message());
        for (size_t k = i % 3 + 1; k-- > 0;) {
            bytes[at[k]] = kept[k];
        }
    }
    ck_assert_msg(read > 0 && read < FLIPS, "%zu of %d were read", read, FLIPS);
    free(bytes);
    run->tensor_count = TENSORS;
    free_run(run);
    remove_folder(folder);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_lie_is_found_out);
    tcase_add_test(t, attributes_that_lie);
    tcase_add_test(t, a_file_that_is_cut_short_is_refused);
    tcase_add_test(t, bytes_that_are_changed_crash_nothing);
}
AS_TEST_MAIN("run_lies")

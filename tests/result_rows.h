/* Rows, folders and files for the tests of results. */
#ifndef AS_TESTS_RESULT_ROWS_H
#define AS_TESTS_RESULT_ROWS_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

/* A new folder; remove_folder() takes it away with the files in it. */
static inline char *new_folder(void) {
    static char folder[64];
    strcpy(folder, "/tmp/attnspec_result_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    return folder;
}

static inline void remove_folder(const char *folder) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static inline const char *in_folder(const char *folder, const char *name) {
    static char paths[8][160];
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline bool is_there(const char *path) {
    struct stat facts;
    return lstat(path, &facts) == 0;
}

static inline size_t size_of(const char *path) {
    struct stat facts;
    ck_assert_msg(stat(path, &facts) == 0, "%s is not there", path);
    return (size_t)facts.st_size;
}

/* The whole file, to be freed. */
static inline unsigned char *slurp(const char *path, size_t *size) {
    *size = size_of(path);
    unsigned char *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void spit(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Spectra beside the singular values, each present in some rows and absent in others. */
static inline void add_spectra(as_row *row) {
    static double re[64], im[64], symmetric[64], baseline[64];
    for (size_t i = 0; i < 64; i++) {
        re[i] = 5.0 / ((double)i + 1.0) * (i % 3 ? 1 : -1);
        im[i] = i % 2 ? -0.25 : 0.25;
        symmetric[i] = 3.0 - (double)i;
        baseline[i] = 2.0 / ((double)(i + row->item) + 1.0);
    }
    size_t q = row->rows < row->cols ? row->rows : row->cols;
    if (row->rows == row->cols && row->item % 3 != 1) {
        row->eigen_count = q;
        row->eig_re = re;
        row->eig_im = im;
    }
    if (row->rows == row->cols && row->item % 3 != 2) {
        row->symmetric_count = q;
        row->symmetric = symmetric;
    }
    if (row->baseline != NULL) {
        row->baseline_count = q;
        row->baseline_sigma = baseline;
    }
}

/* Numbers, nulls and guarantees of every kind; some rows have a baseline and no contraction. */
static inline void add_contraction(as_row *row) {
    uint64_t item = row->item;
    as_contraction *c = &row->contraction;
    row->baseline = item % 4 == 0 ? "file" : "content";
    if (item % 11 == 5) {
        as_contraction_clear(c, item % 2 ? AS_REASON_NO_BASELINE : AS_REASON_NEEDS_DENSE);
        return;
    }
    as_contraction_clear(c, AS_REASON_NONE);
    for (size_t r = 0; r < AS_RATIO_COUNT; r++) {
        bool null = r == item % (AS_RATIO_COUNT + 3);
        c->reason[r] = null ? AS_REASON_UNDEFINED_BASELINE : AS_REASON_NONE;
        c->value[r] = null ? NAN : (double)(item % 9) / 7.0 + (double)r;
        c->guarantee[r] = null ? AS_UNDEFINED : (item + r) % 2 ? AS_GUARANTEED : AS_OBSERVED;
    }
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++) {
        for (size_t n = 0; n < AS_NORM_COUNT; n++) {
            bool null = (i + n + item) % 4 == 0;
            c->alignment_reason[i][n] = null ? AS_REASON_NEEDS_DENSE : AS_REASON_NONE;
            c->alignment[i][n] = null ? NAN : 1.0 / (double)(i + 3 * n + 1 + item);
        }
    }
    for (size_t k = 1; k < 13; k *= 2) {
        c->ky_fan[c->ky_fan_count++] = (k + item) % 5 == 0 ? NAN : (double)k + 0.125;
    }
}

/* Row `item`: ragged shapes 13 × 13, 37 × 37, 13 × 37 and one that failed, in turn. Its arrays are
 * those of static buffers until the next call. */
static inline as_row a_row(uint64_t item) {
    static double sigma[64], profile[128];
    static const size_t shapes[4][2] = {{13, 13}, {37, 37}, {13, 37}, {0, 0}};
    static const char *const sources[] = {"a.npy", "dir/\xC3\xBC \xF0\x9F\x98\x80.npy",
                                          "quote\"\\\n.npy", "b:c*?.npy", ""};
    const size_t *shape = shapes[item % 4];
    as_row row = as_row_empty();
    row.item = item;
    row.source = sources[item % 5];
    row.tensor = item % 3 == 0 ? "" : "layer_0";
    row.layer = item / 4 % 3 + 2;
    row.batch = item % 2;
    row.head = item % 4;
    row.dtype = "f4";
    row.scheme = item % 3 == 1 ? NULL : item % 2 ? "rope:base=10000" : "mean \"q\"";
    row.content = item % 5 == 2 ? "ar1:rho=0.5" : NULL;
    if (shape[0] == 0) {
        row.status = item % 8 == 3 ? AS_ENONFINITE : AS_SKIPPED;
        row.reason = item % 8 == 3 ? "25 non-finite entries, first at (0, 7): +inf" : "rank 1";
        return row;
    }
    size_t q = shape[0] < shape[1] ? shape[0] : shape[1];
    row.rows = shape[0];
    row.cols = shape[1];
    row.has_seed = item % 2 == 0;
    row.seed = row.has_seed ? UINT64_MAX - item : 0;
    row.scale = item % 3 == 1 ? NAN : 1.0 / 3.0;
    row.kind = "logits", row.mask = "causal", row.masked_as = "zero";
    row.route = "dense", row.driver = item % 5 == 0 ? NULL : "gesdd";
    row.masked_count = q * (q - 1) / 2;
    row.masked_rows = item % 2;
    row.padding_dropped = item % 2 == 1;
    row.row_sum_deviation = item % 2 ? 1e-300 : NAN;
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        if (m == item % AS_METRIC_COUNT) {
            row.metrics.reason[m] = (uint8_t)(1 + item % (AS_REASON_COUNT - 1));
        } else {
            row.metrics.reason[m] = AS_REASON_NONE;
            row.metrics.value[m] = (double)m + 0.1 * (double)item;
        }
    }
    for (size_t k = 1; k < q; k *= 2) {
        row.metrics.ky_fan[row.metrics.ky_fan_count++] = (double)k / 7.0;
    }
    row.sigma_count = q - item % 2;
    for (size_t i = 0; i < row.sigma_count; i++) {
        sigma[i] = 1.0 / ((double)i + 1.0 + (double)item);
    }
    row.sigma = sigma;
    row.profile_count = shape[0] + shape[1] - 1;
    for (size_t p = 0; p < row.profile_count; p++) {
        profile[p] = p % 5 == 0 ? NAN : (double)p - 3.5;
    }
    row.profile = profile;
    if (item % 3 != 1) {
        add_contraction(&row);
    }
    add_spectra(&row);
    return row;
}

static inline void assert_text(const char *actual, const char *expected, const char *what) {
    bool same =
        actual == NULL || expected == NULL ? actual == expected : strcmp(actual, expected) == 0;
    ck_assert_msg(same, "%s is \"%s\", expected \"%s\"", what, actual ? actual : "(null)",
                  expected ? expected : "(null)");
}

static inline void assert_same_numbers(const double *actual, const double *expected, size_t count,
                                       const char *what) {
    for (size_t i = 0; i < count; i++) {
        bool same = isnan(expected[i]) ? isnan(actual[i]) : actual[i] == expected[i];
        ck_assert_msg(same, "%s[%zu] is %.17g, expected %.17g", what, i, actual[i], expected[i]);
    }
}

static inline void assert_same_contraction(const as_contraction *a, const as_contraction *e) {
    ck_assert_int_eq((int)a->none, (int)e->none);
    assert_same_numbers(a->value, e->value, AS_RATIO_COUNT, "ratio");
    ck_assert_mem_eq(a->reason, e->reason, sizeof a->reason);
    ck_assert_mem_eq(a->guarantee, e->guarantee, sizeof a->guarantee);
    ck_assert_uint_eq(a->ky_fan_count, e->ky_fan_count);
    assert_same_numbers(a->ky_fan, e->ky_fan, e->ky_fan_count, "ratio of Ky Fan norms");
    assert_same_numbers(&a->alignment[0][0], &e->alignment[0][0],
                        AS_ALIGNMENT_COUNT * AS_NORM_COUNT, "alignment");
    ck_assert_mem_eq(a->alignment_reason, e->alignment_reason, sizeof a->alignment_reason);
}

/* Every member, one by one: a member that a table forgets is noticed here. */
static inline void assert_same_row(const as_row *actual, const as_row *expected) {
    ck_assert_uint_eq(actual->item, expected->item);
    assert_text(actual->source, expected->source, "source");
    assert_text(actual->tensor, expected->tensor, "tensor");
    assert_text(actual->scheme, expected->scheme, "scheme");
    assert_text(actual->content, expected->content, "content");
    ck_assert_uint_eq(actual->layer, expected->layer);
    ck_assert_uint_eq(actual->batch, expected->batch);
    ck_assert_uint_eq(actual->head, expected->head);
    ck_assert_uint_eq(actual->rows, expected->rows);
    ck_assert_uint_eq(actual->cols, expected->cols);
    ck_assert_int_eq(actual->has_seed, expected->has_seed);
    ck_assert_uint_eq(actual->seed, expected->seed);
    assert_same_numbers(&actual->scale, &expected->scale, 1, "scale");
    assert_text(actual->dtype, expected->dtype, "dtype");
    assert_text(actual->kind, expected->kind, "kind");
    assert_text(actual->mask, expected->mask, "mask");
    assert_text(actual->masked_as, expected->masked_as, "masked_as");
    assert_text(actual->route, expected->route, "route");
    assert_text(actual->driver, expected->driver, "driver");
    ck_assert_int_eq((int)actual->status, (int)expected->status);
    assert_text(actual->reason, expected->reason, "reason");
    ck_assert_uint_eq(actual->masked_count, expected->masked_count);
    ck_assert_uint_eq(actual->masked_rows, expected->masked_rows);
    ck_assert_int_eq(actual->padding_dropped, expected->padding_dropped);
    assert_same_numbers(&actual->row_sum_deviation, &expected->row_sum_deviation, 1, "deviation");
    const as_metrics *a = &actual->metrics, *e = &expected->metrics;
    assert_same_numbers(a->value, e->value, AS_METRIC_COUNT, "metric");
    ck_assert_mem_eq(a->reason, e->reason, sizeof a->reason);
    ck_assert_uint_eq(a->ky_fan_count, e->ky_fan_count);
    assert_same_numbers(a->ky_fan, e->ky_fan, e->ky_fan_count, "ky_fan");
    ck_assert_uint_eq(actual->sigma_count, expected->sigma_count);
    assert_same_numbers(actual->sigma, expected->sigma, expected->sigma_count, "sigma");
    ck_assert_uint_eq(actual->profile_count, expected->profile_count);
    assert_same_numbers(actual->profile, expected->profile, expected->profile_count, "profile");
    ck_assert_uint_eq(actual->eigen_count, expected->eigen_count);
    assert_same_numbers(actual->eig_re, expected->eig_re, expected->eigen_count, "eig_re");
    assert_same_numbers(actual->eig_im, expected->eig_im, expected->eigen_count, "eig_im");
    ck_assert_uint_eq(actual->symmetric_count, expected->symmetric_count);
    assert_same_numbers(actual->symmetric, expected->symmetric, expected->symmetric_count,
                        "symmetric");
    assert_text(actual->baseline, expected->baseline, "baseline");
    ck_assert_uint_eq(actual->baseline_count, expected->baseline_count);
    assert_same_numbers(actual->baseline_sigma, expected->baseline_sigma, expected->baseline_count,
                        "baseline_sigma");
    assert_same_contraction(&actual->contraction, &expected->contraction);
}

static inline void assert_rows(as_result *result, size_t count) {
    ck_assert_uint_eq(as_result_count(result), count);
    for (size_t i = 0; i < count; i++) {
        as_row row, expected = a_row(i);
        assert_ok(as_result_row(result, i, &row));
        assert_same_row(&row, &expected);
    }
}

/* The file holds exactly a_row(0) … a_row(count−1). */
static inline void assert_file(const char *path, size_t count) {
    as_result *result = NULL;
    assert_ok(as_result_open(path, &result));
    assert_rows(result, count);
    as_result_free(result);
}

static const as_result_options fresh = {.fingerprint = "f", .provenance = "{\"a\": [1, 0.1]}"};
static const as_result_options resume = {.resume = true, .fingerprint = "f"};
static const as_result_options force = {
    .force = true, .fingerprint = "f", .provenance = "{\"a\": [1, 0.1]}"};

/* Appends a_row(first) … a_row(last−1). */
static inline void append_rows(as_result_writer *writer, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        as_row row = a_row(i);
        assert_ok(as_result_append(writer, &row));
    }
}

/* A finished output of `count` rows, or its journal only. */
static inline void write_result(const char *path, size_t count, bool finish) {
    as_result_writer *writer = NULL;
    assert_ok(as_result_create(path, &fresh, &writer));
    append_rows(writer, 0, count);
    if (finish) {
        assert_ok(as_result_finish(writer));
    }
    as_result_writer_free(writer);
}

#endif

/* Groups, labels and axes of a result file: what formats.md says, in one place.
 * It refuses nothing of its own: failures are those of the file. */
#include "result/groups.h"

#include "result/nexus.h"
#include "result/nxdata.h"

#include <stdio.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

/* One singular value a row would make a logarithmic axis of matrix numbers, from 0. */
#define LOG_LOG  "{\"axes_scale_type\":[\"log\"],\"signal_scale_type\":\"log\"}"
#define LOG_ONLY "{\"signal_scale_type\":\"log\"}"

static const char *const reasons[] = {
#define X(code, name) name,
    AS_REASON_LIST(X)
#undef X
};

/* ---- numbers with a code ---------------------------------------------------------------------- */

/* The codes of a column and their names. */
static as_status label_codes(as_h5 *file, const char *path, const char *long_name,
                             const char *const *names, size_t count) {
    as_status status = as_nxdata_label(file, path, long_name, NULL);
    return status == AS_OK ? as_h5_set_texts(file, path, "names", names, count) : status;
}

/* A column of numbers with its equation, and the column of codes that say why one is NaN. */
static as_status label_number(as_h5 *file, const as_column *column, const as_column *codes,
                              const char *summary, const char *units, const char *equation) {
    char formula[96];
    snprintf(formula, sizeof formula, "equation %s of docs/maths.md", equation);
    as_status status = as_nxdata_label(file, column->path, summary, units);
    if (status == AS_OK) {
        status = as_h5_set_text(file, column->path, "formula", formula);
    }
    if (status == AS_OK) {
        status = as_nxdata_shape(file, column->path, "spectrum", 1);
    }
    return status == AS_OK
               ? label_codes(file, codes->path, "why the number is NaN", reasons, AS_REASON_COUNT)
               : status;
}

static as_status label_metrics(as_h5 *file, const as_table *table) {
    static const char *const equations[] = {
#define X(key, equation, summary) equation,
#include "attnspec/metrics.def"
#undef X
    };
    const as_column *column = table->column;
    as_status status = as_nxdata_range(file, AS_METRIC_GROUP, "matrix", "matrix", 0, table->rows);
    for (size_t m = 0; m < AS_METRIC_COUNT && status == AS_OK; m++) {
        bool nats = m == AS_METRIC_spectral_entropy || m == AS_METRIC_attention_entropy;
        status =
            label_number(file, &column[AS_COLUMN_METRIC + m], &column[AS_COLUMN_METRIC_STATUS + m],
                         as_metric_summary((as_metric)m), nats ? "nat" : "", equations[m]);
    }
    return status;
}

static as_status label_alignments(as_h5 *file, const as_column *column) {
    as_status status = AS_OK;
    for (size_t i = 0; i < AS_ALIGNMENTS && status == AS_OK; i++) {
        char summary[128];
        snprintf(summary, sizeof summary, "%s norm of the %s sum over the sum of its terms' norms",
                 as_norm_key((as_norm)(i % AS_NORM_COUNT)),
                 as_alignment_key((as_alignment)(i / AS_NORM_COUNT)));
        status = label_number(file, &column[AS_COLUMN_ALIGNMENT + i],
                              &column[AS_COLUMN_ALIGNMENT_STATUS + i], summary, "", "C5");
    }
    return status;
}

static as_status label_contraction(as_h5 *file, const as_table *table) {
    static const char *const equations[] = {
#define X(key, equation, summary) equation,
#include "attnspec/contraction.def"
#undef X
    };
    const as_column *column = table->column;
    const char *guarantees[AS_UNDEFINED + 1];
    if (column[AS_COLUMN_NO_CONTRACTION].width == 0) {
        return AS_OK;
    }
    for (size_t g = 0; g <= AS_UNDEFINED; g++) {
        guarantees[g] = as_guarantee_name((as_guarantee)g);
    }
    as_status status =
        as_nxdata_range(file, AS_CONTRACTION_GROUP, "matrix", "matrix", 0, table->rows);
    if (status == AS_OK) {
        status = label_codes(file, column[AS_COLUMN_NO_CONTRACTION].path,
                             "why the matrix has no contraction", reasons, AS_REASON_COUNT);
    }
    for (size_t r = 0; r < AS_RATIO_COUNT && status == AS_OK; r++) {
        status =
            label_number(file, &column[AS_COLUMN_RATIO + r], &column[AS_COLUMN_RATIO_STATUS + r],
                         as_ratio_summary((as_ratio)r), "", equations[r]);
        if (status == AS_OK) {
            status = label_codes(file, column[AS_COLUMN_GUARANTEE + r].path,
                                 "whether a theorem says so (equation C6 of docs/maths.md)",
                                 guarantees, AS_UNDEFINED + 1);
        }
    }
    return status == AS_OK ? label_alignments(file, column) : status;
}

static as_status label_fields(as_h5 *file, const as_table *table) {
    static const char *const names[] = {
#define X(code, name) name,
        AS_STATUS_LIST(X)
#undef X
    };
    as_status status = AS_OK;
    for (size_t f = 0; f < AS_FIELD_COUNT && status == AS_OK; f++) {
        const char *path = table->column[f].path;
        char text[160];
        bool indexed = as_fields[f].kind == AS_FIELD_TEXT;
        snprintf(text, sizeof text, "%s%s%s%s", as_fields[f].summary,
                 indexed ? ": index into names." : "", indexed ? as_fields[f].name : "",
                 indexed ? " of the provenance, -1 where there is none" : "");
        status = as_nxdata_label(file, path, text, NULL);
        if (status == AS_OK && as_fields[f].kind == AS_FIELD_STATUS) {
            status = as_h5_set_texts(file, path, "names", names, AS_MATRIX_STATUS_COUNT);
        }
    }
    return status;
}

/* ---- ragged arrays ---------------------------------------------------------------------------- */

static const char *const axis_names[] = {
    [AS_RAGGED_INDEX] = "index", [AS_RAGGED_K] = "k", [AS_RAGGED_OFFSET] = "offset"};

/* The group of array r, of which it is the signal. */
static as_status create_ragged(as_h5 *file, const as_table *table, size_t r) {
    const as_ragged *ragged = &as_raggeds[r];
    size_t width = table->column[AS_COLUMN_RAGGED + r].width;
    if (width == 0 || ragged->title[0] == '\0') {
        return AS_OK;
    }
    as_nxdata nxdata = {.path = ragged->group,
                        .title = ragged->title,
                        .signal = ragged->name,
                        .axes = {"matrix", axis_names[ragged->axis]},
                        .axis_count = width == 1 ? 1 : 2};
    if (ragged->logarithmic) {
        nxdata.silx_style = width == 1 ? LOG_ONLY : LOG_LOG;
    }
    for (size_t i = r + 1; i < AS_RAGGED_COUNT && as_ragged_leader(i) == r; i++) {
        nxdata.auxiliary[nxdata.auxiliary_count++] = as_raggeds[i].name;
    }
    return as_nxdata_group(file, &nxdata);
}

static as_status write_axis(as_h5 *file, const as_table *table, size_t r) {
    const as_ragged *ragged = &as_raggeds[r];
    size_t width = table->column[AS_COLUMN_RAGGED + r].width;
    const char *name = axis_names[ragged->axis];
    int64_t k[AS_KY_FAN_MAX];
    switch (ragged->axis) {
    case AS_RAGGED_INDEX:
        return as_nxdata_range(file, ragged->group, name, "place in the order, from 1", 1, width);
    case AS_RAGGED_OFFSET:
        return as_nxdata_range(file, ragged->group, name, "offset of query from key",
                               table->offset_min, width);
    case AS_RAGGED_K:
        break;
    }
    for (size_t i = 0; i < AS_KY_FAN_MAX; i++) {
        k[i] = (int64_t)1 << i;
    }
    return as_nxdata_axis(file, ragged->group, name, "singular values in the sum", k, width);
}

static as_status label_ragged(as_h5 *file, const as_table *table, size_t r) {
    const as_ragged *ragged = &as_raggeds[r];
    const as_column *column = &table->column[AS_COLUMN_RAGGED + r];
    if (column->width == 0) {
        return AS_OK;
    }
    as_status status = as_nxdata_label(file, column->path, ragged->summary, "");
    if (status == AS_OK) {
        status = as_nxdata_shape(file, column->path, "spectrum", column->width > 1 ? 2 : 1);
    }
    if (status == AS_OK && ragged->title[0] != '\0') {
        status = as_nxdata_range(file, ragged->group, "matrix", "matrix", 0, table->rows);
    }
    if (status == AS_OK && as_ragged_leader(r) == r) {
        status = as_nxdata_label(file, table->column[AS_COLUMN_LENGTH + r].path,
                                 "numbers of each matrix", NULL);
        if (status == AS_OK) {
            status = write_axis(file, table, r);
        }
    }
    return status;
}

/* ---- the file --------------------------------------------------------------------------------- */

static as_status create_entry(as_h5 *file) {
    as_status status = as_h5_group(file, "/", "NXroot");
    if (status == AS_OK) {
        status = as_h5_set_text(file, "/", "default", "entry");
    }
    if (status == AS_OK) {
        status = as_h5_group(file, "/entry", "NXentry");
    }
    if (status == AS_OK) {
        status =
            as_h5_set_text(file, "/entry", "default", as_raggeds[AS_RAGGED_singular_values].name);
    }
    if (status == AS_OK) {
        status = as_h5_set_text(file, "/entry", "schema", AS_NEXUS_SCHEMA);
    }
    return status == AS_OK ? as_h5_set_integer(file, "/entry", "schema_version", SCHEMA_VERSION)
                           : status;
}

as_status as_groups_create(as_h5 *file, const as_table *table) {
    /* Only norms share a scale, and so do their ratios. */
    as_nxdata metrics = {.path = AS_METRIC_GROUP,
                         .title = "spectral norm of each matrix",
                         .signal = as_metric_key(AS_METRIC_spectral_norm),
                         .axes = {"matrix"},
                         .axis_count = 1,
                         .auxiliary = {as_metric_key(AS_METRIC_frobenius_norm),
                                       as_metric_key(AS_METRIC_nuclear_norm)},
                         .auxiliary_count = 2};
    as_nxdata contraction = metrics;
    contraction.path = AS_CONTRACTION_GROUP;
    contraction.title = "norms, coupled over content";
    as_status status = create_entry(file);
    for (size_t r = 0; r < AS_RAGGED_COUNT && status == AS_OK; r++) {
        status = create_ragged(file, table, r);
    }
    if (status == AS_OK) {
        status = as_nxdata_group(file, &metrics);
    }
    if (status == AS_OK && table->column[AS_COLUMN_NO_CONTRACTION].width > 0) {
        status = as_nxdata_group(file, &contraction);
    }
    return status;
}

as_status as_groups_label(as_h5 *file, const as_table *table) {
    as_status status = label_fields(file, table);
    if (status == AS_OK) {
        status = label_metrics(file, table);
    }
    if (status == AS_OK) {
        status = label_contraction(file, table);
    }
    for (size_t r = 0; r < AS_RAGGED_COUNT && status == AS_OK; r++) {
        status = label_ragged(file, table, r);
    }
    return status;
}

/* The result file: layout and attributes as formats.md has them, in one pass to find the widths and
 * one to write. It refuses nothing of its own. */
#include "result/nexus.h"

#include "base/fail.h"
#include "result/heads.h"
#include "result/nxdata.h"
#include "result/table.h"

#include <stdio.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

/* One singular value a row would make a logarithmic axis of matrix numbers, from 0. */
#define LOG_LOG  "{\"axes_scale_type\":[\"log\"],\"signal_scale_type\":\"log\"}"
#define LOG_ONLY "{\"signal_scale_type\":\"log\"}"

typedef struct nexus {
    const as_journal *journal;
    as_h5 *file;
    as_table table;
    as_heads heads;
    as_names names[AS_FIELD_COUNT];
    as_row_room room;
} nexus;

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Widths, ranges and names: the first pass. */
static as_status survey(nexus *out) {
    as_table *table = &out->table;
    size_t sigma = 0, ky_fan = 0;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < out->journal->count; i++) {
        as_row row;
        as_status status = as_journal_row(out->journal, i, &out->room, &row);
        if (status != AS_OK) {
            return status;
        }
        sigma = larger(sigma, row.sigma_count);
        ky_fan = larger(ky_fan, row.metrics.ky_fan_count);
        if (row.profile_count > 0) {
            int64_t first = 1 - (int64_t)row.rows, last = (int64_t)row.cols - 1;
            low = first < low ? first : low;
            high = last > high ? last : high;
        }
        status = as_heads_see(&out->heads, &row);
        if (status != AS_OK) {
            return status;
        }
    }
    table->rows = out->journal->count;
    /* The plot that opens first is there even where nothing was analysed. */
    table->column[AS_COLUMN_SIGMA].width = larger(sigma, 1);
    table->column[AS_COLUMN_KY_FAN].width = ky_fan;
    table->column[AS_COLUMN_KY_FAN_COUNT].width = ky_fan > 0;
    table->column[AS_COLUMN_PROFILE].width = low <= high ? (size_t)(high - low) + 1 : 0;
    table->column[AS_COLUMN_PROFILE_COUNT].width = low <= high;
    table->offset_min = low <= high ? low : 0;
    return AS_OK;
}

static as_status create_columns(nexus *out) {
    as_status status = AS_OK;
    for (size_t c = 0; c < AS_COLUMN_COUNT && status == AS_OK; c++) {
        as_column *column = &out->table.column[c];
        size_t shape[2] = {out->table.rows, column->width};
        if (column->width > 0) {
            status = as_h5_data_create(out->file, column->path, column->type,
                                       column->width > 1 ? 2 : 1, shape, &column->data);
        }
    }
    return status;
}

static as_status write_rows(nexus *out) {
    as_table *table = &out->table;
    for (size_t first = 0; first < table->rows; first += table->block_rows) {
        size_t left = table->rows - first;
        size_t rows = left < table->block_rows ? left : table->block_rows;
        as_status status = AS_OK;
        for (size_t r = 0; r < rows && status == AS_OK; r++) {
            as_row row;
            status = as_journal_row(out->journal, first + r, &out->room, &row);
            if (status == AS_OK) {
                as_heads_add(&out->heads, &row);
                status = as_table_pack(table, r, &row, out->names);
            }
        }
        if (status == AS_OK) {
            status = as_table_write(table, first, rows);
        }
        if (status != AS_OK) {
            return status;
        }
    }
    return AS_OK;
}

/* ---- groups and labels ------------------------------------------------------------------------ */

static as_status label_fields(nexus *out) {
    static const char *const names[] = {
#define X(code, name) name,
        AS_STATUS_LIST(X)
#undef X
    };
    as_status status = AS_OK;
    for (size_t f = 0; f < AS_FIELD_COUNT && status == AS_OK; f++) {
        const char *path = out->table.column[f].path;
        char text[160];
        bool indexed = as_fields[f].kind == AS_FIELD_TEXT;
        snprintf(text, sizeof text, "%s%s%s%s", as_fields[f].summary,
                 indexed ? ": index into names." : "", indexed ? as_fields[f].name : "",
                 indexed ? " of the provenance, -1 where there is none" : "");
        status = as_nxdata_label(out->file, path, text, NULL);
        if (status == AS_OK && as_fields[f].kind == AS_FIELD_STATUS) {
            status = as_h5_set_texts(out->file, path, "names", names, AS_MATRIX_STATUS_COUNT);
        }
    }
    return status;
}

/* Formula and unit of a metric, and the names of its codes. */
static as_status label_metric(nexus *out, as_metric metric) {
    static const char *const equations[] = {
#define X(key, equation, summary) equation,
#include "attnspec/metrics.def"
#undef X
    };
    static const char *const reasons[] = {
#define X(code, name) name,
        AS_REASON_LIST(X)
#undef X
    };
    const char *path = out->table.column[AS_COLUMN_METRIC + metric].path;
    const char *codes = out->table.column[AS_COLUMN_METRIC_STATUS + metric].path;
    bool nats = metric == AS_METRIC_spectral_entropy || metric == AS_METRIC_attention_entropy;
    char formula[96];
    snprintf(formula, sizeof formula, "equation %s of docs/maths.md", equations[metric]);
    as_status status =
        as_nxdata_label(out->file, path, as_metric_summary(metric), nats ? "nat" : "");
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, path, "formula", formula);
    }
    if (status == AS_OK) {
        status = as_nxdata_shape(out->file, path, "spectrum", 1);
    }
    if (status == AS_OK) {
        status = as_nxdata_label(out->file, codes, "why the metric is NaN", NULL);
    }
    return status == AS_OK ? as_h5_set_texts(out->file, codes, "names", reasons, AS_REASON_COUNT)
                           : status;
}

static as_status label_metrics(nexus *out) {
    /* Only norms share a scale. */
    static const char *const others[] = {"frobenius_norm", "nuclear_norm"};
    as_status status = as_h5_set_texts(out->file, AS_METRIC_GROUP, "auxiliary_signals", others, 2);
    if (status == AS_OK) {
        status =
            as_nxdata_range(out->file, AS_METRIC_GROUP, "matrix", "matrix", 0, out->table.rows);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT && status == AS_OK; m++) {
        status = label_metric(out, (as_metric)m);
    }
    return status;
}

/* A group of numbers [matrix, axis] with a count a matrix; `column` has more than no width. */
typedef struct ragged {
    size_t column;
    const char *path, *title, *axis, *long_name;
    bool logarithmic;
} ragged;

static as_status create_ragged(nexus *out, const ragged *group) {
    const as_column *column = &out->table.column[group->column];
    if (column->width == 0) {
        return AS_OK;
    }
    bool flat = column->width == 1;
    as_nxdata nxdata = {.path = group->path,
                        .title = group->title,
                        .signal = strrchr(column->path, '/') + 1,
                        .axes = {"matrix", group->axis},
                        .axis_count = flat ? 1 : 2};
    if (group->logarithmic) {
        nxdata.silx_style = flat ? LOG_ONLY : LOG_LOG;
    }
    as_status status = as_nxdata_group(out->file, &nxdata);
    return status == AS_OK
               ? as_nxdata_range(out->file, group->path, "matrix", "matrix", 0, out->table.rows)
               : status;
}

static as_status label_ragged(nexus *out, const ragged *group) {
    const as_column *column = &out->table.column[group->column];
    if (column->width == 0) {
        return AS_OK;
    }
    as_status status = as_nxdata_label(out->file, column->path, group->long_name, "");
    if (status == AS_OK) {
        status = as_nxdata_shape(out->file, column->path, "spectrum", column->width > 1 ? 2 : 1);
    }
    return status == AS_OK
               ? as_nxdata_label(out->file, column[1].path, "numbers of each matrix", NULL)
               : status;
}

static as_status write_axes(nexus *out) {
    const as_column *column = out->table.column;
    int64_t k[AS_KY_FAN_MAX];
    for (size_t i = 0; i < AS_KY_FAN_MAX; i++) {
        k[i] = (int64_t)1 << i;
    }
    as_status status = as_nxdata_range(out->file, AS_SIGMA_GROUP, "index",
                                       "index of singular value", 1, column[AS_COLUMN_SIGMA].width);
    if (status == AS_OK && column[AS_COLUMN_KY_FAN].width > 0) {
        status = as_nxdata_axis(out->file, AS_KY_FAN_GROUP, "k", "singular values in the sum", k,
                                column[AS_COLUMN_KY_FAN].width);
    }
    if (status == AS_OK && column[AS_COLUMN_PROFILE].width > 0) {
        status = as_nxdata_range(out->file, AS_PROFILE_GROUP, "offset", "offset of query from key",
                                 out->table.offset_min, column[AS_COLUMN_PROFILE].width);
    }
    return status;
}

static const ragged groups[] = {
    {AS_COLUMN_SIGMA, AS_SIGMA_GROUP, "singular values", "index", "singular value", true},
    {AS_COLUMN_KY_FAN, AS_KY_FAN_GROUP, "Ky Fan norms", "k", "sum of the k largest singular values",
     true},
    {AS_COLUMN_PROFILE, AS_PROFILE_GROUP, "mean logit by offset", "offset",
     "mean over the unmasked entries of a diagonal", false},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static as_status create_groups(nexus *out) {
    as_status status = as_h5_group(out->file, "/", "NXroot");
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, "/", "default", "entry");
    }
    if (status == AS_OK) {
        status = as_h5_group(out->file, "/entry", "NXentry");
    }
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, "/entry", "default", strrchr(AS_SIGMA_GROUP, '/') + 1);
    }
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, "/entry", "schema", AS_NEXUS_SCHEMA);
    }
    if (status == AS_OK) {
        status = as_h5_set_integer(out->file, "/entry", "schema_version", SCHEMA_VERSION);
    }
    for (size_t g = 0; g < GROUP_COUNT && status == AS_OK; g++) {
        status = create_ragged(out, &groups[g]);
    }
    as_nxdata metrics = {.path = AS_METRIC_GROUP,
                         .title = "spectral norm of each matrix",
                         .signal = as_metric_key(AS_METRIC_spectral_norm),
                         .axes = {"matrix"},
                         .axis_count = 1};
    return status == AS_OK ? as_nxdata_group(out->file, &metrics) : status;
}

static as_status label_columns(nexus *out) {
    as_status status = label_fields(out);
    if (status == AS_OK) {
        status = label_metrics(out);
    }
    for (size_t g = 0; g < GROUP_COUNT && status == AS_OK; g++) {
        status = label_ragged(out, &groups[g]);
    }
    return status == AS_OK ? write_axes(out) : status;
}

/* The provenance of the run, with the names behind the indices. */
static as_status write_provenance(nexus *out) {
    as_json_value *given = NULL;
    const char *source = out->journal->provenance;
    as_status status = as_json_parse(source, strlen(source), &given);
    if (status != AS_OK) {
        return status;
    }
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_copy_members(json, given, "names");
    as_json_object(json, "names");
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        if (as_fields[f].kind == AS_FIELD_TEXT) {
            as_json_array(json, as_fields[f].name);
            for (size_t i = 0; i < out->names[f].count; i++) {
                as_json_string(json, NULL, out->names[f].text[i]);
            }
            as_json_end(json);
        }
    }
    as_json_end(json);
    as_json_end(json);
    const char *text = as_json_take(json);
    status = text == NULL ? AS_ENOMEM : as_h5_group(out->file, AS_NOTE_GROUP, "NXnote");
    if (status == AS_OK) {
        status = as_h5_write_string(out->file, AS_NOTE_GROUP "/type", "application/json");
    }
    if (status == AS_OK) {
        status = as_h5_write_string(out->file, AS_NOTE_DATA, text);
    }
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, AS_NOTE_GROUP, "fingerprint", out->journal->fingerprint);
    }
    as_json_free(json);
    as_json_value_free(given);
    return status;
}

static as_status write_file(nexus *out) {
    as_status status = create_groups(out);
    if (status == AS_OK) {
        status = create_columns(out);
    }
    if (status == AS_OK) {
        status = label_columns(out);
    }
    if (status == AS_OK) {
        status = write_rows(out);
    }
    if (status == AS_OK) {
        status = as_heads_write(&out->heads, out->file, AS_HEAD_GROUP);
    }
    return status == AS_OK ? write_provenance(out) : status;
}

as_status as_nexus_write(const as_journal *journal, const char *path) {
    nexus out = {.journal = journal};
    as_table_name(&out.table);
    as_status status = survey(&out);
    if (status == AS_OK) {
        status = as_table_allocate(&out.table);
    }
    if (status == AS_OK) {
        status = as_heads_allocate(&out.heads);
    }
    if (status == AS_OK) {
        status = as_h5_create(path, &out.file);
    }
    if (status == AS_OK) {
        status = write_file(&out);
    }
    as_status closed = as_table_close(&out.table);
    status = status == AS_OK ? closed : status;
    closed = as_h5_close(out.file);
    status = status == AS_OK ? closed : status;
    as_heads_free(&out.heads);
    as_row_room_free(&out.room);
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        as_names_free(&out.names[f]);
    }
    return status;
}

/* The result file: layout and attributes as formats.md has them, in one pass to find the widths and
 * one to write. It refuses nothing of its own. */
#include "result/nexus.h"

#include "base/fail.h"
#include "result/groups.h"
#include "result/heads.h"
#include "result/provenance.h"

#include <string.h>

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

/* What the first pass finds: widths and ranges. */
typedef struct extent {
    size_t width[AS_RAGGED_COUNT];
    int64_t low, high; /* offsets of profiles */
    bool baseline;
} extent;

static void see(extent *found, const as_row *row) {
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        found->width[r] = larger(found->width[r], as_ragged_count(row, r));
    }
    if (row->profile_count > 0) {
        int64_t first = 1 - (int64_t)row->rows, last = (int64_t)row->cols - 1;
        found->low = first < found->low ? first : found->low;
        found->high = last > found->high ? last : found->high;
    }
    found->baseline = found->baseline || row->baseline != NULL;
}

static void set_widths(as_table *table, const extent *found) {
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        as_table_widen(table, r, found->width[r]);
    }
    /* The plot that opens first is there even where nothing was analysed. */
    as_table_widen(table, AS_RAGGED_singular_values,
                   larger(found->width[AS_RAGGED_singular_values], 1));
    if (found->low <= found->high) {
        as_table_widen(table, AS_RAGGED_toeplitz_profile, (size_t)(found->high - found->low) + 1);
        table->offset_min = found->low;
    }
    for (size_t c = AS_COLUMN_NO_CONTRACTION; c < AS_COLUMN_RAGGED; c++) {
        table->column[c].width = found->baseline;
    }
}

static as_status survey(nexus *out) {
    extent found = {.low = INT64_MAX, .high = INT64_MIN};
    for (size_t i = 0; i < out->journal->count; i++) {
        as_row row;
        as_status status = as_journal_row(out->journal, i, &out->room, &row);
        if (status == AS_OK) {
            see(&found, &row);
            status = as_heads_see(&out->heads, &row);
        }
        if (status != AS_OK) {
            return status;
        }
    }
    out->table.rows = out->journal->count;
    set_widths(&out->table, &found);
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
    status = text == NULL ? AS_ENOMEM : as_provenance_put(out->file, "/entry", text);
    if (status == AS_OK) {
        status = as_h5_set_text(out->file, AS_NOTE_GROUP, "fingerprint", out->journal->fingerprint);
    }
    as_json_free(json);
    as_json_value_free(given);
    return status;
}

static as_status write_file(nexus *out) {
    as_status status = as_groups_create(out->file, &out->table);
    if (status == AS_OK) {
        status = create_columns(out);
    }
    if (status == AS_OK) {
        status = as_groups_label(out->file, &out->table);
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
        status = as_table_allocate(&out.table, 1);
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

/* One reader for journals and result files.
 * It refuses other files, result files of another shape than their columns say, and broken ones. */
#define _GNU_SOURCE /* strdup, O_CLOEXEC */
#include "base/fail.h"
#include "result/nexus.h"
#include "result/table.h"
#include "result/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Blocks of rows that are kept: sorted rows jump, and to read a block takes much longer than to look a
 * row up in it. 4 MiB each (table.c): rows of all results that are not huge, within a bound. */
enum { BLOCKS = 32 };

struct as_result {
    char *path;
    size_t count;
    char *provenance;
    /* Of a journal. */
    const as_journal *journal; /* own, or that of a writer; NULL for an HDF5 file */
    as_journal own;
    as_row_room room;
    /* Of an HDF5 file. */
    as_h5 *file;
    as_table table;
    /* Rows first … first + filled − 1 stand in a block, since when it was last asked for. */
    struct {
        size_t first, filled;
        uint64_t used;
    } block[BLOCKS];
    uint64_t asked;      /* how many rows were */
    as_json_value *note; /* provenance and names */
};

static as_result *new_result(const char *path) {
    as_result *result = calloc(1, sizeof *result);
    if (result != NULL) {
        result->own.fd = -1;
        result->path = strdup(path);
    }
    if (result == NULL || result->path == NULL) {
        free(result);
        as_fail(AS_ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    return result;
}

void as_result_free(as_result *result) {
    if (result == NULL) {
        return;
    }
    as_journal_free(&result->own);
    as_row_room_free(&result->room);
    as_table_close(&result->table);
    as_h5_close(result->file);
    as_json_value_free(result->note);
    free(result->provenance);
    free(result->path);
    free(result);
}

static as_status use_journal(as_result *result, const as_journal *journal) {
    result->journal = journal;
    result->count = journal->count;
    result->provenance = strdup(journal->provenance);
    return result->provenance != NULL ? AS_OK
                                      : as_fail(AS_ENOMEM, "no memory to open %s", result->path);
}

/* fd is moved. */
static as_status open_journal(as_result *result, int fd) {
    as_status status = as_journal_start(&result->own, fd, result->path);
    if (status == AS_OK) {
        status = as_journal_scan(&result->own);
    }
    if (status == AS_EMISMATCH) {
        return as_fail(AS_EREAD, "%s", as_message());
    }
    if (status == AS_OK && result->own.end == 0) {
        return as_fail(AS_EREAD, "%s is an empty journal: nothing was analysed", result->path);
    }
    return status == AS_OK ? use_journal(result, &result->own) : status;
}

/* ---- HDF5 ------------------------------------------------------------------------------------- */

static as_status check_schema(as_result *result) {
    char *schema = NULL;
    if (!as_h5_has(result->file, "/entry") ||
        as_h5_get_text(result->file, "/entry", "schema", &schema) != AS_OK ||
        strcmp(schema, AS_NEXUS_SCHEMA) != 0) {
        free(schema);
        return as_fail(AS_EREAD, "%s is HDF5, but no result of attnspec", result->path);
    }
    free(schema);
    return AS_OK;
}

static as_status read_provenance(as_result *result) {
    char *text = NULL;
    as_status status = as_h5_read_string(result->file, AS_NOTE_DATA, &text);
    if (status != AS_OK) {
        return status;
    }
    status = as_json_parse(text, strlen(text), &result->note);
    free(text);
    if (status != AS_OK) {
        return as_fail_prefix(status, "%s of %s", AS_NOTE_DATA, result->path);
    }
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_copy_members(json, result->note, "names");
    as_json_end(json);
    const char *tidy = as_json_take(json);
    result->provenance = tidy != NULL ? strdup(tidy) : NULL;
    as_json_free(json);
    return result->provenance != NULL ? AS_OK
                                      : as_fail(AS_ENOMEM, "no memory to open %s", result->path);
}

/* Whether a file may lack a column: the writer may be older, or have had nothing for it. */
static bool may_lack(size_t c) {
    return c < AS_COLUMN_METRIC ? as_fields[c].kind == AS_FIELD_TEXT
                                : c != AS_COLUMN_RAGGED + AS_RAGGED_singular_values &&
                                      c != AS_COLUMN_LENGTH + AS_RAGGED_singular_values;
}

/* Opens a column; every one has as many rows as the first. */
static as_status open_column(as_result *result, size_t c) {
    as_column *column = &result->table.column[c];
    if (column->width == 0 || (may_lack(c) && !as_h5_has(result->file, column->path))) {
        column->width = 0;
        return AS_OK;
    }
    as_status status = as_h5_data_open(result->file, column->path, column->type, &column->data);
    if (status != AS_OK) {
        return status;
    }
    const size_t *shape = column->data.shape;
    bool wide = c >= AS_COLUMN_RAGGED && c < AS_COLUMN_LENGTH;
    if (c == 0) {
        result->count = result->table.rows = shape[0];
    }
    if (column->data.rank > 2) {
        return as_fail(AS_EREAD, "%s of %s holds no rows of numbers", column->path, result->path);
    }
    if (shape[0] != result->table.rows || shape[1] == 0 || (!wide && shape[1] != 1)) {
        return as_fail(AS_EREAD, "%s of %s is %zu × %zu, which does not fit %zu matrices",
                       column->path, result->path, shape[0], shape[1], result->table.rows);
    }
    column->width = shape[1];
    return AS_OK;
}

/* `count` columns, and those from `mates` on that belong to them, are there both or not at all. */
static as_status check_mates(const as_result *result, size_t columns, size_t mates, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const as_column *column = &result->table.column[columns + i];
        const as_column *mate = &result->table.column[mates + i];
        if ((column->width == 0) != (mate->width == 0)) {
            return as_fail(AS_EREAD, "%s has %s without %s, or the reverse", result->path,
                           column->path, mate->path);
        }
    }
    return AS_OK;
}

/* A number without its code, or an array without its count, cannot be read. */
static as_status check_pairs(const as_result *result) {
    static const size_t pairs[][3] = {
        {AS_COLUMN_METRIC, AS_COLUMN_METRIC_STATUS, AS_METRIC_COUNT},
        {AS_COLUMN_RATIO, AS_COLUMN_RATIO_STATUS, AS_RATIO_COUNT},
        {AS_COLUMN_RATIO, AS_COLUMN_GUARANTEE, AS_RATIO_COUNT},
        {AS_COLUMN_ALIGNMENT, AS_COLUMN_ALIGNMENT_STATUS, AS_ALIGNMENTS},
    };
    as_status status = AS_OK;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && status == AS_OK; i++) {
        status = check_mates(result, pairs[i][0], pairs[i][1], pairs[i][2]);
    }
    for (size_t i = 0; i < AS_RAGGED_COUNT && status == AS_OK; i++) {
        size_t leader = as_ragged_leader(i);
        status = check_mates(result, AS_COLUMN_RAGGED + i,
                             (leader == i ? AS_COLUMN_LENGTH : AS_COLUMN_RAGGED) + leader, 1);
    }
    return status;
}

/* The offset of the profile's first column. */
static as_status read_offset(as_result *result) {
    as_h5_data axis = {0};
    size_t width = result->table.column[AS_COLUMN_RAGGED + AS_RAGGED_toeplitz_profile].width;
    if (width == 0) {
        return AS_OK;
    }
    char path[80];
    snprintf(path, sizeof path, "%s/offset", as_raggeds[AS_RAGGED_toeplitz_profile].group);
    as_status status = as_h5_data_open(result->file, path, AS_H5_I64, &axis);
    if (status == AS_OK && (axis.rank != 1 || axis.shape[0] != width)) {
        status = as_fail(AS_EREAD, "%s of %s does not fit its data", path, result->path);
    }
    if (status == AS_OK) {
        status = as_h5_data_read(&axis, 0, 1, &result->table.offset_min);
    }
    as_h5_data_close(&axis);
    return status;
}

/* What HDF5 is asked for at opening. */
static as_status read_contents(as_result *result) {
    as_status status = as_h5_open(result->path, &result->file);
    if (status == AS_OK) {
        status = check_schema(result);
    }
    if (status == AS_OK) {
        status = read_provenance(result);
    }
    as_table_name(&result->table);
    for (size_t c = 0; c < AS_COLUMN_COUNT && status == AS_OK; c++) {
        status = open_column(result, c);
    }
    if (status == AS_OK) {
        status = check_pairs(result);
    }
    if (status == AS_OK) {
        status = read_offset(result);
    }
    return status == AS_OK ? as_table_allocate(&result->table, BLOCKS) : status;
}

/* The block with row `index`; one that is not there is read into the place of the one that was not
 * asked for for the longest time. */
static as_status find_block(as_result *result, size_t index, size_t *out) {
    as_table *table = &result->table;
    size_t oldest = 0;
    for (size_t b = 0; b < table->blocks; b++) {
        if (index >= result->block[b].first &&
            index - result->block[b].first < result->block[b].filled) {
            *out = b;
            return AS_OK;
        }
        oldest = result->block[b].used < result->block[oldest].used ? b : oldest;
    }
    size_t first = index - index % table->block_rows, left = result->count - first;
    size_t rows = left < table->block_rows ? left : table->block_rows;
    result->block[oldest].filled = 0;
    as_status status = as_table_read(table, first, rows, oldest);
    if (status == AS_OK) {
        result->block[oldest].first = first;
        result->block[oldest].filled = rows;
        *out = oldest;
    }
    return status;
}

static as_status hdf5_row(as_result *result, size_t index, as_row *out) {
    size_t block;
    as_status status = find_block(result, index, &block);
    if (status != AS_OK) {
        return status;
    }
    result->block[block].used = ++result->asked;
    size_t place = block * result->table.block_rows + (index - result->block[block].first);
    status = as_table_unpack(&result->table, place, as_json_member(result->note, "names"), out);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "row %zu of %s", index, result->path);
}

/* All that reading the file will do, and its first and last rows, in the child of a trial. */
static as_status try_file(void *context) {
    as_result *result = context;
    as_status status = read_contents(result);
    if (status == AS_OK && result->count > 0) {
        as_row row;
        hdf5_row(result, 0, &row);
        hdf5_row(result, result->count - 1, &row);
    }
    as_table_close(&result->table);
    as_h5_close(result->file);
    return status;
}

static as_status open_hdf5(as_result *result, uint64_t bytes) {
    as_status status = as_h5_trial(bytes, try_file, result);
    if (status == AS_OK) {
        return read_contents(result);
    }
    return strstr(as_message(), result->path) != NULL ? status
                                                      : as_fail_prefix(status, "%s", result->path);
}

/* ---- both ------------------------------------------------------------------------------------- */

/* By the first bytes: a journal, or HDF5. */
static as_status open_any(as_result *result) {
    static const char hdf5[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char magic[sizeof hdf5];
    struct stat facts;
    if (stat(result->path, &facts) != 0) {
        return as_fail(AS_EREAD, "cannot open %s: %s", result->path, strerror(errno));
    }
    /* A pipe would wait for its writer. */
    if (!S_ISREG(facts.st_mode)) {
        return as_fail(AS_EREAD, "%s is no regular file", result->path);
    }
    int fd = open(result->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, magic, sizeof magic);
    if (got < 0) {
        as_fail(AS_EREAD, "cannot read %s: %s", result->path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return AS_EREAD;
    }
    if (got == (ssize_t)sizeof hdf5 && memcmp(magic, hdf5, sizeof hdf5) == 0) {
        close(fd);
        return open_hdf5(result, (uint64_t)facts.st_size);
    }
    if (memcmp(magic, AS_JOURNAL_MAGIC, (size_t)got) == 0) {
        return open_journal(result, fd);
    }
    close(fd);
    return as_fail(AS_EREAD, "%s is neither a result nor a journal of attnspec", result->path);
}

as_status as_result_open(const char *path, as_result **out) {
    as_result *result = new_result(path);
    as_status status = result != NULL ? open_any(result) : AS_ENOMEM;
    if (status != AS_OK) {
        as_result_free(result);
        return status;
    }
    *out = result;
    return AS_OK;
}

as_status as_result_of_writer(as_result_writer *writer, as_result **out) {
    if (writer->complete) {
        return as_result_open(writer->path, out);
    }
    as_result *result = new_result(writer->journal.name);
    if (result == NULL) {
        return AS_ENOMEM;
    }
    as_journal_sort(&writer->journal);
    as_status status = use_journal(result, &writer->journal);
    if (status != AS_OK) {
        as_result_free(result);
        return status;
    }
    *out = result;
    return AS_OK;
}

size_t as_result_count(const as_result *result) {
    return result->count;
}

as_status as_result_row(as_result *result, size_t index, as_row *out) {
    if (index >= result->count) {
        return as_fail(AS_EINVAL, "%s has %zu rows, not %zu", result->path, result->count,
                       index + 1);
    }
    return result->journal != NULL ? as_journal_row(result->journal, index, &result->room, out)
                                   : hdf5_row(result, index, out);
}

const char *as_result_provenance(const as_result *result) {
    return result->provenance;
}

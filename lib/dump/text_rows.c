/* Rows of numbers, as CSV, TSV and numpy.savetxt write them: one tensor, rank 2, or rank 3 where blank
 * lines separate matrices of one shape. It refuses ragged rows, empty fields and decimal commas. */
#include "base/fail.h"
#include "dump/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_COLUMNS = 1 << 20, MAX_HEADER = 1 << 20 };

typedef struct rows {
    as_text *text;
    uint64_t line;        /* the one that is read, from 1 */
    int separator;        /* ',' or ';', the first that was seen; 0: none yet */
    size_t cols;          /* of every row; 0: not known yet */
    size_t height;        /* of every matrix, likewise */
    size_t row, matrices; /* rows of the matrix that is read; matrices before it */
} rows;

static as_status skip_line(as_text *t) {
    uint64_t start = t->taken;
    while (as_text_peek(t) != '\n' && as_text_peek(t) != AS_TEXT_END) {
        as_text_next(t);
        if (t->taken - start > MAX_HEADER) {
            return as_text_wrong(t, "a line of more than %d bytes that is no numbers", MAX_HEADER);
        }
    }
    return t->status;
}

static bool at_line_end(as_text *t) {
    int c = as_text_peek(t);
    return c == '\n' || c == AS_TEXT_END;
}

/* Between two numbers: white space, a comma or semicolon, or both. *ended: no number follows. */
static as_status separate(rows *r, bool *ended) {
    as_text *t = r->text;
    uint64_t start = t->taken;
    as_status status = as_text_blank(t, false);
    int c = as_text_peek(t);
    if (status == AS_OK && (c == ',' || c == ';') && (r->separator == 0 || c == r->separator)) {
        r->separator = c;
        as_text_next(t);
        status = as_text_blank(t, false);
        if (status == AS_OK && as_text_peek(t) == c) {
            return as_text_wrong(t, "an empty field");
        }
    }
    *ended = at_line_end(t);
    if (status == AS_OK && !*ended && t->taken == start) {
        return c == ',' || c == ';'
                   ? as_text_wrong(t, "both commas and semicolons; the decimal point is a dot")
                   : as_text_wrong(t, "'%c' stands inside a number", c > ' ' && c < 127 ? c : '?');
    }
    return status;
}

static as_status read_row(rows *r) {
    size_t count = 0;
    for (bool ended = false; !ended; count++) {
        double value;
        as_status status = as_text_number(r->text, &value);
        if (status == AS_OK) {
            status = as_text_keep(r->text, value);
        }
        if (status == AS_OK) {
            status = separate(r, &ended);
        }
        if (status != AS_OK) {
            return status;
        }
        if (count == MAX_COLUMNS) {
            return as_text_wrong(r->text, "more than %d numbers in a row", MAX_COLUMNS);
        }
    }
    if (r->cols != 0 && count != r->cols) {
        return as_text_wrong(r->text, "%zu numbers, but the rows before have %zu", count, r->cols);
    }
    r->cols = count;
    r->row++;
    if (r->height != 0 && r->row > r->height) {
        return as_text_wrong(r->text, "a row more than the %zu of the matrices before", r->height);
    }
    return AS_OK;
}

/* A blank line, or the end, after a matrix. */
static as_status end_matrix(rows *r) {
    if (r->row == 0) {
        return AS_OK;
    }
    if (r->height != 0 && r->row != r->height) {
        return as_text_wrong(r->text, "a matrix of %zu rows, but those before have %zu", r->row,
                             r->height);
    }
    r->height = r->row;
    r->row = 0;
    r->matrices++;
    return AS_OK;
}

/* Names may stand in the first line. */
static bool is_header(rows *r, bool first) {
    int c = as_text_peek(r->text);
    if (!first || r->text->size - r->text->at < 3) {
        return false;
    }
    char word[4] = {0};
    memcpy(word, r->text->buffer + r->text->at, 3);
    for (size_t i = 0; i < 3; i++) {
        word[i] = (char)tolower((unsigned char)word[i]);
    }
    return (isalpha(c) || c == '_' || c == '"' || c >= 0x80) && strcmp(word, "nan") != 0 &&
           strcmp(word, "inf") != 0;
}

static as_status read_line(rows *r, bool *first) {
    as_text *t = r->text;
    as_status status = as_text_blank(t, false);
    if (status != AS_OK) {
        return status;
    }
    if (at_line_end(t)) {
        status = end_matrix(r);
    } else if (as_text_peek(t) == '#') {
        status = skip_line(t);
    } else if (is_header(r, *first)) {
        *first = false;
        status = skip_line(t);
    } else if (*first && as_text_peek(t) == ',') {
        return as_text_wrong(t, "begins with an empty field, as tables with row names do; "
                                "save the numbers alone");
    } else {
        *first = false;
        status = read_row(r);
    }
    return status;
}

as_status as_text_rows(as_text *t, as_text_tensors *found) {
    rows r = {.text = t, .line = 1};
    for (bool first = true; as_text_peek(t) != AS_TEXT_END; r.line++) {
        as_status status = read_line(&r, &first);
        if (status != AS_OK) {
            as_fail_prefix(status, "line %" PRIu64, r.line);
            return t->kept > 0 ? status : as_fail_prefix(status, "is no text of numbers");
        }
        as_text_next(t);
    }
    as_status status = t->status != AS_OK ? t->status : end_matrix(&r);
    if (status != AS_OK) {
        return as_fail_prefix(status, "line %" PRIu64, r.line);
    }
    if (r.matrices == 0) {
        return as_text_wrong(t, "is a text file without numbers");
    }
    as_tensor tensor = {.name = "", .dtype = AS_F64, .rank = 2, .decimals = t->decimals};
    if (r.matrices > 1) {
        tensor.shape[0] = r.matrices;
        tensor.rank = 3;
    }
    tensor.shape[tensor.rank - 2] = r.height;
    tensor.shape[tensor.rank - 1] = r.cols;
    return as_text_add(found, &tensor, 0);
}

/* info_print: what is known of tensors, as text for people and as JSON.
 * It refuses to print what is not known: a dash, or null. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "door/json.h"
#include "info.h"
#include "number.h"
#include "report.h"
#include "text.h"

#define SCHEMA_VERSION 1
#define NAME_WIDTH     17
#define SHAPE_WIDTH    14
#define METADATA_LINES 12
#define METADATA_TEXT  144
#define METADATA_WORD  56 /* what has no space to be wrapped at is cut sooner */

static const char *shape_text(const as_tensor *tensor, bool utf8, char *text, size_t size) {
    size_t used = 0;
    if (tensor->rank == 0)
        snprintf(text, size, "scalar");
    for (size_t i = 0; i < tensor->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu",
                                 i == 0 ? ""
                                 : utf8 ? "×"
                                        : "x",
                                 tensor->shape[i]);
    return text;
}

static void print_names(const info_tensor *t, FILE *out, bool utf8) {
    char name[512], shape[160];
    text_clean(name, sizeof name, t->name[0] == '\0' ? "(unnamed)" : t->name);
    shape_text(t->tensor, utf8, shape, sizeof shape);
    fprintf(out, "  %s", name);
    size_t column = 2 + text_width(name);
    if (column > NAME_WIDTH + 2) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s ", (int)(NAME_WIDTH + 2 - column), "");
    text_fit(out, shape, text_width(shape) > SHAPE_WIDTH ? text_width(shape) : SHAPE_WIDTH);
    fprintf(out, " %-5s", as_dtype_name(t->tensor->dtype));
}

static void print_note(FILE *out, const char *mark, const char *text) {
    char clean[1024], note[1100];
    snprintf(note, sizeof note, "%s%s", mark, text_clean(clean, sizeof clean, text));
    fputs("    ", out);
    text_wrap(out, note, 4, 6);
}

static void print_found(const info_tensor *t, FILE *out, const char *dash) {
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    bool known = t->kind != NULL;
    fprintf(out, " %-8s", known ? t->kind : dash);
    char mask[AS_MASK_TEXT];
    snprintf(mask, sizeof mask, "%s", known ? t->mask : dash);
    char *padding = strstr(mask, "+padding");
    if (padding != NULL) /* the column is narrow, and a note says how much */
        padding[sizeof "+pad" - 1] = '\0';
    text_fit(out, mask, 10);
    fprintf(out, "%10s%11s\n", isnan(t->low) ? "-" : number_short(t->low, 9, low),
            isnan(t->high) ? "-" : number_short(t->high, 10, high));
}

static void print_notes(const info_tensor *t, FILE *out) {
    char text[256];
    if (t->nonfinite > 0) {
        snprintf(text, sizeof text, "not finite: %zu of %zu %s", t->nonfinite, t->matrices,
                 t->matrices == 1 ? "matrix" : "matrices");
        print_note(out, text, "");
    }
    if (t->reason != NULL) {
        snprintf(text, sizeof text, "%s%s", t->status == AS_SKIPPED ? "skipped" : t->place,
                 t->status == AS_SKIPPED || t->place[0] != '\0' ? ": " : "");
        print_note(out, text, t->reason);
    }
    if (t->masked_rows > 0) {
        snprintf(text, sizeof text, "rows that are masked as a whole: %zu", t->masked_rows);
        print_note(out, text, "");
    }
    if (t->padding_left + t->padding_right > 0) {
        snprintf(text, sizeof text, "padding: up to %zu before the first token, %zu after the last",
                 t->padding_left, t->padding_right);
        print_note(out, text, "");
    }
    if (t->row_sum_deviation > 0) {
        snprintf(text, sizeof text, "rows sum to 1 within %.2g", t->row_sum_deviation);
        print_note(out, text, "");
    }
    if (*row_sums_of_weights(&t->sums, text, sizeof text) != '\0')
        print_note(out, "", text);
    if (*row_sums_of_suspects(&t->sums, text, sizeof text) != '\0')
        print_note(out, "", text);
}

/* What the file says of itself, a line or two each; whole configurations are often kept there. */
static void print_metadata(const as_dump *dump, FILE *out) {
    size_t count = dump == NULL ? 0 : as_dump_note_count(dump);
    for (size_t i = 0; i < count && i < METADATA_LINES; i++) {
        as_dump_note note = as_dump_note_at(dump, i);
        char name[64], text[METADATA_TEXT], line[sizeof name + sizeof text + 8];
        bool words = strcspn(note.text, " ") < METADATA_WORD;
        size_t size = words ? sizeof text : METADATA_WORD;
        text_clean(name, sizeof name, note.name);
        text_clean(text, size, note.text);
        snprintf(line, sizeof line, "%s: %s%s", name, text, strlen(note.text) < size ? "" : " ...");
        fputs("  ", out);
        text_wrap(out, line, 2, 6);
    }
    if (count > METADATA_LINES)
        fprintf(out, "  (and %zu more attributes; all are in --json)\n", count - METADATA_LINES);
}

void info_print_text(const info_tensor *tensors, size_t count, const info_options *options,
                     FILE *out) {
    report_style style = report_style_for(&options->common, out);
    const char *bold = style.color ? "\033[1m" : "", *plain = style.color ? "\033[0m" : "";
    char name[1024];
    const char *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const info_tensor *t = &tensors[i];
        if (last == NULL || strcmp(last, t->source) != 0) {
            fprintf(out, "%s%s%s%s", i == 0 ? "" : "\n", bold,
                    text_clean(name, sizeof name, t->source), plain);
            if (t->dump != NULL)
                fprintf(out, " (%s)", as_dump_format(t->dump));
            fputc('\n', out);
            print_metadata(t->dump, out);
            if (t->tensor != NULL)
                fprintf(out, "  %-*s %-*s dtype %s\n", NAME_WIDTH, "tensor", SHAPE_WIDTH, "shape",
                        options->headers ? "axes" : "kind    mask             min        max");
            last = t->source;
        }
        if (t->tensor != NULL) {
            print_names(t, out, style.utf8);
            if (options->headers)
                fprintf(out, " %s\n", t->axes == NULL ? "-" : t->axes);
            else
                print_found(t, out, "-");
        }
        print_notes(t, out);
    }
}

static void add_tensor(as_json *json, const info_tensor *t) {
    as_json_object(json, NULL);
    as_json_string(json, "tensor", t->tensor == NULL ? NULL : t->name);
    if (t->tensor == NULL) {
        as_json_null(json, "shape");
    } else {
        as_json_array(json, "shape");
        for (size_t i = 0; i < t->tensor->rank; i++)
            as_json_integer(json, NULL, t->tensor->shape[i]);
        as_json_end(json);
    }
    as_json_string(json, "dtype", t->tensor == NULL ? NULL : as_dtype_name(t->tensor->dtype));
    as_json_string(json, "axes", t->axes);
    as_json_integer(json, "matrices", t->matrices);
    as_json_string(json, "kind", t->kind);
    as_json_string(json, "mask", t->kind == NULL ? NULL : t->mask);
    if (t->looked && (t->status == AS_OK || t->nonfinite > 0))
        as_json_bool(json, "finite", t->nonfinite == 0);
    else
        as_json_null(json, "finite");
    if (t->looked) {
        as_json_integer(json, "nonfinite_matrices", t->nonfinite);
        as_json_integer(json, "masked_rows", t->masked_rows);
    } else {
        as_json_null(json, "nonfinite_matrices");
        as_json_null(json, "masked_rows");
    }
    if (t->looked) {
        as_json_integer(json, "padding_left", t->padding_left);
        as_json_integer(json, "padding_right", t->padding_right);
    } else {
        as_json_null(json, "padding_left");
        as_json_null(json, "padding_right");
    }
    as_json_number(json, "row_sum_deviation", t->row_sum_deviation);
    as_json_number(json, "min", t->low);
    as_json_number(json, "max", t->high);
    as_json_string(json, "status", as_status_name(t->status));
    as_json_string(json, "reason", t->reason);
    as_json_end(json);
}

static void add_metadata(as_json *json, const as_dump *dump) {
    if (dump == NULL) {
        as_json_null(json, "metadata");
        return;
    }
    as_json_object(json, "metadata");
    for (size_t i = 0; i < as_dump_note_count(dump); i++) {
        as_dump_note note = as_dump_note_at(dump, i);
        as_json_string(json, note.name, note.text);
    }
    as_json_end(json);
}

as_status info_print_json(const info_tensor *tensors, size_t count, FILE *out) {
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_string(json, "schema", "attnspec-info");
    as_json_integer(json, "schema_version", SCHEMA_VERSION);
    as_json_array(json, "files");
    for (size_t i = 0; i < count;) {
        const char *source = tensors[i].source;
        as_json_object(json, NULL);
        as_json_string(json, "source", source);
        const as_dump *dump = tensors[i].dump;
        as_json_string(json, "format", dump == NULL ? NULL : as_dump_format(dump));
        add_metadata(json, dump);
        as_json_array(json, "tensors");
        for (; i < count && strcmp(tensors[i].source, source) == 0; i++)
            add_tensor(json, &tensors[i]);
        as_json_end(json);
        as_json_end(json);
    }
    as_json_end(json);
    as_json_end(json);
    const char *text = as_json_take(json);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    as_json_free(json);
    return text == NULL ? AS_ENOMEM : AS_OK;
}

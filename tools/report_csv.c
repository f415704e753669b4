/* report_csv: RFC 4180, tidy: a matrix a row, or with values a number of a spectrum a row.
 * It refuses to write a number that does not exist: the field is empty. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "report_csv.h"
#include "report_heads.h"

void csv_field(FILE *out, const char *text) {
    if (text == NULL)
        return;
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, double value) {
    char text[NUMBER_TEXT];
    if (isfinite(value))
        fputs(number_exact(value, text), out);
}

static void id_heads(FILE *out) {
    fputs(
        "source,tensor,layer,batch,head,scheme,content,seed,rows,cols,dtype,kind,mask,padding_left,"
        "padding_right,masked_as,masked_entries,masked_rows,row_sum_deviation,row_sum_min,"
        "row_sum_max,scale,softcap,bias,center,route,driver,status,reason",
        out);
}

static void ids(FILE *out, const as_row *row) {
    csv_field(out, row->source);
    fputc(',', out);
    csv_field(out, row->tensor);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->layer, row->batch, row->head);
    csv_field(out, row->scheme);
    fputc(',', out);
    csv_field(out, row->content);
    fputc(',', out);
    if (row->has_seed)
        fprintf(out, "%" PRIu64, row->seed);
    if (row->rows > 0)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, row->rows, row->cols);
    else
        fputs(",,", out);
    const char *const texts[] = {row->dtype, row->kind, row->mask};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputc(',', out);
        csv_field(out, texts[i]);
    }
    if (row->status == AS_OK)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", row->padding_left, row->padding_right);
    else
        fputs(",,,", out);
    csv_field(out, row->masked_as);
    if (row->status == AS_OK)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", row->masked_count, row->masked_rows);
    else
        fputs(",,,", out);
    const double numbers[] = {row->row_sum_deviation, row->row_sum_min, row->row_sum_max,
                              row->scale, row->softcap};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        csv_number(out, numbers[i]);
        fputc(',', out);
    }
    csv_field(out, row->bias);
    const char *const words[] = {row->center, row->route, row->driver};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        fputc(',', out);
        csv_field(out, words[i]);
    }
    fprintf(out, ",%s,", as_status_name(row->status));
    csv_field(out, row->reason);
}

static void null_or(FILE *out, double value, uint8_t reason) {
    fputc(',', out);
    if (reason == AS_REASON_NONE)
        csv_number(out, value);
}

static void metrics(FILE *out, const as_row *row) {
    for (size_t m = 0; m < AS_METRIC_COUNT; m++)
        null_or(out, row->metrics.value[m], row->metrics.reason[m]);
}

static void contraction_heads(FILE *out) {
    fputs(",contraction_baseline", out);
    for (size_t r = 0; r < AS_RATIO_COUNT; r++)
        fprintf(out, ",contraction_%s", as_ratio_key((as_ratio)r));
    fputs(",contraction_guarantee", out);
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++)
        for (size_t n = 0; n < AS_NORM_COUNT; n++)
            fprintf(out, ",contraction_alignment_%s_%s", as_alignment_key((as_alignment)i),
                    as_norm_key((as_norm)n));
}

/* The guarantee is that of the spectral norm. */
static void contraction(FILE *out, const as_row *row) {
    const as_contraction *c = &row->contraction;
    fputc(',', out);
    csv_field(out, row->baseline);
    for (size_t r = 0; r < AS_RATIO_COUNT; r++)
        null_or(out, c->value[r], c->reason[r]);
    fputc(',', out);
    if (c->none == AS_REASON_NONE)
        fputs(as_guarantee_name((as_guarantee)c->guarantee[AS_RATIO_spectral_norm]), out);
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++)
        for (size_t n = 0; n < AS_NORM_COUNT; n++)
            null_or(out, c->alignment[i][n], c->alignment_reason[i][n]);
}

static void values(FILE *out, const as_row *row) {
    const struct {
        const char *name;
        const double *numbers;
        size_t count;
    } spectra[] = {
        {"singular_values", row->sigma, row->sigma_count},
        {"baseline_singular_values", row->baseline_sigma, row->baseline_count},
        {"symmetric_eigenvalues", row->symmetric, row->symmetric_count},
        {"eig_re", row->eig_re, row->eigen_count},
        {"eig_im", row->eig_im, row->eigen_count},
    };
    size_t written = 0;
    for (size_t s = 0; s < sizeof spectra / sizeof spectra[0]; s++)
        for (size_t i = 0; i < spectra[s].count; i++, written++) {
            ids(out, row);
            fprintf(out, ",%s,%zu,", spectra[s].name, i);
            csv_number(out, spectra[s].numbers[i]);
            fputs("\r\n", out);
        }
    /* A matrix without a spectrum keeps a row, so that its status is seen. */
    if (written == 0) {
        ids(out, row);
        fputs(",,,\r\n", out);
    }
}

as_status report_csv(const report_rows *rows, FILE *out, bool with_values) {
    id_heads(out);
    if (with_values) {
        fputs(",spectrum,index,value", out);
    } else {
        for (size_t m = 0; m < AS_METRIC_COUNT; m++)
            fprintf(out, ",%s", as_metric_key((as_metric)m));
        contraction_heads(out);
        fputs(",roles", out);
    }
    fputs("\r\n", out);
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        if (with_values) {
            values(out, &row);
            continue;
        }
        ids(out, &row);
        metrics(out, &row);
        contraction(out, &row);
        fputc(',', out);
        heads_print_roles(&row, out);
        fputs("\r\n", out);
    }
    return AS_OK;
}

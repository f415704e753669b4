/* report_csv: RFC 4180, tidy: a matrix a row, or with values a singular value a row.
 * It refuses to write a number that does not exist: the field is empty. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "report.h"

static void field(FILE *out, const char *text) {
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

static void number(FILE *out, double value) {
    char text[NUMBER_TEXT];
    if (isfinite(value))
        fputs(number_exact(value, text), out);
}

static void id_heads(FILE *out) {
    fputs("source,tensor,layer,batch,head,scheme,content,seed,rows,cols,dtype,kind,mask,masked_as,"
          "masked_entries,masked_rows,row_sum_deviation,scale,route,driver,status,reason",
          out);
}

static void ids(FILE *out, const as_row *row) {
    field(out, row->source);
    fputc(',', out);
    field(out, row->tensor);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->layer, row->batch, row->head);
    field(out, row->scheme);
    fputc(',', out);
    field(out, row->content);
    fputc(',', out);
    if (row->has_seed)
        fprintf(out, "%" PRIu64, row->seed);
    if (row->rows > 0)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, row->rows, row->cols);
    else
        fputs(",,", out);
    const char *const texts[] = {row->dtype, row->kind, row->mask, row->masked_as};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputc(',', out);
        field(out, texts[i]);
    }
    if (row->status == AS_OK)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", row->masked_count, row->masked_rows);
    else
        fputs(",,,", out);
    number(out, row->row_sum_deviation);
    fputc(',', out);
    number(out, row->scale);
    fputc(',', out);
    field(out, row->route);
    fputc(',', out);
    field(out, row->driver);
    fprintf(out, ",%s,", as_status_name(row->status));
    field(out, row->reason);
}

static void metrics(FILE *out, const as_row *row) {
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        fputc(',', out);
        if (row->metrics.reason[m] == AS_REASON_NONE)
            number(out, row->metrics.value[m]);
    }
}

static void values(FILE *out, const as_row *row) {
    for (size_t i = 0; i < row->sigma_count; i++) {
        ids(out, row);
        fprintf(out, ",singular_values,%zu,", i);
        number(out, row->sigma[i]);
        fputs("\r\n", out);
    }
    /* A matrix without a spectrum keeps a row, so that its status is seen. */
    if (row->sigma_count == 0) {
        ids(out, row);
        fputs(",,,\r\n", out);
    }
}

as_status report_csv(as_result *result, FILE *out, bool with_values) {
    id_heads(out);
    if (with_values)
        fputs(",spectrum,index,value", out);
    else
        for (size_t m = 0; m < AS_METRIC_COUNT; m++)
            fprintf(out, ",%s", as_metric_key((as_metric)m));
    fputs("\r\n", out);
    for (size_t i = 0; i < as_result_count(result); i++) {
        as_row row;
        as_status status = as_result_row(result, i, &row);
        if (status != AS_OK)
            return status;
        if (with_values) {
            values(out, &row);
            continue;
        }
        ids(out, &row);
        metrics(out, &row);
        fputs("\r\n", out);
    }
    return AS_OK;
}

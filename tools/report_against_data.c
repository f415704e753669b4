/* report_against_data: two results compared, for programs: tidy CSV and JSON.
 * It refuses NaN and infinity: an empty field, null. */
#include <inttypes.h>
#include <math.h>

#include "report_against.h"
#include "report_csv.h"
#include "report_json.h"

/* ---- CSV -------------------------------------------------------------------------------------- */

/* Of a matrix that one side alone has, the other row is NULL. */
static void csv_ids(const as_row *a, const as_row *b, FILE *out) {
    const as_row *any = a != NULL ? a : b;
    const as_row *const sides[] = {a, b};
    csv_field(out, any->tensor);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, any->layer, any->batch, any->head);
    for (size_t i = 0; i < 2; i++) {
        const as_row *row = sides[i];
        fputc(',', out);
        csv_field(out, row == NULL ? NULL : row->source);
        fputc(',', out);
        csv_field(out, row == NULL ? NULL : row->scheme);
        fputc(',', out);
        csv_field(out, row == NULL ? NULL : row->content);
        fputc(',', out);
        if (row != NULL && row->has_seed)
            fprintf(out, "%" PRIu64, row->seed);
        fputc(',', out);
        csv_field(out, row == NULL ? NULL : as_status_name(row->status));
    }
    fprintf(out, ",%s", a == NULL ? "b" : b == NULL ? "a" : "both");
}

static void csv_line(const as_row *a, const as_row *b, const char *metric,
                     const against_number *number, FILE *out) {
    const double fields[] = {number->a, number->b, number->difference, number->ratio};
    csv_ids(a, b, out);
    fprintf(out, ",%s", metric);
    for (size_t i = 0; i < 4; i++) {
        fputc(',', out);
        csv_number(out, fields[i]);
    }
    fputs("\r\n", out);
}

static void csv_matrix(const as_row *a, const as_row *b, bool spectrum, FILE *out) {
    against_values values = against_compare(a, b);
    size_t written = 0;
    for (size_t m = 0; m < REPORT_MAIN; m++)
        if (!isnan(values.of[m].a) || !isnan(values.of[m].b)) {
            csv_line(a, b, report_mains[m].key, &values.of[m], out);
            written++;
        }
    if (spectrum && !isnan(values.spectrum)) {
        against_number number = {NAN, NAN, values.spectrum, NAN};
        csv_line(a, b, "spectrum_difference", &number, out);
        written++;
    }
    /* A matrix without numbers keeps a row, so that its status is seen. */
    if (written == 0) {
        against_number number = {NAN, NAN, NAN, NAN};
        csv_line(a, b, "", &number, out);
    }
}

as_status report_against_csv(const report_against *against, FILE *out, bool values) {
    as_row a, b;
    as_status status = AS_OK;
    fputs("tensor,layer,batch,head,source_a,scheme_a,content_a,seed_a,status_a,source_b,scheme_b,"
          "content_b,seed_b,status_b,in,metric,a,b,difference,ratio\r\n",
          out);
    for (size_t i = 0; i < against->shown && status == AS_OK; i++)
        if ((status = against_rows(against, i, &a, &b)) == AS_OK)
            csv_matrix(&a, &b, values, out);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < against->only[side] && status == AS_OK; i++) {
            status = report_row(against->rows[side], against->only_in[side][i], &a);
            if (status == AS_OK)
                csv_matrix(side == 0 ? &a : NULL, side == 0 ? NULL : &a, false, out);
        }
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_place(as_json *json, const as_row *row) {
    as_json_string(json, "tensor", row->tensor);
    as_json_integer(json, "layer", row->layer);
    as_json_integer(json, "batch", row->batch);
    as_json_integer(json, "head", row->head);
}

static void json_origin(as_json *json, const as_row *row) {
    as_json_string(json, "source", row->source);
    as_json_string(json, "scheme", row->scheme);
    as_json_string(json, "content", row->content);
    if (row->has_seed)
        as_json_integer(json, "seed", row->seed);
    else
        as_json_null(json, "seed");
    as_json_string(json, "status", as_status_name(row->status));
}

static void json_pair(as_json *json, const as_row *a, const as_row *b, bool spectrum) {
    against_values values = against_compare(a, b);
    as_json_object(json, NULL);
    json_place(json, a);
    as_json_object(json, "a");
    json_origin(json, a);
    as_json_end(json);
    as_json_object(json, "b");
    json_origin(json, b);
    as_json_end(json);
    as_json_object(json, "metrics");
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        as_json_object(json, report_mains[m].key);
        as_json_number(json, "a", values.of[m].a);
        as_json_number(json, "b", values.of[m].b);
        as_json_number(json, "difference", values.of[m].difference);
        as_json_number(json, "ratio", values.of[m].ratio);
        as_json_end(json);
    }
    as_json_end(json);
    if (spectrum)
        as_json_number(json, "spectrum_difference", values.spectrum);
    as_json_end(json);
}

static as_status json_only(as_json *json, const report_against *against, size_t side) {
    as_json_array(json, side == 0 ? "only_in_a" : "only_in_b");
    for (size_t i = 0; i < against->only[side]; i++) {
        as_row row;
        as_status status = report_row(against->rows[side], against->only_in[side][i], &row);
        if (status != AS_OK)
            return status;
        as_json_object(json, NULL);
        json_place(json, &row);
        json_origin(json, &row);
        as_json_end(json);
    }
    as_json_end(json);
    return AS_OK;
}

/* Means of every main number over the pairs of a layer, or over all. */
static void json_means(as_json *json, const against_layer *layer) {
    as_json_integer(json, "matched", layer->matched);
    as_json_object(json, "metrics");
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        const against_mean *mean = &layer->of[m];
        bool any = mean->count > 0, ratios = mean->ratios > 0;
        as_json_object(json, report_mains[m].key);
        as_json_integer(json, "count", mean->count);
        as_json_number(json, "mean_a", any ? mean->a : (double)NAN);
        as_json_number(json, "mean_b", any ? mean->b : (double)NAN);
        as_json_number(json, "ratio_of_means", any ? mean->b / mean->a : (double)NAN);
        as_json_integer(json, "ratios", mean->ratios);
        as_json_number(json, "mean_ratio", ratios ? mean->ratio : (double)NAN);
        as_json_number(json, "min_ratio", ratios ? mean->low : (double)NAN);
        as_json_number(json, "max_ratio", ratios ? mean->high : (double)NAN);
        as_json_end(json);
    }
    as_json_end(json);
}

static as_status json_changes(as_json *json, const report_against *against,
                              const against_summary *s) {
    as_json_object(json, "largest_changes");
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        as_row a, b;
        if (s->all.of[m].ratios == 0) {
            as_json_null(json, report_mains[m].key);
            continue;
        }
        as_status status = against_rows(against, s->all.of[m].largest_pair, &a, &b);
        if (status != AS_OK)
            return status;
        against_values values = against_compare(&a, &b);
        as_json_object(json, report_mains[m].key);
        as_json_string(json, "source", a.source);
        json_place(json, &a);
        as_json_number(json, "a", values.of[m].a);
        as_json_number(json, "b", values.of[m].b);
        as_json_number(json, "ratio", values.of[m].ratio);
        as_json_end(json);
    }
    as_json_end(json);
    return AS_OK;
}

/* Members of "against" before the pairs. */
static as_status json_front(as_json *json, const report_against *against,
                            const against_summary *s) {
    static const char *const sides[] = {"a", "b"};
    as_status status;
    for (size_t i = 0; i < 2; i++)
        as_json_string(json, sides[i], against->path[i]);
    status = json_provenance(json, "b_provenance", against->rows[1]->result);
    as_json_integer(json, "matched", against->pairs);
    as_json_integer(json, "shown", against->shown);
    for (size_t side = 0; side < 2 && status == AS_OK; side++)
        status = json_only(json, against, side);
    as_json_object(json, "summary");
    json_means(json, &s->all);
    as_json_end(json);
    as_json_array(json, "layers");
    for (size_t i = 0; i < s->layers; i++) {
        as_json_object(json, NULL);
        as_json_integer(json, "layer", s->layer[i].layer);
        json_means(json, &s->layer[i]);
        as_json_end(json);
    }
    as_json_end(json);
    return status == AS_OK ? json_changes(json, against, s) : status;
}

as_status report_against_json(const report_against *against, FILE *out, bool values) {
    against_summary s;
    as_status status = against_summarise(against, &s);
    if (status != AS_OK)
        return status;
    as_json *json = as_json_new();
    status = json_head(json, against->rows[0]);
    as_json_object(json, "against");
    if (status == AS_OK)
        status = json_front(json, against, &s);
    as_json_array(json, "pairs");
    for (size_t i = 0; i < against->shown && status == AS_OK; i++) {
        as_row a, b;
        if ((status = against_rows(against, i, &a, &b)) == AS_OK) {
            json_pair(json, &a, &b, values);
            status = json_pour(json, out);
        }
    }
    as_json_end(json);
    as_json_end(json);
    as_json_end(json);
    if (status == AS_OK)
        status = json_pour(json, out);
    as_json_free(json);
    against_summary_free(&s);
    return status;
}

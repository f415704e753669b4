/* report_contraction: the part of the summary that compares coupled with content logits.
 * It refuses to take the mean of ratios, and of models or schemes that differ. */
#include "report_contraction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "report_summary.h"
#include "text.h"

/* ---- gathering -------------------------------------------------------------------------------- */

/* Rows of a section mostly follow each other: the last one is looked at first. */
static contraction_section *find_section(contraction_tally *tally, const as_row *row) {
    char source[CONTRACTION_NAME], scheme[CONTRACTION_NAME], content[CONTRACTION_NAME];
    text_clean(source, sizeof source, row->source);
    text_clean(scheme, sizeof scheme, row->scheme);
    text_clean(content, sizeof content, row->content);
    for (size_t i = tally->used; i-- > 0;) {
        contraction_section *s = &tally->section[i];
        if (strcmp(s->scheme, scheme) == 0 && strcmp(s->source, source) == 0 &&
            strcmp(s->content, content) == 0)
            return s;
    }
    if (tally->used == CONTRACTION_SECTIONS) {
        tally->others++;
        return NULL;
    }
    contraction_section *s = &tally->section[tally->used++];
    memcpy(s->source, source, sizeof source);
    memcpy(s->scheme, scheme, sizeof scheme);
    memcpy(s->content, content, sizeof content);
    text_clean(s->baseline, sizeof s->baseline, row->baseline);
    s->seed = row->seed;
    s->cols = row->cols;
    return s;
}

static void add_mean(double *mean, size_t *count, double value) {
    *mean += (value - *mean) / (double)++*count;
}

static void add_layer(contraction_section *s, const as_row *row, double rounding) {
    size_t at = s->layers;
    while (at > 0 && s->layer[at - 1].layer != row->layer)
        at--;
    if (at == 0 && s->layers == CONTRACTION_LAYERS) {
        s->unlisted++;
        return;
    }
    layer_mean *mean = at > 0 ? &s->layer[at - 1] : &s->layer[s->layers++];
    size_t heads = mean->heads;
    mean->layer = row->layer;
    mean->rounding = fmax(mean->rounding, rounding);
    add_mean(&mean->coupled, &heads, row->sigma[0]);
    add_mean(&mean->content, &mean->heads, row->baseline_sigma[0]);
}

/* Whether a norm did not grow, but for its rounding. Of the majorisation the number is the answer. */
static bool contracts(as_ratio ratio, double value, double rounding) {
    return ratio == AS_RATIO_weakly_majorised ? value != 0 : value <= 1 + 10 * rounding;
}

static void add_ratio(ratio_tally *tally, as_ratio ratio, const as_contraction *c,
                      double rounding) {
    double value = c->value[ratio];
    if (c->reason[ratio] != AS_REASON_NONE) {
        tally->undefined[c->reason[ratio]]++;
        return;
    }
    bool contracted = contracts(ratio, value, rounding);
    bool guaranteed = c->guarantee[ratio] == AS_GUARANTEED;
    tally->low = tally->defined == 0 ? value : fmin(tally->low, value);
    tally->high = tally->defined == 0 ? value : fmax(tally->high, value);
    tally->defined++;
    tally->contracted += contracted ? 1 : 0;
    tally->equal += fabs(value - 1) <= 10 * rounding ? 1 : 0;
    tally->guaranteed += guaranteed ? 1 : 0;
    tally->both += guaranteed && contracted ? 1 : 0;
}

void contraction_add(contraction_tally *tally, const as_row *row) {
    if (row->baseline == NULL || row->status != AS_OK)
        return;
    contraction_section *s = find_section(tally, row);
    if (s == NULL)
        return;
    const as_contraction *c = &row->contraction;
    double rounding = (double)(row->rows > row->cols ? row->rows : row->cols) * DBL_EPSILON;
    s->several = s->several || row->batch > 0 || row->seed != s->seed || row->cols != s->cols;
    if (c->none != AS_REASON_NONE) {
        s->none[c->none]++;
        return;
    }
    for (size_t r = 0; r < AS_RATIO_COUNT; r++)
        add_ratio(&s->ratio[r], (as_ratio)r, c, rounding);
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++)
        if (c->alignment_reason[i][AS_NORM_SPECTRAL] == AS_REASON_NONE)
            add_mean(&s->alignment[i], &s->aligned[i], c->alignment[i][AS_NORM_SPECTRAL]);
    if (row->sigma_count > 0 && row->baseline_count > 0)
        add_layer(s, row, rounding);
}

/* ---- saying ----------------------------------------------------------------------------------- */

static const char *against(const contraction_section *s) {
    return strcmp(s->baseline, "content") == 0 ? "content" : "baseline";
}

static const char *things(const contraction_section *s, size_t count) {
    return s->several ? (count == 1 ? "matrix" : "matrices") : (count == 1 ? "head" : "heads");
}

/* "observed, not guaranteed", "guaranteed", or how many of those that contracted were which. */
static void add_guarantee(const ratio_tally *tally, char *text, size_t size) {
    if (tally->guaranteed == 0)
        snprintf(text, size, " (observed, not guaranteed)");
    else if (tally->guaranteed == tally->defined)
        snprintf(text, size, " (guaranteed)");
    else
        snprintf(text, size, " (guaranteed in %zu, observed in %zu)", tally->both,
                 tally->contracted - tally->both);
}

/* "; undefined in 2 (undefined baseline)" */
static void add_undefined(const size_t counts[AS_REASON_COUNT], const char *sign, char *text,
                          size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 1; i < AS_REASON_COUNT && used < size; i++)
        if (counts[i] > 0) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s undefined in %zu (%s)",
                                 used == 0 ? sign : ",", counts[i], as_reason_name((as_reason)i));
        }
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
}

/* A number that nobody asked for is no news. */
static bool newsworthy(const ratio_tally *tally) {
    size_t others = tally->defined;
    for (size_t i = 1; i < AS_REASON_COUNT; i++)
        others +=
            i == AS_REASON_NOT_REQUESTED || i == AS_REASON_NOT_SQUARE ? 0 : tally->undefined[i];
    return others > 0;
}

static void print_ratio(const contraction_section *s, as_ratio ratio, const char *name, FILE *out,
                        report_style style) {
    const ratio_tally *tally = &s->ratio[ratio];
    char text[1024], guarantee[96], undefined[256], low[NUMBER_TEXT], high[NUMBER_TEXT];
    if (!newsworthy(tally))
        return;
    add_guarantee(tally, guarantee, sizeof guarantee);
    add_undefined(tally->undefined, tally->defined > 0 ? ";" : "", undefined, sizeof undefined);
    const char *word = things(s, tally->defined);
    if (tally->defined == 0)
        snprintf(text, sizeof text, "%s: coupled/%s%s.", name, against(s), undefined);
    else if (ratio == AS_RATIO_weakly_majorised)
        snprintf(text, sizeof text, "No Ky Fan norm grew in %zu of %zu %s%s%s.", tally->contracted,
                 tally->defined, word, guarantee, undefined);
    else if (tally->equal == tally->defined)
        snprintf(text, sizeof text, "%s: coupled/%s is 1 in %zu of %zu %s%s%s.", name, against(s),
                 tally->equal, tally->defined, word, guarantee, undefined);
    else
        snprintf(text, sizeof text,
                 "%s: coupled/%s from %s to %s; contracted in %zu of %zu %s%s%s.", name, against(s),
                 number_short(tally->low, 9, low), number_short(tally->high, 9, high),
                 tally->contracted, tally->defined, word, guarantee, undefined);
    summary_say(out, style, 2, text);
}

static void print_alignment(const contraction_section *s, FILE *out, report_style style) {
    static const char *const names[] = {"coupled", "content", "complex sum"};
    char text[512], number[NUMBER_TEXT];
    size_t used = 0;
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++)
        if (s->aligned[i] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %s",
                                     used == 0 ? "Mean alignment of the rotated pairs (norm of "
                                                 "their sum over the sum of their norms):"
                                               : ",",
                                     names[i], number_short(s->alignment[i], 9, number));
    if (used > 0) {
        snprintf(text + used, sizeof text - used, ".");
        summary_say(out, style, 2, text);
    }
}

/* Where a layer has one head, the table has said it all. */
static void print_layers(const contraction_section *s, FILE *out, report_style style) {
    bool many = false;
    for (size_t i = 0; i < s->layers; i++)
        many = many || s->layer[i].heads > 1;
    for (size_t i = 0; i < s->layers && many; i++) {
        const layer_mean *mean = &s->layer[i];
        char coupled[NUMBER_TEXT], content[NUMBER_TEXT], ratio[NUMBER_TEXT] = "undefined";
        char text[256];
        if (mean->content > mean->rounding * mean->coupled)
            number_short(mean->coupled / mean->content, 9, ratio);
        snprintf(text, sizeof text, "layer %llu: mean spectral norm %s coupled, %s %s, ratio %s.",
                 (unsigned long long)mean->layer, number_short(mean->coupled, 9, coupled),
                 number_short(mean->content, 9, content), against(s), ratio);
        summary_say(out, style, 2, text);
    }
    if (s->unlisted > 0) {
        char text[96];
        snprintf(text, sizeof text, "%zu %s of further layers are in the table alone.", s->unlisted,
                 things(s, s->unlisted));
        summary_say(out, style, 2, text);
    }
}

static void print_head(const contraction_section *s, FILE *out, report_style style,
                       bool with_source) {
    char text[3 * CONTRACTION_NAME + 96];
    snprintf(text, sizeof text, "Contraction%s%s%s%s%s%s:", s->scheme[0] != '\0' ? " by " : "",
             s->scheme, s->content[0] != '\0' ? ", content " : "", s->content,
             with_source ? ", in " : "", with_source ? s->source : "");
    summary_say(out, style, 1, text);
}

void contraction_print(const contraction_tally *tally, FILE *out, report_style style,
                       bool with_source) {
    static const struct {
        as_ratio ratio;
        const char *name;
    } ratios[] = {
        {AS_RATIO_spectral_norm, "Spectral norm"},
        {AS_RATIO_frobenius_norm, "Frobenius norm"},
        {AS_RATIO_nuclear_norm, "Nuclear norm"},
        {AS_RATIO_weakly_majorised, "Ky Fan norms"},
        {AS_RATIO_spread, "Spread of the symmetric part"},
    };
    char text[320];
    for (size_t i = 0; i < tally->used; i++) {
        const contraction_section *s = &tally->section[i];
        print_head(s, out, style, with_source);
        add_undefined(s->none, "Coupled over content:", text, sizeof text);
        if (text[0] != '\0') {
            snprintf(text + strlen(text), sizeof text - strlen(text), ".");
            summary_say(out, style, 2, text);
        }
        for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++)
            print_ratio(s, ratios[r].ratio, ratios[r].name, out, style);
        print_alignment(s, out, style);
        print_layers(s, out, style);
    }
    if (tally->others > 0) {
        snprintf(text, sizeof text,
                 "%zu matrices of further schemes or contents are in the tables alone.",
                 tally->others);
        summary_say(out, style, 1, text);
    }
}

/* RoPE's frequencies for contexts longer than the trained one, with Hugging Face's names
 * (modeling_rope_utils.py). It refuses parameters that the chosen scaling does not read. */
#include "scheme/scaling.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

#define TWO_PI 6.283185307179586

/* What a scaling is asked for. */
typedef struct request {
    const as_scheme *scheme;
    const as_head *head;
    double base, factor, length; /* length: of the context that the model was trained on */
    size_t dims;                 /* rotated */
} request;

typedef struct scaling {
    const char *name;
    const char *reads; /* "a|b": the parameters that are its own */
    const char *needs; /* those of them that have no default */
    as_status (*apply)(const request *r, as_rotation *out);
    double factor, length; /* defaults, NaN: none */
} scaling;

static double value(const request *r, const char *key) {
    return as_scheme_value(r->scheme, key);
}

static as_status none(const request *r, as_rotation *out) {
    as_rotary_frequencies(r->base, r->dims, out->theta);
    return AS_OK;
}

/* (P13) linear: θ_f/s */
static as_status linear(const request *r, as_rotation *out) {
    as_rotary_frequencies(r->base, r->dims, out->theta);
    for (size_t f = 0; f < r->dims / 2; f++) {
        out->theta[f] /= r->factor;
    }
    return AS_OK;
}

/* b' = b·x^(r/(r−2)); a single pair turns by 1 whatever the base. */
static void rebase(const request *r, double x, double *theta) {
    double dims = (double)r->dims;
    as_rotary_frequencies(dims > 2 ? r->base * pow(x, dims / (dims - 2)) : r->base, r->dims, theta);
}

/* (P13) ntk */
static as_status ntk(const request *r, as_rotation *out) {
    rebase(r, r->factor, out->theta);
    return AS_OK;
}

/* (P13) dynamic */
static as_status dynamic(const request *r, as_rotation *out) {
    double n = fmax((double)r->head->cols, r->length);
    rebase(r, r->factor * n / r->length - (r->factor - 1), out->theta);
    return AS_OK;
}

double as_scaling_magnitude(double factor, double mscale) {
    return factor <= 1 ? 1 : 0.1 * mscale * log(factor) + 1;
}

static double yarn_gain(const request *r) {
    double given = value(r, "attention_factor"), mscale = value(r, "mscale"),
           all = value(r, "mscale_all_dim");
    if (!isnan(given)) {
        return given;
    }
    if (mscale > 0 && all > 0) { /* 0 counts as not given, as there */
        return as_scaling_magnitude(r->factor, mscale) / as_scaling_magnitude(r->factor, all);
    }
    return as_scaling_magnitude(r->factor, 1);
}

/* The pair, as a real number, that turns `rotations` times within the trained context. */
static double pair_of(const request *r, double rotations) {
    return (double)r->dims * log(r->length / (rotations * TWO_PI)) / (2 * log(r->base));
}

/* (P14) */
static as_status yarn(const request *r, as_rotation *out) {
    double low = pair_of(r, value(r, "beta_fast")), high = pair_of(r, value(r, "beta_slow"));
    if (value(r, "truncate") != 1) { /* true, or the scheme has no such parameter */
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, (double)r->dims - 1);
    high += low == high ? 0.001 : 0;
    as_rotary_frequencies(r->base, r->dims, out->theta);
    for (size_t f = 0; f < r->dims / 2; f++) {
        double ramp = fmin(fmax(((double)f - low) / (high - low), 0), 1);
        out->theta[f] *= ramp / r->factor + (1 - ramp);
    }
    out->gain = yarn_gain(r);
    return AS_OK;
}

/* (P15) */
static as_status llama3(const request *r, as_rotation *out) {
    double l = value(r, "low_freq_factor"), h = value(r, "high_freq_factor");
    as_rotary_frequencies(r->base, r->dims, out->theta);
    for (size_t f = 0; f < r->dims / 2; f++) {
        double length = TWO_PI / out->theta[f];
        if (length < r->length / h) {
            continue;
        }
        double smooth = length > r->length / l ? 0 : (r->length / length - l) / (h - l);
        out->theta[f] *= (1 - smooth) / r->factor + smooth;
    }
    return AS_OK;
}

/* Number `index` of "a,b,c"; false where it is no positive number. */
static bool list_number(const char *list, size_t index, double *out) {
    char *end;
    for (; index > 0; index--) {
        list += strcspn(list, ",");
        list += *list == ',';
    }
    *out = strtod(list, &end);
    return end != list && strchr(",", *end) != NULL && isfinite(*out) && *out > 0;
}

static size_t list_count(const char *list) {
    size_t count = 1;
    for (; *list != '\0'; list++) {
        count += *list == ',';
    }
    return count;
}

/* λ of (P16): the numbers of one key, of the string or of a file. factors [dims/2], NULL: not asked. */
static as_status longrope_factors(const request *r, const char *key, double *factors) {
    const char *list = as_scheme_word(r->scheme, key);
    as_parameters table = {0};
    bool in_file = *list == '\0';
    as_status status = in_file ? as_scheme_table(r->scheme, r->head, key, 1, &table) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    size_t count = in_file ? table.shape[0] : list_count(list);
    if (count != r->dims / 2) {
        return as_fail(AS_EINVAL, "%s has %zu numbers, but %zu pairs of dimensions turn", key,
                       count, r->dims / 2);
    }
    for (size_t f = 0; f < count; f++) {
        double x = 0;
        if (in_file ? !((x = table.data[f]) > 0) : !list_number(list, f, &x)) {
            return as_fail(AS_EINVAL, "number %zu of %s is not positive", f + 1, key);
        }
        if (x < DBL_MIN) {
            return as_fail(AS_EINVAL, "number %zu of %s, %g, is too small to divide by", f + 1, key,
                           x);
        }
        if (factors != NULL) {
            factors[f] = x;
        }
    }
    return AS_OK;
}

/* (P16) */
static as_status longrope(const request *r, as_rotation *out) {
    bool longer = (double)r->head->cols > r->length;
    as_status status = longrope_factors(r, longer ? "long_factor" : "short_factor", out->theta);
    double given = value(r, "attention_factor");
    for (size_t f = 0; f < r->dims / 2 && status == AS_OK; f++) {
        out->theta[f] = pow(r->base, -(double)(2 * f) / (double)r->dims) / out->theta[f];
    }
    if (status == AS_OK) {
        out->gain = !isnan(given)   ? given
                    : r->factor > 1 ? sqrt(1 + log(r->factor) / log(r->length))
                                    : 1;
    }
    return status;
}

/* (P17): the fraction leaves pairs out, not dimensions. */
static as_status proportional(const request *r, as_rotation *out) {
    linear(r, out);
    out->count = (size_t)floor(value(r, "rotary_fraction") * (double)r->dims / 2);
    return AS_OK;
}

#define LENGTH "original_max_position_embeddings|max_position_embeddings"
static const scaling scalings[] = {
    {"none", NULL, NULL, none, (double)NAN, (double)NAN},
    {"linear", "factor", "factor", linear, (double)NAN, (double)NAN},
    {"ntk", "factor", "factor", ntk, (double)NAN, (double)NAN},
    {"dynamic", "factor|" LENGTH, "factor|" LENGTH, dynamic, (double)NAN, (double)NAN},
    {"yarn",
     "factor|" LENGTH "|beta_fast|beta_slow|attention_factor|mscale|mscale_all_dim|truncate",
     "factor|" LENGTH, yarn, (double)NAN, (double)NAN},
    {"llama3", "factor|" LENGTH "|low_freq_factor|high_freq_factor", NULL, llama3, 8, 8192},
    {"longrope", "factor|" LENGTH "|attention_factor|short_factor|long_factor|factors",
     "factor|" LENGTH, longrope, (double)NAN, (double)NAN},
    {"proportional", "factor", NULL, proportional, 1, (double)NAN},
};
enum { SCALINGS = sizeof scalings / sizeof *scalings };

/* Whether "a|b" has that word. */
static bool has_word(const char *bars, const char *word, size_t length) {
    while (bars != NULL) {
        size_t next = strcspn(bars, "|");
        if (next == length && strncmp(bars, word, length) == 0) {
            return true;
        }
        bars = bars[next] == '|' ? bars + next + 1 : NULL;
    }
    return false;
}

/* "none|yarn": the scalings that the scheme has. */
static const char *scalings_of(const as_scheme *scheme) {
    const as_param *p = scheme->type->params;
    while (strcmp(p->key, "scaling") != 0) {
        p++;
    }
    return p->choices;
}

/* The row that the word of the scheme's own parameter names. */
static const scaling *chosen(const as_scheme *scheme) {
    const char *word = scalings_of(scheme);
    for (int i = (int)as_scheme_value(scheme, "scaling"); i > 0; i--) {
        word += strcspn(word, "|") + 1;
    }
    size_t row = 0;
    while (!has_word(scalings[row].name, word, strcspn(word, "|"))) {
        row++;
    }
    return &scalings[row];
}

/* Whether a parameter was written: it differs from its default. */
static bool is_given(const as_scheme *scheme, const as_param *p) {
    double x = as_scheme_value(scheme, p->key);
    switch (p->type) {
    case AS_PARAM_CHOICE:
    case AS_PARAM_TEXT:
        return x != 0; /* the default of each choice of this family is its first word */
    default:
        return strcmp(p->preset, "auto") == 0 ? !isnan(x) : x != strtod(p->preset, NULL);
    }
}

/* The factor is also the ratio of the two lengths, and the longer one alone is the trained one. */
static request request_of(const as_scheme *scheme, const as_head *head, size_t dims) {
    const scaling *s = chosen(scheme);
    double factor = as_scheme_value(scheme, "factor");
    double length = as_scheme_value(scheme, "original_max_position_embeddings");
    double longer = as_scheme_value(scheme, "max_position_embeddings");
    if (isnan(factor)) {
        factor =
            !isnan(length) && !isnan(longer) && has_word(s->needs, LENGTH, strcspn(LENGTH, "|"))
                ? fmax(longer / length, 1)
                : s->factor;
    }
    if (isnan(length)) {
        length = isnan(longer) ? s->length : longer;
    }
    return (request){.scheme = scheme,
                     .head = head,
                     .base = as_scheme_value(scheme, "base"),
                     .factor = factor,
                     .length = length,
                     .dims = dims};
}

/* "yarn or longrope": the scheme's scalings that read the parameter; false where none does. */
static bool readers(const as_scheme *scheme, const char *key, char *text, size_t size) {
    const char *own = scalings_of(scheme);
    size_t used = 0;
    for (size_t i = 0; i < SCALINGS && used < size; i++) {
        if (has_word(own, scalings[i].name, strlen(scalings[i].name)) &&
            has_word(scalings[i].reads, key, strlen(key))) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "",
                                     scalings[i].name);
        }
    }
    return used > 0;
}

static as_status check_read(const as_scheme *scheme, const scaling *s) {
    for (const as_param *p = scheme->type->params; p->key != NULL; p++) {
        char by[128];
        if (!has_word(s->reads, p->key, strlen(p->key)) && is_given(scheme, p) &&
            readers(scheme, p->key, by, sizeof by)) {
            return as_fail(AS_EINVAL, "%s is read by scaling=%s, but scaling is %s", p->key, by,
                           s->name);
        }
    }
    return AS_OK;
}

/* Every number of a list is positive. */
static as_status check_list(const as_scheme *scheme, const char *key) {
    const char *list = as_scheme_word(scheme, key);
    double x;
    for (size_t i = 0; *list != '\0' && i < list_count(list); i++) {
        if (!list_number(list, i, &x)) {
            return as_fail(AS_EINVAL,
                           "number %zu of %s is no positive number; a list is written 0.1,0.2,…",
                           i + 1, key);
        }
    }
    return AS_OK;
}

static as_status check_longrope(const as_scheme *scheme) {
    bool file = *as_scheme_word(scheme, "factors") != '\0';
    bool one = *as_scheme_word(scheme, "short_factor") != '\0',
         other = *as_scheme_word(scheme, "long_factor") != '\0';
    if (!file && !(one && other)) {
        return as_fail(AS_EINVAL,
                       "scaling=longrope needs short_factor and long_factor, or factors, "
                       "a file with both");
    }
    as_status status = check_list(scheme, "short_factor");
    return status == AS_OK ? check_list(scheme, "long_factor") : status;
}

as_status as_scaling_agree(const as_scheme *scheme) {
    const scaling *s = chosen(scheme);
    as_status status = check_read(scheme, s);
    request r = request_of(scheme, NULL, 0);
    if (status != AS_OK) {
        return status;
    }
    if (has_word(s->needs, "factor", 6) && isnan(r.factor)) {
        return as_fail(AS_EINVAL, "scaling=%s needs a factor", s->name);
    }
    if (has_word(s->needs, LENGTH, strcspn(LENGTH, "|")) && isnan(r.length)) {
        return as_fail(AS_EINVAL, "scaling=%s needs original_max_position_embeddings", s->name);
    }
    if (s->apply == yarn && !(r.base > 1)) {
        return as_fail(AS_EINVAL, "base is %g, but must be more than 1 for scaling=yarn", r.base);
    }
    if (s->apply == yarn && value(&r, "beta_fast") < value(&r, "beta_slow")) {
        return as_fail(AS_EINVAL, "beta_fast is %g, but must be at least beta_slow, %g",
                       value(&r, "beta_fast"), value(&r, "beta_slow"));
    }
    if (s->apply == llama3 && !(value(&r, "high_freq_factor") > value(&r, "low_freq_factor"))) {
        return as_fail(AS_EINVAL,
                       "high_freq_factor is %g, but must be more than low_freq_factor, %g",
                       value(&r, "high_freq_factor"), value(&r, "low_freq_factor"));
    }
    return s->apply == longrope ? check_longrope(scheme) : AS_OK;
}

as_status as_scaling_check(const as_scheme *scheme, const as_head *head, size_t dims) {
    request r = request_of(scheme, head, dims);
    if (chosen(scheme)->apply != longrope) {
        return AS_OK;
    }
    as_status status = longrope_factors(&r, "short_factor", NULL);
    return status == AS_OK ? longrope_factors(&r, "long_factor", NULL) : status;
}

as_status as_scaling_apply(const as_scheme *scheme, const as_head *head, size_t dims,
                           as_rotation *out) {
    request r = request_of(scheme, head, dims);
    return chosen(scheme)->apply(&r, out);
}

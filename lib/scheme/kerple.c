/* KERPLE: a conditionally positive definite kernel of the distance, taken off; its two numbers are a
 * head's own. Chi, Fan, Ramadge and Rudnicky 2022, arXiv 2205.09921, and their code.
 * It refuses powers above 2, which are no such kernel. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>

enum { FORM_LOG, FORM_POWER };
/* The code keeps p and a above LEAST, and p of a power at most at MOST_POWER. */
#define LEAST      0.01
#define MOST_POWER 2

static const as_param params[] = {
    {.key = "form",
     .type = AS_PARAM_CHOICE,
     .choices = "log|power",
     .preset = "log",
     .meaning = "log: -p*ln(1+a*|i-k|); power: -a*|i-k|^p"},
    {.key = "p",
     .aliases = "bias_p",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = LEAST,
     .high = 1e6,
     .meaning = "factor of the logarithm, or the power, which is at most 2; auto: the file's, or "
                "drawn for each head from (0, 2)"},
    {.key = "a",
     .aliases = "bias_a",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = LEAST,
     .high = 1e6,
     .meaning = "factor of the distance, or of its power; auto: the file's, or drawn for each head "
                "from (0, 1)"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "arrays p and a of [heads] or [layers][heads]; what is below 0.01 is taken for "
                "0.01"},
    {.key = NULL}};

typedef struct kernel {
    bool power;
    double p, a;
} kernel;

/* Given, of the file, or drawn from (0, top). */
static as_status number(const as_scheme *scheme, const as_head *head, const char *key, double top,
                        double *out) {
    as_parameters array;
    as_status status = AS_OK;
    *out = as_scheme_value(scheme, key);
    if (isnan(*out) && as_scheme_file(scheme) != NULL) {
        status = as_array_named(scheme, head, key, 0, &array);
        *out = status == AS_OK ? array.data[0] : 0;
    } else if (isnan(*out)) {
        const char *purpose = *key == 'p' ? "kerple.p" : "kerple.a";
        status = as_draw_uniform(head, purpose, head->layer, head->head, 0, top, 1, out);
    }
    *out = fmax(*out, LEAST);
    return status;
}

static as_status plan(const as_scheme *scheme, const as_head *head, kernel *out) {
    out->power = (int)as_scheme_value(scheme, "form") == FORM_POWER;
    if (out->power && as_scheme_value(scheme, "p") > MOST_POWER) {
        return as_fail(AS_EINVAL, "p is %g, but must be from %g to %d for form=power",
                       as_scheme_value(scheme, "p"), LEAST, MOST_POWER);
    }
    as_status status = number(scheme, head, "p", 2, &out->p);
    if (out->power) {
        out->p = fmin(out->p, MOST_POWER);
    }
    return status == AS_OK ? number(scheme, head, "a", 1, &out->a) : status;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    kernel unused;
    return plan(scheme, head, &unused);
}

/* (P20), (P21) */
static double of_distance(const void *context, double delta) {
    const kernel *t = context;
    double distance = fabs(delta);
    return t->power ? -t->a * pow(distance, t->p) : -t->p * log1p(t->a * distance);
}

static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    kernel found;
    as_status status = plan(scheme, head, &found);
    if (status == AS_OK) {
        as_scheme_fill(head, of_distance, &found, b);
    }
    return status;
}

const as_scheme_type as_scheme_kerple = {
    .name = "kerple",
    .summary = "a bias that falls with the logarithm or a power of the distance",
    .reference = "Chi, Fan, Ramadge and Rudnicky 2022, arXiv 2205.09921; chijames/KERPLE",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC,
    .check = check,
    .bias = bias,
    .file = "file",
};

/* A kernel of the user's own, a number a distance, added to the logits or multiplied onto them: to
 * try an idea before it is a scheme.
 * It refuses to run without a file, and distances that the file has no number for. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>

enum { MODE_ADDITIVE, MODE_HADAMARD };
enum { FORM_AUTO, FORM_BOTH, FORM_SYMMETRIC, FORM_CAUSAL };

static const as_param params[] = {
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "the numbers t: one row for all heads, or [heads] or [layers] or both before it"},
    {.key = "mode",
     .type = AS_PARAM_CHOICE,
     .choices = "additive|hadamard",
     .preset = "additive",
     .meaning = "additive: added to the scaled logits; hadamard: multiplied onto them"},
    {.key = "form",
     .type = AS_PARAM_CHOICE,
     .choices = "auto|both|symmetric|causal",
     .preset = "auto",
     .meaning = "both: an odd number of them, i-k rises, and is 0 in the middle; symmetric: of "
                "|i-k|, from 0 on; causal: of i-k, from 0 on, and 0 where k > i; auto: for n "
                "positions 2n-1 numbers are both, n are symmetric where unmasked, else causal"},
    {.key = NULL}};

typedef struct kernel {
    int form;
    const double *zero;    /* t(0), where the others stand round it */
    double least, largest; /* Δ that it has numbers for */
} kernel;

/* What 2n−1 or n numbers are; of any other count it has to be said. */
static as_status guess(const as_scheme *scheme, const as_head *head, size_t count, double n,
                       int *form) {
    if ((double)count == n) {
        *form = head->causal ? FORM_CAUSAL : FORM_SYMMETRIC;
        return AS_OK;
    }
    if ((double)count == 2 * n - 1) {
        *form = FORM_BOTH;
        return AS_OK;
    }
    return as_fail(
        AS_EINVAL,
        "%s has %zu numbers a head, neither %.0f, for both directions, nor %.0f, for one; "
        "form=both, symmetric or causal says what they are",
        as_scheme_file(scheme), count, 2 * n - 1, n);
}

/* A row or a column of text is a matrix to the one who reads it. */
static as_status numbers(const as_scheme *scheme, const as_head *head, as_parameters *out) {
    const as_parameters *only = head->table_count == 1 ? head->tables : NULL;
    if (only == NULL || only->rank != 2 || (only->shape[0] != 1 && only->shape[1] != 1)) {
        return as_scheme_table(scheme, head, "table", 1, out);
    }
    *out = (as_parameters){.name = only->name,
                           .rank = 1,
                           .shape = {only->shape[0] * only->shape[1]},
                           .data = only->data};
    return AS_OK;
}

static as_status find(const as_scheme *scheme, const as_head *head, kernel *out) {
    double least, largest;
    as_parameters array;
    if (as_scheme_file(scheme) == NULL) {
        return as_fail(AS_EINVAL, "file is missing, which holds the numbers of the kernel; write "
                                  "toeplitz:file=FILE");
    }
    as_status status = numbers(scheme, head, &array);
    if (status == AS_OK) {
        status = as_positions_whole(head);
    }
    if (status != AS_OK) {
        return status;
    }
    as_positions_span(head, &least, &largest);
    size_t count = array.shape[0];
    int form = (int)as_scheme_value(scheme, "form");
    status = form == FORM_AUTO
                 ? guess(scheme, head, count, fmax(fabs(least), fabs(largest)) + 1, &form)
                 : AS_OK;
    if (status == AS_OK && form == FORM_BOTH && count % 2 == 0) {
        status = as_fail(AS_EINVAL, "%s has %zu numbers a head, but form=both needs an odd number",
                         as_scheme_file(scheme), count);
    }
    if (status != AS_OK) {
        return status;
    }
    size_t middle = form == FORM_BOTH ? count / 2 : 0;
    double reach = (double)(count - 1 - middle);
    *out = (kernel){form, array.data + middle, form == FORM_CAUSAL ? -INFINITY : -reach, reach};
    return least >= out->least && largest <= out->largest
               ? AS_OK
               : as_fail(AS_EINVAL, "%s has %zu numbers a head, but i-k goes from %.0f to %.0f",
                         as_scheme_file(scheme), count, least, largest);
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    kernel unused;
    return find(scheme, head, &unused);
}

static double of_distance(const void *context, double delta) {
    const kernel *t = context;
    if (t->form == FORM_CAUSAL && delta < 0) {
        return 0;
    }
    return t->zero[(ptrdiff_t)(t->form == FORM_SYMMETRIC ? fabs(delta) : delta)];
}

static unsigned traits_of(const as_scheme *scheme, const as_head *head) {
    kernel t;
    if (find(scheme, head, &t) != AS_OK) {
        return AS_TRAIT_TOEPLITZ;
    }
    double least, largest;
    as_positions_span(head, &least, &largest);
    bool symmetric = true;
    for (double delta = 1; delta <= fmin(largest, -least) && symmetric; delta++) {
        symmetric = of_distance(&t, delta) == of_distance(&t, -delta);
    }
    return AS_TRAIT_TOEPLITZ | (symmetric ? AS_TRAIT_SYMMETRIC : 0U);
}

/* (P28) */
static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    kernel t;
    as_status status = find(scheme, head, &t);
    if (status != AS_OK) {
        return status;
    }
    (void)in;
    bool added = (int)as_scheme_value(scheme, "mode") == MODE_ADDITIVE;
    as_scheme_fill(head, of_distance, &t, coupled);
    for (size_t i = 0; i < head->rows * head->cols; i++) {
        coupled[i] = added ? content[i] + coupled[i] : content[i] * coupled[i];
    }
    return AS_OK;
}

static as_scheme_class class_of(const as_scheme *scheme) {
    return (int)as_scheme_value(scheme, "mode") == MODE_ADDITIVE ? AS_CLASS_ADDITIVE
                                                                 : AS_CLASS_MULTIPLICATIVE;
}

const as_scheme_type as_scheme_toeplitz = {
    .name = "toeplitz",
    .summary = "a kernel of your own from a file, added or multiplied: a number a distance",
    .reference = "none: whatever the file holds",
    .kind = AS_CLASS_ADDITIVE,
    .class_of = class_of,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ,
    .check = check,
    .traits_of = traits_of,
    .logits = logits,
    .file = "file",
};

/* RoPE: pairs of dimensions of q and k turn with their position, at frequencies that may be rescaled
 * for longer contexts. Su et al. 2021, arXiv 2104.09864.
 * It refuses an odd number of rotated dimensions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/scaling.h"
#include "scheme/type.h"

static const as_param params[] = {
    {.key = "layout",
     .type = AS_PARAM_CHOICE,
     .choices = "interleaved|half",
     .preset = "interleaved",
     .meaning = "interleaved: (2f, 2f+1) turn together; half: (f, f+r/2), as in Hugging Face"},
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "pair f turns by base^(-2f/r) a position"},
    {.key = "rotary_fraction",
     .aliases = "partial_rotary_factor|rotary_pct",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 0,
     .high = 1,
     .meaning = "the first r = floor(fraction*d) dimensions turn, the others do not; of "
                "scaling=proportional r is d, and the first floor(fraction*d/2) pairs turn"},
    {.key = "rotary_heads",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 0,
     .high = 1e6,
     .meaning = "so many heads of each layer turn, the first ones; auto: all of them"},
    {.key = "rotary_layers",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "the layers that turn, such as 0,2-4, from 0; not given: all of them"},
    {.key = "scaling",
     .aliases = "rope_type|type",
     .type = AS_PARAM_CHOICE,
     .choices = AS_SCALINGS,
     .preset = "none",
     .meaning = "what becomes of the frequencies for contexts longer than the trained one"},
    {.key = "factor",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = 1,
     .high = 1e9,
     .meaning = "s; auto: 8 of llama3, 1 of proportional, max_position_embeddings / "
                "original_max_position_embeddings where both are given"},
    {.key = "original_max_position_embeddings",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 2,
     .high = 1e9,
     .meaning = "L, the context that was trained; auto: max_position_embeddings, of llama3 8192"},
    {.key = "max_position_embeddings",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 2,
     .high = 1e9,
     .meaning = "stands for the original one where that is not given"},
    AS_YARN_RAMP_PARAMS,
    {.key = "attention_factor",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = 1e-6,
     .high = 1e6,
     .meaning = "of yarn and longrope: m, on cos and sin, so that the rotated part of the logits "
                "grows by m^2; auto: the paper's"},
    {.key = "mscale",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = 0,
     .high = 1e6,
     .meaning = "of yarn: m = g(mscale)/g(mscale_all_dim), g(x) = 0.1*x*ln(s) + 1, if both are "
                "given and neither is 0"},
    {.key = "mscale_all_dim",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = 0,
     .high = 1e6,
     .meaning = "see mscale"},
    {.key = "truncate",
     .type = AS_PARAM_CHOICE,
     .choices = "true|false",
     .preset = "true",
     .meaning = "of yarn: the ends of its ramp are whole numbers"},
    {.key = "low_freq_factor",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 1e-6,
     .high = 1e6,
     .meaning = "of llama3: wavelengths above L/low_freq_factor are divided by the factor"},
    {.key = "high_freq_factor",
     .type = AS_PARAM_REAL,
     .preset = "4",
     .low = 1e-6,
     .high = 1e6,
     .meaning = "of llama3: wavelengths below L/high_freq_factor are kept"},
    {.key = "short_factor",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "of longrope: r/2 divisors of the frequencies, such as 1,1.05,1.3, up to n = L"},
    {.key = "long_factor",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "of longrope: the divisors from n = L + 1 on"},
    {.key = "factors",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "of longrope: a file with arrays short_factor and long_factor, for those that are "
                "not given"},
    {.key = NULL}};

enum { PROPORTIONAL = 7 }; /* of scaling */

/* One number of "0,2-4" or −1; *text moves past it. */
static double list_end(const char **text) {
    char *end;
    if (**text < '0' || **text > '9') {
        return -1;
    }
    double number = (double)strtoul(*text, &end, 10);
    *text = end;
    return number;
}

/* Whether the layer is in the list; *valid says whether it is one. Without a list every layer is. */
static bool in_list(const char *text, double layer, bool *valid) {
    bool found = *text == '\0';
    *valid = true;
    while (*text != '\0' && *valid) {
        double first = list_end(&text), last = first;
        if (*text == '-') {
            text++;
            last = list_end(&text);
        }
        *valid =
            first >= 0 && last >= first && (*text == '\0' || (*text == ',' && text[1] != '\0'));
        found = found || (*valid && layer >= first && layer <= last);
        text += *text == ',';
    }
    return found && *valid;
}

static as_status agree(const as_scheme *scheme) {
    bool valid;
    const char *layers = as_scheme_word(scheme, "rotary_layers");
    in_list(layers, 0, &valid);
    if (!valid) {
        return as_fail(AS_EINVAL, "rotary_layers is '%s', but must be a list such as 0,2-4",
                       layers);
    }
    return as_scaling_agree(scheme);
}

/* As Hugging Face's int(head_dim * partial_rotary_factor), rounding of the product included. */
static as_status rotated_dims(const as_scheme *scheme, const as_head *head, size_t *out) {
    double fraction = as_scheme_value(scheme, "rotary_fraction");
    if ((int)as_scheme_value(scheme, "scaling") == PROPORTIONAL) {
        fraction = 1;
    }
    size_t dims = (size_t)((double)head->dim * fraction);
    if (dims % 2 != 0) {
        return as_fail(AS_EINVAL,
                       "%g of the head size %zu is %zu rotated dimensions, but they must be even "
                       "in number",
                       fraction, head->dim, dims);
    }
    *out = dims;
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t dims = 0;
    as_status status = rotated_dims(scheme, head, &dims);
    return status == AS_OK ? as_scaling_check(scheme, head, dims) : status;
}

/* (P9), (P10), (P13) to (P17) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    size_t dims = 0;
    bool valid;
    as_status status = rotated_dims(scheme, head, &dims);
    if (status != AS_OK) {
        return status;
    }
    if ((double)head->head >= as_scheme_value(scheme, "rotary_heads") ||
        !in_list(as_scheme_word(scheme, "rotary_layers"), (double)head->layer, &valid)) {
        out->count = 0;
        return AS_OK;
    }
    as_rotary_pairs((as_rotary_layout)(int)as_scheme_value(scheme, "layout"), 0, dims, out);
    return as_scaling_apply(scheme, head, dims, out);
}

const as_scheme_type as_scheme_rope = {
    .name = "rope",
    .aliases = "rotary",
    .summary = "pairs of dimensions of q and k are rotated by angles that grow with the position",
    .reference = "Su et al. 2021, arXiv 2104.09864; scalings: Hugging Face modeling_rope_utils.py",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .agree = agree,
    .check = check,
    .rotation = rotation,
    .file = "factors",
};

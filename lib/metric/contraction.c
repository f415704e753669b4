/* Contraction: how the coupled logits' spectrum L stands to the content's G, equations C1 to C6 of
 * docs/maths.md.
 * It refuses a ratio whose denominator is rounding: that one is null, undefined_baseline. */
#include <string.h>

#include "metric/account.h"

/* Both spectra times the power of two that brings the larger norm near 1: no sum overflows, and
 * what underflows is nothing beside it. */
typedef struct sides {
    const as_contraction_input *in;
    size_t q;
    double rounding; /* max(m,n)·ε */
    int exponent;
    double coupled[AS_NORM_COUNT], content[AS_NORM_COUNT], terms[AS_NORM_COUNT];
} sides;

static double scaled(const sides *s, double x) {
    return ldexp(x, -s->exponent);
}

static void put_ratio(as_contraction *out, as_ratio ratio, double value) {
    bool exists = isfinite(value);
    out->value[ratio] = exists ? value : (double)NAN;
    out->reason[ratio] = exists ? AS_REASON_NONE : AS_REASON_OVERFLOW;
}

static void null_ratio(as_contraction *out, as_ratio ratio, as_reason reason) {
    out->value[ratio] = (double)NAN;
    out->reason[ratio] = (uint8_t)reason;
}

static void norms_of(const sides *s, const double *sigma, double norms[AS_NORM_COUNT]) {
    double squares = 0, sum = 0;
    for (size_t i = 0; i < s->q; i++) {
        double x = scaled(s, sigma[i]);
        squares += x * x;
        sum += x;
    }
    norms[AS_NORM_SPECTRAL] = scaled(s, sigma[0]);
    norms[AS_NORM_FROBENIUS] = sqrt(squares);
    norms[AS_NORM_NUCLEAR] = sum;
}

static sides sides_of(const as_contraction_input *in) {
    sides s = {.in = in, .q = in->rows < in->cols ? in->rows : in->cols};
    s.rounding = fmax((double)in->rows, (double)in->cols) * DBL_EPSILON;
    frexp(fmax(in->coupled[0], in->content[0]), &s.exponent);
    norms_of(&s, in->coupled, s.coupled);
    norms_of(&s, in->content, s.content);
    for (size_t i = 0; i < AS_NORM_COUNT && in->term_sum != NULL; i++) {
        s.terms[i] = scaled(&s, in->term_sum[i]);
    }
    return s;
}

/* C1's condition: N(G) is more than the rounding of N(L) and of the terms whose sum it is. */
static bool defined(const sides *s, double coupled, double content, double terms) {
    return content > s->rounding * fmax(coupled, terms);
}

static bool norm_defined(const sides *s, as_norm norm) {
    return defined(s, s->coupled[norm], s->content[norm], s->terms[norm]);
}

static void norms(const sides *s, as_contraction *out) {
    static const as_ratio ratios[AS_NORM_COUNT] = {
        [AS_NORM_SPECTRAL] = AS_RATIO_spectral_norm,
        [AS_NORM_FROBENIUS] = AS_RATIO_frobenius_norm,
        [AS_NORM_NUCLEAR] = AS_RATIO_nuclear_norm,
    };
    for (unsigned i = 0; i < AS_NORM_COUNT; i++) {
        if (norm_defined(s, (as_norm)i)) {
            put_ratio(out, ratios[i], s->coupled[i] / s->content[i]);
        } else {
            null_ratio(out, ratios[i], AS_REASON_UNDEFINED_BASELINE);
        }
    }
}

/* C1 for the Ky Fan norms k = 1, 2, 4, … < q, and C4, which runs over every k. A term's Ky Fan norm
 * is at most k times its spectral norm and at most its nuclear norm; of a rank-one term both are
 * exact. */
static void ky_fan_and_slack(const sides *s, as_contraction *out) {
    double coupled = 0, content = 0, excess = -(double)INFINITY;
    size_t next = 1;
    for (size_t i = 0; i < s->q; i++) {
        coupled += scaled(s, s->in->coupled[i]);
        content += scaled(s, s->in->content[i]);
        excess = fmax(excess, coupled - content);
        if (i + 1 == next && i + 1 < s->q && out->ky_fan_count < AS_KY_FAN_MAX) {
            double terms =
                fmin((double)(i + 1) * s->terms[AS_NORM_SPECTRAL], s->terms[AS_NORM_NUCLEAR]);
            bool is = defined(s, coupled, content, terms);
            out->ky_fan[out->ky_fan_count++] = is ? coupled / content : (double)NAN;
            next *= 2;
        }
    }
    if (norm_defined(s, AS_NORM_NUCLEAR)) {
        double slack = excess / s->content[AS_NORM_NUCLEAR];
        put_ratio(out, AS_RATIO_majorisation_slack, slack);
        put_ratio(out, AS_RATIO_weakly_majorised, slack <= 10 * s->rounding);
    } else {
        null_ratio(out, AS_RATIO_majorisation_slack, AS_REASON_UNDEFINED_BASELINE);
        null_ratio(out, AS_RATIO_weakly_majorised, AS_REASON_UNDEFINED_BASELINE);
    }
}

/* C2. Where G is rounding, so are its eigenvalues. */
static void spread(const sides *s, as_contraction *out) {
    const double *coupled = s->in->coupled_symmetric, *content = s->in->content_symmetric;
    size_t n = s->in->rows;
    if (n != s->in->cols) {
        null_ratio(out, AS_RATIO_spread, AS_REASON_NOT_SQUARE);
        return;
    }
    if (coupled == NULL || content == NULL) {
        null_ratio(out, AS_RATIO_spread, AS_REASON_NOT_REQUESTED);
        return;
    }
    double top = scaled(s, content[0]), bottom = scaled(s, content[n - 1]);
    double norm = fmax(fabs(top), fabs(bottom));
    if (top - bottom <= s->rounding * norm || !norm_defined(s, AS_NORM_SPECTRAL)) {
        null_ratio(out, AS_RATIO_spread, AS_REASON_UNDEFINED_BASELINE);
        return;
    }
    double wide = scaled(s, coupled[0]) - scaled(s, coupled[n - 1]);
    put_ratio(out, AS_RATIO_spread, wide / (top - bottom));
}

/* σ₁ over the last value that is more than its rounding. */
static double effective_condition(const sides *s, const double *sigma) {
    size_t rank = 1;
    while (rank < s->q && sigma[rank] > s->rounding * sigma[0]) {
        rank++;
    }
    return sigma[0] / sigma[rank - 1];
}

/* C3. */
static void condition(const sides *s, as_contraction *out) {
    if (!norm_defined(s, AS_NORM_SPECTRAL)) {
        null_ratio(out, AS_RATIO_condition, AS_REASON_UNDEFINED_BASELINE);
    } else if (!(s->in->coupled[0] > 0)) {
        null_ratio(out, AS_RATIO_condition, AS_REASON_ZERO_MATRIX);
    } else {
        const as_contraction_input *in = s->in;
        bool given = in->coupled_condition > 0 && in->content_condition > 0;
        put_ratio(out, AS_RATIO_condition,
                  given
                      ? in->coupled_condition / in->content_condition
                      : effective_condition(s, in->coupled) / effective_condition(s, in->content));
    }
}

/* C1 of L without the scheme's factor, which stands on q and on k. */
static void factor_free(const sides *s, as_contraction *out) {
    static const as_ratio of[][2] = {{AS_RATIO_spectral_norm, AS_RATIO_factor_free_spectral_norm},
                                     {AS_RATIO_frobenius_norm, AS_RATIO_factor_free_frobenius_norm},
                                     {AS_RATIO_nuclear_norm, AS_RATIO_factor_free_nuclear_norm}};
    double gain = s->in->gain;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        as_reason reason = (as_reason)out->reason[of[i][0]];
        if (reason != AS_REASON_NONE || !(gain > 0) || (s->in->softmaxed && gain != 1)) {
            null_ratio(out, of[i][1], reason != AS_REASON_NONE ? reason : AS_REASON_NEEDS_DENSE);
        } else {
            put_ratio(out, of[i][1], out->value[of[i][0]] / (gain * gain));
        }
    }
}

/* L = G by construction: what is a number is exactly 1, whatever two computations rounded. */
static void identical(as_contraction *out) {
    for (unsigned i = 0; i < AS_RATIO_COUNT; i++) {
        if (out->reason[i] == AS_REASON_NONE) {
            out->value[i] = i == AS_RATIO_majorisation_slack ? 0 : 1;
        }
    }
    for (size_t i = 0; i < out->ky_fan_count; i++) {
        out->ky_fan[i] = isnan(out->ky_fan[i]) ? out->ky_fan[i] : 1;
    }
}

/* C6. */
static as_guarantee guarantee_of(const as_contraction_input *in, as_ratio ratio) {
    if (in->softmaxed) {
        return AS_OBSERVED;
    }
    if (in->identical) {
        return AS_GUARANTEED;
    }
    bool theorem = in->correlation && !in->one_sided_mask;
    bool hypotheses = ratio == AS_RATIO_condition ? in->content_psd && in->rows == in->cols : true;
    return theorem && hypotheses ? AS_GUARANTEED : AS_OBSERVED;
}

static as_reason alignment_null(const sides *s, const double *norms, as_norm norm) {
    if (s->in->term_sum == NULL || s->in->softmaxed) {
        return AS_REASON_NO_TERMS;
    }
    if (norm == AS_NORM_NUCLEAR && s->in->masked) {
        return AS_REASON_NEEDS_DENSE;
    }
    if (norms == NULL) {
        return AS_REASON_NOT_REQUESTED;
    }
    return s->in->term_sum[norm] > 0 ? AS_REASON_NONE : AS_REASON_ZERO_MATRIX;
}

/* C5. */
static void alignment(const sides *s, as_contraction *out) {
    double complex_sum[AS_NORM_COUNT];
    for (unsigned i = 0; i < AS_NORM_COUNT && s->in->complex_sum != NULL; i++) {
        complex_sum[i] = scaled(s, s->in->complex_sum[i]);
    }
    const double *numerators[AS_ALIGNMENT_COUNT] = {
        [AS_ALIGNMENT_coupled] = s->coupled,
        [AS_ALIGNMENT_content] = s->content,
        [AS_ALIGNMENT_complex_sum] = s->in->complex_sum != NULL ? complex_sum : NULL,
    };
    for (unsigned i = 0; i < AS_ALIGNMENT_COUNT; i++) {
        for (unsigned norm = 0; norm < AS_NORM_COUNT; norm++) {
            as_reason reason = alignment_null(s, numerators[i], (as_norm)norm);
            double value =
                reason == AS_REASON_NONE ? numerators[i][norm] / s->terms[norm] : (double)NAN;
            if (reason == AS_REASON_NONE && !isfinite(value)) {
                reason = AS_REASON_OVERFLOW;
                value = (double)NAN;
            }
            out->alignment[i][norm] = value;
            out->alignment_reason[i][norm] = (uint8_t)reason;
        }
    }
}

void as_contraction_clear(as_contraction *out, as_reason reason) {
    *out = (as_contraction){.none = reason};
    for (unsigned i = 0; i < AS_RATIO_COUNT; i++) {
        null_ratio(out, (as_ratio)i, reason);
        out->guarantee[i] = AS_UNDEFINED;
    }
    for (unsigned i = 0; i < AS_ALIGNMENT_COUNT; i++) {
        for (unsigned norm = 0; norm < AS_NORM_COUNT; norm++) {
            out->alignment[i][norm] = (double)NAN;
            out->alignment_reason[i][norm] = (uint8_t)reason;
        }
    }
}

void as_contract(const as_contraction_input *input, as_contraction *out) {
    as_contraction_clear(out, AS_REASON_NONE);
    if (input->rows == 0 || input->cols == 0) {
        as_contraction_clear(out, AS_REASON_NO_BASELINE);
        return;
    }
    sides s = sides_of(input);
    norms(&s, out);
    ky_fan_and_slack(&s, out);
    spread(&s, out);
    condition(&s, out);
    factor_free(&s, out);
    if (input->identical) {
        identical(out);
    }
    for (unsigned i = 0; i < AS_RATIO_COUNT; i++) {
        out->guarantee[i] = out->reason[i] == AS_REASON_NONE
                                ? (uint8_t)guarantee_of(input, (as_ratio)i)
                                : (uint8_t)AS_UNDEFINED;
    }
    alignment(&s, out);
}

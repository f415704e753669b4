/* Two summaries compared: what is known of the matrices, handed to the contraction with them.
 * It refuses nothing; a ratio that does not exist is null. */
#include "attnspec/metric.h"

#include "base/fail.h"

#include <float.h>
#include <math.h>

/* Whether the entries say so: the squared share of the symmetric part (M19) does not see asymmetry
 * below √ε. */
static bool symmetric_matrix(const as_matrix *a) {
    double largest = 0, apart = 0;
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t k = 0; k <= i; k++) {
            double x = a->data[i * a->cols + k], y = a->data[k * a->cols + i];
            largest = fmax(largest, fmax(fabs(x), fabs(y)));
            apart = fmax(apart, fabs(x - y));
        }
    }
    return apart <= (double)a->rows * DBL_EPSILON * largest;
}

/* The hypothesis of C3: G symmetric and positive definite, as far as its numbers can say. */
static bool positive_definite(const as_matrix *a, const as_summary *g) {
    size_t n = g->symmetric_count;
    return n > 0 && n == a->rows && n == a->cols && symmetric_matrix(a) &&
           g->symmetric[n - 1] > (double)n * DBL_EPSILON * g->symmetric[0];
}

/* κ_eff by the tolerance of the matrix, 0 where it has none. */
static double effective_condition(const as_summary *s) {
    const as_metric metric = AS_METRIC_condition_number_eff;
    return s->metrics.reason[metric] == AS_REASON_NONE ? s->metrics.value[metric] : 0;
}

as_status as_compare(const as_loaded *loaded, const as_summary *coupled, const as_summary *content,
                     as_contraction *out) {
    const as_logits *l = &loaded->logits, *g = &loaded->baseline;
    double terms[AS_NORM_COUNT], sum[AS_NORM_COUNT];
    if (l->a.rows != g->a.rows || l->a.cols != g->a.cols) {
        return as_fail(AS_EINVAL, "a matrix of %zu × %zu has no ratio to one of %zu × %zu",
                       l->a.rows, l->a.cols, g->a.rows, g->a.cols);
    }
    /* Terms that grow with the distance bound nothing where keys follow their query. */
    const as_rotation *rotation = &loaded->pair.rotation;
    bool unbounded = rotation->grows && l->masked_count == 0;
    bool has_terms = loaded->has_pair && rotation->count > 0 && !unbounded && !l->softmaxed;
    if (has_terms) {
        as_status status = as_alignment_terms(&loaded->pair, l->masked, terms, sum);
        if (status != AS_OK) {
            return status;
        }
    }
    bool symmetric = coupled->symmetric_count > 0 && content->symmetric_count > 0;
    as_contraction_input input = {
        .rows = l->a.rows,
        .cols = l->a.cols,
        .coupled = coupled->sigma,
        .content = content->sigma,
        .coupled_symmetric = symmetric ? coupled->symmetric : NULL,
        .content_symmetric = symmetric ? content->symmetric : NULL,
        .gain = loaded->gain,
        .identical = loaded->relation == AS_RELATION_IDENTICAL,
        .correlation = loaded->relation == AS_RELATION_CORRELATION,
        .coupled_condition = effective_condition(coupled),
        .content_condition = effective_condition(content),
        .one_sided_mask = !as_logits_same_mask(l, g),
        .softmaxed = l->softmaxed,
        .masked = l->masked_count > 0,
        .content_psd = symmetric && positive_definite(&g->a, content),
        .term_sum = has_terms ? terms : NULL,
        .complex_sum = has_terms ? sum : NULL,
    };
    as_contract(&input, out);
    return AS_OK;
}

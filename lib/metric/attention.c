/* Where the rows of attention look, equations M24 to M27 of docs/maths.md: at the token before, at
 * their own, at the first one, at all alike. It refuses negative weights: those are no attention. */
#include "metric/attention.h"
#include "metric/account.h"

/* The keys that are no padding: from `first` up to `end`. */
typedef struct span {
    size_t first, end;
} span;

static bool is_masked(const as_logits *logits, size_t i, size_t k) {
    return logits->masked != NULL && logits->masked[i * logits->a.cols + k] != 0;
}

/* Masked for every query although the word keeps it for one: a window alone hides keys that are tokens. */
static bool is_padding(const as_logits *logits, size_t k) {
    as_mask word = {.kind = logits->mask.kind, .width = logits->mask.width};
    bool kept = false;
    for (size_t i = 0; i < logits->a.rows; i++) {
        if (!is_masked(logits, i, k)) {
            return false;
        }
        kept = kept || as_mask_keeps(word, logits->a.rows, logits->a.cols, i, k);
    }
    return kept;
}

/* From the entries besides the numbers of the mask: a word that the user named has none. */
static span find_tokens(const as_logits *logits) {
    span tokens = {0, logits->a.cols};
    if (logits->dropped) {
        return tokens; /* the word and its numbers are those of the matrix before */
    }
    if (logits->mask.left < tokens.end && logits->mask.right < tokens.end - logits->mask.left) {
        tokens = (span){logits->mask.left, tokens.end - logits->mask.right};
    }
    while (tokens.first < tokens.end && is_padding(logits, tokens.first)) {
        tokens.first++;
    }
    while (tokens.end > tokens.first && is_padding(logits, tokens.end - 1)) {
        tokens.end--;
    }
    return tokens;
}

/* One query: its weight on key k is x[k], or of logits e^(x[k] − largest) / sum. */
typedef struct query {
    size_t at, kept;
    double largest, sum;
    double entropy; /* of the row divided by its sum */
} query;

/* False where a weight is negative. */
static bool take_weights(const as_logits *logits, query *q) {
    const double *x = logits->a.data + q->at * logits->a.cols;
    double sum = 0, plogp = 0;
    for (size_t k = 0; k < logits->a.cols; k++) {
        if (x[k] < 0) {
            return false;
        }
        q->kept += !is_masked(logits, q->at, k);
        sum += x[k];
        plogp += x[k] > 0 ? x[k] * log(x[k]) : 0;
    }
    q->sum = sum;
    q->entropy = sum > 0 ? log(sum) - plogp / sum : 0;
    return true;
}

static void take_logits(const as_logits *logits, query *q) {
    const double *x = logits->a.data + q->at * logits->a.cols;
    q->largest = -INFINITY;
    for (size_t k = 0; k < logits->a.cols; k++) {
        if (!is_masked(logits, q->at, k)) {
            q->kept++;
            q->largest = fmax(q->largest, x[k]);
        }
    }
    double sum = 0, weighted = 0;
    for (size_t k = 0; k < logits->a.cols; k++) {
        double below = x[k] - q->largest;
        double p = is_masked(logits, q->at, k) ? 0 : exp(below);
        sum += p;
        weighted += p > 0 ? p * below : 0;
    }
    q->sum = sum;
    q->entropy = sum > 0 ? log(sum) - weighted / sum : 0;
}

static double weight(const as_logits *logits, const query *q, size_t k) {
    double x = logits->a.data[q->at * logits->a.cols + k];
    return is_masked(logits, q->at, k) ? 0 : is_weights(logits) ? x : exp(x - q->largest) / q->sum;
}

typedef struct mean {
    double sum;
    size_t count;
} mean;

static void add(mean *m, double value) {
    m->sum += value;
    m->count++;
}

typedef struct sums {
    size_t rows;
    mean previous, diagonal, first;
    double entropy, uniform;
} sums;

/* A key that the mask hides from the query has the weight 0; one that does not exist, or is padding,
 * leaves the query out. */
static void add_query(const as_logits *logits, span tokens, const query *q, sums *s) {
    size_t own = q->at + logits->a.cols; /* + rows: neither is below 0 where rows > cols */
    size_t first = tokens.first + logits->a.rows, end = tokens.end + logits->a.rows;
    s->rows++;
    if (own >= first && own < end) {
        add(&s->diagonal, weight(logits, q, own - logits->a.rows));
    }
    if (own > first && own <= end) {
        add(&s->previous, weight(logits, q, own - 1 - logits->a.rows));
    }
    if (q->kept > (is_masked(logits, q->at, tokens.first) ? 0 : 1)) {
        add(&s->first, weight(logits, q, tokens.first));
    }
    if (q->kept > 1) {
        s->entropy += q->entropy;
        s->uniform += log((double)q->kept);
    }
}

static void put_all_null(as_metrics *account, as_reason reason) {
    put_null(account, AS_METRIC_previous_token_mass, reason);
    put_null(account, AS_METRIC_diagonal_mass, reason);
    put_null(account, AS_METRIC_first_token_mass, reason);
    put_null(account, AS_METRIC_uniformity, reason);
}

static void put_mean(as_metrics *account, as_metric metric, mean m) {
    if (m.count > 0) {
        put(account, metric, m.sum / (double)m.count);
    }
}

void as_attention_masses(const as_logits *logits, as_metrics *account) {
    span tokens = find_tokens(logits);
    bool square = logits->a.rows == logits->a.cols;
    sums s = {0};
    for (size_t i = 0; i < logits->a.rows; i++) {
        query q = {.at = i};
        if (square && (i < tokens.first || i >= tokens.end)) {
            continue; /* a query at the place of padding */
        }
        if (!is_weights(logits)) {
            take_logits(logits, &q);
        } else if (!take_weights(logits, &q)) {
            put_all_null(account, AS_REASON_NOT_WEIGHTS);
            return;
        }
        if (q.sum > 0) {
            add_query(logits, tokens, &q, &s);
        }
    }
    put_all_null(account, s.rows == 0 ? AS_REASON_ZERO_MATRIX : AS_REASON_SINGLE_VALUE);
    put_mean(account, AS_METRIC_previous_token_mass, s.previous);
    put_mean(account, AS_METRIC_diagonal_mass, s.diagonal);
    put_mean(account, AS_METRIC_first_token_mass, s.first);
    if (s.uniform > 0) {
        /* max and min: one-hot rows give 0, never −0 or a rounding below it; uniform ones 1. */
        put(account, AS_METRIC_uniformity, fmin(1, fmax(0, s.entropy / s.uniform)) + 0.0);
    }
}

/* T5's bias: one number a head and bucket of distances; buckets widen with the distance. Raffel et al.
 * 2020, arXiv 1910.10683; Hugging Face's T5Attention._relative_position_bucket().
 * It refuses too few buckets, a largest distance that the exact buckets reach, and a table of another
 * size. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>

enum { BUCKETS_MAX = 1024 };
enum { BIDIRECTIONAL_AUTO, BIDIRECTIONAL_TRUE, BIDIRECTIONAL_FALSE };

static const as_param params[] = {
    {.key = "num_buckets",
     .aliases = "relative_attention_num_buckets",
     .type = AS_PARAM_COUNT,
     .preset = "32",
     .low = 2,
     .high = BUCKETS_MAX,
     .meaning = "buckets; half of them for keys after the query where bidirectional"},
    {.key = "max_distance",
     .aliases = "relative_attention_max_distance",
     .type = AS_PARAM_COUNT,
     .preset = "128",
     .low = 2,
     .high = 1e9,
     .meaning = "from here on all distances share the last bucket"},
    {.key = "bidirectional",
     .type = AS_PARAM_CHOICE,
     .choices = "auto|true|false",
     .preset = "auto",
     .meaning = "false: keys after the query are at distance 0; auto: true where unmasked"},
    {.key = "initializer_range",
     .aliases = "std",
     .type = AS_PARAM_REAL,
     .preset = "0.02",
     .low = 0,
     .high = 1e6,
     .meaning = "standard deviation of the drawn table; Hugging Face's is (H*d)^(-1/2)"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "the table: [num_buckets][heads], as Hugging Face has it, or [heads][num_buckets]; "
                "else drawn"},
    {.key = NULL}};

typedef struct buckets {
    bool bidirectional;
    size_t side;         /* buckets of one direction */
    size_t exact;        /* so many distances have a bucket of their own */
    double max_distance; /* > exact */
    const double *table; /* [num_buckets] */
} buckets;

static as_status plan(const as_scheme *scheme, const as_head *head, buckets *out) {
    int direction = (int)as_scheme_value(scheme, "bidirectional");
    size_t count = (size_t)as_scheme_value(scheme, "num_buckets");
    out->bidirectional =
        direction == BIDIRECTIONAL_TRUE || (direction == BIDIRECTIONAL_AUTO && !head->causal);
    out->side = out->bidirectional ? count / 2 : count;
    out->exact = out->side / 2;
    out->max_distance = as_scheme_value(scheme, "max_distance");
    if (out->exact == 0) {
        return as_fail(AS_EINVAL, "num_buckets is %zu, but must be at least 4 where bidirectional",
                       count);
    }
    if (!(out->max_distance > (double)out->exact)) {
        return as_fail(AS_EINVAL,
                       "max_distance is %.0f, but must be more than the %zu distances that have a "
                       "bucket of their own",
                       out->max_distance, out->exact);
    }
    return AS_OK;
}

/* A head's numbers: of the file, whose rows are buckets where both readings fit, else drawn. */
static as_status take_table(const as_scheme *scheme, const as_head *head, double *table) {
    size_t count = (size_t)as_scheme_value(scheme, "num_buckets");
    if (as_scheme_file(scheme) == NULL) {
        double sigma = as_scheme_value(scheme, "initializer_range");
        return as_draw_gaussian(head, "t5.table", 0, head->head, sigma, count, table);
    }
    as_parameters array;
    as_status status = as_scheme_table(scheme, head, "table", 2, &array);
    if (status != AS_OK) {
        return status;
    }
    bool by_bucket = array.shape[0] == count && array.shape[1] == head->heads;
    if (!by_bucket && (array.shape[0] != head->heads || array.shape[1] != count)) {
        return as_fail(
            AS_EINVAL,
            "%s: the table is %zu × %zu, but must be %zu buckets × %zu heads, or heads × "
            "buckets",
            as_scheme_file(scheme), array.shape[0], array.shape[1], count, head->heads);
    }
    for (size_t i = 0; i < count; i++) {
        table[i] = array.data[by_bucket ? i * head->heads + head->head : head->head * count + i];
    }
    return AS_OK;
}

static as_status start(const as_scheme *scheme, const as_head *head, double *table) {
    buckets unused;
    as_status status = plan(scheme, head, &unused);
    return status == AS_OK ? take_table(scheme, head, table) : status;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    double unused[BUCKETS_MAX];
    return start(scheme, head, unused);
}

/* (P8). The logarithm in single precision and truncated, as trained models had it. */
static size_t bucket_of(const buckets *b, double delta) {
    size_t start = b->bidirectional && delta < 0 ? b->side : 0;
    double distance = b->bidirectional ? fabs(delta) : fmax(delta, 0);
    if (distance < (double)b->exact) {
        return start + (size_t)distance;
    }
    float exact = (float)b->exact;
    float span = (float)log(b->max_distance / (double)b->exact);
    float over = logf((float)distance / exact) / span * (float)(b->side - b->exact);
    size_t last = b->side - 1, most = last - b->exact; /* over may be infinite */
    return start + (over < (float)most ? b->exact + (size_t)over : last);
}

static double of_distance(const void *context, double delta) {
    const buckets *b = context;
    return b->table[bucket_of(b, delta)];
}

/* (P7), (T2) */
static as_status bias_of(const as_scheme *scheme, const as_head *head, const double *table,
                         double *b) {
    buckets found;
    as_status status = plan(scheme, head, &found);
    found.table = table;
    if (status == AS_OK) {
        as_scheme_fill(head, of_distance, &found, b);
    }
    return status;
}

/* T5 has one table for all its layers, so the layer does not count. */
static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    double table[BUCKETS_MAX];
    as_status status = start(scheme, head, table);
    return status == AS_OK ? bias_of(scheme, head, table, b) : status;
}

typedef struct slopes {
    buckets buckets;
    double *gradient;
} slopes;

static void add_slope(void *context, double delta, double sum) {
    slopes *s = context;
    s->gradient[bucket_of(&s->buckets, delta)] += sum;
}

/* (T2) */
static as_status backward(const as_scheme *scheme, const as_head *head, const double *table,
                          const double *db, double *gradient) {
    (void)table; /* the bias is linear in it */
    slopes s = {.gradient = gradient};
    as_status status = plan(scheme, head, &s.buckets);
    if (status == AS_OK) {
        as_scheme_gather(head, add_slope, &s, db);
    }
    return status;
}

static size_t count(const as_scheme *scheme, const as_head *head) {
    (void)head;
    return (size_t)as_scheme_value(scheme, "num_buckets");
}

/* T5 divides by nothing: its weights are drawn the smaller for it. */
static double scale(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    (void)head;
    return 1;
}

static const as_learning learning = {
    .name = "table",
    .shared_layers = true,
    .count = count,
    .start = start,
    .bias = bias_of,
    .backward = backward,
};

const as_scheme_type as_scheme_t5 = {
    .name = "t5",
    .summary = "a bias a bucket of distances; drawn from N(0, 0.02); logits are not scaled",
    .reference = "Raffel et al. 2020, arXiv 1910.10683; Hugging Face modeling_t5.py",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ,
    .check = check,
    .scale = scale,
    .bias = bias,
    .file = "file",
    .learning = &learning,
};

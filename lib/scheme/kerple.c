/* KERPLE: a conditionally positive definite kernel of the distance, taken off; its two numbers are a
 * head's own. Chi, Fan, Ramadge and Rudnicky 2022, arXiv 2205.09921, and their code.
 * It refuses powers above 2, which are no such kernel. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>

enum { FORM_LOG, FORM_POWER };
/* The code keeps p and a at LEAST or above, and p of a power at most at MOST_POWER. */
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

/* Within its limits; what is not a number stays so. */
static double within(double x, double most) {
    return x < LEAST ? LEAST : x > most ? most : x;
}

static kernel kernel_of(const as_scheme *scheme, const double theta[2]) {
    bool power = (int)as_scheme_value(scheme, "form") == FORM_POWER;
    return (kernel){.power = power,
                    .p = within(theta[0], power ? MOST_POWER : INFINITY),
                    .a = within(theta[1], INFINITY)};
}

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
    return status;
}

/* theta = {p, a}, within their limits, beyond which training could not move them. */
static as_status start(const as_scheme *scheme, const as_head *head, double *theta) {
    bool power = (int)as_scheme_value(scheme, "form") == FORM_POWER;
    if (power && as_scheme_value(scheme, "p") > MOST_POWER) {
        return as_fail(AS_EINVAL, "p is %g, but must be from %g to %d for form=power",
                       as_scheme_value(scheme, "p"), LEAST, MOST_POWER);
    }
    double drawn[2] = {0};
    as_status status = number(scheme, head, "p", 2, &drawn[0]);
    if (status == AS_OK) {
        status = number(scheme, head, "a", 1, &drawn[1]);
    }
    if (status == AS_OK) {
        kernel t = kernel_of(scheme, drawn);
        theta[0] = t.p;
        theta[1] = t.a;
    }
    return status;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    double unused[2];
    return start(scheme, head, unused);
}

/* (P20), (P21) */
static double of_distance(const void *context, double delta) {
    const kernel *t = context;
    double distance = fabs(delta);
    return t->power ? -t->a * pow(distance, t->p) : -t->p * log1p(t->a * distance);
}

static as_status bias_of(const as_scheme *scheme, const as_head *head, const double *theta,
                         double *b) {
    kernel t = kernel_of(scheme, theta);
    as_scheme_fill(head, of_distance, &t, b);
    return AS_OK;
}

static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    double theta[2] = {0};
    as_status status = start(scheme, head, theta);
    return status == AS_OK ? bias_of(scheme, head, theta, b) : status;
}

typedef struct slopes {
    kernel kernel;
    double p, a; /* Σ db ∂b/∂p, Σ db ∂b/∂a */
} slopes;

/* (T3). At distance 0 no number counts, though the logarithm there is infinite. */
static void add_slopes(void *context, double delta, double sum) {
    slopes *s = context;
    double p = s->kernel.p, a = s->kernel.a, distance = fabs(delta);
    if (!s->kernel.power) {
        s->p -= sum * log1p(a * distance);
        s->a -= sum * p * distance / (1 + a * distance);
    } else if (distance > 0) {
        double power = pow(distance, p);
        s->p -= sum * a * power * log(distance);
        s->a -= sum * power;
    }
}

/* Not beyond the limits. A number that begins at LEAST is kept in single precision by who trains it,
 * which is a little below. */
static bool moves(double given, double taken) {
    return (float)given == (float)taken;
}

static as_status backward(const as_scheme *scheme, const as_head *head, const double *theta,
                          const double *db, double *gradient) {
    slopes s = {.kernel = kernel_of(scheme, theta)};
    as_scheme_gather(head, add_slopes, &s, db);
    gradient[0] += moves(theta[0], s.kernel.p) ? s.p : 0;
    gradient[1] += moves(theta[1], s.kernel.a) ? s.a : 0;
    return AS_OK;
}

/* As the authors' code does it to the parameters at every pass, forward. */
static void project(const as_scheme *scheme, const as_head *head, double *theta) {
    (void)head;
    kernel t = kernel_of(scheme, theta);
    theta[0] = t.p;
    theta[1] = t.a;
}

static size_t count(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    (void)head;
    return 2;
}

static const as_learning learning = {
    .name = "kernel",
    .count = count,
    .start = start,
    .bias = bias_of,
    .backward = backward,
    .project = project,
};

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
    .learning = &learning,
};

/* metric: what a spectrum says, one number a name. Every formula is in docs/maths.md under the
 * equation number that metrics.def gives it; logarithms are natural; 0·ln 0 = 0. Functions are pure
 * but for what they write: any number of threads may call them, each with its own arguments. */
#ifndef ATTNSPEC_METRIC_H
#define ATTNSPEC_METRIC_H

#include "logits.h"
#include "spectrum.h"

AS_BEGIN_DECLS

/* The table: metrics.def, X(KEY, equation, one line for people). */
typedef enum as_metric {
#define X(key, equation, summary) AS_METRIC_##key,
#include "metrics.def"
#undef X
    AS_METRIC_COUNT
} as_metric;
const char *as_metric_key(as_metric metric); /* "stable_rank" */
const char *as_metric_summary(as_metric metric);
/* The metric of that key, AS_METRIC_COUNT where there is none. */
as_metric as_metric_find(const char *key);

/* Why a metric is null; NONE where it is a number. */
#define AS_REASON_LIST(X)                                                                          \
    X(AS_REASON_NONE, "none")                                                                      \
    X(AS_REASON_ZERO_MATRIX, "zero_matrix")                                                        \
    X(AS_REASON_SINGLE_VALUE, "single_value")                                                      \
    X(AS_REASON_SINGULAR, "singular")                                                              \
    X(AS_REASON_NOT_SQUARE, "not_square")                                                          \
    X(AS_REASON_NOT_WEIGHTS, "not_weights")                                                        \
    X(AS_REASON_NOT_REQUESTED, "not_requested")                                                    \
    X(AS_REASON_NEEDS_DENSE, "needs_dense")                                                        \
    X(AS_REASON_TOO_FEW, "too_few")                                                                \
    X(AS_REASON_UNDEFINED_BASELINE, "undefined_baseline")                                          \
    X(AS_REASON_NO_BASELINE, "no_baseline")                                                        \
    X(AS_REASON_OVERFLOW, "overflow")                                                              \
    X(AS_REASON_NOT_ANALYSED, "not_analysed")                                                      \
    X(AS_REASON_NO_TERMS, "no_terms")                                                              \
    X(AS_REASON_NOT_THE_GRID, "not_the_grid")                                                      \
    X(AS_REASON_UNDERFLOW, "underflow")
typedef enum as_reason {
#define X(code, name) code,
    AS_REASON_LIST(X)
#undef X
        AS_REASON_COUNT
} as_reason;
const char *as_reason_name(as_reason reason);

/* Ky Fan norms are kept for k = 1, 2, 4, 8, … < q: one entry a power of two. */
#define AS_KY_FAN_MAX 32

typedef struct as_metrics {
    double value[AS_METRIC_COUNT];   /* NaN where reason is not NONE */
    uint8_t reason[AS_METRIC_COUNT]; /* as_reason */
    size_t ky_fan_count;
    double ky_fan[AS_KY_FAN_MAX]; /* sum of the 2^i largest singular values */
} as_metrics;

/* All null, reason `reason`: where every account begins. */
void as_metrics_clear(as_metrics *metrics, as_reason reason);

/* The tolerance of the matrix rank. Absolute, or relative to σ₁; AS_RANK_AUTO is
 * max(max(m,n)·ε₆₄·σ₁, (ε/2)·‖A‖_F) with ε of the dtype the matrix was read in. */
typedef enum as_rank_rule { AS_RANK_AUTO, AS_RANK_ABSOLUTE, AS_RANK_RELATIVE } as_rank_rule;
typedef struct as_rank_tolerance {
    as_rank_rule rule;
    double value;   /* of ABSOLUTE and RELATIVE */
    double epsilon; /* of AUTO: the file's dtype; 0 when computed here */
} as_rank_tolerance;

/* Every metric that needs only singular values.
 *   sigma    [min(rows,cols)], largest first, borrowed
 *   metrics  those keys are written, the others are left as they were
 * Norms are scaled by σ₁, so they neither overflow nor underflow before their value does. O(q). */
void as_metrics_singular(const double *sigma, size_t rows, size_t cols, as_rank_tolerance tolerance,
                         as_metrics *metrics);

/* Every metric that needs the matrix itself: Toeplitz split, symmetric fraction, attention entropy
 * (of weights), where rows look (of weights, or of the softmax of logits), and, where the matrix is
 * triangular, those of its eigenvalues.
 *   profile  [2·(rows+cols−1)], written. First half: the mean of each diagonal over unmasked
 *            entries, NaN where there is none; entry p is the offset Δ = p − (rows−1), where
 *            Δ = query + cols − rows − key. Second half: how many entries that was.
 * O(rows·cols), no allocation. */
void as_metrics_matrix(const as_logits *logits, as_metrics *metrics, double *profile);

/* Where the tokens of an image stand: `leading` ones (class, registers) before the grid, then token
 * leading + i at row i / width and column i mod width. */
typedef struct as_grid {
    size_t leading, height, width; /* height 0: no grid, tokens stand in a line */
} as_grid;
/* "HxW" or "P+HxW", as 14x14 and 1+14x14. AS_EINVAL for other words, for H or W of 0, and where
 * sums for every offset could not be addressed; *out is then unchanged. */
as_status as_grid_parse(const char *text, as_grid *out);
/* Whether queries and keys are the tokens of the grid: rows = cols = leading + height·width. */
bool as_grid_fits(as_grid grid, size_t rows, size_t cols);

/* The Toeplitz split by two-dimensional offsets, over unmasked entries that are not of leading
 * tokens: toeplitz_fraction and toeplitz_residual are written, null where the grid does not fit; the
 * others are left as they were.
 *   offsets  [2·(2·height−1)·(2·width−1)], overwritten; not touched where the grid does not fit
 * O(rows·cols), no allocation. */
void as_metrics_grid(const as_logits *logits, as_grid grid, as_metrics *metrics, double *offsets);

/* The metrics of eigenvalues: spectral radius, nonnormality, and of weights the Markov gap.
 *   re, im  [n], n = logits->a.rows, in any order; borrowed. The matrix is square
 *   metrics those keys are written, the others are left as they were
 * O(n²). */
void as_metrics_eigen(const as_logits *logits, const double *re, const double *im,
                      as_metrics *metrics);

/* WeightWatcher's metrics (equations W1 to W9).
 *   sigma     [q], q = min(rows,cols), largest first, borrowed
 *   shuffled  [q], those of the same matrix with its entries in a random order, or NULL: then
 *             rand_distance is left as it was
 *   scratch   [q], destroyed
 *   metrics   those keys are written, the others are left as they were; as_metrics_singular() went
 *             before: its matrix rank tells which eigenvalues are zero
 * All are null, too_few, where q < AS_WW_MIN, and where the rank is, those of the power law and of the
 * bulk. O(q²) at most, no allocation. */
#define AS_WW_MIN 50
void as_metrics_ww(const double *sigma, const double *shuffled, size_t rows, size_t cols,
                   double *scratch, as_metrics *metrics);

/* What a head does, by rules of docs/maths.md. The table: roles.def, X(NAME, metric that decides,
 * whether it counts as a share of min(rows,cols), whether it has to be low, threshold). A head may
 * have several roles, or none. */
typedef enum as_head_role {
#define X(name, metric, share, low, threshold) AS_HEAD_ROLE_##name,
#include "roles.def"
#undef X
    AS_HEAD_ROLE_COUNT
} as_head_role;
typedef struct as_head_rule {
    const char *name; /* "previous_token" */
    as_metric metric;
    bool share, low;
    double threshold;
} as_head_rule;
/* NULL where there is no such role. */
const as_head_rule *as_head_rule_of(as_head_role role);
/* A matrix with fewer queries or keys has no role: uniform causal attention of fewer has, or all but
 * has, a pattern's weight (on its own token up to 6, on the one before up to 3). */
#define AS_HEAD_ROLE_MIN 8
/* The number that the rule goes by; NaN where the metric is null or the matrix too small. Padding is
 * no row and no column: of a matrix that has it, these are the numbers of queries and keys that are tokens. */
double as_head_role_number(const as_metrics *metrics, size_t rows, size_t cols, as_head_role role);
/* Whether a number, or the mean of several, is on the role's side of the threshold; NaN is not. */
bool as_head_role_holds(as_head_role role, double number);
/* Bit 1u << role is set where that role holds. Pure; O(1). */
uint32_t as_head_roles(const as_metrics *metrics, size_t rows, size_t cols);

/* How unequally the heads of a layer share a quantity (equations H1 to H3 of docs/maths.md). */
#define AS_CONCENTRATION_LIST(X) X(head_max_share) X(head_gini) X(head_hhi)
typedef enum as_concentration_key {
#define X(key) AS_CONCENTRATION_##key,
    AS_CONCENTRATION_LIST(X)
#undef X
        AS_CONCENTRATION_COUNT
} as_concentration_key;
typedef struct as_concentration {
    double value[AS_CONCENTRATION_COUNT]; /* NaN where reason is not NONE */
    as_reason reason;
} as_concentration;
const char *as_concentration_name(as_concentration_key key);
/* Of `count` finite values, one a head; a negative one counts as 0. Null: not_analysed where there is
 * none, single_value for one, zero_matrix where all are 0. Pure; O(count²), no allocation. */
void as_concentrate(const double *values, size_t count, as_concentration *out);

/* What is to be taken of a matrix. */
typedef struct as_summary_options {
    as_driver driver;
    as_rank_tolerance tolerance; /* its epsilon is taken from the logits */
    bool eigen, symmetric; /* eigenvalues, those of the symmetric part; square matrices only */
    as_grid grid;          /* of the Toeplitz split; the profile is that of the diagonals */
    bool ww;       /* WeightWatcher's metrics: one more matrix of room, and its singular values */
    uint64_t seed; /* of the order of that matrix's entries */
} as_summary_options;

/* One matrix summed up: its spectrum, its metrics and its Toeplitz profile, in room that grows to the
 * largest matrix and is kept over a loop, one a thread. Start from {0}. The members are borrowed
 * until the next call. */
typedef struct as_summary {
    size_t sigma_count;
    double *sigma; /* [sigma_count], largest first */
    size_t profile_count;
    double *profile;         /* [2·profile_count], as in as_metrics_matrix() */
    size_t eigen_count;      /* 0: not asked for, or not square */
    double *eig_re, *eig_im; /* [eigen_count], as as_eigenvalues() orders them */
    size_t symmetric_count;
    double *symmetric; /* [symmetric_count], largest first */
    as_metrics metrics;
    as_driver driver;  /* the one that gave sigma */
    const char *route; /* "dense" */
    as_spectrum_work *work;
    size_t rows, cols; /* what the room is made for */
    double *offsets;   /* [offset_room], of a grid: as in as_metrics_grid() */
    size_t offset_room;
    double *shuffled, *shuffled_sigma, *log_lambda; /* of ww; NULL until it is asked for */
} as_summary;
void as_summary_free(as_summary *summary);
/* Bytes of the room for that shape, without the few vectors that eigenvalues or a grid add when asked
 * for, and the matrix that ww adds; UINT64_MAX where it is too large. */
uint64_t as_summary_bytes(size_t rows, size_t cols);

/* Sums up logits->a. Errors are those of as_spectrum_work_new(), as_singular_values() and, where asked
 * for, as_eigenvalues(), as_symmetric_eigenvalues() and as_stream_new(); after one the members are undefined.  O(rows·cols·min(rows,cols)); allocates only where the room must grow. */
as_status as_summarise(as_summary *summary, const as_logits *logits,
                       const as_summary_options *options);

/* Contraction: the coupled logits L against the content logits G, which share mask and base scale
 * (equations C1 to C6 of docs/maths.md). */
/* The table: contraction.def, X(KEY, equation, one line for people). */
typedef enum as_ratio {
#define X(key, equation, summary) AS_RATIO_##key,
#include "contraction.def"
#undef X
    AS_RATIO_COUNT
} as_ratio;
const char *as_ratio_key(as_ratio ratio);
const char *as_ratio_summary(as_ratio ratio);

/* C6: whether a theorem says so for this matrix, or it was only seen; undefined where there is no
 * number, whatever the reason. */
typedef enum as_guarantee { AS_OBSERVED, AS_GUARANTEED, AS_UNDEFINED } as_guarantee;
const char *as_guarantee_name(as_guarantee guarantee);

/* C5: which sum over frequencies, in which norm. Null for: no_terms, no rotated pairs, or softmaxed;
 * needs_dense, the nuclear norm under a mask; not_requested, no complex sum; zero_matrix, q or k is
 * zero. */
#define AS_ALIGNMENT_LIST(X) X(coupled) X(content) X(complex_sum)
typedef enum as_alignment {
#define X(key) AS_ALIGNMENT_##key,
    AS_ALIGNMENT_LIST(X)
#undef X
        AS_ALIGNMENT_COUNT
} as_alignment;
typedef enum as_norm {
    AS_NORM_SPECTRAL,
    AS_NORM_FROBENIUS,
    AS_NORM_NUCLEAR,
    AS_NORM_COUNT
} as_norm;
const char *as_alignment_key(as_alignment alignment);
const char *as_norm_key(as_norm norm); /* "spectral" … */

typedef struct as_contraction {
    as_reason none;               /* NONE: there is one; else why it is null as a whole */
    double value[AS_RATIO_COUNT]; /* NaN where reason is not NONE; weakly_majorised is 0 or 1 */
    uint8_t reason[AS_RATIO_COUNT];
    uint8_t guarantee[AS_RATIO_COUNT]; /* as_guarantee */
    size_t ky_fan_count;
    double ky_fan[AS_KY_FAN_MAX]; /* ratios at k = 1, 2, 4, … < q; NaN where undefined; guaranteed
                                     where the nuclear norm's is */
    double alignment[AS_ALIGNMENT_COUNT][AS_NORM_COUNT];
    uint8_t alignment_reason[AS_ALIGNMENT_COUNT][AS_NORM_COUNT];
} as_contraction;
void as_contraction_clear(as_contraction *contraction, as_reason reason);

/* What a ratio is made of. All borrowed. */
typedef struct as_contraction_input {
    size_t rows, cols;
    const double *coupled, *content;                     /* [min(rows,cols)] singular values */
    const double *coupled_symmetric, *content_symmetric; /* [rows] eigenvalues of the symmetric
                                                            parts, or NULL: not requested */
    double coupled_condition, content_condition; /* effective ones (M13), by the tolerance of each
                                                    matrix; 0: by max(m,n)·ε₆₄ from the spectra */
    double
        gain; /* the scheme's factor on all rotated dimensions of q and of k, 1 where it has none; 0:
                    not known, or not on all of them, so that L is no multiple of itself without it */
    bool identical;      /* L = G by construction (NoPE): every ratio is guaranteed 1 */
    bool correlation;    /* L = G ∘ C with C a correlation matrix (or a block of one) */
    bool one_sided_mask; /* the mask is on one side only: no theorem holds */
    bool softmaxed;      /* both were softmaxed: always observed */
    bool masked;         /* zero mask: nuclear alignments are not given */
    bool content_psd;    /* G is positive semidefinite of full rank: C3's hypothesis was checked */
    const double *term_sum; /* [AS_NORM_COUNT] Σ_f N_f, or NULL: no terms (not multiplicative) */
    const double *complex_sum; /* [AS_NORM_COUNT] N(Σ_f G_f), or NULL */
} as_contraction_input;
/* Pure; O(min(rows,cols)). */
void as_contract(const as_contraction_input *input, as_contraction *out);

/* The norms Σ_f N_f and N(Σ_f G_f) of the terms of a rotation (C5).
 *   pair    q, k, rotation and scale of a head
 *   masked  [rows][cols] or NULL
 *   term_sum, complex_sum  [AS_NORM_COUNT], written only on success
 * AS_ENOMEM and the errors of as_complex_singular_values(). */
as_status as_alignment_terms(const as_pair *pair, const unsigned char *masked, double *term_sum,
                             double *complex_sum);

/* The contraction of a loaded item from the summaries of its matrix and of its baseline, with what is
 * known of the two. Errors of as_alignment_terms(). */
as_status as_compare(const as_loaded *loaded, const as_summary *coupled, const as_summary *content,
                     as_contraction *out);

AS_END_DECLS

#endif

/* scheme: positional encodings, one paper, one file (lib/scheme/), one line each (schemes.def). A
 * scheme turns the content of attention into coupled logits by one or more of five means; this room
 * computes the means for one head, and lib/logits puts them together. It knows positions, heads and
 * head sizes; it knows no file and takes no spectrum. Equations: docs/maths.md, "Schemes". */
#ifndef ATTNSPEC_SCHEME_H
#define ATTNSPEC_SCHEME_H

#include "base.h"

AS_BEGIN_DECLS

/* How position enters the logits L, from content logits G = Q Kᵀ·scale. */
#define AS_SCHEME_CLASS_LIST(X)                                                                    \
    X(AS_CLASS_NONE, "none")                     /* L = G */                                       \
    X(AS_CLASS_ABSOLUTE, "absolute")             /* L = (Q+P)(K+P)ᵀ·scale */                    \
    X(AS_CLASS_ADDITIVE, "additive")             /* L = G + B */                                   \
    X(AS_CLASS_MULTIPLICATIVE, "multiplicative") /* L = Σ_f Re(G_f ∘ E_f), or G ∘ T */        \
    X(AS_CLASS_MIXED, "mixed")                   /* content part plus rotated part */              \
    X(AS_CLASS_CONTENT, "content_dependent")     /* position itself depends on content */
typedef enum as_scheme_class {
#define X(code, name) code,
    AS_SCHEME_CLASS_LIST(X)
#undef X
        AS_SCHEME_CLASS_COUNT
} as_scheme_class;
const char *as_scheme_class_name(as_scheme_class kind);

/* Promises about the means, which tests verify for every row of the table and the route chooser may
 * rely on. They may depend on the parameters: as_scheme_traits(). */
#define AS_SCHEME_TRAIT_LIST(X)                                                                    \
    X(AS_TRAIT_TOEPLITZ, 1, "toeplitz")       /* bias or kernel depends on query − key alone */  \
    X(AS_TRAIT_SYMMETRIC, 2, "symmetric")     /* bias or kernel is symmetric where it is square */ \
    X(AS_TRAIT_LOW_RANK, 4, "low_rank")       /* rank of the unmasked logits ≤ head size */      \
    X(AS_TRAIT_CORRELATION, 8, "correlation") /* the kernel is a correlation matrix: PSD, 1s */
typedef enum as_scheme_trait {
#define X(code, bit, name) code = (bit),
    AS_SCHEME_TRAIT_LIST(X)
#undef X
} as_scheme_trait;
/* The word of one trait; "unknown" for any other number. */
const char *as_scheme_trait_name(unsigned trait);

typedef struct as_scheme_type as_scheme_type;

/* q and k of one head before position, and the scale of their product. Borrowed. */
typedef struct as_projections {
    const double *q, *k; /* [rows][dim], [cols][dim] */
    double scale;
} as_projections;

/* A scheme with its parameters: "rope:base=500000,layout=half" parsed. */
typedef struct as_scheme {
    const as_scheme_type *type;
    double
        value[AS_PARAMS_MAX];   /* in the order of type->params; a choice is its index; NaN: auto */
    char words[AS_PARAM_WORDS]; /* texts; their value is where they begin, 0 where not given */
} as_scheme;

/* An array of learned parameters that was read from a file: row-major, borrowed. */
typedef struct as_parameters {
    const char *name; /* "" where the file has one without a name */
    size_t rank, shape[4];
    const double *data;
} as_parameters;

/* How phases are computed, to compare with what a model did: exactly; or as models do, with the
 * frequency, its product with the position, cosine and sine rounded to float32, and cosine and sine
 * then to bfloat16. */
typedef enum as_phase { AS_PHASE_F64, AS_PHASE_F32, AS_PHASE_BF16 } as_phase;

/* Which head is asked about. Query i stands at position i + cols − rows (the last query at the last
 * key), key k at position k; with more queries than keys the first queries have negative positions. */
typedef struct as_head {
    size_t layer, head, heads;
    size_t rows, cols; /* queries, keys */
    size_t dim;        /* head size */
    bool causal;       /* what `auto` means for several schemes */
    uint64_t seed;     /* of tables that are drawn */
    /* [rows], [cols], or NULL: as above. Borrowed. */
    const double *query_positions, *key_positions;
    as_phase phase;
    const as_parameters *tables; /* of the file that a parameter of the scheme names; borrowed */
    size_t table_count;
} as_head;
typedef enum as_side { AS_QUERIES, AS_KEYS } as_side;

/* Where a query or a key stands. */
static inline double as_head_query(const as_head *head, size_t i) {
    return head->query_positions != NULL ? head->query_positions[i]
                                         : (double)i + (double)head->cols - (double)head->rows;
}
static inline double as_head_key(const as_head *head, size_t k) {
    return head->key_positions != NULL ? head->key_positions[k] : (double)k;
}

/* Pairs of dimensions that are rotated, pair f by angle theta[f]·position:
 * (x[first], x[second]) ← (x[first] cos − x[second] sin, x[first] sin + x[second] cos).
 * Tokens of an image have a position in two dimensions: with a width, token p stands at
 * x = (p − leading) mod width, y = ⌊(p − leading)/width⌋, and the angle is theta[f]·x + theta_y[f]·y;
 * the first `leading` tokens are not rotated. */
typedef struct as_rotation {
    size_t count;           /* pairs, at most dim/2; the other dimensions are not rotated */
    size_t *first, *second; /* [dim/2] */
    double *theta;          /* [dim/2] radians a position */
    double gain;            /* on the rotated dimensions of q and of k; 1 for most */
    size_t width, leading;  /* 0: positions in one dimension */
    double *theta_y;        /* [dim/2], read where there is a width */
    bool grows;             /* growth is set: */
    double *growth;         /* [dim/2], q of pair f times e^(growth·position), k divided by it */
} as_rotation;

/* What training changes of a scheme: numbers of a head from which its bias follows. Pure functions as
 * those of as_scheme_type. */
typedef struct as_learning {
    const char *name;   /* of the tensor: "table" */
    bool shared_layers; /* one set of numbers for all layers */
    /* How many numbers a head has. */
    size_t (*count)(const as_scheme *scheme, const as_head *head);
    /* theta [count]: what training begins with, drawn by the head's seed. */
    as_status (*start)(const as_scheme *scheme, const as_head *head, double *theta);
    /* b [rows][cols], added to the scaled logits. */
    as_status (*bias)(const as_scheme *scheme, const as_head *head, const double *theta, double *b);
    /* gradient [count] += Σ_ik db[i][k] ∂b[i][k]/∂theta, db [rows][cols]. */
    as_status (*backward)(const as_scheme *scheme, const as_head *head, const double *theta,
                          const double *db, double *gradient);
    /* theta [count] back into its range, beyond which it would not move: after a step. NULL: it has none. */
    void (*project)(const as_scheme *scheme, const as_head *head, double *theta);
} as_learning;

/* What a scheme is: a bibliographic record, its parameters, and its means. A mean that it does not
 * have is NULL. All are pure functions of their arguments, thread-safe, and write only on success. */
struct as_scheme_type {
    const char *name;
    const char *aliases;   /* "a|b", or NULL */
    const char *summary;   /* one line for people */
    const char *reference; /* the paper, or the code that defines it */
    as_scheme_class kind;
    const as_param *params; /* ends with a key of NULL */
    unsigned traits;        /* as_scheme_trait, at the defaults and unmasked */

    /* AS_EINVAL with a sentence where the parameters contradict each other: such a string is refused
     * when it is read. NULL: they never do. */
    as_status (*agree)(const as_scheme *scheme);
    /* AS_EINVAL with a sentence where the scheme is undefined for that head (odd head size, …). NULL:
     * always defined. */
    as_status (*check)(const as_scheme *scheme, const as_head *head);
    /* Traits for these parameters; NULL: those above. */
    unsigned (*traits_of)(const as_scheme *scheme, const as_head *head);
    /* The base scale of the logits; NULL: 1/√dim. */
    double (*scale)(const as_scheme *scheme, const as_head *head);
    /* b [rows][cols] row-major, added to the scaled logits. */
    as_status (*bias)(const as_scheme *scheme, const as_head *head, double *b);
    /* p [rows or cols][dim] of the positions of the queries or of the keys, added to q and to k. */
    as_status (*embed)(const as_scheme *scheme, const as_head *head, as_side side, double *p);
    /* The rotation of q and k; the arrays are the caller's. */
    as_status (*rotation)(const as_scheme *scheme, const as_head *head, as_rotation *out);
    /* t [rows][cols], multiplied entry by entry onto the content logits. */
    as_status (*kernel)(const as_scheme *scheme, const as_head *head, double *t);
    /* All of it at once, where position depends on content: coupled [rows][cols] from q [rows][dim],
     * k [cols][dim] and content [rows][cols], which holds q kᵀ·scale and may be replaced. Stands alone. */
    as_status (*logits)(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled);
    /* A warning for this head, NULL where there is none; NULL: there never is. */
    const char *(*warning)(const as_scheme *scheme, const as_head *head);
    /* Where parameters choose the class; NULL: it is `kind`. */
    as_scheme_class (*class_of)(const as_scheme *scheme);
    /* The parameter that names a file of tables, NULL: none. */
    const char *file;
    /* How its bias is trained; NULL: it has none, or a fixed one. */
    const as_learning *learning;
};

/* The types of schemes.def in order; NULL past the last. */
const as_scheme_type *as_scheme_list(size_t index);

/* Reads "name[:key=value[,key=value]…]", or "hf:PATH", the scheme of a Hugging Face config.json.
 * AS_EINVAL with the valid names, keys, choices or range and the nearest match; of hf: the errors of
 * as_scheme_hf(). */
as_status as_scheme_parse(const char *text, as_scheme *out);

/* What a config.json of Hugging Face's says of a model; a size that it does not name is 0. */
typedef struct as_hf_config {
    char scheme[AS_PARAM_WORDS + 1024]; /* as as_scheme_parse() takes it */
    size_t layers, heads, kv_heads, dim;
    char note[512]; /* what it says of its logits that the scheme does not do; "" where nothing */
} as_hf_config;
/* AS_EREAD where the file is no JSON object, AS_EINVAL where it names a rope type that is unknown (with
 * those that are valid), has a field of the wrong kind, or does not say which positional encoding it
 * has, or which no scheme has. */
as_status as_scheme_hf(const char *path, as_hf_config *out);

/* The canonical string: every parameter that differs from its default, in the table's order. Owned
 * by the caller (free()); NULL where there is no memory. */
char *as_scheme_text(const as_scheme *scheme);
as_status as_scheme_check(const as_scheme *scheme, const as_head *head);
unsigned as_scheme_traits(const as_scheme *scheme, const as_head *head);
double as_scheme_scale(const as_scheme *scheme, const as_head *head);
/* What the user should know of the scheme on that head, NULL where there is nothing. Static. */
const char *as_scheme_warning(const as_scheme *scheme, const as_head *head);

/* Of the type, or of what the parameters make of it. */
as_scheme_class as_scheme_class_of(const as_scheme *scheme);

/* The file of the scheme's tables, NULL where none is named. Borrowed. */
const char *as_scheme_file(const as_scheme *scheme);
/* The file that `text`, which was parsed to the scheme, is read from or names; NULL where there is none.
 * Borrowed from either. */
const char *as_scheme_input(const char *text, const as_scheme *scheme);

/* Rotates the queries, or the keys, x [rows or cols][dim] of a head in place; inverse turns back, gain
 * and growth too. O(rows·dim). */
void as_rotate(const as_rotation *rotation, const as_head *head, as_side side, bool inverse,
               double *x);

AS_END_DECLS

#endif

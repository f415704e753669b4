/* logits: from any origin to one matrix at a time, labelled, with its mask taken out and recorded.
 * This room knows axes, layers, heads, kinds and masks; it takes no spectrum. */
#ifndef ATTNSPEC_LOGITS_H
#define ATTNSPEC_LOGITS_H

#include "content.h"
#include "dump.h"
#include "scheme.h"

AS_BEGIN_DECLS

/* What the numbers are. `auto` decides for each matrix: weights are non-negative with rows that sum
 * to 1 within the dtype's or the text's rounding (all-zero rows excepted), anything else is logits. */
#define AS_KIND_LIST(X)                                                                            \
    X(AS_KIND_AUTO, "auto")                                                                        \
    X(AS_KIND_LOGITS, "logits")                                                                    \
    X(AS_KIND_WEIGHTS, "weights")
typedef enum as_kind {
#define X(code, name) code,
    AS_KIND_LIST(X)
#undef X
        AS_KIND_COUNT
} as_kind;
const char *as_kind_name(as_kind kind);
as_status as_kind_parse(const char *text, as_kind *out);

/* Which (query i, key k) pairs are kept, with off = cols − rows so that the last query sees the
 * last key (bottom-right aligned):
 *   none: all;  causal: k ≤ i+off;  window:W: 0 ≤ i+off−k < W;  prefix:P: k < P or causal;
 *   other: a pattern of its own, known only from the data;  auto: to be found in the data.
 * Any of the first four with padding: besides, the first `left` and the last `right` keys are masked
 * for every query. The queries that stand at these keys (rows = cols) see what the word leaves them,
 * nothing, or everything: a softmax of a row that a finite number masks whole is uniform. */
typedef enum as_mask_kind {
    AS_MASK_AUTO,
    AS_MASK_NONE,
    AS_MASK_CAUSAL,
    AS_MASK_WINDOW,
    AS_MASK_PREFIX,
    AS_MASK_OTHER
} as_mask_kind;
typedef struct as_mask {
    as_mask_kind kind;
    size_t width; /* W or P */
    size_t left, right;
    enum { AS_PAD_QUERIES_SEE, AS_PAD_QUERIES_BLIND, AS_PAD_QUERIES_UNIFORM } queries;
} as_mask;
#define AS_MASK_TEXT 40 /* enough for any mask word */
/* "auto", "none", "causal", "window:W" (W ≥ 1), "prefix:P"; "padding:left=L", "padding:right=R",
 * "padding:left=L,right=R"; and these after one of the others, as "causal+padding:right=R".
 * AS_EINVAL with the valid words. */
as_status as_mask_parse(const char *text, as_mask *out);
/* Writes the word into text[AS_MASK_TEXT] and returns it: "padding", "causal+padding" without the
 * numbers, which differ from one text of a batch to the next. */
const char *as_mask_name(as_mask mask, char *text);
/* Whether the mask keeps key k for query i; AUTO, NONE and OTHER keep all but the padding. */
bool as_mask_keeps(as_mask mask, size_t rows, size_t cols, size_t i, size_t k);

/* Whether the word leaves out keys by their place, padding apart: what `auto` of a scheme's form or
 * direction goes by. */
static inline bool as_mask_hides(as_mask mask) {
    return mask.kind != AS_MASK_NONE && mask.kind != AS_MASK_AUTO;
}

/* What a masked logit becomes before a spectrum is taken. */
typedef enum as_masked_as { AS_MASKED_AS_ZERO, AS_MASKED_AS_SOFTMAX } as_masked_as;

/* What can stand for "masked" among the numbers of logits. */
typedef enum as_sentinels {
    AS_SENTINELS_ANY,      /* whatever people's code writes there: as_logits_prepare() */
    AS_SENTINELS_INFINITY, /* −inf alone, as in a dump of ours */
    AS_SENTINELS_NONE /* nothing: logits that were computed here, where −inf is an overflow */
} as_sentinels;

/* One matrix, ready for a spectrum. Start from {0}; it is reused over a loop. */
typedef struct as_logits {
    as_matrix a;                 /* masked entries are 0; softmaxed where asked */
    as_kind kind;                /* of what was read */
    double epsilon;              /* of the dtype it was read in; 0: computed here */
    double rounding;             /* half of the last decimal of a text; 0: binary, or computed */
    as_sentinels sentinels;      /* of logits, said by the caller */
    bool dropped;                /* keys or queries of padding were taken out */
    bool sums_off;               /* weights whose rows do not sum to 1 within rounding (K4) */
    size_t sentinels_found;      /* entries that the user's sentinel masked */
    bool softmaxed;              /* logits that were softmaxed here */
    bool centered;               /* logits whose kept entries were centred, row by row */
    double softcap;              /* C of C·tanh(x/C) that was applied; 0: none */
    as_mask mask;                /* the word that fits; of the matrix before padding was dropped */
    const unsigned char *masked; /* [rows][cols], 1 = masked; NULL when nothing is. Borrowed */
    unsigned char *room;         /* [room_size], what masked points into, kept over the loop */
    size_t room_size;
    size_t masked_count;      /* entries */
    size_t masked_rows;       /* fully masked rows */
    double row_sum_deviation; /* of weights: max |row sum − 1| over rows not all zero */
    /* The least and the largest sum of a row that is not all zero, of weights with sums_off and of what
     * may be such weights: a sink leaves less than 1, dropout more. Else NaN: sums of 1, logits with a
     * negative entry, computed here, or of a dump of ours. */
    double row_sum_min, row_sum_max;
} as_logits;
void as_logits_free(as_logits *logits);
/* Whether two matrices have the same shape and the same entries masked, the same padding dropped. */
bool as_logits_same_mask(const as_logits *a, const as_logits *b);

/* What is done to a matrix on its way to a spectrum. {0} with a dtype and a mask of AUTO: it is taken
 * as it is. */
typedef struct as_preparation {
    as_dtype dtype; /* of the file: it sets the rounding of row sums and the sentinel */
    as_kind kind;   /* what the user says, or AUTO */
    as_mask mask;   /* likewise */
    as_masked_as masked_as;
    bool has_sentinel;
    double
        sentinel; /* the user's own value for "masked": what equals it within the dtype's rounding */
    bool drop_padding;
    as_dtype bias_dtype;
    /* On the kept entries of logits, in this order; weights are left as they are. */
    double factor;         /* x → factor·x; 0: none */
    double softcap;        /* x → C·tanh(x/C); 0: none */
    const as_matrix *bias; /* [rows][cols], added; what is masked in it is masked. NULL: none */
    bool bias_masks_only;  /* it is not added: content, beside logits with a bias */
    bool center;           /* x → x − the mean of its row's kept entries */
} as_preparation;

/* Finds kind and mask of `logits->a` (filled by the caller), and does what is asked for.
 * Masked are: −inf; the dtype's lowest number; in logits, entries ≤ −5·10³ that lie ≥ 5·10³ below
 * every other, unless the user says that the mask is none; in weights, exact zeros; and what a named mask leaves out.
 * Where the user names a sentinel, and the matrix has it, it is masked besides, and in weights
 * instead of zeros.
 * Of the numbers, logits->sentinels may let fewer count.
 * Order: scale, soft-cap, bias, mask, padding dropped, centring, softmax (docs/maths.md, K9).
 *   drop_padding  removes the keys of the padding, and the queries at their places of a square
 *                 matrix (of another one those that are masked as a whole): logits->a shrinks
 * AS_ENONFINITE: NaN or +inf (or −inf where it is no mask), with count and first index in the
 * message; or overflow by factor or bias.
 * AS_EMASK: weights that are not zero where the user's mask leaves them out; padding of which nothing
 * would be left.
 * On failure the members are undefined (but may be freed). Cost O(rows·cols). */
as_status as_logits_prepare(as_logits *logits, const as_preparation *how);

/* The arrays of the file that a scheme names, for as_head's tables. Start from {0}. */
typedef struct as_tables {
    as_parameters *item; /* [count], borrowed names and data */
    size_t count;
    double *numbers;
    char *names;
} as_tables;
/* Reads as_scheme_file() once: its float tensors of rank 1 to 4, in their order. A scheme that names no
 * file has none. AS_EINVAL where the file cannot be read, has no tensor or one that is no such, NaN,
 * infinity or more than 1 GiB; AS_ENOMEM. *out, written only on success, is the caller's to free. */
as_status as_tables_read(const as_scheme *scheme, as_tables *out);
void as_tables_free(as_tables *tables);

/* q and k of one head, before position, with the scheme that couples them. Start from {0}; reused
 * over a loop. */
typedef struct as_pair {
    as_matrix q, k; /* [rows][dim], [cols][dim] */
    as_scheme scheme;
    as_head head;         /* shapes, place and mask; as_couple() reads it */
    double scale;         /* of the logits; 0: the scheme's own */
    double softcap;       /* C·tanh(x/C) of q kᵀ·scale, before a bias is added; 0: none */
    as_rotation rotation; /* what as_couple() found; count 0 for other schemes */
    double *room;         /* of the rotation and of P, owned */
    size_t room_size;
} as_pair;
void as_pair_free(as_pair *pair);

/* The two logit matrices of a pair, unmasked (docs/maths.md, "Coupling"):
 *   content  G = Q Kᵀ·scale
 *   coupled  by the scheme's means: rotation of rows, P added to q and k, bias added, kernel multiplied
 * Both with the soft-cap where there is one, under a bias.
 * Both are resized. pair->rotation is filled and pair->scale set. AS_EINVAL where the scheme is not
 * defined for that head; AS_ETOOLARGE beyond BLAS; AS_ENOMEM. After a failure the contents of both are
 * undefined.  O(rows·cols·dim) by BLAS. */
as_status as_couple(as_pair *pair, as_matrix *content, as_matrix *coupled);

/* Fills pair->head's shape, scale and rotation, as as_couple() does, and computes no logits. */
as_status as_pair_describe(as_pair *pair);
/* Turns q and k that were saved after rotation back, in place. Errors as as_couple(). */
as_status as_pair_unrotate(as_pair *pair);

/* Reads positions, [keys] or [batch, keys], as one row or a row a batch entry. AS_EREAD with the file's
 * name, AS_ENOMEM. */
as_status as_positions_read(const char *path, as_matrix *out);

/* A set of indices such as "0,3-5,8-"; NULL or "" is everything. */
typedef struct as_index_set as_index_set;
/* AS_EINVAL with the text and the place. *out is NULL for everything. */
as_status as_index_set_parse(const char *text, as_index_set **out);
bool as_index_set_has(const as_index_set *set, size_t index);
void as_index_set_free(as_index_set *set);

typedef struct as_source_options {
    const char *axes;            /* "layer,batch,head,query,key" in the file's order, or NULL */
    const char *raw_dtype, *raw; /* as in as_dump_options */
    const as_index_set *layers, *heads, *batch; /* NULL: all; borrowed while the source lives */
    as_kind kind;
    as_mask mask; /* AUTO of q and k is none */
    as_masked_as masked_as;
    double
        scale; /* of the logits of q and k; 0: the scheme's own. Factor on logits that are read */
    bool has_sentinel;
    double sentinel; /* as in as_preparation, like the next three */
    bool drop_padding, center;
    double softcap;
    /* Added to logits, paired by layer, batch, head and shape; an axis that a bias lacks, or that
     * has length 1, takes any. A matrix that has none is skipped. */
    const char *const *biases;
    size_t bias_count;
    /* q and k in tensors or files of their own, paired by layer and batch; heads of k are repeated
     * (grouped-query attention: query head h uses key head h / (H/H_kv)). */
    const char *const *queries, *const *keys;
    size_t query_count, key_count;
    const char *query_axes, *key_axes; /* "layer,batch,head,position,dim" in the file's order */
    const as_scheme *schemes;          /* q and k are coupled by each; none: nope */
    size_t scheme_count;
    uint64_t seed;         /* of the tables that schemes draw */
    bool position_applied; /* q and k were saved after rotation by the scheme: undone for content */
    const char
        *positions; /* file of the positions of keys, [keys] or [batch, keys]; NULL: 0, 1, …, and
                              behind padding on the left of the mask from the first token on */
    as_phase phase;
    /* Matrices to compare with, paired by layer, batch and head. */
    const char *const *baselines;
    size_t baseline_count;
    /* Or with the plain product of these queries and keys; axes are those of the options above. */
    const char *const *baseline_queries, *const *baseline_keys;
    size_t baseline_query_count, baseline_key_count;
} as_source_options;

/* One line of the plan: a matrix, or a tensor or file that has none to give. */
typedef struct as_item {
    const char *source;        /* the path as the user gave it */
    const char *tensor;        /* name in the file */
    size_t layer, batch, head; /* 0 where the input lacks the axis */
    size_t rows, cols;         /* 0 where unknown */
    const char *dtype;         /* NULL where unknown */
    const char *scheme;        /* that couples q and k, or that a dump names; else NULL */
    const char *content;       /* of a dump of ours: where q and k came from */
    bool has_seed;
    uint64_t seed;      /* of a dump of ours */
    double scale;       /* that a dump names; 0 where unknown */
    as_status status;   /* AS_OK: to be loaded; else why not */
    const char *reason; /* NULL with AS_OK */
} as_item;

typedef struct as_source as_source;

/* Opens every input (`FILE` or `FILE:TENSOR-GLOB`; a name that exists whole is a file), reads their
 * tables of contents and plans one item a matrix, in the order of the inputs, then of the file, then
 * layer, batch, head. A file that cannot be read, and a tensor that is no attention, is one item
 * with its status and reason: opening fails only for AS_EINVAL (options) and AS_ENOMEM.
 * FILE may be a folder, which stands for every file below it but hidden ones, sorted by name with
 * numbers compared as numbers, or a pattern for such names (glob(7)); results of ours that are found so,
 * files that are found twice, and what is no file or holds none, are left out: as_source_left_out().
 * Without axes: rank 2 is query,key; 3 head,query,key; 4 layer,head,query,key, but
 * batch,head,query,key where the name gives the layer or the first axis is 1; 5
 * layer,batch,head,query,key. Layer, batch and head numbers in names count; of a
 * tensor without a name those of the file's; places in lists are layers. */
as_status as_source_open(const char *const *inputs, size_t count, const as_source_options *options,
                         as_source **out);
/* out is owned by the caller, as_source_close(); inputs and options are borrowed for the call, the
 * index sets in them while the source lives. */
void as_source_close(as_source *source);
size_t as_source_count(const as_source *source);
/* index < as_source_count(), which is not checked; borrowed while the source lives. */
const as_item *as_source_item(const as_source *source, size_t index);

/* A sentence on what is no error and yet may be a mistake: tensors of a file that are all layer 0, for
 * their names have no layer. NULL where there is nothing to say; borrowed while the source lives. */
const char *as_source_note(const as_source *source);

/* What is known of coupled logits L and content logits G: by construction, or checked entry by entry.
 * It is what theorems on contraction stand on. */
typedef enum as_relation {
    AS_RELATION_NONE,       /* nothing */
    AS_RELATION_IDENTICAL,  /* L = G */
    AS_RELATION_CORRELATION /* L = G ∘ C with C a correlation matrix, or a block of one */
} as_relation;

/* One item, ready for spectra. Start from {0}; reused over a loop, one a thread. */
typedef struct as_loaded {
    as_logits logits; /* what is analysed: coupled logits where there is a pair */
    bool has_baseline;
    const char *baseline_name; /* "content" or "file" */
    as_logits baseline;        /* what it is compared with, the same mask and scale */
    bool has_pair;
    as_pair pair; /* of q and k */
    double
        scale; /* of the logits that were coupled here, or that a dump or the user names; 0: unknown */
    double
        gain; /* the scheme's factor on q and on k, 1 where it has none; 0: not known, or not a factor of
                    all of the coupled logits */
    const char *bias; /* the file that a bias was added from; NULL: none. Borrowed */
    as_dtype bias_dtype;
    as_relation relation;                     /* of the two matrices */
    as_matrix kernel, product, added, places; /* room */
} as_loaded;
void as_loaded_free(as_loaded *loaded);
/* Couples loaded->pair, whose q, k, scheme, head and scale (0: the scheme's own) the caller has set, and
 * prepares both matrices: logits and baseline, the content, with what is known of the two. Of how its
 * mask (AUTO: none), masked_as, softcap, center and drop_padding count. Errors of as_couple() and
 * as_logits_prepare(); *loaded is then undefined but reusable. */
as_status as_loaded_couple(as_loaded *loaded, const as_preparation *how);

/* Reads item `index` and prepares it, and its baseline where it has one. Any status of a matrix can
 * come back; the message is its reason, and *out is then undefined but reusable. Thread-safe. */
as_status as_source_load(const as_source *source, size_t index, as_loaded *out);

/* The opened files, for lists that go by file: NULL where it could not be opened. Borrowed. */
size_t as_source_input_count(const as_source *source);
const char *as_source_input_path(const as_source *source, size_t input); /* without its pattern */
/* What was found in folders or by patterns, and is no input. */
typedef struct as_left_out {
    size_t repeated, results; /* files that are inputs already (or that an index of safetensors
                                    lists), and results of ours */
    size_t reports;           /* that were written as JSON or CSV */
    size_t others;            /* folders without files, pipes, sockets, devices */
    const char *repeat, *result, *report, *other; /* the first one's path; borrowed */
} as_left_out;
const as_left_out *as_source_left_out(const as_source *source);
const as_dump *as_source_dump(const as_source *source, size_t input);

AS_END_DECLS

#endif

/* axes: which axis of a tensor is what. Private to lib/logits. */
#ifndef AS_LOGITS_AXES_H
#define AS_LOGITS_AXES_H

#include "attnspec/logits.h"

/* What a tensor is taken for: it decides the words of its last two axes, and what is skipped. */
typedef enum as_role {
    AS_ROLE_ATTENTION,      /* query, key */
    AS_ROLE_QUERY,          /* position, dim */
    AS_ROLE_KEY,            /* position, dim */
    AS_ROLE_BASELINE,       /* query, key */
    AS_ROLE_BASELINE_QUERY, /* position, dim */
    AS_ROLE_BASELINE_KEY,   /* position, dim */
    AS_ROLE_BIAS,           /* query, key */
    AS_ROLE_COUNT
} as_role;
static inline bool as_role_is_projection(as_role role) {
    return role != AS_ROLE_ATTENTION && role != AS_ROLE_BASELINE && role != AS_ROLE_BIAS;
}

/* The words of --axes; the first three are the loops over matrices, in the order of the plan. Of q
 * and k, QUERY stands for position and KEY for dim: the rows and columns of what is read. */
typedef enum as_axis {
    AS_AXIS_LAYER,
    AS_AXIS_BATCH,
    AS_AXIS_HEAD,
    AS_AXIS_QUERY,
    AS_AXIS_KEY,
    AS_AXIS_COUNT
} as_axis;
enum { AS_LOOP_COUNT = AS_AXIS_QUERY };
const char *as_axis_name(as_role role, as_axis axis);

typedef struct as_axes {
    size_t rank;
    size_t at[AS_AXIS_COUNT]; /* which axis of the tensor, AS_NO_AXIS where it has none */
} as_axes;

/* "layer,head,query,key" (of q and k "position,head,dim") in the file's order. AS_EINVAL, with the
 * valid words, where a word is unknown or comes twice, or one of the last two is not there. */
as_status as_axes_parse(as_role role, const char *text, as_axes *out);

/* The numbers in a tensor's name: layer, batch, head; AS_NO_AXIS where it has none. Words match from
 * the start of a path component (after . or /), the first match wins: layer_3/head_2; where none
 * does, layer, batch and head behind one of "_-." (attn_layer3; "heads8" as in a file's name), then
 * L<N> and L<N>H<N>. Where nothing numbers the layer, the place in a list does, which is the last
 * component that is a number alone (or arr_N, as numpy names lists): 3, decoder_attentions.1.3,
 * whose 1 is a step. */
void as_axes_numbers(const as_tensor *tensor, size_t number[AS_LOOP_COUNT]);

/* "self_attn_3", whose number may be the layer where others of the file have the same name but for
 * it: how long the name is without the number; 0 where none ends it, or it counts something else. */
size_t as_axes_end_number(const char *name, size_t *number);

/* Whether a number in the name is said to count something that is no axis: steps/3, prompt_2. */
bool as_axes_counts_others(const char *name);

/* What np.savez() calls an array without a name that is its only one: no layer, and no name. */
#define AS_LONE_ARRAY "arr_0"

/* The same for a tensor without a name, by its file's: layer_3.npy, gpt2_layer3-head2.csv. After the
 * start only layer, batch and head (and L<N>H<N>) count, behind one of "_-.". "heads8" of a tensor that has an axis of
 * length 8 is how many there are; tensor may be NULL: any. */
void as_axes_file_numbers(const char *path, const as_tensor *tensor, size_t number[AS_LOOP_COUNT]);

/* Axes by the name's numbers, then by rank (2 … 5). An axis that the name has numbered is not
 * looked for in the tensor as long as another is left to take its place. */
as_axes as_axes_guess(const as_tensor *tensor, const size_t number[AS_LOOP_COUNT]);

/* Whether the last part of the name (after . or /) that is no number is q, k, v, query, key or value,
 * alone or followed by _ or a digit, or TransformerLens's hook of one (hook_q, hook_rot_k), or half
 * of a cache's layer. */
bool as_axes_is_projection(const char *name);
/* Which: 'q', 'k' or 'v'; 0 where the name says none of them. */
char as_axes_projection(const char *name);

/* past_key_values.LAYER.PLACE (behind a step or not): PLACE is even for keys, odd for values. */
bool as_axes_cache(const char *name, size_t *layer, size_t *place);

/* Why a tensor of that name is neither attention nor q, k or v: a cache, a hidden state, another hook.
 * NULL where the name does not say so. (Of a cache's halves ask as_axes_projection() first.) */
const char *as_axes_other(const char *name);

/* Whether the name is that of attention: hook_pattern, hook_attn_scores, and attentions.3. */
bool as_axes_is_attention(const char *name);

/* TransformerLens's hooks say their axes: q, k and v have the position before the head,
 * hook_pattern and hook_attn_scores the batch first. The name may be NULL. */
bool as_axes_is_position_first(const char *name);
bool as_axes_is_batch_first(const char *name);

#endif

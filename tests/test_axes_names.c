/* What a name says: layer, batch and head, in lists, inside of words and of files' names; and whether
 * the tensor is attention at all. */
#include "logits/axes.h"
#include "support.h"

#include <stdbool.h>

#define NO AS_NO_AXIS

typedef struct named {
    const char *name;
    size_t number[AS_LOOP_COUNT]; /* layer, batch, head */
} named;

static void check_numbers(const named *row, const size_t number[AS_LOOP_COUNT]) {
    ck_assert_msg(memcmp(number, row->number, sizeof row->number) == 0, "%s: %zd %zd %zd",
                  row->name, number[0], number[1], number[2]);
}

START_TEST(places_in_lists_are_layers) {
    static const named rows[] = {
        /* tuples, np.savez(), lists of objects */
        {"0", {0, NO, NO}},
        {"11", {11, NO, NO}},
        {"arr_7", {7, NO, NO}},
        {"3/attn", {3, NO, NO}},
        {"outputs/3/attn", {3, NO, NO}},
        {"attentions.3", {3, NO, NO}},
        {"encoder_attentions.3", {3, NO, NO}},
        {"cross_attentions/2", {2, NO, NO}},
        /* of two numbers the first is a step */
        {"0.3", {3, NO, NO}},
        {"5.arr_3", {3, NO, NO}},
        {"2/3/attn", {3, NO, NO}},
        {"attentions.1.3", {3, NO, NO}},
        {"attentions/1/3/weights", {3, NO, NO}},
        {"decoder_attentions.1.3", {3, NO, NO}},
        {"cross_attentions.0.2", {2, NO, NO}},
        {"steps.4.3", {3, NO, NO}},
        /* words go first */
        {"4.layers.3", {3, NO, NO}},
        {"layers.3.0", {3, NO, NO}},
        {"layer_3.0", {3, NO, NO}},
        {"attn_3.0", {3, NO, NO}},
        {"layers/0/q_prepe", {0, NO, NO}},
        {"layers.0.blocks.1.attn", {0, NO, NO}},
        /* what counts something else is no layer */
        {"head.2", {NO, NO, 2}},
        {"3.head.2", {3, NO, 2}},
        {"3/head_2", {3, NO, 2}},
        {"batch/1", {NO, 1, NO}},
        {"steps/4/attn", {NO, NO, NO}},
        {"prompt.2.attn", {NO, NO, NO}},
        {"h2o", {NO, NO, NO}},
        {"arr_x", {NO, NO, NO}},
        {"arr_", {NO, NO, NO}},
        {"3x", {NO, NO, NO}},
        {"1234567890", {NO, NO, NO}},
        {"attn..3", {3, NO, NO}},
        {"...", {NO, NO, NO}},
        /* models as they name themselves */
        {"transformer.h.3.attn.attn_dropout", {3, NO, NO}},
        {"model.layers.3.self_attn", {3, NO, NO}},
        {"encoder.block.3.layer.0.SelfAttention", {3, NO, NO}},
        {"decoder.block.3.layer.1.EncDecAttention", {3, NO, NO}},
        {"bert.encoder.layer.3.attention.self", {3, NO, NO}},
        {"blocks.3.attn.hook_pattern", {3, NO, NO}},
        {"layer_3/batch_0/head_2", {3, 0, 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t number[AS_LOOP_COUNT];
        as_axes_numbers(&(as_tensor){.name = rows[i].name}, number);
        check_numbers(&rows[i], number);
    }
}
END_TEST

START_TEST(words_inside_count_where_none_starts) {
    static const named rows[] = {
        {"attn_layer0", {0, NO, NO}},
        {"attn_layer10", {10, NO, NO}},
        {"q_layer7", {7, NO, NO}},
        {"step0_layer1", {1, NO, NO}},
        {"sent0-layer.1", {1, NO, NO}},
        {"attn_layer_0_head_1", {0, NO, 1}},
        {"attn_batch2_layer_3/head4", {3, 2, 4}},
        {"0.attn_layer3", {3, NO, NO}},
        {"layers.3.attn_layer_5", {3, NO, NO}},
        {"L0H1", {0, NO, 1}},
        {"l0h1", {0, NO, 1}},
        {"L0/H0", {0, NO, 0}},
        {"L3", {3, NO, NO}},
        {"model/L3/attn", {3, NO, NO}},
        {"attn_L2_H3", {2, NO, 3}},
        {"attn_L2H3", {2, NO, 3}},
        {"attn_l2", {2, NO, NO}},
        {"attn_l2_h3.weights", {2, NO, 3}},
        {"layers.4.L3H1", {4, NO, NO}},
        /* these number nothing */
        {"l2", {NO, NO, NO}},
        {"l2_norm", {NO, NO, NO}},
        {"L2x", {NO, NO, NO}},
        {"L2h3", {NO, NO, NO}},
        {"H100", {NO, NO, NO}},
        {"XL3", {NO, NO, NO}},
        {"L", {NO, NO, NO}},
        {"L1234567890", {NO, NO, NO}},
        {"8x160x160", {NO, NO, NO}},
        {"q_8bit", {NO, NO, NO}},
        {"conv2d", {NO, NO, NO}},
        {"attn_v2", {NO, NO, NO}},
        {"self_attn_3", {NO, NO, NO}}, /* alone: a file's other tensors decide */
        /* caches */
        {"past_key_values.4.0", {4, NO, NO}},
        {"past_key_values/4/1", {4, NO, NO}},
        {"out.past_key_values.7.4.1", {4, NO, NO}},
        {"past_key_values.4", {4, NO, NO}},
        {"key_cache.4", {4, NO, NO}},
    };
    size_t number[AS_LOOP_COUNT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        as_axes_numbers(&(as_tensor){.name = rows[i].name}, number);
        check_numbers(&rows[i], number);
    }
    /* So many heads there are. */
    const named counts = {"attn_heads3_layer_12", {12, NO, NO}};
    as_axes_numbers(&(as_tensor){.name = counts.name, .rank = 3, .shape = {3, 7, 7}}, number);
    check_numbers(&counts, number);
}
END_TEST

START_TEST(numbers_at_the_end_are_candidates) {
    static const struct {
        const char *name;
        size_t length, number;
    } rows[] = {{"self_attn_3", 10, 3}, {"q_0", 2, 0},      {"a/k_12", 4, 12}, {"step_3", 0, 0},
                {"attn_run_3", 0, 0},   {"x.head_3", 0, 0}, {"attn_v2", 0, 0}, {"attn_2b", 0, 0},
                {"_3", 0, 0},           {"3", 0, 0},        {"", 0, 0},        {"attn_", 0, 0},
                {"a/_3", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t number = 0;
        ck_assert_msg(as_axes_end_number(rows[i].name, &number) == rows[i].length, "%s",
                      rows[i].name);
        ck_assert_msg(rows[i].length == 0 || number == rows[i].number, "%s", rows[i].name);
    }
    ck_assert(as_axes_counts_others("steps/4/attn") && as_axes_counts_others("step_4"));
    ck_assert(as_axes_counts_others("sent0") && as_axes_counts_others("attn_prompt12.a"));
    ck_assert(!as_axes_counts_others("footstep4") && !as_axes_counts_others("head_4"));
    ck_assert(!as_axes_counts_others("steps") && !as_axes_counts_others("4"));
}
END_TEST

START_TEST(what_is_no_attention_says_so) {
    static const char *const others[] = {"past_key_values.3.0",
                                         "key_cache.3",
                                         "out.value_cache.0",
                                         "hidden_states.3",
                                         "a/hidden_states/3",
                                         "encoder_hidden_states.0",
                                         "last_hidden_state",
                                         "decoder_hidden_states.1.2",
                                         "blocks.3.hook_resid_pre",
                                         "blocks.3.attn.hook_z",
                                         "hook_embed",
                                         "encoder_last_hidden_state"};
    static const char *const maybe[] = {"blocks.3.attn.hook_pattern",
                                        "hook_attn_scores",
                                        "blocks.3.attn.hook_q",
                                        "hook_rot_k",
                                        "attentions.3",
                                        "logits",
                                        "scores.0",
                                        "hidden",
                                        "unhidden_statesman",
                                        ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_msg(as_axes_other(others[i]) != NULL, "%s", others[i]);
    }
    for (size_t i = 0; i < sizeof maybe / sizeof *maybe; i++) {
        ck_assert_msg(as_axes_other(maybe[i]) == NULL, "%s", maybe[i]);
    }
    ck_assert_int_eq(as_axes_projection("past_key_values.3.0"), 'k');
    ck_assert_int_eq(as_axes_projection("past_key_values.3.1"), 'v');
    ck_assert_int_eq(as_axes_projection("past_key_values.3"), 0);
    ck_assert_int_eq(as_axes_projection("key_cache.3"), 'k');
    ck_assert_int_eq(as_axes_projection("value_cache.3"), 'v');
}
END_TEST

START_TEST(files_are_layers) {
    static const named rows[] = {
        {"layer_3.npy", {3, NO, NO}},
        {"a.layer_9/layer3.npy", {3, NO, NO}},
        {"/data/layer_9/attn.npy", {NO, NO, NO}},
        {"attn_layer3_f32.npy", {3, NO, NO}},
        {"gpt2-layer.3-head.2.csv", {3, NO, 2}},
        {"batch_1_layer_2_head_3.bin", {2, 1, 3}},
        {"stories260K_logits_masked_layer2_1x8x160x160_f16.npy", {2, NO, NO}},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian.npy", {2, NO, 3}},
        {"blocks.3.attn.hook_pattern.npy", {3, NO, NO}},
        {"h3.npy", {3, NO, NO}},
        {"attn_3.npy", {3, NO, NO}},
        {"gpt2_L0H0.csv", {0, NO, 0}},
        {"gpt2-L11-H3.csv", {11, NO, 3}},
        {"attn_l2.npy", {2, NO, NO}},
        {"A100_H100.npy", {NO, NO, NO}},
        {"block-3.npy", {NO, NO, NO}},
        {"bert_attn_3.npy", {NO, NO, NO}},
        {"bert_h3.npy", {NO, NO, NO}},
        {"layer_8x160x160.npy", {NO, NO, NO}},
        {"multihead3.npy", {NO, NO, NO}},
        {"attention.npy", {NO, NO, NO}},
        {"3.npy", {NO, NO, NO}},
        {"arr_3.npy", {NO, NO, NO}},
        {"layer_.npy", {NO, NO, NO}},
        {"layer_1234567890.npy", {NO, NO, NO}},
        {"", {NO, NO, NO}},
        {"folder/", {NO, NO, NO}},
        {"layers12_heads7.npy", {12, NO, 7}},
    };
    size_t number[AS_LOOP_COUNT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        as_axes_file_numbers(rows[i].name, NULL, number);
        check_numbers(&rows[i], number);
    }
    /* So many layers and heads there are; the third layer of a tensor of three heads is one. */
    const as_tensor t = {.rank = 4, .shape = {12, 3, 7, 7}};
    const named counts = {"layers12_heads7.npy", {NO, NO, 7}};
    const named index = {"layer_3.npy", {3, NO, NO}};
    as_axes_file_numbers(counts.name, &t, number);
    check_numbers(&counts, number);
    as_axes_file_numbers(index.name, &t, number);
    check_numbers(&index, number);
}
END_TEST

START_TEST(projections_are_told_from_attention) {
    static const struct {
        const char *name;
        char says;
        bool position_first, batch_first;
    } rows[] = {{"blocks.3.attn.hook_q", 'q', true, false},
                {"blocks.3.attn.hook_k", 'k', true, false},
                {"blocks.3.attn.hook_v", 'v', true, false},
                {"blocks.3.attn.hook_rot_q", 'q', true, false},
                {"blocks.3.attn.hook_rot_k", 'k', true, false},
                {"blocks.3.attn.hook_pattern", 0, false, true},
                {"hook_attn_scores", 0, false, true},
                {"blocks.3.hook_resid_pre", 0, false, false},
                {"model.layers.3.self_attn.q_proj", 'q', false, false},
                {"model.layers.3.self_attn.k_proj", 'k', false, false},
                {"decoder.block.3.layer.0.SelfAttention.v", 'v', false, false},
                {"rot_q", 0, false, false},
                {"q.0", 'q', false, false},
                {"keys.0", 0, false, false},
                {"key.1.arr_0", 'k', false, false},
                {"attentions.3", 0, false, false},
                {"arr_3", 0, false, false},
                {"0.3", 0, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = rows[i].name;
        ck_assert_msg(as_axes_projection(name) == rows[i].says, "%s", name);
        ck_assert_msg(as_axes_is_position_first(name) == rows[i].position_first, "%s", name);
        ck_assert_msg(as_axes_is_batch_first(name) == rows[i].batch_first, "%s", name);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, places_in_lists_are_layers);
    tcase_add_test(t, words_inside_count_where_none_starts);
    tcase_add_test(t, numbers_at_the_end_are_candidates);
    tcase_add_test(t, what_is_no_attention_says_so);
    tcase_add_test(t, files_are_layers);
    tcase_add_test(t, projections_are_told_from_attention);
}

AS_TEST_MAIN("axes_names")

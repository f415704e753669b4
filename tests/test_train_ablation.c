/* Accuracy of a trained model with and without a head, and how its drops are counted. */
#include "first_layer.h"

static as_score score_of(as_trainer *trainer, as_removal_kind kind, size_t layer, size_t head) {
    as_score score = {0};
    as_removal removal = {kind, layer, head};
    assert_ok(as_trainer_evaluate(trainer, &removal, &score, NULL));
    return score;
}

static void assert_same_score(as_score a, as_score b) {
    assert_near(a.loss, b.loss, 1e-6 * (1 + fabs(b.loss)));
    ck_assert_double_eq(a.accuracy, b.accuracy);
    ck_assert_uint_eq(a.answers, b.answers);
}

/* The maps to the values of a layer: [D][width], and of most schemes a bias [D]. */
static void values_of(as_trainer *trainer, size_t layer, as_train_tensor *weight,
                      as_train_tensor *bias) {
    char name[48];
    *bias = (as_train_tensor){.name = NULL};
    snprintf(name, sizeof name, "layer_%zu.value.weight", layer);
    if (!has_tensor(trainer, name, weight)) {
        snprintf(name, sizeof name, "layer_%zu.value_up.weight", layer);
        *weight = tensor(trainer, name);
        return;
    }
    snprintf(name, sizeof name, "layer_%zu.value.bias", layer);
    *bias = tensor(trainer, name);
}

/* Rows of one head are zero, and its bias is what is given, or zero. */
static void empty_values(as_trainer *trainer, size_t layer, size_t head, const double *constant) {
    as_train_tensor weight, bias;
    size_t size = D / H;
    values_of(trainer, layer, &weight, &bias);
    ck_assert_uint_eq(weight.shape[0], D);
    memset(weight.data + head * size * weight.shape[1], 0,
           size * weight.shape[1] * sizeof *weight.data);
    for (size_t j = 0; j < size && bias.name != NULL; j++) {
        bias.data[head * size + j] = constant != NULL ? (as_real)constant[j] : 0;
    }
}

typedef struct asked {
    const char *scheme, *task, *kv_from;
} asked;
static const asked models[] = {
    {"nope", "count:sentence=9,most=5,triggers=4", "layer"},     {"rope", "copy", "layer"},
    {"mla", "count:sentence=9,most=5,triggers=4", "embeddings"}, {"t5", "induction", "layer"},
    {"learned", "distance:between=3,side=2", "embeddings"},
};
enum { MODELS = sizeof models / sizeof *models };

static as_train_config config_of(const asked *a) {
    as_train_config c = small(a->scheme);
    strcpy(c.task, a->task);
    assert_ok(as_train_config_set(&c, "kv-from", a->kv_from));
    return c;
}

START_TEST(a_head_set_to_zero_is_one_without_values) {
    for (size_t i = 0; i < MODELS * L * H; i++) {
        as_train_config c = config_of(&models[i / (L * H)]);
        size_t layer = i / H % L, head = i % H;
        as_trainer *t = after_steps(&c, 5), *emptied = trainer_of(&c, 1);
        copy_tensors(t, emptied);
        empty_values(emptied, layer, head, NULL);
        as_score without = score_of(t, AS_REMOVE_ZERO, layer, head);
        assert_same_score(without, score_of(emptied, AS_REMOVE_NONE, 0, 0));
        ck_assert_double_ne(without.loss, score_of(t, AS_REMOVE_NONE, 0, 0).loss);
        as_trainer_free(t);
        as_trainer_free(emptied);
    }
}
END_TEST

START_TEST(a_head_that_is_constant_is_its_mean) {
    const double constant[D / H] = {0.5, -1, 2, 0.25};
    for (size_t head = 0; head < H; head++) {
        as_train_config c = config_of(&models[0]);
        as_trainer *t = after_steps(&c, 5);
        score_of(t, AS_REMOVE_MEAN, 1, head); /* of other values: it must not be kept */
        empty_values(t, 1, head, constant);
        as_trainer_restore(t, as_trainer_done(t));
        as_score whole = score_of(t, AS_REMOVE_NONE, 0, 0);
        assert_same_score(score_of(t, AS_REMOVE_MEAN, 1, head), whole);
        ck_assert_double_ne(score_of(t, AS_REMOVE_ZERO, 1, head).loss, whole.loss);
        as_trainer_free(t);
    }
}
END_TEST

/* What head `head` of the first layer gives, its mean over positions and test samples. */
static void mean_of_head(as_trainer *t, const as_train_config *c, size_t head, double *mean) {
    uint32_t tokens[TESTS * T];
    as_matrix logits = {0};
    first_layer f;
    draw_tests(c, TESTS, tokens);
    assert_ok(as_trainer_probe(t, TESTS));
    memset(mean, 0, D / H * sizeof *mean);
    for (size_t s = 0; s < TESTS; s++) {
        normalise(t, tokens + s * T, &f);
        assert_ok(
            as_trainer_probed(t, (as_probed_place){0, s, head}, (as_probed){.logits = &logits}));
        for (size_t i = 0; i < T; i++) {
            double sum = 0;
            for (size_t k = 0; k < T; k++) {
                sum += exp(logits.data[i * T + k]);
            }
            for (size_t k = 0; k < T; k++) {
                for (size_t j = 0; j < D / H; j++) {
                    mean[j] += exp(logits.data[i * T + k]) / sum / (TESTS * T) *
                               mapped(t, "value", &f, k, head * D / H + j);
                }
            }
        }
    }
    as_matrix_free(&logits);
}

START_TEST(a_head_set_to_its_mean_gives_that_everywhere) {
    as_train_config c = config_of(&models[0]);
    as_trainer *t = after_steps(&c, 20), *constant = trainer_of(&c, 1);
    double mean[D / H], before[D / H];
    score_of(t, AS_REMOVE_MEAN, 0, 1); /* of other parameters: it must not be kept */
    mean_of_head(t, &c, 1, before);
    for (size_t s = 0; s < 5; s++) {
        step(t);
    }
    mean_of_head(t, &c, 1, mean);
    ck_assert_double_gt(fabs(mean[0] - before[0]), 1e-5);
    copy_tensors(t, constant);
    empty_values(constant, 0, 1, mean);
    as_score without = score_of(t, AS_REMOVE_MEAN, 0, 1);
    assert_same_score(without, score_of(constant, AS_REMOVE_NONE, 0, 0));
    ck_assert_double_ne(without.loss, score_of(t, AS_REMOVE_NONE, 0, 0).loss);
    as_trainer_free(t);
    as_trainer_free(constant);
}
END_TEST

/* The loss of who gives every class the same is ln C; of classes that are alike the first is the answer. */
START_TEST(a_model_that_knows_nothing_has_the_loss_of_guessing) {
    as_train_config c = small("nope");
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor w = tensor(t, "head.weight"), b = tensor(t, "head.bias");
    memset(w.data, 0, numbers(&w) * sizeof *w.data);
    memset(b.data, 0, numbers(&b) * sizeof *b.data);
    uint32_t tokens[TESTS * T];
    size_t none = 0; /* samples without a trigger, tokens 1 to 4: their class is 0 */
    draw_tests(&c, TESTS, tokens);
    for (size_t s = 0; s < TESTS; s++) {
        size_t triggers = 0;
        for (size_t i = 0; i < T; i++) {
            triggers += tokens[s * T + i] >= 1 && tokens[s * T + i] <= 4;
        }
        none += triggers == 0;
    }
    as_score score = score_of(t, AS_REMOVE_NONE, 0, 0);
    assert_near(score.loss, log(6), 1e-12);
    ck_assert(none > 0 && none < TESTS);
    ck_assert_double_eq(score.accuracy, (double)none / TESTS);
    as_trainer_free(t);
}
END_TEST

START_TEST(right_answers_add_up_to_the_accuracy) {
    for (size_t i = 0; i < MODELS; i++) {
        as_train_config c = config_of(&models[i]);
        as_trainer *one = after_steps(&c, 10), *three = trainer_of(&c, 3);
        copy_tensors(one, three);
        uint64_t answers = as_trainer_answers(one), right = 0;
        bool each = as_trainer_facts(one)->per_position;
        ck_assert(each ? answers > TESTS && answers < TESTS * T : answers == TESTS);
        bool *with = calloc(answers, sizeof *with), *again = calloc(answers, sizeof *again);
        as_score score, other;
        assert_ok(as_trainer_evaluate(one, NULL, &score, with));
        assert_ok(as_trainer_evaluate(three, NULL, &other, again));
        for (uint64_t a = 0; a < answers; a++) {
            right += with[a];
        }
        ck_assert_mem_eq(with, again, answers * sizeof *with);
        ck_assert_mem_eq(&score, &other, sizeof score);
        ck_assert_uint_eq(score.answers, answers);
        ck_assert_double_eq(score.accuracy, (double)right / (double)answers);
        ck_assert(isfinite(score.loss) && score.loss > 0);
        free(with);
        free(again);
        as_trainer_free(one);
        as_trainer_free(three);
    }
}
END_TEST

START_TEST(heads_that_are_not_there_are_refused) {
    as_train_config c = small("nope");
    as_trainer *t = trainer_of(&c, 1);
    as_score score = {.loss = 77}, before = score;
    const as_removal none[] = {{AS_REMOVE_ZERO, L, 0}, {AS_REMOVE_MEAN, 0, H}};
    for (size_t i = 0; i < 2; i++) {
        assert_fails(as_trainer_evaluate(t, &none[i], &score, NULL), AS_EINVAL);
        ck_assert_ptr_nonnull(strstr(as_message(), "2 layers have 3 heads"));
    }
    ck_assert_mem_eq(&score, &before, sizeof score);
    as_trainer_free(t);
}
END_TEST

/* Of ten answers two were right only with the head and one only without it: the drop is 0.1, its variance
 * (3 − 1/10)/100. */
START_TEST(a_drop_has_the_interval_of_paired_answers) {
    const bool with[10] = {1, 1, 1, 0, 0, 1, 1, 0, 1, 1},
               without[10] = {1, 0, 0, 1, 0, 1, 1, 0, 1, 1};
    as_ablated a = as_ablate_compare(with, without, 10);
    assert_near(a.accuracy, 0.6, 1e-15);
    assert_near(a.drop, 0.1, 1e-15);
    double deviation = sqrt((5.0 / 12 - 1.0 / 144) / 12); /* b = 2, c = 1 */
    assert_near(a.low, 1.0 / 12 - 1.959963984540054 * deviation, 1e-14);
    assert_near(a.high, 1.0 / 12 + 1.959963984540054 * deviation, 1e-14);
    a = as_ablate_compare(without, with, 10);
    assert_near(a.accuracy, 0.7, 1e-15);
    assert_near(a.drop, -0.1, 1e-15);
    a = as_ablate_compare(with, with, 10); /* none differs: the interval is not empty */
    ck_assert(a.drop == 0);
    assert_near(a.high, 1.959963984540054 / 12 * sqrt(2), 1e-14);
    assert_near(a.low, -a.high, 1e-15);
    a = as_ablate_compare((bool[]){1, 1, 1}, (bool[]){0, 0, 0}, 3); /* all: not below −1, above 1 */
    ck_assert(a.accuracy == 0 && a.drop == 1 && a.high == 1);
    assert_near(a.low, 0.6 - 1.959963984540054 * sqrt(0.128), 1e-14);
    a = as_ablate_compare(with, without, 0);
    ck_assert(isnan(a.accuracy) && isnan(a.drop) && isnan(a.low));
}
END_TEST

/* The exact test of McNemar has p = 0.0625 of five answers against none, 0.03125 of six. */
START_TEST(five_answers_are_no_evidence_and_six_are) {
    bool with[4096], without[4096];
    for (size_t lost = 5; lost <= 6; lost++) {
        for (size_t i = 0; i < 4096; i++) {
            with[i] = true;
            without[i] = i >= lost;
        }
        ck_assert((as_ablate_compare(with, without, 4096).low > 0) == (lost == 6));
    }
}
END_TEST

START_TEST(the_deposit_index_is_the_share_of_the_largest_drop) {
    as_deposit d = as_deposit_of((double[]){0.6, 0.1, -0.2, 0.3}, 4);
    assert_near(d.index, 0.6, 1e-15);
    ck_assert(d.worst_head == 0 && d.worst_drop == 0.6 && d.second_drop == 0.3);
    d = as_deposit_of((double[]){-0.3, 0, -0.1}, 3);
    ck_assert(isnan(d.index) && d.worst_head == 1 && d.worst_drop == 0 && d.second_drop == -0.1);
    d = as_deposit_of((double[]){0.1, 0.4, 0.4, 0.1}, 4); /* of two alike the first */
    assert_near(d.index, 0.4, 1e-15);
    ck_assert(d.worst_head == 1 && d.worst_drop == 0.4 && d.second_drop == 0.4);
    d = as_deposit_of((double[]){0.25}, 1);
    ck_assert(d.index == 1 && d.worst_head == 0 && d.worst_drop == 0.25 && isnan(d.second_drop));
    d = as_deposit_of((double[]){-0.25}, 1);
    ck_assert(isnan(d.index) && d.worst_drop == -0.25 && isnan(d.second_drop));
    d = as_deposit_of(NULL, 0);
    ck_assert(isnan(d.index) && isnan(d.worst_drop) && isnan(d.second_drop));
}
END_TEST

/* Of a model that was written over, or is of a file; what is kept of its heads is not found then either. */
START_TEST(a_test_set_whose_loss_is_no_number_is_refused) {
    as_train_config c = small("nope");
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor w = tensor(t, "layer_1.ff_up.weight");
    as_real kept = w.data[3];
    as_score score = {.loss = 77}, before = score;
    const as_removal ways[] = {
        {AS_REMOVE_NONE, 0, 0}, {AS_REMOVE_ZERO, 1, 0}, {AS_REMOVE_MEAN, 1, 0}};
    w.data[3] = (as_real)NAN;
    for (size_t i = 0; i < 3; i++) {
        assert_fails(as_trainer_evaluate(t, &ways[i], &score, NULL), AS_ENONFINITE);
        ck_assert_mem_eq(&score, &before, sizeof score);
    }
    w.data[3] = kept;
    for (size_t i = 0; i < 3; i++) {
        assert_ok(as_trainer_evaluate(t, &ways[i], &score, NULL));
    }
    as_trainer_free(t);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, a_head_set_to_zero_is_one_without_values);
    tcase_add_test(t, a_head_that_is_constant_is_its_mean);
    tcase_add_test(t, a_head_set_to_its_mean_gives_that_everywhere);
    tcase_add_test(t, a_model_that_knows_nothing_has_the_loss_of_guessing);
    tcase_add_test(t, right_answers_add_up_to_the_accuracy);
    tcase_add_test(t, a_test_set_whose_loss_is_no_number_is_refused);
    tcase_add_test(t, heads_that_are_not_there_are_refused);
    tcase_add_test(t, a_drop_has_the_interval_of_paired_answers);
    tcase_add_test(t, five_answers_are_no_evidence_and_six_are);
    tcase_add_test(t, the_deposit_index_is_the_share_of_the_largest_drop);
}

AS_TEST_MAIN("train_ablation")

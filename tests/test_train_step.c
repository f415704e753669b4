/* The optimiser of training: its rate, its formulas, that it learns, and the steps that it refuses. */
#include "trained.h"

/* (T9): up to w = warmup·N, then half a cosine to 0. Of 20 steps with a quarter of warm-up, the tenth is a
 * third of the way down, where the cosine is 1/2. */
START_TEST(the_rate_rises_and_falls_along_half_a_cosine) {
    static const struct {
        double warmup;
        uint64_t step;
        double share;
    } cases[] = {{0.25, 1, 0.2}, {0.25, 4, 0.8}, {0.25, 5, 1}, {0.25, 10, 0.75},
                 {0.25, 20, 0},  {0.25, 21, 0},  {0, 10, 0.5}, {0, 20, 0},
                 {1, 1, 0.05},   {1, 20, 1},     {1, 21, 0},   {0.001, 20, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_train_config c = small("nope");
        c.steps = 20, c.warmup = cases[i].warmup, c.lr = 0.125;
        as_trainer *t = trainer_of(&c, 1);
        as_trainer_restore(t, cases[i].step - 1);
        as_train_step s = step(t);
        ck_assert_uint_eq(s.step, cases[i].step);
        ck_assert_uint_eq(as_trainer_done(t), cases[i].step);
        assert_near(s.rate, 0.125 * cases[i].share, 1e-15);
        as_trainer_free(t);
    }
}
END_TEST

/* (T9), of one tensor in double precision. Of 1 − 0.99 single precision has 10⁻⁶ less. */
typedef struct numbers_of {
    double theta[D * V], m[D * V], v[D * V];
} numbers_of;

static void expect_update(const as_train_config *c, const as_train_step *s, double factor,
                          const as_train_tensor *t, numbers_of *x) {
    double scale = c->clip > 0 && s->gradient_norm > c->clip ? c->clip / s->gradient_norm : 1;
    double rate = s->rate * factor, at = (double)s->step;
    for (size_t i = 0; i < numbers(t); i++) {
        double g = (double)t->gradient[i] * scale;
        x->m[i] = c->beta1 * x->m[i] + (1 - c->beta1) * g;
        x->v[i] = c->beta2 * x->v[i] + (1 - c->beta2) * g * g;
        double m = x->m[i] / (1 - pow(c->beta1, at)), v = x->v[i] / (1 - pow(c->beta2, at));
        x->theta[i] -= rate * c->weight_decay * x->theta[i] + rate * m / (sqrt(v) + 1e-8);
        assert_near((double)t->data[i], x->theta[i], 3e-6 * (rate + fabs(x->theta[i])));
        assert_near((double)t->moment1[i], x->m[i], 2e-6 * (fabs(x->m[i]) + fabs(g)));
        assert_near((double)t->moment2[i], x->v[i], 2e-6 * fabs(x->v[i]));
        x->theta[i] = (double)t->data[i];
    }
}

static double norm_of(as_trainer *trainer) {
    as_train_tensor t;
    double sum = 0;
    for (size_t i = 0; as_trainer_tensor(trainer, i, &t); i++) {
        for (size_t j = 0; j < numbers(&t); j++) {
            sum += (double)t.gradient[j] * (double)t.gradient[j];
        }
    }
    return sqrt(sum);
}

/* Three steps; the third is clipped by all of them that have a bound, and the norm that is told is that of
 * the gradient before. */
static void updates_are_those_of_adamw(const as_train_config *c, const char *name, double factor) {
    as_trainer *t = trainer_of(c, 1);
    as_train_tensor w = tensor(t, name);
    static numbers_of x;
    memset(&x, 0, sizeof x);
    for (size_t i = 0; i < numbers(&w); i++) {
        x.theta[i] = (double)w.data[i];
    }
    for (size_t s = 0; s < 3; s++) {
        as_train_step taken = step(t);
        assert_near(taken.gradient_norm, norm_of(t), 1e-12 * taken.gradient_norm);
        ck_assert(!(c->clip > 0) || taken.gradient_norm > 2 * c->clip || c->clip > 1);
        expect_update(c, &taken, factor, &w, &x);
    }
    as_trainer_free(t);
}

START_TEST(a_step_is_that_of_adamw) {
    as_train_config c = small("t5");
    c.weight_decay = 0.5;
    static const char *const names[] = {"embedding", "layer_0.value.weight", "layer_1.norm2.weight",
                                        "layer_0.ff_up.bias", "head.bias"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        updates_are_those_of_adamw(&c, names[i], 1);
    }
    updates_are_those_of_adamw(&c, "bias.table", 20);
    c.table_lr = 3;
    updates_are_those_of_adamw(&c, "bias.table", 3);
    c.beta1 = 0, c.beta2 = 0.5;
    updates_are_those_of_adamw(&c, "head.weight", 1);
}
END_TEST

START_TEST(clipping_scales_the_gradient_as_a_whole) {
    as_train_config c = small("t5");
    c.weight_decay = 0.1;
    c.clip = 1e-8; /* so small that what it makes of the gradient is seen beside ε */
    updates_are_those_of_adamw(&c, "layer_0.value.weight", 1);
    updates_are_those_of_adamw(&c, "bias.table", 20);
    c.clip = 1e6; /* nothing to do */
    updates_are_those_of_adamw(&c, "layer_0.value.weight", 1);
}
END_TEST

/* A mean of one seed and so of these bits; the loss of who knows nothing is ln 6 = 1.79. */
START_TEST(it_learns_to_count_without_positions) {
    as_train_config c = small("nope");
    c.steps = 60, c.batch = 128, c.lr = 1e-2;
    as_trainer *t = trainer_of(&c, 2);
    double losses[60];
    as_score before, after;
    assert_ok(as_trainer_evaluate(t, NULL, &before, NULL));
    for (size_t s = 0; s < 60; s++) {
        losses[s] = step(t).loss;
    }
    assert_ok(as_trainer_evaluate(t, NULL, &after, NULL));
    ck_assert_double_gt(losses[0], 1.5);
    ck_assert_double_lt(losses[59], 0.7 * losses[0]);
    ck_assert_double_lt(after.loss, 0.7 * before.loss);
    ck_assert_double_gt(after.accuracy, before.accuracy);
    as_trainer_free(t);
}
END_TEST

/* Puts a number into the first place of a tensor: the step is refused and changes nothing; once that is
 * mended it goes on as if nothing had been. */
static void is_seen(as_trainer *trainer, as_trainer *other, size_t index, as_real number) {
    as_train_tensor t, o;
    as_train_step s = {.step = 77}, before = s;
    ck_assert(as_trainer_tensor(trainer, index, &t) && as_trainer_tensor(other, index, &o));
    as_real kept = t.data[0];
    uint64_t done = as_trainer_done(trainer);
    t.data[0] = o.data[0] = number;
    as_status status = as_trainer_step(trainer, &s);
    ck_assert_msg(status == AS_ENONFINITE, "%s: %g: %s", t.name, (double)number,
                  as_status_name(status));
    ck_assert_ptr_nonnull(strstr(as_message(), "the loss is"));
    ck_assert_mem_eq(&s, &before, sizeof s);
    ck_assert(as_trainer_done(trainer) == done && same_tensors(trainer, other));
    t.data[0] = o.data[0] = kept;
    ck_assert_double_eq(step(trainer).loss, step(other).loss);
    ck_assert(same_tensors(trainer, other));
}

START_TEST(a_step_with_what_is_no_number_is_refused_and_changes_nothing) {
    static const char *const schemes[] = {"nope", "t5", "kerple", "relative", "learned", "mla"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        as_train_config c = small(schemes[i]);
        as_train_tensor t;
        c.steps = 1000, c.layers = 1;
        as_trainer *trainer = trainer_of(&c, 1), *other = trainer_of(&c, 1);
        for (size_t k = 0; as_trainer_tensor(trainer, k, &t); k++) {
            is_seen(trainer, other, k, (as_real)NAN);
            is_seen(trainer, other, k, (as_real)INFINITY);
        }
        as_trainer_free(trainer);
        as_trainer_free(other);
    }
}
END_TEST

/* Of 37 samples that are the same one, with logits that do not see the model: each gives the weights of the
 * head a gradient that single precision holds, all together do not. */
START_TEST(a_gradient_that_overflows_is_refused_though_the_loss_does_not) {
    as_train_config c = small("nope");
    c.samples = 1;
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor w = tensor(t, "head.weight"), b = tensor(t, "final_norm.bias");
    as_train_step s = {0};
    memset(w.data, 0, numbers(&w) * sizeof *w.data);
    for (size_t j = 0; j < D; j++) {
        b.data[j] = (as_real)2e37;
    }
    assert_fails(as_trainer_step(t, &s), AS_ENONFINITE);
    ck_assert_msg(strstr(as_message(), "norm of the gradient is") != NULL, "%s", as_message());
    ck_assert_ptr_null(strstr(as_message(), "loss"));
    as_trainer_free(t);
}
END_TEST

/* What is beyond the limits of a kernel would have no gradient: a step brings it back, and the next can
 * move it away from there. */
START_TEST(numbers_of_kerple_come_back_into_their_range) {
    as_train_config c = small("kerple:form=power");
    c.warmup = 0;
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor k = tensor(t, "layer_1.bias.kernel");
    const as_real least = (as_real)0.01, most = 2;
    k.data[0] = -3, k.data[1] = least / 2, k.data[2] = 5, k.data[5] = 0;
    as_real other = k.data[3];
    step(t);
    ck_assert(k.data[0] == least && k.data[1] == least && k.data[2] == most && k.data[5] == least);
    ck_assert(k.data[3] != other && k.data[3] > least && k.data[3] < most);
    for (size_t s = 0; s < 30; s++) {
        step(t);
        for (size_t j = 0; j < 2 * H; j++) {
            ck_assert(k.gradient[j] != 0 && k.data[j] >= least &&
                      (j % 2 == 1 || k.data[j] <= most));
        }
    }
    ck_assert(k.data[0] != least || k.data[1] != least || k.data[5] != least);
    as_trainer_free(t);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, the_rate_rises_and_falls_along_half_a_cosine);
    tcase_add_test(t, a_step_is_that_of_adamw);
    tcase_add_test(t, clipping_scales_the_gradient_as_a_whole);
    tcase_add_test(t, it_learns_to_count_without_positions);
    tcase_add_test(t, a_step_with_what_is_no_number_is_refused_and_changes_nothing);
    tcase_add_test(t, a_gradient_that_overflows_is_refused_though_the_loss_does_not);
    tcase_add_test(t, numbers_of_kerple_come_back_into_their_range);
}

AS_TEST_MAIN("train_step")

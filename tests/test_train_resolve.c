/* What follows from the rest of a configuration, and what makes no model: schemes, tasks and sizes that do
 * not fit, or that no machine has. */
#include "trained.h"

#include <stdio.h>
#include <time.h>

#include "train/trainer.h"

typedef struct option {
    const char *name, *value;
} option;

static as_train_config with(const option *options) {
    as_train_config c = small("nope");
    for (; options->name != NULL; options++) {
        assert_ok(as_train_config_set(&c, options->name, options->value));
    }
    return c;
}

START_TEST(what_makes_no_model_is_refused_in_words) {
    static const struct {
        option options[4];
        const char *said;
    } cases[] = {
        {{{"dim", "13"}, {"heads", "4"}}, "dim is 13, which is no multiple of the 4 heads"},
        {{{"dim", "9"}, {"scheme", "rope"}}, "scheme rope: 1 of the head size 3 is 3"},
        {{{"dim", "9"}, {"scheme", "xpos"}}, "scheme xpos: the head size is 3"},
        {{{"dim", "9"}, {"scheme", "mla"}}, "scheme mla: qk_rope_head_dim is 3"},
        {{{"dim", "6"}, {"scheme", "rope_axial"}}, "scheme rope_axial: the head size is 2"},
        {{{"dim", "9"}, {"scheme", "grape_m"}}, "scheme grape_m: the head size is 3"},
        {{{"scheme", "rope:scaling=yarn"}}, "scheme rope"},
        {{{"scheme", "learned:max_position_embeddings=5"}}, "scheme learned"},
        {{{"scheme", "alibbi"}}, "did you mean 'alibi'?"},
        {{{"scheme", "rope:bsae=3"}}, "did you mean 'base'?"},
        {{{"scheme", "kerple:form=power,p=3"}}, "p is 3"},
        {{{"scheme", "t5:num_buckets=2"}}, "num_buckets"},
        {{{"lr", "0"}}, "lr is 0"},
        {{{"task", "distanse"}}, "did you mean 'distance'?"},
        {{{"task", "distance:between=13,side=4"}}, "take 23 positions, but n is 13"},
        {{{"task", "count:sentence=14"}}, "sentence=14 is longer than a sample, whose n is 13"},
        {{{"task", "copy:length=7"}}, "take 15 positions, but n is 13"},
        {{{"task", "induction:most=13"}}, "nothing is repeated"},
        {{{"task", "lm"}}, "write lm:file=PATH"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_train_config c = with(cases[i].options), before = c;
        assert_fails(as_train_config_resolve(&c), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), cases[i].said) != NULL, "%s: %s", cases[i].said,
                      as_message());
        ck_assert_mem_eq(&c, &before, sizeof c);
    }
}
END_TEST

/* A program writes fields without as_train_config_set(). */
START_TEST(fields_beyond_their_range_are_refused) {
    static as_train_config c[10];
    for (size_t i = 0; i < 10; i++) {
        c[i] = small("nope");
    }
    c[0].heads = 0, c[1].n = 0, c[2].batch = 0, c[3].mask = 2, c[4].activation = -1;
    c[5].lr = (double)NAN, c[6].dropout = 1, c[7].layers = SIZE_MAX, c[8].beta2 = 1;
    c[9].sinusoids = 3;
    static const char *const said[] = {
        "heads is 0",       "n is 0",
        "batch is 0",       "mask is 2",
        "activation is -1", "lr is nan",
        "dropout is 1",     "layers is",
        "beta2 is 1",       "sinusoids is 3, but must be from 0 to 2"};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        static char value[AS_TRAIN_TEXT];
        const char *name;
        assert_fails(as_train_config_resolve(&c[i]), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), said[i]) != NULL, "%s: %s", said[i], as_message());
        for (size_t f = 0; as_train_config_get(&c[i], f, &name, value); f++) {
            ck_assert_uint_lt(strlen(value), AS_TRAIN_TEXT);
        }
    }
}
END_TEST

/* What follows from task, scheme and profile; resolved again, as runs that are read are, it stays. */
START_TEST(defaults_of_training_are_filled_in_and_what_is_given_stays) {
    static const struct {
        option options[4];
        const char *name, *value;
    } cases[] = {
        {{{"scheme", "t5"}}, "scheme", "t5:num_buckets=16,max_distance=64"},
        {{{"scheme", "t5:num_buckets=32"}}, "scheme", "t5:max_distance=64,num_buckets=32"},
        {{{"scheme", "t5:max_distance=128,num_buckets=32"}},
         "scheme",
         "t5:num_buckets=32,max_distance=128"},
        {{{"scheme", "t5:num_buckets=8"}}, "scheme", "t5:num_buckets=8,max_distance=64"},
        {{{"scheme", "learned"}}, "scheme", "learned:initializer_range=1"},
        {{{"scheme", "learned:initializer_range=0.02"}},
         "scheme",
         "learned:initializer_range=0.02"},
        {{{"scheme", "mla"}}, "scheme", "mla:qk_nope_head_dim=4,qk_rope_head_dim=4"},
        {{{"scheme", "mla:qk_rope_head_dim=2"}},
         "scheme",
         "mla:qk_nope_head_dim=4,qk_rope_head_dim=2"},
        {{{"scheme", "mla:qk_nope_head_dim=auto,qk_rope_head_dim=auto"}},
         "scheme",
         "mla:qk_nope_head_dim=4,qk_rope_head_dim=4"},
        {{{"scheme", "alibi"}}, "scheme", "alibi"},
        {{{"scheme", "alibi"}, {"profile", "gu2025"}}, "scheme", "alibi:slopes=gu2025"},
        {{{"scheme", "alibi:slopes=authors"}, {"profile", "gu2025"}},
         "scheme",
         "alibi:slopes=authors"},
        {{{"scheme", "rope"}, {"profile", "gu2025"}}, "scheme", "rope"},
        {{{"scheme", "rope:base=500"}, {"sinusoids", "with-rope"}}, "sinusoids", "yes"},
        {{{"scheme", "alibi"}, {"sinusoids", "with-rope"}}, "sinusoids", "no"},
        {{{"scheme", "xpos"}, {"sinusoids", "with-rope"}}, "sinusoids", "no"},
        {{{"scheme", "nope"}, {"sinusoids", "yes"}}, "sinusoids", "yes"},
        {{{"task", "copy"}}, "mask", "causal"},
        {{{"task", "induction"}}, "mask", "causal"},
        {{{"task", "lm:file=README.md"}}, "mask", "causal"},
        {{{"task", "lm:file=README.md"}}, "vocab", "256"},
        {{{"task", "count"}}, "mask", "none"},
        {{{"task", "distance"}}, "mask", "none"},
        {{{"task", "count"}, {"mask", "causal"}}, "mask", "causal"},
        {{{"task", "copy"}}, "task", "copy:length=6"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_train_config c = with(cases[i].options), again;
        static char value[AS_TRAIN_TEXT];
        const char *name;
        assert_ok(as_train_config_resolve(&c));
        for (size_t f = 0; as_train_config_get(&c, f, &name, value); f++) {
            if (strcmp(name, cases[i].name) == 0) {
                ck_assert_str_eq(value, cases[i].value);
            }
        }
        again = c;
        assert_ok(as_train_config_resolve(&again));
        ck_assert_mem_eq(&again, &c, sizeof c);
    }
}
END_TEST

/* The number of a parameter of the scheme that a trainer has. */
static double trained(const char *scheme, const char *profile, const char *key) {
    as_train_config c = small(scheme);
    assert_ok(as_train_config_set(&c, "profile", profile));
    as_trainer *t = trainer_of(&c, 1);
    const as_scheme *s = as_trainer_scheme(t);
    double value = as_params_value(s->type->params, s->value, key);
    as_trainer_free(t);
    return value;
}

/* Of the two that are the scheme's own defaults, and so are not in its canonical string, and two more. */
START_TEST(a_trainer_has_the_scheme_that_was_named) {
    ck_assert_double_eq(trained("t5:num_buckets=32", "clean", "num_buckets"), 32);
    ck_assert_double_eq(trained("t5:num_buckets=32", "clean", "max_distance"), 64);
    ck_assert_double_eq(trained("t5", "clean", "num_buckets"), 16);
    ck_assert_double_eq(trained("learned:initializer_range=0.02", "clean", "initializer_range"),
                        0.02);
    ck_assert_double_eq(trained("mla:qk_nope_head_dim=auto", "clean", "qk_nope_head_dim"), 4);
    ck_assert_double_eq(trained("alibi:slopes=authors", "gu2025", "slopes"),
                        trained("alibi", "clean", "slopes"));
    ck_assert_double_ne(trained("alibi", "gu2025", "slopes"), trained("alibi", "clean", "slopes"));
}
END_TEST

START_TEST(choices_are_numbered_as_their_words_are) {
    as_train_config c = small("nope");
    const struct {
        const char *name, *word;
        const int *field;
        int value;
    } words[] = {{"mask", "none", &c.mask, AS_SEES_ALL},
                 {"mask", "causal", &c.mask, AS_SEES_EARLIER},
                 {"kv-from", "layer", &c.kv_from, AS_KV_FROM_LAYER},
                 {"kv-from", "embeddings", &c.kv_from, AS_KV_FROM_EMBEDDINGS},
                 {"sinusoids", "no", &c.sinusoids, AS_NO},
                 {"sinusoids", "yes", &c.sinusoids, AS_YES},
                 {"sinusoids", "with-rope", &c.sinusoids, AS_WITH_ROPE},
                 {"train-random", "no", &c.train_random, AS_NO},
                 {"train-random", "yes", &c.train_random, AS_YES},
                 {"final-norm", "no", &c.final_norm, AS_NO},
                 {"final-norm", "yes", &c.final_norm, AS_YES},
                 {"activation", "relu", &c.activation, AS_ACTIVATION_RELU},
                 {"activation", "gelu", &c.activation, AS_ACTIVATION_GELU},
                 {"pool", "all", &c.pool, AS_POOL_ALL},
                 {"pool", "tokens", &c.pool, AS_POOL_TOKENS}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_ok(as_train_config_set(&c, words[i].name, words[i].word));
        ck_assert_int_eq(*words[i].field, words[i].value);
    }
}
END_TEST

/* Every scheme of the table is trained, or refused by its name. */
START_TEST(every_scheme_takes_steps_or_is_refused_by_name) {
    size_t taken = 0, refused = 0;
    for (size_t i = 0; as_scheme_list(i) != NULL; i++) {
        const char *name = as_scheme_list(i)->name;
        char said[64];
        as_train_config c = small(name);
        snprintf(said, sizeof said, "scheme %s", name);
        if (as_train_config_resolve(&c) != AS_OK) {
            ck_assert_msg(strstr(as_message(), said) != NULL, "%s: %s", name, as_message());
            refused++;
            continue;
        }
        as_trainer *t = NULL;
        assert_ok(as_trainer_new(&c, 1, &t));
        for (size_t s = 0; s < 3; s++) {
            step(t);
        }
        as_trainer_free(t);
        taken++;
    }
    ck_assert_uint_eq(taken, 16);  /* those of the refusal's sentence */
    ck_assert_uint_eq(refused, 9); /* content, a kernel, a file */
}
END_TEST

/* Too large is said before anything of that size is made. */
START_TEST(sizes_that_no_machine_has_are_refused_at_once) {
    static const struct {
        option options[6];
        as_status status;
    } cases[] = {
        {{{"dim", "65536"}, {"heads", "1"}, {"ff", "1048576"}, {"layers", "1024"}}, AS_ETOOLARGE},
        {{{"dim", "65536"}, {"heads", "4096"}, {"vocab", "1000000"}}, AS_ETOOLARGE},
        {{{"dim", "32768"}, {"heads", "4096"}, {"layers", "1024"}}, AS_ENOMEM},
        {{{"n", "65536"}, {"layers", "1024"}, {"dim", "4096"}, {"heads", "4096"}}, AS_ENOMEM},
        {{{"n", "65536"},
          {"layers", "1024"},
          {"scheme", "xpos"},
          {"dim", "8192"},
          {"heads", "4096"}},
         AS_ENOMEM},
        {{{"n", "65536"}, {"layers", "64"}, {"scheme", "t5"}}, AS_ENOMEM},
        {{{"n", "65536"}, {"layers", "64"}, {"scheme", "relative"}}, AS_ENOMEM},
        {{{"n", "65536"}, {"test-samples", "10000000"}}, AS_ENOMEM},
        {{{"dim", "8192"}, {"heads", "4096"}, {"scheme", "mla:qk_nope_head_dim=65536"}},
         AS_ETOOLARGE},
        {{{"task", "copy"}, {"n", "8192"}, {"vocab", "1000000"}}, AS_ETOOLARGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_train_config c = with(cases[i].options);
        as_trainer *t = NULL;
        clock_t began = clock();
        as_status status = as_train_config_resolve(&c);
        status = status == AS_OK ? as_trainer_new(&c, 3, &t) : status;
        ck_assert_msg(status == cases[i].status, "%zu: %s: %s", i, as_status_name(status),
                      as_message());
        ck_assert(t == NULL);
        ck_assert_int_lt(clock() - began, AS_TEST_SECOND);
    }
}
END_TEST

/* A bound from below, by what must be there: values, two moments and gradients, of which each group has one;
 * and of the passes of a thread at least the weights of attention. */
START_TEST(what_a_run_takes_is_counted) {
    as_train_config c = small("t5");
    c.batch = 32, c.ff = 1000, c.test_samples = 1000;
    as_trainer *t = trainer_of(&c, 3);
    as_train_tensor w;
    size_t count = 0, square = L * H * T * 16, real = sizeof(as_real);
    for (size_t i = 0; as_trainer_tensor(t, i, &w); i++) {
        count += numbers(&w);
    }
    size_t least = (4 + 16) * count * real + (1 + 1 + 16) * square * real + 1000 * (T + 1) * 4;
    size_t thread = 2 * (square + 2 * L * T * 1000) * real; /* a pass is of two samples */
    size_t one = as_trainer_bytes(&t->model, 1), three = as_trainer_bytes(&t->model, 3);
    ck_assert_uint_ge(one, least + thread);
    ck_assert_uint_le(one, 2 * (least + thread));
    ck_assert_uint_ge(three - one, 2 * thread);
    ck_assert_uint_le(three - one, 4 * thread);
    ck_assert_uint_eq(as_trainer_bytes(&t->model, SIZE_MAX / 8), SIZE_MAX);
    as_trainer_free(t);
}
END_TEST

/* The largest of each field alone does not crash either, whatever it is. */
START_TEST(the_largest_of_each_size_is_made_or_refused) {
#define AS_TRAIN_SIZE(field, option, preset, low, high, help) {option, #high},
#define AS_TRAIN_REAL(field, option, preset, low, high, help)
#define AS_TRAIN_CHOICE(field, option, preset, words, help)
    static const option largest[] = {
#include "attnspec/train_config.def"
    };
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        if (strcmp(largest[i].name, "seed") == 0 || strcmp(largest[i].name, "test-samples") == 0) {
            continue; /* not a size; and drawing ten million samples takes its time */
        }
        as_train_config c = small("rope");
        as_trainer *t = NULL;
        c.batch = c.layers = 1;
        assert_ok(as_train_config_set(&c, largest[i].name, largest[i].value));
        as_status status = as_train_config_resolve(&c);
        status = status == AS_OK ? as_trainer_new(&c, 1, &t) : status;
        ck_assert_msg(status == AS_OK || status == AS_EINVAL || status == AS_ENOMEM ||
                          status == AS_ETOOLARGE,
                      "%s: %s", largest[i].name, as_message());
        as_trainer_free(t);
    }
}
END_TEST

START_TEST(a_trainer_needs_a_thread) {
    as_train_config c = small("nope");
    as_trainer *t = NULL;
    assert_ok(as_train_config_resolve(&c));
    assert_fails(as_trainer_new(&c, 0, &t), AS_EINVAL);
    ck_assert(t == NULL);
    as_trainer_free(NULL);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, what_makes_no_model_is_refused_in_words);
    tcase_add_test(t, fields_beyond_their_range_are_refused);
    tcase_add_test(t, defaults_of_training_are_filled_in_and_what_is_given_stays);
    tcase_add_test(t, a_trainer_has_the_scheme_that_was_named);
    tcase_add_test(t, choices_are_numbered_as_their_words_are);
    tcase_add_test(t, every_scheme_takes_steps_or_is_refused_by_name);
    tcase_add_test(t, sizes_that_no_machine_has_are_refused_at_once);
    tcase_add_test(t, what_a_run_takes_is_counted);
    tcase_add_test(t, the_largest_of_each_size_is_made_or_refused);
    tcase_add_test(t, a_trainer_needs_a_thread);
}

AS_TEST_MAIN("train_resolve")

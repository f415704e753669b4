/* What a training run is told: its fields, presets and profiles, and what is no value of them. */
#include "trained.h"

#include <stdio.h>

enum { TEXTS = 4 }; /* fields of text, before those of train_config.def */

static as_train_config tiny(void) {
    as_train_config c;
    assert_ok(as_train_preset("tiny", NULL, &c));
    return c;
}

/* A field is set from the text that get gives, in a configuration that had another value. */
static void comes_back(const as_train_config *config, const char *field) {
    as_train_config other = tiny();
    static char value[AS_TRAIN_TEXT];
    const char *name = "";
    size_t i = 0;
    for (; as_train_config_get(config, i, &name, value); i++) {
        assert_ok(as_train_config_set(&other, name, value));
    }
    ck_assert_uint_gt(i, TEXTS);
    ck_assert_msg(memcmp(&other, config, sizeof other) == 0, "%s does not come back", field);
}

static void sizes(const char *option, size_t offset, double low, double high) {
    const double values[] = {low, high, floor((low + high) / 3)};
    for (size_t i = 0; i < 3; i++) {
        as_train_config c = tiny();
        char text[32];
        snprintf(text, sizeof text, "%.0f", values[i]);
        assert_ok(as_train_config_set(&c, option, text));
        ck_assert_uint_eq(*(size_t *)(void *)((char *)&c + offset), (size_t)values[i]);
        comes_back(&c, option);
    }
}

static void reals(const char *option, size_t offset, double low, double high) {
    const double values[] = {low, high, low + (high - low) / 3, low + nextafter(0.1, 1)};
    for (size_t i = 0; i < 4; i++) {
        as_train_config c = tiny();
        char text[32];
        snprintf(text, sizeof text, "%.17g", values[i]);
        assert_ok(as_train_config_set(&c, option, text));
        ck_assert_double_eq(*(double *)(void *)((char *)&c + offset), values[i]);
        comes_back(&c, option);
    }
}

static void choices(const char *option, size_t offset, const char *words) {
    char list[128];
    snprintf(list, sizeof list, "%s", words);
    int i = 0;
    for (char *word = strtok(list, "|"); word != NULL; word = strtok(NULL, "|"), i++) {
        as_train_config c = tiny();
        assert_ok(as_train_config_set(&c, option, word));
        ck_assert_int_eq(*(int *)(void *)((char *)&c + offset), i);
        comes_back(&c, option);
    }
    ck_assert_int_gt(i, 1);
}

START_TEST(every_field_comes_back_to_the_same_bits) {
#define AS_TRAIN_SIZE(field, option, preset, low, high, help)                                      \
    sizes(option, offsetof(as_train_config, field), low, (double)(high));
#define AS_TRAIN_REAL(field, option, preset, low, high, help)                                      \
    reals(option, offsetof(as_train_config, field), low, high);
#define AS_TRAIN_CHOICE(field, option, preset, words, help)                                        \
    choices(option, offsetof(as_train_config, field), words);
#include "attnspec/train_config.def"
    as_train_config c = tiny();
    assert_ok(as_train_config_set(&c, "task", "lm:file=a,b.txt"));
    assert_ok(as_train_config_set(&c, "scheme", "rope:rotary_layers=0,2-4"));
    assert_ok(as_train_config_set(&c, "preset", "paper"));
    assert_ok(as_train_config_set(&c, "profile", "gu2025"));
    comes_back(&c, "texts");
}
END_TEST

/* value of option is refused, with what is said of it; the configuration stays as it was. */
static void refuses(const char *option, const char *value, const char *said) {
    as_train_config c = tiny(), before = c;
    assert_fails(as_train_config_set(&c, option, value), AS_EINVAL);
    ck_assert_msg(strstr(as_message(), said) != NULL, "%s=%s: %s", option, value, as_message());
    ck_assert_mem_eq(&c, &before, sizeof c);
}

static void refuses_beyond(const char *option, double low, double high) {
    static const char *const no_numbers[] = {"", "x", "nan", "inf", "1,2", "3=4", "-1", " 1"};
    char text[400];
    snprintf(text, sizeof text, "%.0f", high * 2 + 1);
    refuses(option, text, option);
    if (low >= 1) {
        snprintf(text, sizeof text, "%.0f", low - 1);
        refuses(option, text, option);
    }
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        refuses(option, no_numbers[i], option);
    }
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    refuses(option, text, option);
}

START_TEST(what_is_out_of_range_or_no_number_is_refused) {
#define AS_TRAIN_SIZE(field, option, preset, low, high, help)                                      \
    refuses_beyond(option, low, (double)(high));                                                   \
    refuses(option, "1.5", "whole number");
#define AS_TRAIN_REAL(field, option, preset, low, high, help) refuses_beyond(option, low, high);
#define AS_TRAIN_CHOICE(field, option, preset, words, help)                                        \
    refuses(option, "", option);                                                                   \
    refuses(option, "0", option);                                                                  \
    refuses(option, words, option);
#include "attnspec/train_config.def"
    char *text = malloc(AS_TRAIN_TEXT + 1);
    memset(text, 'x', AS_TRAIN_TEXT);
    text[AS_TRAIN_TEXT] = '\0';
    refuses("task", text, "longer than 4095 bytes");
    refuses("profile", text, "longer than 31 bytes");
    free(text);
}
END_TEST

START_TEST(misspelt_names_have_the_nearest_beside_them) {
    refuses("wramup", "0.1", "did you mean 'warmup'?");
    refuses("shceme", "rope", "did you mean 'scheme'?");
    refuses("quux", "1", "a training run has no 'quux'");
    refuses("mask", "cuasal", "did you mean 'causal'?");
    refuses("preset", "tinny", "did you mean 'tiny'?");
    refuses("profile", "gu2052", "did you mean 'gu2025'?");
    refuses("profile", "gu2025:", "has no parameters");
    as_train_config c = tiny(), before = c;
    assert_fails(as_train_preset("smal", NULL, &c), AS_EINVAL);
    ck_assert_str_eq(as_message(),
                     "there is no preset 'smal'; valid are tiny, small, deposit, paper; "
                     "did you mean 'small'?");
    assert_fails(as_train_preset("small", "claen", &c), AS_EINVAL);
    ck_assert_str_eq(as_message(),
                     "there is no profile 'claen'; valid are clean, gu2025; did you mean 'clean'?");
    ck_assert_mem_eq(&c, &before, sizeof c);
}
END_TEST

/* The sizes of the paper are Gu et al. 2025's; 13,700 steps are 100 epochs of 137 batches. */
static const struct {
    const char *name, *task, *profile;
    size_t n, vocab, dim, heads, layers, ff, batch, steps, samples;
    double lr;
    size_t seed;
} expected[] = {
    {"tiny", "distance:between=13,side=4", "clean", 24, 64, 32, 4, 2, 64, 128, 350, 0, 4e-3, 0},
    {"small", "distance:between=18,side=6", "clean", 32, 128, 64, 8, 2, 128, 128, 400, 0, 2e-3, 0},
    {"deposit", "distance:between=18,side=6", "gu2025", 32, 128, 128, 16, 2, 256, 128, 850, 0, 7e-4,
     0},
    {"paper", "distance:between=70,side=25", "clean", 128, 574, 256, 16, 6, 512, 512, 13700, 70000,
     1e-4, 42},
};
enum { PRESETS = sizeof expected / sizeof *expected };

static void assert_switches(const as_train_config *c, bool gu2025) {
    ck_assert_int_eq(c->kv_from, gu2025);
    ck_assert_int_eq(c->train_random, gu2025);
    ck_assert_int_eq(c->final_norm, !gu2025);
    ck_assert_int_eq(c->sinusoids, gu2025 ? 2 : 0);
    ck_assert_double_eq(c->dropout, gu2025 ? 0.1 : 0);
    ck_assert_double_eq(c->beta1, gu2025 ? 0.98 : 0.9);
    ck_assert_double_eq(c->beta2, gu2025 ? 0.9 : 0.99);
    ck_assert_int_eq(c->activation, 0);
    ck_assert_int_eq(c->pool, 0);
    ck_assert_int_eq(c->mask, 0);
    ck_assert_double_eq(c->weight_decay, 1e-5);
    ck_assert_double_eq(c->warmup, 0.06);
    ck_assert_double_eq(c->clip, 0);
}

START_TEST(presets_are_the_published_sizes) {
    static const char *const profiles[] = {NULL, "clean", "gu2025"};
    const char *summary = "";
    for (size_t i = 0; i < 3 * PRESETS; i++) {
        size_t e = i / 3;
        const char *profile = profiles[i % 3] != NULL ? profiles[i % 3] : expected[e].profile;
        as_train_config c;
        ck_assert_str_eq(as_train_preset_name(e, &summary), expected[e].name);
        assert_ok(as_train_preset(expected[e].name, profiles[i % 3], &c));
        ck_assert_str_eq(c.preset, expected[e].name);
        ck_assert_str_eq(c.profile, profile);
        ck_assert_str_eq(c.task, expected[e].task);
        ck_assert_str_eq(c.scheme, "rope");
        const size_t is[] = {c.n,     c.vocab, c.dim,     c.heads, c.layers,      c.ff,
                             c.batch, c.steps, c.samples, c.seed,  c.test_samples};
        ck_assert_mem_eq(
            is,
            (&(size_t[]){expected[e].n, expected[e].vocab, expected[e].dim, expected[e].heads,
                         expected[e].layers, expected[e].ff, expected[e].batch, expected[e].steps,
                         expected[e].samples, expected[e].seed, 4096}),
            sizeof is);
        ck_assert_double_eq(c.lr, expected[e].lr);
        assert_switches(&c, strcmp(profile, "gu2025") == 0);
        assert_ok(as_train_config_resolve(&c));
    }
    ck_assert(as_train_preset_name(PRESETS, &summary) == NULL);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_field_comes_back_to_the_same_bits);
    tcase_add_test(t, what_is_out_of_range_or_no_number_is_refused);
    tcase_add_test(t, misspelt_names_have_the_nearest_beside_them);
    tcase_add_test(t, presets_are_the_published_sizes);
}

AS_TEST_MAIN("train_config")

/* Strings "name:key=value,…" and the nearest word. */
#include "support.h"

#include <string.h>

#include "base/param.h"

static const as_param table[] = {
    {.key = "base",
     .aliases = "rope_theta|theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12},
    {.key = "heads", .type = AS_PARAM_COUNT, .preset = "auto", .low = 1, .high = 64},
    {.key = "layout",
     .type = AS_PARAM_CHOICE,
     .choices = "interleaved|half|auto",
     .preset = "half"},
    {.key = NULL}};
static const as_param nothing[] = {{.key = NULL}};
static const as_param seeds[] = {
    {.key = "seed", .type = AS_PARAM_COUNT, .preset = "0", .low = 0, .high = 0x1p53},
    {.key = NULL}};

START_TEST(defaults_are_read_from_their_text) {
    double v[AS_PARAMS_MAX];
    assert_ok(as_params_parse("scheme s", table, NULL, v, NULL));
    ck_assert_double_eq(v[0], 10000);
    ck_assert(isnan(v[1]));
    ck_assert_double_eq(v[2], 1);
    assert_ok(as_params_parse("scheme s", table, "", v, NULL));
    assert_ok(as_params_parse("scheme s", nothing, "", v, NULL));
    ck_assert(isnan(as_params_value(table, v, "no such key")));
}
END_TEST

/* Text, and what is written for the values. */
START_TEST(text_and_values_go_round) {
    static const char *const cases[][2] = {
        {"", "s"},
        {"base=10000,layout=half,heads=auto", "s"},
        {"rope_theta=5e5", "s:base=500000"},
        {"theta=1e12", "s:base=1000000000000"},
        {"layout=auto,heads=64,base=1", "s:base=1,heads=64,layout=auto"},
        {"base=1.1", "s:base=1.1"},
        {"base=3.3333333333333335", "s:base=3.3333333333333335"},
        {"heads=007", "s:heads=7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v[AS_PARAMS_MAX], again[AS_PARAMS_MAX];
        assert_ok(as_params_parse("scheme s", table, cases[i][0], v, NULL));
        char *text = as_params_text("s", table, v, NULL);
        ck_assert_ptr_nonnull(text);
        ck_assert_str_eq(text, cases[i][1]);
        assert_ok(as_params_parse("scheme s", table, text + strcspn(text, ":") + (text[1] == ':'),
                                  again, NULL));
        for (size_t k = 0; k < 3; k++) {
            ck_assert(v[k] == again[k] || (isnan(v[k]) && isnan(again[k])));
        }
        free(text);
    }
}
END_TEST

START_TEST(what_is_refused_says_what_is_valid) {
    static const char *const cases[][2] = {
        {"bse=3", "scheme s has no parameter 'bse'; valid are base, heads, layout; did you mean "
                  "'base'?"},
        {"rope_thet=3", "did you mean 'rope_theta'?"},
        {"quux=3", "scheme s has no parameter 'quux'; valid are base, heads, layout"},
        {"base=-3", "scheme s: base is '-3', but must be a number from 1 to 1e+12"},
        {"base=", "base is ''"},
        {"base=nan", "base is 'nan'"},
        {"base=inf", "base is 'inf'"},
        {"base=0x10", "base is '0x10'"},
        {"base= 10", "base is ' 10'"},
        {"base=10x", "base is '10x'"},
        {"base=1e999", "base is '1e999'"},
        {"base=auto", "base is 'auto'"},
        {"heads=65", "heads is '65', but must be a whole number from 1 to 64, or auto"},
        {"heads=0", "heads is '0'"},
        {"heads=2.0", "heads is '2.0'"},
        {"heads=99999999999999999999999", "from 1 to 64"},
        {"layout=hafl",
         "layout is 'hafl'; valid are interleaved, half, auto; did you mean 'half'?"},
        {"layout=", "layout is ''; valid are interleaved"},
        {"base", "'base' has no value; write base=VALUE"},
        {"base=2,base=2", "base is given twice"},
        {"base=2,theta=2", "base is given twice"},
        {"base=2,", "has no parameter ''"},
        {",", "has no parameter ''"},
        {"=2", "has no parameter ''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v[AS_PARAMS_MAX] = {42, 43, 44};
        assert_fails(as_params_parse("scheme s", table, cases[i][0], v, NULL), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), cases[i][1]) != NULL, "'%s': %s", cases[i][0],
                      as_message());
        ck_assert(v[0] == 42 && v[1] == 43 && v[2] == 44);
    }
    double v[AS_PARAMS_MAX];
    /* The next number after 2^53 is 2^53 again as a double. */
    assert_ok(as_params_parse("scheme s", seeds, "seed=9007199254740992", v, NULL));
    assert_fails(as_params_parse("scheme s", seeds, "seed=9007199254740993", v, NULL), AS_EINVAL);
    assert_fails(as_params_parse("scheme s", nothing, "a=1", v, NULL), AS_EINVAL);
    ck_assert_str_eq(as_message(), "scheme s has no parameters, so there is no 'a'");
}
END_TEST

START_TEST(long_texts_are_refused_and_do_not_overflow) {
    char text[5000];
    double v[AS_PARAMS_MAX];
    size_t index;
    const char *params;
    const as_name names[] = {{.name = "rope", .aliases = "rotary"}};
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_fails(as_params_parse("scheme s", table, text, v, NULL), AS_EINVAL);
    assert_fails(as_name_find("scheme", names, 1, text, &index, &params), AS_EINVAL);
    text[95] = '=';
    assert_fails(as_params_parse("scheme s", table, text, v, NULL), AS_EINVAL);
    text[96] = '\0';
    assert_fails(as_params_parse("scheme s", table, text, v, NULL), AS_EINVAL);
    text[95] = '\0';
    assert_fails(as_params_parse("scheme s", table, text, v, NULL), AS_EINVAL);
    assert_fails(as_name_find("scheme", names, 1, text, &index, &params), AS_EINVAL);
}
END_TEST

START_TEST(names_and_aliases_are_found) {
    static const as_name names[] = {
        {.name = "nope", .aliases = "none|no_pe"}, {.name = "rope"}, {.name = "rope_hadamard"}};
    size_t index;
    const char *params;
    assert_ok(as_name_find("scheme", names, 3, "rope", &index, &params));
    ck_assert_uint_eq(index, 1);
    ck_assert_str_eq(params, "");
    assert_ok(as_name_find("scheme", names, 3, "no_pe:a=b:c", &index, &params));
    ck_assert_uint_eq(index, 0);
    ck_assert_str_eq(params, "a=b:c");
    static const char *const wrong[][2] = {
        {"rop", "there is no scheme 'rop'; valid are nope, rope, rope_hadamard; did you mean "
                "'rope'?"},
        {"rop:base=3", "there is no scheme 'rop'; valid are"},
        {"non", "did you mean 'none'?"},
        {"", "there is no scheme ''; valid are nope, rope, rope_hadamard"},
        {"none|no_pe", "there is no scheme 'none|no_pe'"},
        {"ROPE", "there is no scheme 'ROPE'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(as_name_find("scheme", names, 3, wrong[i][0], &index, &params), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i][1]) != NULL, "%s", as_message());
    }
}
END_TEST

START_TEST(the_nearest_word_is_near) {
    static const char *const words[] = {"analyze", "info", "report", "rope_hadamard", "rope"};
    ck_assert_str_eq(as_nearest("analyse", words, 5), "analyze");
    ck_assert_str_eq(as_nearest("ifno", words, 5), "info");
    ck_assert_str_eq(as_nearest("reprot", words, 5), "report");
    ck_assert_str_eq(as_nearest("rope", words, 5), "rope");
    ck_assert_str_eq(as_nearest("rope_had", words, 5), "rope_hadamard");
    ck_assert_ptr_null(as_nearest("sweep", words, 5));
    ck_assert_ptr_null(as_nearest("", words, 5));
    ck_assert_ptr_null(as_nearest("rope", words, 0));
    char text[300];
    memset(text, 'r', sizeof text);
    text[sizeof text - 1] = '\0';
    ck_assert_ptr_null(as_nearest(text, words, 5));
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, defaults_are_read_from_their_text);
    tcase_add_test(t, text_and_values_go_round);
    tcase_add_test(t, what_is_refused_says_what_is_valid);
    tcase_add_test(t, long_texts_are_refused_and_do_not_overflow);
    tcase_add_test(t, names_and_aliases_are_found);
    tcase_add_test(t, the_nearest_word_is_near);
}

AS_TEST_MAIN("param")

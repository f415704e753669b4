/* The JSON door: numbers that read back, text that any reader takes; and the CRC. */
#include "support.h"

#include <float.h>
#include <string.h>

#include "door/json.h"
#include "door/zlib.h"

START_TEST(members_come_in_the_order_of_the_text) {
    const char text[] = "{\"z\":1,\"a\":2,\"m\":3,\"0\":4}";
    as_json_value *object = NULL;
    assert_ok(as_json_parse(text, sizeof text - 1, &object));
    char keys[8] = "";
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    for (double i = 1; as_json_next(object, &cursor, &key, &value); i++) {
        strcat(keys, key);
        ck_assert_double_eq(as_json_double(value), i);
    }
    ck_assert_str_eq(keys, "zam0");
    cursor = NULL;
    ck_assert(!as_json_next(as_json_member(object, "z"), &cursor, &key, &value));
    ck_assert(!as_json_next(NULL, &cursor, &key, &value));
    as_json_value_free(object);
    assert_fails(as_json_parse("{\"a\":1,\"a\":1}", 13, &object), AS_EREAD);
}
END_TEST

START_TEST(whole_numbers) {
    const char text[] = "[0,7,9007199254740992,4.0, -1,2.5,9007199254740993,\"1\",true]";
    as_json_value *array = NULL;
    assert_ok(as_json_parse(text, sizeof text - 1, &array));
    ck_assert(as_json_is_array(array) && !as_json_is_array(as_json_element(array, 0)));
    const uint64_t expected[] = {0, 7, UINT64_C(1) << 53, 4};
    for (size_t i = 0; i < as_json_length(array); i++) {
        uint64_t number = 99;
        ck_assert_int_eq(as_json_whole(as_json_element(array, i), &number), i < 4);
        ck_assert_uint_eq(number, i < 4 ? expected[i] : 99);
    }
    as_json_value_free(array);
}
END_TEST

START_TEST(values_and_nesting) {
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_array(json, "a");
    as_json_number(json, NULL, 0.1);
    as_json_number(json, NULL, 5.0);
    as_json_number(json, NULL, NAN);
    as_json_number(json, NULL, -INFINITY);
    as_json_end(json);
    as_json_object(json, "empty");
    as_json_end(json);
    as_json_integer(json, "big", UINT64_MAX);
    as_json_bool(json, "yes", true);
    as_json_bool(json, "no", false);
    as_json_null(json, "nothing");
    as_json_string(json, "absent", NULL);
    as_json_end(json);
    ck_assert_str_eq(as_json_take(json),
                     "{\"a\":[0.1,5,null,null],\"empty\":{},\"big\":18446744073709551615,"
                     "\"yes\":true,\"no\":false,\"nothing\":null,\"absent\":null}");
    ck_assert_str_eq(as_json_take(json), "");
    as_json_free(json);
}
END_TEST

/* Taken in pieces, the text is the same. */
START_TEST(pieces_make_a_whole) {
    as_json *json = as_json_new();
    char text[64] = "";
    as_json_array(json, NULL);
    for (int i = 0; i < 3; i++) {
        as_json_integer(json, NULL, (uint64_t)i);
        strcat(text, as_json_take(json));
    }
    as_json_end(json);
    strcat(text, as_json_take(json));
    ck_assert_str_eq(text, "[0,1,2]");
    as_json_free(json);
}
END_TEST

START_TEST(text_is_ascii_and_valid) {
    /* Unicode 15, table 3-7: overlong forms, surrogates and F5… are no UTF-8. */
    static const char *const pairs[][2] = {
        {"\"\\/\n\t\x01\x7F", "\"\\\"\\\\/\\n\\t\\u0001\\u007f\""},
        {"\xC3\xA9\xE2\x82\xAC", "\"\\u00e9\\u20ac\""},
        {"\xF0\x9F\x98\x80", "\"\\ud83d\\ude00\""},
        {"a\xE9z", "\"a\\ufffdz\""},
        {"\xC0\x80", "\"\\ufffd\\ufffd\""},
        {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xE2\x82", "\"\\ufffd\\ufffd\""},
        {"\xFF", "\"\\ufffd\""},
        {"", "\"\""}};
    as_json *json = as_json_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        as_json_array(json, NULL);
        as_json_take(json);
        as_json_string(json, NULL, pairs[i][0]);
        ck_assert_str_eq(as_json_take(json), pairs[i][1]);
        as_json_end(json);
    }
    as_json_free(json);
}
END_TEST

START_TEST(numbers_read_back) {
    double numbers[] = {0.1,  1.0 / 3.0,  DBL_MAX, DBL_MIN,   5e-324,           -0.0,
                        1e21, 0x1p53 + 2, 123456., 2.0 / 3.0, 3.14159265358979, -2.718281828459045,
                        1e-7, 100,        1e15,    1e16};
    as_json *json = as_json_new();
    as_json_array(json, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        as_json_number(json, NULL, numbers[i]);
    }
    as_json_end(json);
    const char *text = as_json_take(json);
    as_json_value *value = NULL;
    assert_ok(as_json_parse(text, strlen(text), &value));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ck_assert_double_eq(as_json_double(as_json_element(value, i)), numbers[i]);
    }
    as_json_value_free(value);
    as_json_free(json);
}
END_TEST

START_TEST(a_copy_is_the_same) {
    static const char text[] = "{\"b\":[1,-2,0.1,\"x\\u00e9\",null,true,{\"c\":[]}],\"a\":false}";
    as_json_value *value = NULL;
    as_json *json = as_json_new();
    assert_ok(as_json_parse(text, strlen(text), &value));
    as_json_copy(json, NULL, value);
    ck_assert_str_eq(as_json_take(json), text);
    ck_assert_uint_eq(as_json_length(as_json_member(value, "b")), 7);
    ck_assert_str_eq(as_json_text(as_json_element(as_json_member(value, "b"), 3)), "x\xC3\xA9");
    ck_assert_ptr_null(as_json_text(as_json_element(as_json_member(value, "none"), 3)));
    ck_assert(isnan(as_json_double(as_json_member(value, "a"))));
    as_json_value_free(value);
    as_json_free(json);
}
END_TEST

START_TEST(what_is_no_json_is_an_error) {
    static const char *const bad[] = {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "\"\xFF\""};
    as_json_value *value = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(as_json_parse(bad[i], strlen(bad[i]), &value), AS_EREAD);
    }
    /* Depth: the writer gives up in words, the reader too. */
    char deep[5000];
    memset(deep, '[', sizeof deep);
    assert_fails(as_json_parse(deep, sizeof deep, &value), AS_EREAD);
    as_json *json = as_json_new();
    for (int i = 0; i < 33; i++) {
        as_json_array(json, NULL);
    }
    ck_assert_ptr_null(as_json_take(json));
    as_json_free(json);
    ck_assert_ptr_null(as_json_take(NULL));
}
END_TEST

/* The check value of CRC-32 (its definition names it), in one piece and in two. */
START_TEST(crc_is_the_one_of_zip) {
    ck_assert_uint_eq(as_crc32(0, "123456789", 9), 0xCBF43926u);
    ck_assert_uint_eq(as_crc32(as_crc32(0, "1234", 4), "56789", 5), 0xCBF43926u);
    ck_assert_uint_eq(as_crc32(0, "", 0), 0u);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, values_and_nesting);
    tcase_add_test(t, members_come_in_the_order_of_the_text);
    tcase_add_test(t, whole_numbers);
    tcase_add_test(t, pieces_make_a_whole);
    tcase_add_test(t, text_is_ascii_and_valid);
    tcase_add_test(t, numbers_read_back);
    tcase_add_test(t, a_copy_is_the_same);
    tcase_add_test(t, what_is_no_json_is_an_error);
    tcase_add_test(t, crc_is_the_one_of_zip);
}

AS_TEST_MAIN("json")

/* The pickle machine: every opcode that it knows against the value that Python gives, and what would
 * take all memory or the whole stack. More lies are in data/broken/ (*.pt). */
#include "dump/pickle.h"
#include "support.h"

#include <string.h>

static const as_pickle_global globals[] = {{"a.kept", AS_PICKLE_KEPT},
                                           {"a.called", AS_PICKLE_CALLED},
                                           {"a.dict", AS_PICKLE_MAKES_DICT},
                                           {NULL, AS_PICKLE_KEPT}};

static as_pickle *read_bytes(const char *bytes, size_t size) {
    as_pickle *pickle = NULL;
    assert_ok(as_pickle_read((const unsigned char *)bytes, size, globals, &pickle));
    return pickle;
}
#define READ(bytes) read_bytes(bytes, sizeof bytes - 1)

static void refused(const unsigned char *bytes, size_t size, const char *words) {
    as_pickle *pickle = NULL;
    assert_fails(as_pickle_read(bytes, size, globals, &pickle), AS_EREAD);
    ck_assert_ptr_null(pickle);
    ck_assert_msg(strstr(as_message(), words) != NULL, "%s; expected: %s", as_message(), words);
}

static const as_pickle_value *item(const as_pickle_value *value, size_t index) {
    const as_pickle_value *found = as_pickle_item_at(value, index);
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(numbers_as_python_reads_them) {
    static const struct {
        const char *bytes;
        size_t size;
        int64_t value;
    } rows[] = {
        {"K\xff.", 3, 255},
        {"M\xff\xff.", 4, 65535},
        {"J\xff\xff\xff\xff.", 6, -1},
        {"J\x00\x00\x00\x80.", 6, INT32_MIN},
        {"\x8a\x00.", 3, 0},
        {"\x8a\x01\xff.", 4, -1},
        {"\x8a\x02\xff\x00.", 5, 255},
        {"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", 11, INT64_MIN},
        {"\x8a\x05\x00\x00\x00\x00\xff.", 8, -INT64_C(4294967296)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        as_pickle *p = read_bytes(rows[i].bytes, rows[i].size);
        ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_INT);
        ck_assert_int_eq(as_pickle_root(p)->of.number, rows[i].value);
        as_pickle_free(p);
    }
    as_pickle *p = READ("\x80\x02G\xbf\xf8\x00\x00\x00\x00\x00\x00.");
    ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_FLOAT);
    ck_assert_double_eq(as_pickle_root(p)->of.real, -1.5);
    as_pickle_free(p);
}
END_TEST

START_TEST(containers_and_texts) {
    /* [None, True, False, 'ab', 'cd', 'ef', (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)] */
    as_pickle *p = READ("\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00](N\x88\x89"
                        "X\x02\x00\x00\x00"
                        "ab"
                        "\x8c\x02"
                        "cd"
                        "\x8d\x02\x00\x00\x00\x00\x00\x00\x00"
                        "ef"
                        ")K\x01\x85K\x01K\x02\x86K\x01K\x02K\x03\x87(K\x01K\x02K\x03K\x04te.");
    const as_pickle_value *list = as_pickle_root(p);
    ck_assert_int_eq(list->kind, AS_PICKLE_LIST);
    ck_assert_uint_eq(list->count, 11);
    ck_assert_int_eq(item(list, 0)->kind, AS_PICKLE_NONE);
    ck_assert_int_eq(item(list, 1)->of.number, 1);
    ck_assert_int_eq(item(list, 2)->of.number, 0);
    ck_assert(as_pickle_is_text(item(list, 3), "ab"));
    ck_assert(as_pickle_is_text(item(list, 4), "cd"));
    ck_assert(as_pickle_is_text(item(list, 5), "ef"));
    ck_assert(!as_pickle_is_text(item(list, 5), "e"));
    for (size_t n = 0; n < 5; n++) {
        const as_pickle_value *tuple = item(list, 6 + n);
        ck_assert_int_eq(tuple->kind, AS_PICKLE_TUPLE);
        ck_assert_uint_eq(tuple->count, n);
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_eq(item(tuple, i)->of.number, (int64_t)i + 1);
        }
        ck_assert_ptr_null(as_pickle_item_at(tuple, n));
    }
    ck_assert_ptr_null(as_pickle_item_at(item(list, 3), 0));
    as_pickle_free(p);
    /* {1: 2, 3: 4, 5: 6} by one SETITEM and one SETITEMS; [7] by APPEND. */
    p = READ("}K\x01K\x02s(K\x03K\x04K\x05K\x06u.");
    ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_DICT);
    ck_assert_uint_eq(as_pickle_root(p)->count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_int_eq(item(as_pickle_root(p), i)->of.number, (int64_t)i + 1);
    }
    as_pickle_free(p);
    p = READ("]K\x07"
             "a.");
    ck_assert_int_eq(item(as_pickle_root(p), 0)->of.number, 7);
    as_pickle_free(p);
}
END_TEST

START_TEST(the_memo_shares_values) {
    /* x = []; (x, x) by the short, the long and the counted keys */
    as_pickle *p = READ("]q\x05h\x05\x86.");
    ck_assert_ptr_eq(item(as_pickle_root(p), 0), item(as_pickle_root(p), 1));
    as_pickle_free(p);
    p = READ("]r\x00\x01\x00\x00j\x00\x01\x00\x00\x86.");
    ck_assert_ptr_eq(item(as_pickle_root(p), 0), item(as_pickle_root(p), 1));
    as_pickle_free(p);
    p = READ("]\x94}\x94h\x00\x87.");
    ck_assert_ptr_eq(item(as_pickle_root(p), 0), item(as_pickle_root(p), 2));
    as_pickle_free(p);
}
END_TEST

START_TEST(calls_are_kept_and_never_made) {
    as_pickle *p = READ("ca\ncalled\nK\x01K\x02\x86R.");
    ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_CALL);
    ck_assert_uint_eq(as_pickle_root(p)->global, 1);
    ck_assert_uint_eq(as_pickle_root(p)->count, 2);
    ck_assert_int_eq(item(as_pickle_root(p), 1)->of.number, 2);
    as_pickle_free(p);
    /* A dictionary with attributes, filled after it was made. */
    p = READ("\x8c\x01"
             "a\x8c\x04"
             "dict\x93)R}K\x09K\x09sbK\x01K\x02s.");
    ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_DICT);
    ck_assert_uint_eq(as_pickle_root(p)->count, 2);
    as_pickle_free(p);
    p = READ("ca\nkept\nK\x03\x86Q.");
    ck_assert_int_eq(as_pickle_root(p)->kind, AS_PICKLE_PERSISTENT);
    ck_assert_int_eq(item(as_pickle_root(p), 0)->kind, AS_PICKLE_GLOBAL);
    ck_assert_int_eq(item(as_pickle_root(p), 1)->of.number, 3);
    as_pickle_free(p);
}
END_TEST

/* The limits hold before memory is taken; each of these is one byte a value. */
START_TEST(what_would_take_all_memory_is_refused) {
    size_t size = 5 << 20;
    unsigned char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    const char fillers[] = {'(', 'N', ']', ')'};
    for (size_t i = 0; i < sizeof fillers; i++) {
        memset(bytes, fillers[i], size);
        refused(bytes, size, "more values than are read (2^22)");
    }
    memset(bytes, '\x94', size); /* MEMOIZE, over and over */
    bytes[0] = ']';
    refused(bytes, size, "memo");
    free(bytes);
}
END_TEST

/* A pickle with every opcode cut off at every byte, and with every byte changed to every other one:
 * it ends, and it is refused or read. */
START_TEST(every_byte_may_be_wrong) {
    static const char whole[] = "\x80\x02}q\x00(X\x01\x00\x00\x00"
                                "aca\ncalled\n(ca\nkept\nK\x01\x86QK\x02M\x03\x00J\x04\x00\x00"
                                "\x00\x8a\x01\x05](NG\x3f\xf0\x00\x00\x00\x00\x00\x00"
                                "e)ca\ndict\n)Rq\x01tRX\x01\x00\x00\x00"
                                "bh\x01u.";
    size_t size = sizeof whole - 1;
    as_pickle_free(read_bytes(whole, size));
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut + 1); /* its own, so that reading beyond is noticed */
        ck_assert_ptr_nonnull(part);
        memcpy(part, whole, cut);
        as_pickle *pickle = NULL;
        as_status status = as_pickle_read(part, cut, globals, &pickle);
        if (status != AS_EREAD || pickle != NULL) {
            ck_abort_msg("cut at %zu: %s", cut, as_status_name(status));
        }
        free(part);
    }
    unsigned char changed[sizeof whole];
    for (size_t n = 0; n < size * 256; n++) {
        memcpy(changed, whole, size);
        changed[n / 256] = (unsigned char)n;
        as_pickle *pickle = NULL;
        as_status status = as_pickle_read(changed, size, globals, &pickle);
        if ((status == AS_OK) != (pickle != NULL) || (status != AS_OK && status != AS_EREAD)) {
            ck_abort_msg("byte %zu = %zu: %s", n / 256, n % 256, as_status_name(status));
        }
        as_pickle_free(pickle);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, numbers_as_python_reads_them);
    tcase_add_test(t, containers_and_texts);
    tcase_add_test(t, the_memo_shares_values);
    tcase_add_test(t, calls_are_kept_and_never_made);
    tcase_add_test(t, what_would_take_all_memory_is_refused);
    tcase_add_test(t, every_byte_may_be_wrong);
}
AS_TEST_MAIN("pickle")

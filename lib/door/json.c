/* JSON: a writer of our own, because it must print numbers that read back and must not hold a
 * document in memory, and jansson's reader. It refuses nesting beyond 32 and text that is no JSON. */
#include "door/json.h"

#include "base/fail.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

struct as_json {
    char *text;
    size_t size, capacity;
    bool failed, taken;
    size_t depth;
    char close[DEPTH_MAX];      /* the bracket that ends each open level */
    bool filled[DEPTH_MAX + 1]; /* whether a level has a value already */
};

as_json *as_json_new(void) {
    return calloc(1, sizeof(as_json));
}

void as_json_free(as_json *json) {
    if (json != NULL) {
        free(json->text);
        free(json);
    }
}

static void put(as_json *json, const char *bytes, size_t count) {
    if (json->taken) {
        json->size = 0;
        json->taken = false;
    }
    if (json->failed || count > SIZE_MAX / 4 || json->size > SIZE_MAX / 4) {
        json->failed = true;
        return;
    }
    if (json->size + count + 1 > json->capacity) {
        size_t capacity = 2 * (json->size + count) + 256;
        char *text = realloc(json->text, capacity);
        if (text == NULL) {
            json->failed = true;
            return;
        }
        json->text = text;
        json->capacity = capacity;
    }
    memcpy(json->text + json->size, bytes, count);
    json->size += count;
    json->text[json->size] = '\0';
}

/* Only for what is known to be short. */
__attribute__((format(printf, 2, 3))) static void put_format(as_json *json, const char *format,
                                                             ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(json, text, (size_t)length);
}

/* The code point at *at, which moves behind it; U+FFFD for a byte that starts no valid sequence
 * (overlong forms, surrogates and anything above U+10FFFF are none). */
static unsigned long next_code_point(const unsigned char **at) {
    static const unsigned long smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = *at;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xC0 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    *at = s + 1;
    if (length < 2) {
        return length == 1 ? s[0] : 0xFFFD;
    }
    if (s[0] > 0xF4) {
        return 0xFFFD;
    }
    unsigned long code = s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        /* The terminating NUL is no continuation, so this never runs past the end. */
        if ((s[i] & 0xC0) != 0x80) {
            return 0xFFFD;
        }
        code = code << 6 | (s[i] & 0x3Fu);
    }
    if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        return 0xFFFD;
    }
    *at = s + length;
    return code;
}

static void put_quoted(as_json *json, const char *value) {
    put(json, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)value; *s != '\0';) {
        const unsigned char *plain = s;
        while (*s >= 0x20 && *s < 0x7F && *s != '"' && *s != '\\') {
            s++;
        }
        put(json, (const char *)plain, (size_t)(s - plain));
        if (*s == '\0') {
            break;
        }
        unsigned long code = next_code_point(&s);
        if (code == '"' || code == '\\') {
            put_format(json, "\\%c", (int)code);
        } else if (code == '\n') {
            put(json, "\\n", 2);
        } else if (code == '\t') {
            put(json, "\\t", 2);
        } else if (code < 0x10000) {
            put_format(json, "\\u%04lx", code);
        } else {
            code -= 0x10000;
            put_format(json, "\\u%04lx\\u%04lx", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
        }
    }
    put(json, "\"", 1);
}

/* What stands before a value: the comma and the key. False where the writer is NULL. */
static bool begin(as_json *json, const char *key) {
    if (json == NULL) {
        return false;
    }
    if (json->filled[json->depth]) {
        put(json, ",", 1);
    }
    json->filled[json->depth] = true;
    if (key != NULL) {
        put_quoted(json, key);
        put(json, ":", 1);
    }
    return true;
}

static void open_level(as_json *json, const char *key, const char *bracket, char close) {
    if (!begin(json, key)) {
        return;
    }
    if (json->depth == DEPTH_MAX) {
        json->failed = true;
        return;
    }
    put(json, bracket, 1);
    json->close[json->depth++] = close;
    json->filled[json->depth] = false;
}

void as_json_object(as_json *json, const char *key) {
    open_level(json, key, "{", '}');
}

void as_json_array(as_json *json, const char *key) {
    open_level(json, key, "[", ']');
}

void as_json_end(as_json *json) {
    if (json != NULL && json->depth > 0) {
        put(json, &json->close[--json->depth], 1);
    }
}

void as_json_string(as_json *json, const char *key, const char *value) {
    if (!begin(json, key)) {
        return;
    }
    if (value == NULL) {
        put(json, "null", 4);
    } else {
        put_quoted(json, value);
    }
}

void as_json_number(as_json *json, const char *key, double value) {
    if (!begin(json, key)) {
        return;
    }
    if (!isfinite(value)) {
        put(json, "null", 4);
        return;
    }
    /* The shortest of 15, 16 and 17 digits that reads back. */
    char text[40];
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    /* The decimal point of the host's locale is not JSON's. */
    char *comma = strchr(text, ',');
    if (comma != NULL) {
        *comma = '.';
    }
    put(json, text, (size_t)length);
}

void as_json_integer(as_json *json, const char *key, uint64_t value) {
    if (begin(json, key)) {
        put_format(json, "%llu", (unsigned long long)value);
    }
}

void as_json_bool(as_json *json, const char *key, bool value) {
    if (begin(json, key)) {
        put(json, value ? "true" : "false", value ? 4 : 5);
    }
}

void as_json_null(as_json *json, const char *key) {
    as_json_string(json, key, NULL);
}

const char *as_json_take(as_json *json) {
    if (json == NULL || json->failed) {
        as_fail(AS_ENOMEM, "a JSON text is nested too deeply or does not fit into memory");
        return NULL;
    }
    if (json->taken || json->text == NULL) {
        return "";
    }
    json->taken = true;
    return json->text;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static const json_t *json_of(const as_json_value *value) {
    return (const json_t *)value;
}

as_status as_json_parse(const char *text, size_t length, as_json_value **out) {
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    json_error_t error;
    json_t *root = json_loadb(text, length, flags, &error);
    if (root == NULL && json_error_code(&error) == json_error_numeric_overflow) {
        root = json_loadb(text, length, flags | JSON_DECODE_INT_AS_REAL, &error);
    }
    if (root == NULL && json_error_code(&error) == json_error_out_of_memory) {
        return as_fail(AS_ENOMEM, "no memory for a JSON text of %zu bytes", length);
    }
    if (root == NULL) {
        return as_fail(AS_EREAD, "no JSON: line %d, column %d: %s", error.line, error.column,
                       error.text);
    }
    *out = (as_json_value *)root;
    return AS_OK;
}

void as_json_value_free(as_json_value *value) {
    json_decref((json_t *)value);
}

const as_json_value *as_json_member(const as_json_value *object, const char *key) {
    return (const as_json_value *)json_object_get(json_of(object), key);
}

const as_json_value *as_json_element(const as_json_value *array, size_t index) {
    return (const as_json_value *)json_array_get(json_of(array), index);
}

const char *as_json_text(const as_json_value *value) {
    return json_string_value(json_of(value));
}

double as_json_double(const as_json_value *value) {
    return json_is_number(json_of(value)) ? json_number_value(json_of(value)) : NAN;
}

size_t as_json_length(const as_json_value *value) {
    const json_t *json = json_of(value);
    return json_is_array(json) ? json_array_size(json) : json_object_size(json);
}

bool as_json_is_object(const as_json_value *value) {
    return json_is_object(json_of(value));
}

bool as_json_truth(const as_json_value *value, bool *out) {
    const json_t *json = json_of(value);
    if (!json_is_boolean(json)) {
        return false;
    }
    *out = json_is_true(json);
    return true;
}

bool as_json_is_array(const as_json_value *value) {
    return json_is_array(json_of(value));
}

bool as_json_whole(const as_json_value *value, uint64_t *out) {
    /* Jansson gives every number of a text as a double where one of them is beyond 64 bits. */
    double number = as_json_double(value);
    if (!(number >= 0 && number <= 0x1p53) || number != floor(number)) {
        return false;
    }
    /* 2^53 + 1 as a whole number rounds to 2^53. */
    if (json_is_integer(json_of(value)) && json_integer_value(json_of(value)) > 1LL << 53) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

bool as_json_next(const as_json_value *object, void **cursor, const char **key,
                  const as_json_value **value) {
    json_t *json = (json_t *)json_of(object);
    *cursor = *cursor == NULL ? json_object_iter(json) : json_object_iter_next(json, *cursor);
    if (*cursor == NULL) {
        return false;
    }
    *key = json_object_iter_key(*cursor);
    *value = (const as_json_value *)json_object_iter_value(*cursor);
    return true;
}

void as_json_copy_members(as_json *json, const as_json_value *object, const char *except) {
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)json_of(object), key, member) {
        if (except == NULL || strcmp(key, except) != 0) {
            as_json_copy(json, key, (const as_json_value *)member);
        }
    }
}

/* The depth of what comes in is bounded by the reader's own limit (2048 levels of small frames). */
void as_json_copy(as_json *json, const char *key, const as_json_value *value) {
    const json_t *source = json_of(value);
    if (json_is_object(source)) {
        as_json_object(json, key);
        as_json_copy_members(json, value, NULL);
        as_json_end(json);
    } else if (json_is_array(source)) {
        as_json_array(json, key);
        for (size_t i = 0; i < json_array_size(source); i++) {
            as_json_copy(json, NULL, as_json_element(value, i));
        }
        as_json_end(json);
    } else if (json_is_integer(source)) {
        if (begin(json, key)) {
            put_format(json, "%lld", (long long)json_integer_value(source));
        }
    } else if (json_is_real(source)) {
        as_json_number(json, key, json_real_value(source));
    } else if (json_is_boolean(source)) {
        as_json_bool(json, key, json_is_true(source));
    } else {
        as_json_string(json, key, json_string_value(source));
    }
}

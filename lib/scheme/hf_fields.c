/* The fields of a Hugging Face config.json, and the text of a scheme that is made of them.
 * It refuses fields that are not of the kind that is asked for; null is as good as absent. */
#include "scheme/hf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void as_hf_add(hf_config *c, const char *format, ...) {
    va_list args;
    size_t room = c->used < sizeof c->out->scheme ? sizeof c->out->scheme - c->used : 0;
    va_start(args, format);
    int length = vsnprintf(room > 0 ? c->out->scheme + c->used : NULL, room, format, args);
    va_end(args);
    c->used += length > 0 ? (size_t)length : 0;
}

void as_hf_add_number(hf_config *c, double x) {
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    as_hf_add(c, "%s", text);
}

void as_hf_add_value(hf_config *c, const char *key, double x) {
    if (!isnan(x)) {
        as_hf_add(c, "%c%s=", strchr(c->out->scheme, ':') == NULL ? ':' : ',', key);
        as_hf_add_number(c, x);
    }
}

static bool is_null(const as_json_value *value) {
    bool truth;
    return value == NULL ||
           (as_json_text(value) == NULL && isnan(as_json_double(value)) &&
            !as_json_truth(value, &truth) && !as_json_is_object(value) && !as_json_is_array(value));
}

static void refuse(hf_config *c, const char *key, const char *kind) {
    if (c->status == AS_OK) {
        c->status = as_fail(AS_EINVAL, "%s: its %s must be %s", c->path, key, kind);
    }
}

double as_hf_number_of(hf_config *c, const as_json_value *object, const char *key) {
    const as_json_value *value = as_json_member(object, key);
    double x = as_json_double(value);
    if (isnan(x) && !is_null(value)) {
        refuse(c, key, "a number");
    }
    return x;
}

const char *as_hf_text_of(hf_config *c, const as_json_value *object, const char *key) {
    const as_json_value *value = as_json_member(object, key);
    const char *text = as_json_text(value);
    if (text == NULL && !is_null(value)) {
        refuse(c, key, "text");
    }
    return text != NULL ? text : "";
}

bool as_hf_truth(hf_config *c, const as_json_value *object, const char *key, bool other) {
    const as_json_value *value = as_json_member(object, key);
    bool found = other;
    if (!as_json_truth(value, &found) && !is_null(value)) {
        refuse(c, key, "true or false");
    }
    return found;
}

const as_json_value *as_hf_list(hf_config *c, const char *key) {
    const as_json_value *value = as_json_member(c->model, key);
    if (!as_json_is_array(value) && !is_null(value)) {
        refuse(c, key, "a list");
    }
    return as_json_is_array(value) ? value : NULL;
}

const as_json_value *as_hf_object(hf_config *c, const char *key) {
    const as_json_value *value = as_json_member(c->model, key);
    if (!as_json_is_object(value) && !is_null(value)) {
        refuse(c, key, "an object");
    }
    return as_json_is_object(value) ? value : NULL;
}

double as_hf_number(hf_config *c, const char *key) {
    return as_hf_either(as_hf_number_of(c, c->rope, key), as_hf_number_of(c, c->model, key));
}

double as_hf_first(hf_config *c, const char *keys) {
    double x = NAN;
    while (isnan(x) && *keys != '\0') {
        char key[64];
        size_t length = strcspn(keys, "|");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        x = as_hf_number(c, key);
        keys += length + (keys[length] == '|');
    }
    return x;
}

double as_hf_either(double x, double other) {
    return isnan(x) ? other : x;
}

bool as_hf_is_one_of(const char *word, const char *const *words) {
    while (*words != NULL && strcmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

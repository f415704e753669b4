/* json: JSON text out, piece by piece, and JSON text in. Private to the library and its tools.
 * Text out is pure ASCII on one line; a number reads back to the same double. */
#ifndef AS_DOOR_JSON_H
#define AS_DOOR_JSON_H

#include "attnspec/base.h"

/* A writer: values are added in order, and the text is taken whenever it suits, so a document of
 * any length needs room for one piece only:
 *
 *     as_json_object(json, NULL);
 *     as_json_array(json, "rows");
 *     for (…) {
 *         as_json_object(json, NULL);
 *         as_json_number(json, "norm", 3.5);
 *         as_json_end(json);
 *         const char *piece = as_json_take(json);     print it, or give up where it is NULL
 *     }
 *     as_json_end(json), as_json_end(json);
 *     const char *rest = as_json_take(json);
 *
 * key is the member's name inside an object and NULL inside an array and at the top. Where memory
 * runs out the writer stays silent until as_json_take() says so: there is one place to check. */
typedef struct as_json as_json;

/* NULL where there is no memory; every function below takes NULL and as_json_take() reports it. */
as_json *as_json_new(void);
void as_json_free(as_json *json);

void as_json_object(as_json *json, const char *key);
void as_json_array(as_json *json, const char *key);
/* Closes the innermost object or array. At most 32 may be open. */
void as_json_end(as_json *json);

/* NULL becomes null; a byte that is not UTF-8 becomes U+FFFD. */
void as_json_string(as_json *json, const char *key, const char *value);
/* NaN and infinity become null. */
void as_json_number(as_json *json, const char *key, double value);
void as_json_integer(as_json *json, const char *key, uint64_t value);
void as_json_bool(as_json *json, const char *key, bool value);
void as_json_null(as_json *json, const char *key);

/* The text added since the last take, without a newline; borrowed until the next call with the same
 * writer. NULL with a message (AS_ENOMEM, or nesting too deep) when something could not be added. */
const char *as_json_take(as_json *json);

/* A value that was read. Every function takes NULL, so look-ups can be chained. */
typedef struct as_json_value as_json_value;

/* AS_EREAD (the message says where the text is no JSON), AS_ENOMEM. `length` bytes. */
as_status as_json_parse(const char *text, size_t length, as_json_value **out);
void as_json_value_free(as_json_value *value);

/* Borrowed; NULL where it is not there. */
const as_json_value *as_json_member(const as_json_value *object, const char *key);
const as_json_value *as_json_element(const as_json_value *array, size_t index);
/* The string (UTF-8), NULL where the value is none. */
const char *as_json_text(const as_json_value *value);
/* The number, NaN where the value is none. */
double as_json_double(const as_json_value *value);
/* Entries of an array or object, 0 of anything else. */
size_t as_json_length(const as_json_value *value);
bool as_json_is_object(const as_json_value *value);
bool as_json_is_array(const as_json_value *value);
/* true or false in *out; false of anything else. */
bool as_json_truth(const as_json_value *value, bool *out);
/* A whole number of 0 … 2^53 in *out; false of anything else. (JSON's 4.0 is one.) */
bool as_json_whole(const as_json_value *value, uint64_t *out);
/* The next member of an object, in the order of the text; false past the last one and of anything
 * else. *cursor is NULL before the first call; key and value are borrowed. */
bool as_json_next(const as_json_value *object, void **cursor, const char **key,
                  const as_json_value **value);

/* Adds a copy of what was read; NULL becomes null. */
void as_json_copy(as_json *json, const char *key, const as_json_value *value);
/* Adds a copy of every member of an object into the object that is open, but for that of name
 * `except` (may be NULL). */
void as_json_copy_members(as_json *json, const as_json_value *object, const char *except);

#endif

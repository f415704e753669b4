/* The table of contents: found by name, parsed, written; and the noise that they share.
 * It refuses unknown names. */
#include "base/param.h"
#include "content/type.h"

static const as_content_type *const types[] = {
#define X(name) &as_content_##name,
#include "content/contents.def"
#undef X
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

const as_content_type *as_content_list(size_t index) {
    return index < TYPE_COUNT ? types[index] : NULL;
}

as_status as_content_parse(const char *text, as_content *out) {
    as_name names[TYPE_COUNT];
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        names[i] = (as_name){types[i]->name, NULL, types[i]->params};
    }
    size_t index;
    as_status status = as_named_parse("content", names, TYPE_COUNT, text, &index, out->value, NULL);
    if (status == AS_OK) {
        out->type = types[index];
    }
    return status;
}

char *as_content_text(const as_content *content) {
    return as_params_text(content->type->name, content->type->params, content->value, NULL);
}

as_status as_content_query(const as_content *content, const as_content_shape *shape, size_t kv_head,
                           double *x) {
    return content->type->fill(content, shape, false, kv_head, x);
}

as_status as_content_key(const as_content *content, const as_content_shape *shape, double *x) {
    return content->type->fill(content, shape, true, shape->head, x);
}

double as_content_value(const as_content *content, const char *key) {
    return as_params_value(content->type->params, content->value, key);
}

as_status as_content_draw(const as_content_shape *shape, const char *purpose, size_t head,
                          size_t count, double *x) {
    as_stream *stream;
    as_status status = as_stream_new(shape->seed, purpose, shape->layer, head, &stream);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = as_stream_gaussian(stream);
    }
    as_stream_free(stream);
    return AS_OK;
}

as_status as_content_noise(const as_content_shape *shape, bool is_key, double *x) {
    return as_content_draw(shape, is_key ? "content.key" : "content.query", shape->head,
                           shape->n * shape->dim, x);
}

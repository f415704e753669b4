/* The table of schemes: found by name, parsed, written, asked for what they promise.
 * It refuses unknown names, and heads that no scheme is defined for. */
#include "base/fail.h"
#include "base/param.h"
#include "scheme/type.h"

#include <math.h>

static const as_scheme_type *const types[] = {
#define X(name) &as_scheme_##name,
#include "scheme/schemes.def"
#undef X
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *as_scheme_class_name(as_scheme_class kind) {
    static const char *const names[] = {
#define X(code, name) [code] = name,
        AS_SCHEME_CLASS_LIST(X)
#undef X
    };
    return (unsigned)kind < AS_SCHEME_CLASS_COUNT ? names[kind] : "unknown";
}

const char *as_scheme_trait_name(unsigned trait) {
    switch (trait) {
#define X(code, bit, name)                                                                         \
    case code:                                                                                     \
        return name;
        AS_SCHEME_TRAIT_LIST(X)
#undef X
    default:
        return "unknown";
    }
}

const as_scheme_type *as_scheme_list(size_t index) {
    return index < TYPE_COUNT ? types[index] : NULL;
}

as_status as_scheme_parse(const char *text, as_scheme *out) {
    as_name names[TYPE_COUNT];
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        names[i] = (as_name){types[i]->name, types[i]->aliases, types[i]->params};
    }
    size_t index;
    as_status status = as_named_parse("scheme", names, TYPE_COUNT, text, &index, out->value);
    if (status == AS_OK) {
        out->type = types[index];
    }
    return status;
}

char *as_scheme_text(const as_scheme *scheme) {
    return as_params_text(scheme->type->name, scheme->type->params, scheme->value);
}

static as_status check_head(const as_scheme *scheme, const as_head *head) {
    if (head->head >= head->heads) {
        return as_fail(AS_EINVAL, "there is no head %zu among %zu", head->head, head->heads);
    }
    if (head->rows == 0 || head->cols == 0 || head->dim == 0) {
        return as_fail(AS_EINVAL, "%zu queries, %zu keys and a head size of %zu make no logits",
                       head->rows, head->cols, head->dim);
    }
    return scheme->type->check == NULL ? AS_OK : scheme->type->check(scheme, head);
}

as_status as_scheme_check(const as_scheme *scheme, const as_head *head) {
    as_status status = check_head(scheme, head);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "scheme %s", scheme->type->name);
}

unsigned as_scheme_traits(const as_scheme *scheme, const as_head *head) {
    const as_scheme_type *type = scheme->type;
    return type->traits_of == NULL ? type->traits : type->traits_of(scheme, head);
}

double as_scheme_scale(const as_scheme *scheme, const as_head *head) {
    const as_scheme_type *type = scheme->type;
    return type->scale == NULL ? 1 / sqrt((double)head->dim) : type->scale(scheme, head);
}

double as_scheme_value(const as_scheme *scheme, const char *key) {
    return as_params_value(scheme->type->params, scheme->value, key);
}

void as_scheme_fill(const as_head *head, double (*value)(const void *context, double delta),
                    const void *context, double *out) {
    size_t rows = head->rows, cols = head->cols;
    double off = (double)cols - (double)rows;
    for (size_t k = 0; k < cols; k++) {
        out[k] = value(context, off - (double)k);
    }
    for (size_t i = 1; i < rows; i++) {
        out[i * cols] = value(context, off + (double)i);
        for (size_t k = 1; k < cols; k++) {
            out[i * cols + k] = out[(i - 1) * cols + k - 1];
        }
    }
}

/* The table of schemes: found by name, parsed, written, asked for what they promise.
 * It refuses unknown names, and heads that no scheme is defined for. */
#include "base/fail.h"
#include "base/param.h"
#include "scheme/type.h"

#include <math.h>
#include <string.h>

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

static as_status parse_hf(const char *path, as_scheme *out) {
    as_hf_config config;
    as_status status = as_scheme_hf(path, &config);
    if (status != AS_OK) {
        return status;
    }
    status = as_scheme_parse(config.scheme, out);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", path);
}

as_status as_scheme_parse(const char *text, as_scheme *out) {
    if (strncmp(text, "hf:", 3) == 0) {
        return parse_hf(text + 3, out);
    }
    as_name names[TYPE_COUNT];
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        names[i] = (as_name){types[i]->name, types[i]->aliases, types[i]->params};
    }
    size_t index;
    as_scheme found = {.type = NULL};
    as_status status =
        as_named_parse("scheme", names, TYPE_COUNT, text, &index, found.value, found.words);
    if (status != AS_OK) {
        return status;
    }
    found.type = types[index];
    status = found.type->agree == NULL ? AS_OK : found.type->agree(&found);
    if (status != AS_OK) {
        return as_fail_prefix(status, "scheme %s", found.type->name);
    }
    *out = found;
    return AS_OK;
}

char *as_scheme_text(const as_scheme *scheme) {
    return as_params_text(scheme->type->name, scheme->type->params, scheme->value, scheme->words);
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

const char *as_scheme_warning(const as_scheme *scheme, const as_head *head) {
    const as_scheme_type *type = scheme->type;
    return type->warning == NULL ? NULL : type->warning(scheme, head);
}

double as_scheme_value(const as_scheme *scheme, const char *key) {
    return as_params_value(scheme->type->params, scheme->value, key);
}

const char *as_scheme_word(const as_scheme *scheme, const char *key) {
    return scheme->words + (size_t)as_scheme_value(scheme, key);
}

const char *as_scheme_file(const as_scheme *scheme) {
    const char *key = scheme->type->file, *file = key != NULL ? as_scheme_word(scheme, key) : "";
    return *file != '\0' ? file : NULL;
}

as_scheme_class as_scheme_class_of(const as_scheme *scheme) {
    return scheme->type->class_of != NULL ? scheme->type->class_of(scheme) : scheme->type->kind;
}

const char *as_scheme_input(const char *text, const as_scheme *scheme) {
    return strncmp(text, "hf:", 3) == 0 ? text + 3 : as_scheme_file(scheme);
}

static const as_parameters *find_table(const as_head *head, const char *name) {
    for (size_t t = 0; t < head->table_count; t++) {
        if (head->table_count == 1 || strcmp(head->tables[t].name, name) == 0) {
            return &head->tables[t];
        }
    }
    return NULL;
}

as_status as_scheme_table(const as_scheme *scheme, const as_head *head, const char *name,
                          size_t rank, as_parameters *out) {
    const as_parameters *table = find_table(head, name);
    if (table == NULL) {
        return as_fail(AS_EINVAL, "%s holds no array named %s", as_scheme_file(scheme), name);
    }
    as_parameters cut = *table;
    while (cut.rank > rank) {
        bool layers = cut.rank == rank + 2 || (cut.rank == rank + 1 && cut.shape[0] != head->heads);
        size_t index = layers ? head->layer : head->head, size = 1;
        if (cut.rank > rank + 2 || index >= cut.shape[0]) {
            return as_fail(AS_EINVAL,
                           "%s: an array of rank %zu, first axis %zu, has no layer %zu, head "
                           "%zu",
                           as_scheme_file(scheme), table->rank, cut.shape[0], head->layer,
                           head->head);
        }
        for (size_t a = 1; a < cut.rank; a++) {
            cut.shape[a - 1] = cut.shape[a];
            size *= cut.shape[a];
        }
        cut.rank--;
        cut.data += index * size;
    }
    if (cut.rank < rank) {
        return as_fail(AS_EINVAL, "%s: the array has rank %zu, but %zu is needed",
                       as_scheme_file(scheme), table->rank, rank);
    }
    *out = cut;
    return AS_OK;
}

static bool is_placed(const as_head *head) {
    return head->query_positions != NULL || head->key_positions != NULL;
}

/* Of entry `at` of a row-major matrix. */
static double placed_delta(const as_head *head, size_t at) {
    return as_head_query(head, at / head->cols) - as_head_key(head, at % head->cols);
}

void as_scheme_fill(const as_head *head, double (*value)(const void *context, double delta),
                    const void *context, double *out) {
    size_t rows = head->rows, cols = head->cols;
    double off = (double)cols - (double)rows;
    if (is_placed(head)) {
        for (size_t i = 0; i < rows * cols; i++) {
            out[i] = value(context, placed_delta(head, i));
        }
        return;
    }
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

void as_scheme_gather(const as_head *head, void (*take)(void *context, double delta, double sum),
                      void *context, const double *db) {
    size_t rows = head->rows, cols = head->cols;
    if (is_placed(head)) {
        for (size_t i = 0; i < rows * cols; i++) {
            take(context, placed_delta(head, i), db[i]);
        }
        return;
    }
    /* Diagonals from the upper right corner to the lower left one. */
    for (size_t d = 0; d < rows + cols - 1; d++) {
        size_t i = d < cols ? 0 : d - cols + 1, k = d < cols ? cols - 1 - d : 0;
        double delta = as_head_query(head, i) - as_head_key(head, k), sum = 0;
        for (; i < rows && k < cols; i++, k++) {
            sum += db[i * cols + k];
        }
        take(context, delta, sum);
    }
}

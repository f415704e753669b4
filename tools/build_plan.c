/* What build is to do: scheme, content and sizes from their words, a config.json or another dump.
 * It refuses words that are none, sizes that do not go together, heads that the scheme is undefined for,
 * and matrices beyond this machine's memory. */
#include "build.h"

#include <math.h>
#include <string.h>

#include "hf_note.h"
#include "message.h"
#include "output.h"
#include "tool.h"

as_head build_head(const build_job *j, size_t layer, size_t head) {
    const build_options *o = j->o;
    return (as_head){.layer = layer,
                     .head = head,
                     .heads = o->heads,
                     .rows = o->n,
                     .cols = o->n,
                     .dim = o->dim,
                     .causal = as_mask_hides(j->mask),
                     .seed = o->seed,
                     .tables = j->tables.item,
                     .table_count = j->tables.count};
}

/* Content and coupled logits, what becomes of the coupled ones on their way (bias or kernel), and q
 * and k: refused here in words, before malloc is asked for what the system may promise and not have. */
static as_status check_memory(const build_options *o) {
    double n = (double)o->n, dim = (double)o->dim;
    double bytes = sizeof(double) * (3 * n * n + 4 * n * dim);
    double there = (double)as_memory_total();
    if (there > 0 && bytes > there) {
        message_error("n = %zu with head size %zu takes %.3g GiB of memory at a time, this machine "
                      "has %.3g GiB",
                      o->n, o->dim, ldexp(bytes, -30), ldexp(there, -30));
        return AS_ENOMEM;
    }
    return AS_OK;
}

/* Whether the user named an option. */
static bool is_named(const build_options *o, const char *name) {
    const text_list *words = &o->common.words;
    size_t length = strlen(name), i = 0;
    while (i < words->count && strncmp(words->item[i], name, length) != 0) {
        i++;
    }
    return i < words->count;
}

int build_take_config(const tool *self, build_options *o, as_hf_config *config) {
    if (as_scheme_hf(o->hf_config, config) != AS_OK) {
        return usage_error(self, "%s", as_message());
    }
    if (o->scheme == NULL) {
        hf_note(o->hf_config, config);
    }
    bool heads = is_named(o, "--heads="), kv_heads = is_named(o, "--kv-heads=");
    o->scheme = o->scheme == NULL ? config->scheme : o->scheme;
    o->heads = heads || config->heads == 0 ? o->heads : config->heads;
    o->kv_heads = heads || kv_heads ? o->kv_heads : config->kv_heads;
    o->dim = is_named(o, "--head-dim=") || config->dim == 0 ? o->dim : config->dim;
    return EXIT_DONE;
}

/* The tensor of that name with layers, heads, positions and dimensions. */
static const as_tensor *find(const as_dump *dump, const char *name, size_t *index) {
    for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
        const as_tensor *tensor = as_dump_tensor(dump, t);
        if (strcmp(tensor->name, name) == 0 && tensor->rank == 4) {
            *index = t;
            return tensor;
        }
    }
    return NULL;
}

int build_open_file(const tool *self, build_options *o, build_job *j) {
    const char *path = o->content + strlen("file:");
    if (output_is_input(o->common.output, &path, 1)) {
        return EXIT_OUTPUT;
    }
    if (as_dump_open(path, NULL, &j->file) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_NOTHING;
    }
    const as_tensor *q = find(j->file, "dump/query", &j->query);
    const as_tensor *k = find(j->file, "dump/key", &j->key);
    if (q == NULL || k == NULL) {
        return usage_error(self,
                           "%s has no dump/query and dump/key of layers, heads, positions and "
                           "dimensions, as attnspec build writes them",
                           path);
    }
    for (size_t axis = 0; axis < 4; axis++) {
        if (q->shape[axis] == 0 || k->shape[axis] == 0) {
            return usage_error(self, "the query or key of %s is empty", path);
        }
    }
    if (q->shape[0] != k->shape[0] || q->shape[2] != k->shape[2] || q->shape[3] != k->shape[3]) {
        return usage_error(self, "the query and key of %s differ in layers, positions or head size",
                           path);
    }
    o->layers = q->shape[0];
    o->heads = q->shape[1];
    o->kv_heads = k->shape[1];
    o->n = q->shape[2];
    o->dim = q->shape[3];
    return EXIT_DONE;
}

int build_parse(const tool *self, const build_options *o, build_job *j) {
    if (o->scheme == NULL) {
        return usage_error(self, "--scheme names what is to be built");
    }
    if (o->common.output == NULL || strcmp(o->common.output, "-") == 0) {
        return usage_error(self, "a dump is a file, which -o must name");
    }
    if (o->heads % o->kv_heads != 0) {
        return usage_error(self, "--heads %zu is no multiple of --kv-heads %zu", o->heads,
                           o->kv_heads);
    }
    if (as_scheme_parse(o->scheme, &j->pair.scheme) != AS_OK ||
        (j->file == NULL && as_content_parse(o->content, &j->content) != AS_OK) ||
        as_mask_parse(o->mask, &j->mask) != AS_OK) {
        return usage_error(self, "%s", as_message());
    }
    if (j->mask.kind == AS_MASK_AUTO) {
        return usage_error(self, "--mask auto finds a mask in data; build takes none, causal, "
                                 "window:W or prefix:P");
    }
    const char *paths[] = {as_scheme_input(o->scheme, &j->pair.scheme), o->hf_config};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] != NULL && output_is_input(o->common.output, &paths[i], 1)) {
            return EXIT_OUTPUT;
        }
    }
    if (as_tables_read(&j->pair.scheme, &j->tables) != AS_OK) {
        return usage_error(self, "%s", as_message());
    }
    for (size_t head = 0; head < o->heads; head++) {
        as_head h = build_head(j, 0, head);
        if (as_scheme_check(&j->pair.scheme, &h) != AS_OK) {
            return usage_error(self, "%s", as_message());
        }
    }
    return exit_code_of(check_memory(o));
}

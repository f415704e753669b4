/* FILE.safetensors.index.json: which of several safetensors files beside it holds which tensor.
 * It refuses shards outside its folder; a shard that cannot be read costs its tensors only. */
#include "base/fail.h"
#include "dump/note.h"
#include "dump/safetensors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the weight_map. */
typedef struct promise {
    const char *tensor, *shard; /* borrowed from the JSON */
    bool kept;                  /* the shard does hold it */
} promise;

typedef struct shard {
    char *path;
    as_file_stamp stamp;
    as_safetensors contents; /* {0} where it cannot be read */
    char *reason;            /* why, or why a promise is broken; of all tensors that point to it */
} shard;

typedef struct sharded {
    as_json_value *index;
    promise *promises; /* [count] by shard, then by tensor */
    size_t count;
    shard *shards;
    size_t shard_count;
    struct {
        size_t shard, tensor;
    } * at; /* [count] beside dump->tensors */
} sharded;

static bool probe(const unsigned char *head, size_t size) {
    static const char word[] = "\"weight_map\"";
    size_t at = 0;
    while (at < size && isspace(head[at])) {
        at++;
    }
    bool found = false;
    for (size_t i = at; !found && i + sizeof word - 1 <= size; i++) {
        found = memcmp(head + i, word, sizeof word - 1) == 0;
    }
    return found && head[at] == '{';
}

/* Whether a path of the index stays in its folder: relative, and no component is "..". */
static bool stays(const char *path) {
    if (path[0] == '/' || path[0] == '\0') {
        return false;
    }
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += part[0] == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return false;
        }
    }
    return true;
}

static int by_shard(const void *a, const void *b) {
    const promise *x = a, *y = b;
    int order = strcmp(x->shard, y->shard);
    return order != 0 ? order : strcmp(x->tensor, y->tensor);
}

static as_status read_map(sharded *s, const as_file *file) {
    if (file->stamp.size > AS_SAFETENSORS_HEADER_MAX) {
        return as_fail(AS_EREAD, "is an index of more than %u bytes", AS_SAFETENSORS_HEADER_MAX);
    }
    as_status status = as_safetensors_object(file, 0, (size_t)file->stamp.size,
                                             "the index of safetensors files", &s->index);
    if (status != AS_OK) {
        return status;
    }
    const as_json_value *map = as_json_member(s->index, "weight_map"), *value;
    if (!as_json_is_object(map)) {
        return as_fail(AS_EREAD, "the index of safetensors files has no object \"weight_map\"");
    }
    s->promises = calloc(as_json_length(map) + 1, sizeof *s->promises);
    if (s->promises == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", as_json_length(map));
    }
    void *cursor = NULL;
    for (promise *p = s->promises; as_json_next(map, &cursor, &p->tensor, &value); p++) {
        p->shard = as_json_text(value);
        if (p->shard == NULL) {
            return as_fail(AS_EREAD, "the index gives no file for the tensor '%.200s'", p->tensor);
        }
        if (!stays(p->shard)) {
            return as_fail(AS_EREAD,
                           "the index names the file '%.200s', which is not in its folder; such a "
                           "path is not followed",
                           p->shard);
        }
        s->count++;
    }
    qsort(s->promises, s->count, sizeof *s->promises, by_shard);
    return AS_OK;
}

/* "F/model.safetensors.index.json" and "a.safetensors": "F/a.safetensors". */
static char *beside(const char *index, const char *name) {
    const char *slash = strrchr(index, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - index) + 1, length = strlen(name);
    char *path = malloc(folder + length + 1);
    if (path != NULL) {
        memcpy(path, index, folder);
        memcpy(path + folder, name, length + 1);
    }
    return path;
}

/* Reads a shard's table of contents; what is wrong with the file is its reason, not a failure. */
static as_status open_shard(shard *d, const char *name) {
    as_file file;
    as_status status = as_file_open(d->path, &file);
    if (status == AS_OK) {
        d->stamp = file.stamp;
        status = as_safetensors_read(&file, &d->contents);
        as_file_close(&file);
    }
    if (status == AS_ENOMEM) {
        return status;
    }
    d->reason = malloc(AS_MESSAGE_MAX);
    if (d->reason == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a reason");
    }
    if (status == AS_OK) {
        snprintf(d->reason, AS_MESSAGE_MAX, "is not in its file %.200s, where the index has it",
                 name);
    } else {
        snprintf(d->reason, AS_MESSAGE_MAX, "is out of reach: its file %.200s %.700s", name,
                 as_message());
        as_safetensors_free(&d->contents);
        d->contents = (as_safetensors){0};
    }
    return AS_OK;
}

static int by_tensor(const void *key, const void *element) {
    return strcmp(key, ((const promise *)element)->tensor);
}

/* Lists what the index promises [first, last) of one shard: what it holds in its order, then what
 * it lacks. */
static void list_shard(as_dump *dump, size_t number, size_t first, size_t last) {
    sharded *s = dump->state;
    const shard *d = &s->shards[number];
    for (size_t t = 0; t < d->contents.count; t++) {
        promise *p = bsearch(d->contents.tensors[t].name, s->promises + first, last - first,
                             sizeof *p, by_tensor);
        if (p != NULL) {
            p->kept = true;
            s->at[dump->tensor_count].shard = number;
            s->at[dump->tensor_count].tensor = t;
            dump->tensors[dump->tensor_count++] = d->contents.tensors[t];
        }
    }
    for (size_t i = first; i < last; i++) {
        if (!s->promises[i].kept) {
            dump->tensors[dump->tensor_count++] = (as_tensor){.name = s->promises[i].tensor,
                                                              .status = AS_EREAD,
                                                              .reason = d->reason,
                                                              .dtype = AS_DTYPE_COUNT};
        }
    }
}

static as_status open_index(as_dump *dump, const as_file *file, const as_dump_options *options) {
    (void)options; /* every element has a dtype here */
    sharded *s = dump->state = calloc(1, sizeof *s);
    if (s == NULL) {
        return as_fail(AS_ENOMEM, "no memory for its table of contents");
    }
    as_status status = read_map(s, file);
    if (status == AS_OK) {
        status = as_note_add_members(dump, as_json_member(s->index, "metadata"));
    }
    if (status != AS_OK) {
        return status;
    }
    dump->tensors = calloc(s->count + 1, sizeof *dump->tensors);
    s->at = calloc(s->count + 1, sizeof *s->at);
    s->shards = calloc(s->count + 1, sizeof *s->shards);
    if (dump->tensors == NULL || s->at == NULL || s->shards == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", s->count);
    }
    for (size_t first = 0, last; first < s->count; first = last) {
        const char *name = s->promises[first].shard;
        for (last = first + 1; last < s->count && strcmp(s->promises[last].shard, name) == 0;) {
            last++;
        }
        shard *d = &s->shards[s->shard_count++];
        d->path = beside(dump->path, name);
        if (d->path == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a path");
        }
        status = open_shard(d, name);
        if (status != AS_OK) {
            return status;
        }
        list_shard(dump, s->shard_count - 1, first, last);
    }
    return AS_OK;
}

static as_status read_index(const as_dump *dump, const as_file *file, size_t tensor,
                            const as_slice *slice, as_matrix *out) {
    (void)file; /* the index; the elements are in a shard */
    const sharded *s = dump->state;
    const shard *d = &s->shards[s->at[tensor].shard];
    as_file data;
    as_status status = as_file_reopen(d->path, &d->stamp, &data);
    if (status == AS_OK) {
        status = as_strided_read(&data, &dump->tensors[tensor],
                                 &d->contents.where[s->at[tensor].tensor], slice, out);
        as_file_close(&data);
    }
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", d->path);
}

static void close_index(as_dump *dump) {
    sharded *s = dump->state;
    if (s != NULL) {
        for (size_t i = 0; i < s->shard_count; i++) {
            as_safetensors_free(&s->shards[i].contents);
            free(s->shards[i].path);
            free(s->shards[i].reason);
        }
        as_json_value_free(s->index);
        free(s->promises);
        free(s->shards);
        free(s->at);
        free(s);
    }
    free(dump->tensors);
}

const as_format as_format_safetensors_index = {
    .info = {.name = "safetensors_index",
             .summary = "the index of a model in several safetensors files",
             .reference = "Hugging Face, model.safetensors.index.json"},
    .probe = probe,
    .open = open_index,
    .read = read_index,
    .close = close_index,
};

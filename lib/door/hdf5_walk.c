/* The datasets of an HDF5 file, in the order of their names.
 * It refuses groups that are nested beyond reason; a broken object is a tensor with its reason. */
#define _GNU_SOURCE /* strdup */
#include "base/fail.h"
#include "door/hdf5_own.h"

#include <stdlib.h>
#include <string.h>

/* Groups inside groups: no format that people use comes near, and HDF5's stack holds it. */
enum { MAX_DEPTH = 64 };

typedef struct walk {
    as_h5_tree *tree;
    as_h5_tensor *item;
    size_t count, capacity;
    char *path; /* of the object at hand, without its leading slash */
    size_t length, room, depth;
    haddr_t *seen; /* [slots] addresses of objects, an open hash; HADDR_UNDEF: free */
    size_t seen_count, slots;
    as_status status;
} walk;

static as_status no_memory(void) {
    return as_fail(AS_ENOMEM, "no memory for its table of contents");
}

static size_t slot_of(const haddr_t *seen, size_t slots, haddr_t address) {
    size_t at = (size_t)((uint64_t)address * 0x9E3779B97F4A7C15u >> 20) & (slots - 1);
    while (seen[at] != HADDR_UNDEF && seen[at] != address) {
        at = (at + 1) & (slots - 1);
    }
    return at;
}

static as_status grow_seen(walk *w) {
    size_t slots = w->slots > 0 ? 2 * w->slots : 1024;
    haddr_t *seen = malloc(slots * sizeof *seen);
    if (seen == NULL) {
        return no_memory();
    }
    for (size_t i = 0; i < slots; i++) {
        seen[i] = HADDR_UNDEF;
    }
    for (size_t i = 0; i < w->slots; i++) {
        if (w->seen[i] != HADDR_UNDEF) {
            seen[slot_of(seen, slots, w->seen[i])] = w->seen[i];
        }
    }
    free(w->seen);
    w->seen = seen;
    w->slots = slots;
    return AS_OK;
}

/* Whether the object is met for the first time: hard links can make a group its own child, and give
 * a dataset several names. */
static as_status meet(walk *w, haddr_t address, bool *first) {
    if (2 * w->seen_count >= w->slots) {
        as_status status = grow_seen(w);
        if (status != AS_OK) {
            return status;
        }
    }
    size_t at = slot_of(w->seen, w->slots, address);
    *first = w->seen[at] == HADDR_UNDEF;
    w->seen[at] = address;
    w->seen_count += *first;
    return AS_OK;
}

/* Adds a tensor under the path at hand; with a status, the reason is the message. */
static as_status add(walk *w, as_h5_tensor tensor, as_status status) {
    if (w->count == w->capacity) {
        size_t wanted = 2 * w->capacity + 64;
        void *grown = realloc(w->item, wanted * sizeof *w->item);
        if (grown == NULL) {
            return no_memory();
        }
        w->item = grown;
        w->capacity = wanted;
    }
    tensor.status = status;
    tensor.reason = status != AS_OK ? strdup(as_message()) : NULL;
    tensor.name = strdup(w->path);
    if (tensor.name == NULL || (status != AS_OK && tensor.reason == NULL)) {
        free(tensor.name);
        free(tensor.reason);
        return no_memory();
    }
    w->item[w->count++] = tensor;
    return AS_OK;
}

static as_status add_broken(walk *w, const char *what) {
    char why[AS_H5_WHY];
    return add(w, (as_h5_tensor){0},
               as_fail(AS_EREAD, "is %s that cannot be read: %s", what, as_h5_why(why)));
}

static as_status describe_space(hid_t space, as_h5_tensor *out) {
    hsize_t shape[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) {
        return as_fail(AS_SKIPPED, "is empty (it has no dataspace)");
    }
    if (rank < 0 || rank > AS_H5_MAX_RANK) {
        return as_fail(AS_SKIPPED, "has %d axes, more than %d", rank, AS_H5_MAX_RANK);
    }
    out->rank = (size_t)rank;
    for (size_t a = 0; a < out->rank; a++) {
        out->shape[a] = (size_t)shape[a];
    }
    return AS_OK;
}

static as_status add_dataset(walk *w, hid_t group, const char *name) {
    as_h5_tensor t = {0};
    hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Dget_type(id), space = id < 0 ? -1 : H5Dget_space(id);
    as_status status;
    if (type < 0 || space < 0) {
        status = add_broken(w, "a dataset");
    } else {
        /* The shape first: a list of tensors has it whatever the elements are. */
        status = describe_space(space, &t);
        as_status numbers = status == AS_OK ? as_h5_describe_type(type, &t) : status;
        status = add(w, t, numbers == AS_OK ? as_h5_check_storage(w->tree, id) : numbers);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
    return status;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *context);

static as_status walk_group(walk *w, hid_t parent, const char *name) {
    if (w->depth == MAX_DEPTH) {
        return as_fail(AS_EREAD, "has groups nested more than %d deep", MAX_DEPTH);
    }
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    w->depth++;
    herr_t done = group < 0 ? -1 : H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, w);
    w->depth--;
    if (done < 0 && w->status == AS_OK) {
        w->status = add_broken(w, "a group");
    }
    H5Gclose(group);
    return w->status;
}

/* The file and the path that an external link names, which is not followed: a file of another
 * program's choosing could be anything. */
static as_status add_external(walk *w, hid_t group, const char *name, size_t size) {
    const char *file = "?", *path = "?";
    char *value = malloc(size);
    if (value == NULL) {
        return no_memory();
    }
    if (H5Lget_val(group, name, value, size, H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value, size, NULL, &file, &path) < 0) {
        file = path = "?";
    }
    as_fail(AS_EREAD,
            "is a link to \"%.200s\" in the file \"%.200s\", which is not followed; name "
            "that file",
            path, file);
    free(value);
    return add(w, (as_h5_tensor){0}, AS_EREAD);
}

static as_status visit_hard(walk *w, hid_t group, const char *name) {
    H5O_info_t object;
    bool first = false;
    if (H5Oget_info_by_name2(group, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
        return add_broken(w, "an object");
    }
    as_status status = meet(w, object.addr, &first);
    if (status != AS_OK || !first) {
        return status;
    }
    return object.type == H5O_TYPE_GROUP     ? walk_group(w, group, name)
           : object.type == H5O_TYPE_DATASET ? add_dataset(w, group, name)
                                             : AS_OK;
}

/* Puts a name behind the path; the caller cuts it off again. */
static as_status append(walk *w, const char *name) {
    size_t more = strlen(name) + 2;
    if (w->length + more > w->room) {
        size_t wanted = 2 * (w->length + more);
        char *grown = realloc(w->path, wanted);
        if (grown == NULL) {
            return no_memory();
        }
        w->path = grown;
        w->room = wanted;
    }
    if (w->length > 0) {
        w->path[w->length++] = '/';
    }
    memcpy(w->path + w->length, name, more - 1);
    w->length += more - 2;
    return AS_OK;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *context) {
    walk *w = context;
    size_t length = w->length;
    w->status = append(w, name);
    if (w->status == AS_OK && info->type == H5L_TYPE_HARD) {
        w->status = visit_hard(w, group, name);
    } else if (w->status == AS_OK && info->type == H5L_TYPE_EXTERNAL) {
        w->status = add_external(w, group, name, info->u.val_size);
    }
    w->length = length;
    w->path[length] = '\0';
    return w->status == AS_OK ? 0 : -1;
}

as_status as_h5_tree_list(as_h5_tree *tree, const char *path, as_h5_tensor **out, size_t *count) {
    HOLD_HDF5;
    walk w = {.tree = tree};
    H5O_info_t root;
    bool first;
    w.status = as_h5_tree_wake(tree);
    if (w.status != AS_OK) {
        return w.status;
    }
    w.status = append(&w, strcmp(path, "/") == 0 ? "" : path);
    if (w.status == AS_OK &&
        H5Oget_info_by_name2(tree->id, path, &root, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
        char why[AS_H5_WHY];
        w.status = as_fail(AS_EREAD, "cannot be read as HDF5: %s", as_h5_why(why));
    }
    if (w.status == AS_OK) {
        w.status = meet(&w, root.addr, &first);
    }
    if (w.status == AS_OK) {
        walk_group(&w, tree->id, path);
    }
    free(w.seen);
    free(w.path);
    if (w.status != AS_OK) {
        as_h5_tensors_free(w.item, w.count);
        return w.status;
    }
    *out = w.item;
    *count = w.count;
    return AS_OK;
}

void as_h5_tensors_free(as_h5_tensor *tensors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(tensors[i].name);
        free(tensors[i].reason);
    }
    free(tensors);
}

/* HDF5 files of strangers: opened, attributes as text, elements of datasets as bytes.
 * It refuses what HDF5 refuses, and files that another program has locked. */
#define _GNU_SOURCE /* strdup, strndup */
#include "door/hdf5_tree.h"

#include "base/fail.h"
#include "door/hdf5_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The chunks of a slice are kept for the next one up to CACHE_MOST: they may hold other heads too. */
static const size_t cache_least = 1 << 20, cache_most = 64 << 20;
/* HDF5 wants a prime well above the number of chunks that are kept. */
enum { CACHE_SLOTS = 10007 };

static as_status cannot_open(void) {
    char why[AS_H5_WHY];
    return strstr(as_h5_why(why), "lock file") != NULL
               ? as_fail(AS_EREAD,
                         "cannot be locked: another program writes it, or the file system "
                         "has no locks (then set HDF5_USE_FILE_LOCKING=FALSE)")
               : as_fail(AS_EREAD, "cannot be read as HDF5: %s", why);
}

as_status as_h5_tree_wake(as_h5_tree *tree) {
    if (tree->id >= 0) {
        return AS_OK;
    }
    /* Weak, as HDF5 itself opens the sources of virtual datasets: where a source is open already in
     * another way HDF5 cannot open it, and the dataset reads as zeros without an error. */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    as_status status = AS_OK;
    if (H5Pset_fclose_degree(access, H5F_CLOSE_WEAK) < 0 ||
        (tree->id = H5Fopen(tree->path, H5F_ACC_RDONLY, access)) < 0) {
        status = cannot_open();
    }
    H5Pclose(access);
    return status;
}

as_status as_h5_tree_open(const char *path, as_h5_tree **out) {
    HOLD_HDF5;
    const char *slash = strrchr(path, '/');
    as_h5_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL) {
        return as_fail(AS_ENOMEM, "no memory to open it");
    }
    *tree = (as_h5_tree){.path = strdup(path),
                         .folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0),
                         .id = -1,
                         .open_id = -1};
    as_status status = tree->path == NULL || tree->folder == NULL
                           ? as_fail(AS_ENOMEM, "no memory to open it")
                           : AS_OK;
    status = status == AS_OK ? as_h5_tree_wake(tree) : status;
    if (status != AS_OK) {
        as_h5_tree_close(tree);
        return status;
    }
    *out = tree;
    return AS_OK;
}

/* HDF5 holds half a MiB and a descriptor for an open file, and a trial copies the map of all that. */
void as_h5_tree_rest(as_h5_tree *tree) {
    HOLD_HDF5;
    if (tree->open_id >= 0) {
        H5Dclose(tree->open_id);
    }
    if (tree->id >= 0) {
        H5Fclose(tree->id);
    }
    free(tree->open_name);
    tree->open_name = NULL;
    tree->open_id = tree->id = -1;
}

void as_h5_tree_close(as_h5_tree *tree) {
    if (tree == NULL) {
        return;
    }
    as_h5_tree_rest(tree);
    free(tree->folder);
    free(tree->path);
    free(tree);
}

/* ---- attributes ------------------------------------------------------------------------------- */

typedef struct gathered {
    as_h5_attribute *item;
    size_t count, capacity;
    as_status status;
} gathered;

/* The text of a string attribute, or NULL. Owned. */
static char *text_of(hid_t id, hid_t type) {
    char *text = NULL, *copy = NULL;
    if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(id, type, &text) >= 0 && text != NULL) {
            copy = strdup(text);
        }
        H5free_memory(text);
    } else if ((copy = calloc(1, H5Tget_size(type) + 1)) != NULL && H5Aread(id, type, copy) < 0) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* The decimal of a numeric attribute, or NULL. Owned. */
static char *number_of(hid_t id, H5T_class_t kind) {
    char text[40] = "";
    double real;
    int64_t whole;
    if (kind == H5T_INTEGER && H5Aread(id, H5T_NATIVE_INT64, &whole) >= 0) {
        snprintf(text, sizeof text, "%" PRId64, whole);
    } else if (kind == H5T_FLOAT && H5Aread(id, H5T_NATIVE_DOUBLE, &real) >= 0) {
        snprintf(text, sizeof text, "%.17g", real);
    }
    return text[0] != '\0' ? strdup(text) : NULL;
}

static herr_t gather(hid_t group, const char *name, const H5A_info_t *info, void *context) {
    (void)info;
    gathered *all = context;
    hid_t id = H5Aopen(group, name, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Aget_type(id), space = id < 0 ? -1 : H5Aget_space(id);
    char *text = NULL;
    if (type >= 0 && H5Sget_simple_extent_npoints(space) == 1) {
        H5T_class_t kind = H5Tget_class(type);
        text = kind == H5T_STRING ? text_of(id, type) : number_of(id, kind);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(id);
    if (text == NULL) {
        return 0; /* of another kind, or broken: as if it were not there */
    }
    if (all->count == all->capacity) {
        size_t wanted = 2 * all->capacity + 16;
        void *grown = realloc(all->item, wanted * sizeof *all->item);
        if (grown == NULL) {
            goto no_memory;
        }
        all->item = grown;
        all->capacity = wanted;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        goto no_memory;
    }
    all->item[all->count++] = (as_h5_attribute){copy, text};
    return 0;
no_memory:
    free(text);
    all->status = as_fail(AS_ENOMEM, "no memory for its attributes");
    return -1;
}

as_status as_h5_tree_attributes(as_h5_tree *tree, const char *path, as_h5_attribute **out,
                                size_t *count) {
    HOLD_HDF5;
    gathered all = {0};
    *out = NULL;
    *count = 0;
    as_status status = as_h5_tree_wake(tree);
    if (status != AS_OK) {
        return status;
    }
    hid_t group = H5Gopen2(tree->id, path, H5P_DEFAULT);
    if (group < 0) {
        return AS_OK;
    }
    if (H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, gather, &all) < 0 &&
        all.status == AS_OK) {
        char why[AS_H5_WHY];
        all.status = as_fail(AS_EREAD, "has attributes that cannot be read: %s", as_h5_why(why));
    }
    H5Gclose(group);
    if (all.status != AS_OK) {
        as_h5_attributes_free(all.item, all.count);
        return all.status;
    }
    *out = all.item;
    *count = all.count;
    return AS_OK;
}

void as_h5_attributes_free(as_h5_attribute *attributes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(attributes[i].name);
        free(attributes[i].text);
    }
    free(attributes);
}

/* ---- elements --------------------------------------------------------------------------------- */

/* How many chunks a slice touches, and their bytes; 0 where nothing is chunked. */
static size_t chunks_of(hid_t dataset, const as_h5_tensor *tensor, const size_t *start,
                        const size_t *count, size_t *bytes) {
    hsize_t chunk[AS_H5_MAX_RANK];
    hid_t list = H5Dget_create_plist(dataset);
    size_t chunks = 1;
    *bytes = tensor->size;
    bool chunked = H5Pget_layout(list) == H5D_CHUNKED &&
                   H5Pget_chunk(list, AS_H5_MAX_RANK, chunk) == (int)tensor->rank;
    for (size_t a = 0; chunked && a < tensor->rank; a++) {
        hsize_t first = start[a] / chunk[a], last = (start[a] + count[a] - 1) / chunk[a];
        size_t across = (size_t)(last - first + 1);
        if (!as_mul(chunks, across, &chunks) || !as_mul(*bytes, across * (size_t)chunk[a], bytes)) {
            chunks = *bytes = SIZE_MAX / 2; /* more than anybody keeps or waits for */
            break;
        }
    }
    H5Pclose(list);
    return chunked ? chunks : 0;
}

/* The bytes of a slice's chunks within the bounds; the least where nothing is chunked. */
static size_t cache_bytes(hid_t dataset, const as_h5_tensor *tensor, const size_t *start,
                          const size_t *count) {
    size_t bytes, chunks = chunks_of(dataset, tensor, start, count, &bytes);
    return chunks == 0 || bytes < cache_least ? cache_least
           : bytes < cache_most               ? bytes
                                              : cache_most;
}

/* HDF5 takes microseconds for a chunk, written or not, and does not stop in between: a file of a few
 * bytes can claim millions of them. 16384 × 16384 in chunks of 32 × 32 are this many. */
static const size_t most_chunks = (size_t)1 << 18;

static hid_t open_dataset(as_h5_tree *tree, const char *name, size_t cache) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), id = -1;
    if (H5Pset_chunk_cache(access, CACHE_SLOTS, cache, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0) {
        id = H5Dopen2(tree->id, name, access);
    }
    H5Pclose(access);
    return id;
}

/* The dataset of the last call, or another one. Negative on failure. */
static hid_t turn_to(as_h5_tree *tree, const as_h5_tensor *tensor, const size_t *start,
                     const size_t *count) {
    if (tree->open_id >= 0 && strcmp(tree->open_name, tensor->name) == 0) {
        return tree->open_id;
    }
    char *name = strdup(tensor->name);
    hid_t id = name != NULL ? open_dataset(tree, name, cache_least) : -1;
    size_t cache = id >= 0 ? cache_bytes(id, tensor, start, count) : 0;
    if (cache > cache_least) {
        H5Dclose(id);
        id = open_dataset(tree, name, cache);
    }
    if (id < 0) {
        free(name);
        return id;
    }
    if (tree->open_id >= 0) {
        H5Dclose(tree->open_id);
    }
    free(tree->open_name);
    tree->open_name = name;
    tree->open_id = id;
    return id;
}

as_status as_h5_tree_read(as_h5_tree *tree, const as_h5_tensor *tensor, const size_t *start,
                          const size_t *count, void *raw) {
    HOLD_HDF5;
    hsize_t from[AS_H5_MAX_RANK], extent[AS_H5_MAX_RANK];
    for (size_t a = 0; a < tensor->rank; a++) {
        from[a] = start[a];
        extent[a] = count[a];
    }
    as_status status = as_h5_tree_wake(tree);
    if (status != AS_OK) {
        return status;
    }
    hid_t id = turn_to(tree, tensor, start, count);
    size_t bytes, chunks = id < 0 ? 0 : chunks_of(id, tensor, start, count, &bytes);
    if (chunks > most_chunks) {
        return as_fail(AS_EREAD,
                       "cannot be read: a matrix lies in %zu chunks, more than %zu; h5repack with "
                       "larger ones helps",
                       chunks, most_chunks);
    }
    hid_t type = id < 0 ? -1 : H5Dget_type(id), space = id < 0 ? -1 : H5Dget_space(id);
    hid_t memory = H5Screate_simple((int)tensor->rank, extent, NULL);
    herr_t got = -1;
    /* The file's own type in memory too: no bytes are converted. */
    if (type >= 0 && H5Tget_size(type) == tensor->size &&
        H5Sget_simple_extent_ndims(space) == (int)tensor->rank &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0) {
        got = H5Dread(id, type, memory, space, H5P_DEFAULT, raw);
    }
    char why[AS_H5_WHY];
    status = got >= 0 ? AS_OK : as_fail(AS_EREAD, "cannot be read: %s", as_h5_why(why));
    H5Sclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

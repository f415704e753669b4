/* Whether what a dataset is stored in can be had. HDF5 fills in zeros, without an error, where the
 * source of a virtual dataset or the end of an external file is missing. It refuses both. */
#define _GNU_SOURCE /* asprintf */
#include "base/fail.h"
#include "door/hdf5_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Virtual datasets of virtual datasets; more is a circle. */
enum { MAX_NESTING = 4 };

/* https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md */
static const struct {
    int id;
    const char *name;
} filters[] = {
    {H5Z_FILTER_DEFLATE, "gzip"},
    {H5Z_FILTER_SZIP, "szip"},
    {305, "lzo"},
    {307, "bzip2"},
    {32000, "lzf"},
    {32001, "blosc"},
    {32004, "lz4"},
    {32008, "bitshuffle"},
    {32013, "zfp"},
    {32015, "zstd"},
    {32017, "sz"},
    {32018, "fcidecomp"},
    {32024, "sz3"},
    {32026, "blosc2"},
};

static as_status missing_filter(int id, const char *own_name) {
    const char *name = own_name;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        name = filters[i].id == id ? filters[i].name : name;
    }
    return as_fail(AS_EREAD,
                   "is packed by the filter %d (%s), which this HDF5 lacks; install the plugin (of "
                   "hdf5plugin, in the folder HDF5_PLUGIN_PATH), or save it with gzip",
                   id, name[0] != '\0' ? name : "unknown");
}

static as_status check_filters(hid_t list) {
    int count = H5Pget_nfilters(list);
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        char name[64] = "";
        H5Z_filter_t id =
            H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL, sizeof name, name, &config);
        if (id < 0) {
            return as_fail(AS_EREAD, "is packed by a filter that HDF5 cannot name");
        }
        if (H5Zfilter_avail(id) <= 0) {
            name[sizeof name - 1] = '\0';
            return missing_filter(id, name);
        }
    }
    return AS_OK;
}

/* Of a regular file; false for all else, which might never end or never begin. */
static bool size_of(const char *path, uint64_t *size) {
    struct stat facts;
    bool plain = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    *size = plain ? (uint64_t)facts.st_size : 0;
    return plain;
}

/* prefix/name as HDF5 joins them, ${ORIGIN} being the folder of the file. Owned. */
static char *join(const as_h5_tree *tree, const char *prefix, const char *name) {
    static const char origin[] = "${ORIGIN}";
    char *path = NULL;
    bool relative = strncmp(prefix, origin, sizeof origin - 1) == 0;
    const char *folder = relative ? tree->folder : "";
    const char *rest = prefix + (relative ? sizeof origin - 1 : 0);
    rest += relative && tree->folder[0] != '\0' && rest[0] == '/' ? 1 : 0;
    const char *slash = rest[0] != '\0' && rest[strlen(rest) - 1] != '/' ? "/" : "";
    return asprintf(&path, "%s%s%s%s", folder, rest, slash, name) < 0 ? NULL : path;
}

/* ---- external files --------------------------------------------------------------------------- */

/* Relative names are looked for in HDF5_EXTFILE_PREFIX, or else where the program runs. */
static as_status check_external(const as_h5_tree *tree, hid_t list, uint64_t needed) {
    const char *prefix = getenv("HDF5_EXTFILE_PREFIX");
    int count = H5Pget_external_count(list);
    for (int i = 0; i < count && needed > 0; i++) {
        char name[1024] = "";
        off_t offset = 0;
        hsize_t size = 0;
        uint64_t there;
        if (H5Pget_external(list, (unsigned)i, sizeof name, name, &offset, &size) < 0) {
            return as_fail(AS_EREAD, "is stored in a file that HDF5 cannot name");
        }
        name[sizeof name - 1] = '\0';
        char *path = join(tree, prefix != NULL && name[0] != '/' ? prefix : "", name);
        if (path == NULL) {
            return as_fail(AS_ENOMEM, "no memory for the name of a file");
        }
        bool plain = size_of(path, &there);
        uint64_t part = size < needed ? size : needed, begin = (uint64_t)offset;
        free(path);
        if (!plain || begin > there || part > there - begin) {
            return as_fail(AS_EREAD,
                           "is stored in the file \"%.300s\", which %s (a relative name is looked "
                           "for where the program runs, or in HDF5_EXTFILE_PREFIX)",
                           name, plain ? "is too short" : "is not there");
        }
        needed -= part;
    }
    return AS_OK;
}

/* ---- virtual datasets ------------------------------------------------------------------------- */

typedef struct source {
    char file[1024], dataset[1024];
} source;

static as_status check_dataset(const as_h5_tree *tree, hid_t dataset, int nesting);

/* Whether the part that a mapping takes lies inside the source; the rest would be zeros. */
static bool reaches_beyond(hid_t list, size_t mapping, hid_t dataset) {
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK], shape[H5S_MAX_RANK];
    hid_t taken = H5Pget_virtual_srcspace(list, mapping), space = H5Dget_space(dataset);
    hid_t filled = H5Pget_virtual_vspace(list, mapping);
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    bool beyond = false;
    if (H5Sget_select_type(taken) == H5S_SEL_ALL) {
        /* The whole source, whose shape the mapping does not know. */
        beyond = H5Sget_select_npoints(filled) > H5Sget_simple_extent_npoints(space);
    } else if (H5Sget_simple_extent_ndims(taken) != rank) {
        beyond = true;
    } else if (H5Sget_select_bounds(taken, low, high) >= 0) {
        /* An unlimited selection has no bounds: it takes what there is. */
        for (int a = 0; a < rank; a++) {
            beyond = beyond || high[a] >= shape[a];
        }
    }
    H5Sclose(filled);
    H5Sclose(space);
    H5Sclose(taken);
    return beyond;
}

static as_status check_source(const as_h5_tree *tree, hid_t file, hid_t list, size_t mapping,
                              const source *from, int nesting) {
    hid_t id = H5Dopen2(file, from->dataset, H5P_DEFAULT);
    as_status status;
    if (id < 0) {
        status =
            as_fail(AS_EREAD, "is virtual, and its source \"%.300s\" in \"%.300s\" is not there",
                    from->dataset, from->file);
    } else if (reaches_beyond(list, mapping, id)) {
        status =
            as_fail(AS_EREAD, "is virtual, and its source \"%.300s\" in \"%.300s\" is too small",
                    from->dataset, from->file);
    } else {
        status = check_dataset(tree, id, nesting + 1);
    }
    H5Dclose(id);
    return status;
}

/* The file of a source, opened; negative where it is not there. HDF5 looks in HDF5_VDS_PREFIX, then
 * in the folder of the file, then where the program runs. */
static hid_t open_source(const as_h5_tree *tree, const char *name) {
    const char *prefix = getenv("HDF5_VDS_PREFIX");
    const char *folders[] = {prefix != NULL ? prefix : "", "${ORIGIN}", ""};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = -1;
    H5Pset_fclose_degree(access, H5F_CLOSE_WEAK); /* as as_h5_tree_open() says */
    for (size_t i = name[0] == '/' ? 2 : 0; i < 3 && id < 0; i++) {
        uint64_t size;
        char *path = join(tree, folders[i], name);
        if (path != NULL && size_of(path, &size)) {
            id = H5Fopen(path, H5F_ACC_RDONLY, access);
        }
        free(path);
    }
    H5Pclose(access);
    return id;
}

static as_status check_mapping(const as_h5_tree *tree, hid_t own, hid_t list, size_t mapping,
                               int nesting) {
    source from = {"", ""};
    if (H5Pget_virtual_filename(list, mapping, from.file, sizeof from.file) < 0 ||
        H5Pget_virtual_dsetname(list, mapping, from.dataset, sizeof from.dataset) < 0) {
        return as_fail(AS_EREAD, "is virtual, and HDF5 cannot name its sources");
    }
    if (strchr(from.file, '%') != NULL || strchr(from.dataset, '%') != NULL) {
        return as_fail(
            AS_EREAD,
            "is virtual, and its sources are numbered (\"%.300s\"), so that a missing one "
            "cannot be told; name its sources",
            from.file);
    }
    if (strcmp(from.file, ".") == 0) {
        return check_source(tree, own, list, mapping, &from, nesting);
    }
    hid_t file = open_source(tree, from.file);
    if (file < 0) {
        return as_fail(AS_EREAD, "is virtual, and the file of its source, \"%.300s\", is not there",
                       from.file);
    }
    as_status status = check_source(tree, file, list, mapping, &from, nesting);
    H5Fclose(file);
    return status;
}

static as_status check_virtual(const as_h5_tree *tree, hid_t dataset, hid_t list, int nesting) {
    size_t count = 0;
    if (nesting >= MAX_NESTING) {
        return as_fail(AS_EREAD, "is virtual, and its sources are virtual more than %d times over",
                       MAX_NESTING);
    }
    if (H5Pget_virtual_count(list, &count) < 0) {
        return as_fail(AS_EREAD, "is virtual, and HDF5 cannot name its sources");
    }
    hid_t own = H5Iget_file_id(dataset);
    as_status status = AS_OK;
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        status = check_mapping(tree, own, list, i, nesting);
    }
    H5Fclose(own);
    return status;
}

/* Bytes of all elements, as many as fit. */
static uint64_t bytes_of(hid_t dataset) {
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t bytes;
    bool fits = count >= 0 && as_mul((size_t)count, H5Tget_size(type), &bytes);
    H5Tclose(type);
    H5Sclose(space);
    return fits ? bytes : UINT64_MAX;
}

static as_status check_dataset(const as_h5_tree *tree, hid_t dataset, int nesting) {
    hid_t list = H5Dget_create_plist(dataset);
    if (list < 0) {
        char why[AS_H5_WHY];
        return as_fail(AS_EREAD, "cannot be read: %s", as_h5_why(why));
    }
    as_status status = check_filters(list);
    if (status == AS_OK && H5Pget_external_count(list) > 0) {
        status = check_external(tree, list, bytes_of(dataset));
    }
    if (status == AS_OK && H5Pget_layout(list) == H5D_VIRTUAL) {
        status = check_virtual(tree, dataset, list, nesting);
    }
    H5Pclose(list);
    return status;
}

as_status as_h5_check_storage(const as_h5_tree *tree, hid_t dataset) {
    return check_dataset(tree, dataset, 0);
}

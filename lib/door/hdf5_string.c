/* HDF5 datasets of text of a fixed length: one string, or a column of them.
 * It refuses other datasets, and texts that are longer than their file. */
#define _GNU_SOURCE /* strndup */
#include "base/fail.h"
#include "door/hdf5_own.h"

#include <stdlib.h>
#include <string.h>

as_status as_h5_write_string(as_h5 *file, const char *path, const char *text) {
    HOLD_HDF5;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), id = -1;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    herr_t wrote = -1;
    /* A string of length 0 has no type: one NUL stands for it. */
    size_t length = strlen(text) > 0 ? strlen(text) : 1;
    if (H5Tset_size(type, length) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
        H5Pset_obj_track_times(list, false) >= 0) {
        id = H5Dcreate2(file->id, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        wrote = id < 0 ? -1 : H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    }
    as_status status = as_h5_done(file, wrote, path);
    status = status == AS_OK ? as_h5_done(file, H5Dclose(id), path) : (H5Dclose(id), status);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

as_status as_h5_read_string(as_h5 *file, const char *path, char **out) {
    HOLD_HDF5;
    char *text = NULL;
    as_status status = AS_OK;
    hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Dget_type(id), space = id < 0 ? -1 : H5Dget_space(id);
    if (type < 0 || space < 0) {
        status = as_h5_fault(file, path);
        goto cleanup;
    }
    size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_npoints(space) != 1 || length > file->bytes) {
        status = as_fail(AS_EREAD, "%s of %s is no string", path, file->path);
        goto cleanup;
    }
    text = calloc(1, length + 1);
    if (text == NULL) {
        status =
            as_fail(AS_ENOMEM, "no memory to read %s of %s (%zu bytes)", path, file->path, length);
    } else if (H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        status = as_h5_fault(file, path);
    } else {
        *out = text;
        text = NULL;
    }
cleanup:
    free(text);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
    return status;
}

/* The longest, at least 1: a string of length 0 has no type. */
static size_t longest(const char *const *texts, size_t count) {
    size_t most = 1;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        most = length > most ? length : most;
    }
    return most;
}

as_status as_h5_write_strings(as_h5 *file, const char *path, const char *const *texts,
                              size_t count) {
    HOLD_HDF5;
    size_t length = longest(texts, count), bytes;
    char *block = as_mul(length, count, &bytes) ? calloc(bytes + 1, 1) : NULL;
    if (block == NULL) {
        return as_fail(AS_ENOMEM, "no memory to write %s in %s", path, file->path);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(block + i * length, texts[i], strlen(texts[i]));
    }
    hsize_t extent = count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &extent, NULL), id = -1;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    herr_t wrote = -1;
    if (H5Tset_size(type, length) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
        H5Tset_cset(type, H5T_CSET_UTF8) >= 0 && H5Pset_obj_track_times(list, false) >= 0) {
        id = H5Dcreate2(file->id, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        wrote = id < 0 ? -1 : H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block);
    }
    as_status status = as_h5_done(file, wrote, path);
    status = status == AS_OK ? as_h5_done(file, H5Dclose(id), path) : (H5Dclose(id), status);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    free(block);
    return status;
}

/* Strings of `length` bytes side by side, each of which becomes one that ends. */
static as_status part(const as_h5 *file, const char *block, size_t length, size_t count,
                      char ***out) {
    char **texts = calloc(count + 1, sizeof *texts);
    bool whole = texts != NULL;
    for (size_t i = 0; i < count && whole; i++) {
        texts[i] = strndup(block + i * length, length);
        whole = texts[i] != NULL;
    }
    if (!whole) {
        as_h5_strings_free(texts, count);
        return as_fail(AS_ENOMEM, "no memory for %zu texts of %s", count, file->path);
    }
    *out = texts;
    return AS_OK;
}

as_status as_h5_read_strings(as_h5 *file, const char *path, char ***out, size_t *count) {
    HOLD_HDF5;
    char *block = NULL;
    as_status status = AS_OK;
    hsize_t extent = 0;
    hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Dget_type(id), space = id < 0 ? -1 : H5Dget_space(id);
    if (type < 0 || space < 0) {
        status = as_h5_fault(file, path);
        goto cleanup;
    }
    size_t length = H5Tget_size(type), bytes;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &extent, NULL) < 0) {
        status = as_fail(AS_EREAD, "%s of %s is no column of strings", path, file->path);
        goto cleanup;
    }
    if (!as_mul((size_t)extent, length, &bytes) || bytes / AS_H5_RATIO_MAX > file->bytes) {
        status =
            as_fail(AS_EREAD, "%s of %s claims %llu strings of %zu bytes: the file is too short",
                    path, file->path, (unsigned long long)extent, length);
        goto cleanup;
    }
    block = calloc(bytes + 1, 1);
    if (block == NULL) {
        status = as_fail(AS_ENOMEM, "no memory to read %s of %s", path, file->path);
    } else if (bytes > 0 && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) {
        status = as_h5_fault(file, path);
    } else {
        status = part(file, block, length, (size_t)extent, out);
        *count = status == AS_OK ? (size_t)extent : *count;
    }
cleanup:
    free(block);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
    return status;
}

void as_h5_strings_free(char **texts, size_t count) {
    for (size_t i = 0; i < count && texts != NULL; i++) {
        free(texts[i]);
    }
    free(texts);
}

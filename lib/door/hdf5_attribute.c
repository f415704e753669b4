/* Attributes of HDF5 objects: strings of variable length, and numbers.
 * It refuses attributes of another kind than is asked for, and those of several values. */
#define _GNU_SOURCE /* strdup */
#include "base/fail.h"
#include "door/hdf5_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An attribute of this type and space, in the place of one that is there; type and space are closed. */
static as_status set_attribute(as_h5 *file, const char *path, const char *name, hid_t type,
                               hid_t space, const void *value) {
    if (H5Aexists_by_name(file->id, path, name, H5P_DEFAULT) > 0) {
        H5Adelete_by_name(file->id, path, name, H5P_DEFAULT);
    }
    hid_t id =
        H5Acreate_by_name(file->id, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    as_status status = as_h5_done(file, id < 0 ? -1 : H5Awrite(id, type, value), path);
    H5Aclose(id);
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

/* Variable length, UTF-8; negative where there is no memory. */
static hid_t text_type(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 &&
        (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

as_status as_h5_set_text(as_h5 *file, const char *path, const char *name, const char *text) {
    HOLD_HDF5;
    return set_attribute(file, path, name, text_type(), H5Screate(H5S_SCALAR), &text);
}

as_status as_h5_set_texts(as_h5 *file, const char *path, const char *name, const char *const *texts,
                          size_t count) {
    HOLD_HDF5;
    hsize_t shape = count;
    return set_attribute(file, path, name, text_type(), H5Screate_simple(1, &shape, NULL), texts);
}

as_status as_h5_set_integer(as_h5 *file, const char *path, const char *name, int64_t value) {
    HOLD_HDF5;
    return set_attribute(file, path, name, H5Tcopy(H5T_NATIVE_INT64), H5Screate(H5S_SCALAR),
                         &value);
}

as_status as_h5_set_number(as_h5 *file, const char *path, const char *name, double value) {
    HOLD_HDF5;
    return set_attribute(file, path, name, H5Tcopy(H5T_NATIVE_DOUBLE), H5Screate(H5S_SCALAR),
                         &value);
}

as_status as_h5_get_text(as_h5 *file, const char *path, const char *name, char **out) {
    HOLD_HDF5;
    char *text = NULL;
    as_status status;
    hid_t id = H5Aopen_by_name(file->id, path, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Aget_type(id), space = id < 0 ? -1 : H5Aget_space(id);
    if (type < 0 || space < 0) {
        status = as_h5_fault(file, path);
    } else if (H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1) {
        status = as_fail(AS_EREAD, "attribute %s of %s in %s is no string", name, path, file->path);
    } else if (H5Aread(id, type, &text) < 0) {
        status = as_h5_fault(file, path);
    } else {
        *out = strdup(text != NULL ? text : "");
        status = *out != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory to read %s", file->path);
    }
    H5free_memory(text);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(id);
    return status;
}

bool as_h5_has_attribute(as_h5 *file, const char *path, const char *name) {
    HOLD_HDF5;
    return H5Aexists_by_name(file->id, path, name, H5P_DEFAULT) > 0;
}

/* One number of that class, in memory of that type; out has 8 bytes. */
static as_status get_scalar(as_h5 *file, const char *path, const char *name, H5T_class_t kind,
                            hid_t memory, void *out) {
    char what[160], value[8];
    as_status status = AS_OK;
    snprintf(what, sizeof what, "attribute %s of %s", name, path);
    hid_t id = H5Aopen_by_name(file->id, path, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Aget_type(id), space = id < 0 ? -1 : H5Aget_space(id);
    if (type < 0 || space < 0) {
        status = as_h5_fault(file, what);
    } else if (H5Tget_class(type) != kind || H5Sget_simple_extent_npoints(space) != 1) {
        status = as_fail(AS_EREAD, "%s in %s is no %s", what, file->path,
                         kind == H5T_INTEGER ? "whole number" : "number");
    } else if (H5Aread(id, memory, value) < 0) {
        status = as_h5_fault(file, what);
    } else {
        memcpy(out, value, sizeof value);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(id);
    return status;
}

as_status as_h5_get_integer(as_h5 *file, const char *path, const char *name, int64_t *out) {
    HOLD_HDF5;
    return get_scalar(file, path, name, H5T_INTEGER, H5T_NATIVE_INT64, out);
}

as_status as_h5_get_number(as_h5 *file, const char *path, const char *name, double *out) {
    HOLD_HDF5;
    return get_scalar(file, path, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, out);
}

/* NXdata groups, their labels and axes.
 * It refuses nothing of its own: failures are those of the file. */
#include "result/nxdata.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>

as_status as_nxdata_group(as_h5 *file, const as_nxdata *group) {
    as_status status = as_h5_group(file, group->path, "NXdata");
    if (status == AS_OK) {
        status = as_h5_set_text(file, group->path, "title", group->title);
    }
    if (status == AS_OK) {
        status = as_h5_set_text(file, group->path, "signal", group->signal);
    }
    if (status == AS_OK) {
        status = as_h5_set_texts(file, group->path, "axes", group->axes, group->axis_count);
    }
    for (size_t i = 0; i < group->axis_count && status == AS_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_indices", group->axes[i]);
        status = as_h5_set_integer(file, group->path, name, (int64_t)i);
    }
    if (status == AS_OK && group->auxiliary_count > 0) {
        status = as_h5_set_texts(file, group->path, "auxiliary_signals", group->auxiliary,
                                 group->auxiliary_count);
    }
    if (status == AS_OK && group->silx_style != NULL) {
        status = as_h5_set_text(file, group->path, "SILX_style", group->silx_style);
    }
    return status;
}

as_status as_nxdata_label(as_h5 *file, const char *path, const char *long_name, const char *units) {
    as_status status = as_h5_set_text(file, path, "long_name", long_name);
    if (status == AS_OK && units != NULL) {
        status = as_h5_set_text(file, path, "units", units);
    }
    return status;
}

as_status as_nxdata_shape(as_h5 *file, const char *path, const char *interpretation, size_t rank) {
    as_status status = as_h5_set_text(file, path, "interpretation", interpretation);
    if (status == AS_OK && rank > 1) {
        status = as_h5_set_text(file, path, "dim_order", "C");
    }
    return status;
}

as_status as_nxdata_axis(as_h5 *file, const char *group, const char *name, const char *long_name,
                         const int64_t *values, size_t count) {
    char path[128];
    as_h5_data data = {0};
    snprintf(path, sizeof path, "%s/%s", group, name);
    as_status status =
        as_h5_data_create(file, path, AS_H5_I64, 1, (const size_t[2]){count, 1}, &data);
    if (status == AS_OK) {
        status = as_h5_data_write(&data, 0, count, values);
        as_status closed = as_h5_data_close(&data);
        status = status == AS_OK ? closed : status;
    }
    return status == AS_OK ? as_nxdata_label(file, path, long_name, NULL) : status;
}

as_status as_nxdata_range(as_h5 *file, const char *group, const char *name, const char *long_name,
                          int64_t first, size_t count) {
    int64_t *values = calloc(count > 0 ? count : 1, sizeof *values);
    if (values == NULL) {
        return as_fail(AS_ENOMEM, "no memory for an axis of %zu", count);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = first + (int64_t)i;
    }
    as_status status = as_nxdata_axis(file, group, name, long_name, values, count);
    free(values);
    return status;
}

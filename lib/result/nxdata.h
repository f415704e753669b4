/* nxdata: the attributes by which NeXus readers find and label a plot. Private. */
#ifndef AS_RESULT_NXDATA_H
#define AS_RESULT_NXDATA_H

#include "door/hdf5.h"

/* An NXdata group: which of its datasets is drawn, over which axes (outermost first). */
typedef struct as_nxdata {
    const char *path, *title, *signal;
    const char *axes[3];
    size_t axis_count;
    const char *auxiliary[3]; /* drawn with the signal */
    size_t auxiliary_count;
    const char *silx_style; /* JSON of scale types; NULL for linear */
} as_nxdata;
as_status as_nxdata_group(as_h5 *file, const as_nxdata *group);

/* long_name and, where not NULL, units of a dataset. */
as_status as_nxdata_label(as_h5 *file, const char *path, const char *long_name, const char *units);
/* How the numbers of a dataset of this rank are to be drawn, and that they are in C order. */
as_status as_nxdata_shape(as_h5 *file, const char *path, const char *interpretation, size_t rank);

/* An axis `name` in a group: values[count]. */
as_status as_nxdata_axis(as_h5 *file, const char *group, const char *name, const char *long_name,
                         const int64_t *values, size_t count);
/* The axis first, first + 1, … */
as_status as_nxdata_range(as_h5 *file, const char *group, const char *name, const char *long_name,
                          int64_t first, size_t count);

#endif

/* provenance: where numbers come from, as JSON, and its place in a file. Private. */
#ifndef AS_RESULT_PROVENANCE_H
#define AS_RESULT_PROVENANCE_H

#include "door/hdf5.h"

/* The JSON object without spaces and without `names`, which the result file adds; NULL is {}. Owned by
 * the caller. AS_EINVAL where it is no object, AS_ENOMEM. */
as_status as_provenance_tidy(const char *given, char **out);

/* The NXnote GROUP/provenance, whose data are this text. */
as_status as_provenance_put(as_h5 *file, const char *group, const char *text);

#endif

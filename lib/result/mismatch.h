/* mismatch: how one run's fingerprint differs from another's, in words. Private to this room. */
#ifndef AS_RESULT_MISMATCH_H
#define AS_RESULT_MISMATCH_H

#include "attnspec/base.h"

/* Fails with AS_EMISMATCH: `name` (a journal or an output) is of a run with the fingerprint `then`, not
 * `now`, and by what they differ: the version, options, or which inputs are new, gone or changed. */
as_status as_mismatch(const char *name, const char *then, const char *now);

#endif

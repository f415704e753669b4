/* temporary: a file that is written under another name beside its own, until it is whole and
 * as_publish() gives it its own. Private to the library. */
#ifndef AS_BASE_TEMPORARY_H
#define AS_BASE_TEMPORARY_H

#include "attnspec/base.h"

/* Whether path may be written at all: AS_EINVAL where it is empty, AS_EEXIST where it is there and not
 * force, AS_EWRITE where it is something that a rename must not replace. */
as_status as_output_check(const char *path, bool force);

/* Makes a new empty file folder/.name.PID.N beside path, so that the rename stays in one file system.
 * Its name is owned by the caller. AS_EWRITE, AS_ENOMEM. */
as_status as_temporary_make(const char *path, char **out);

/* The failure of the temporary file is one of the file that was asked for: says the message again with
 * path in its place. Returns status; `temporary` may be NULL. */
as_status as_temporary_fail(as_status status, const char *temporary, const char *path);

/* Lets `fill` write the file whose name is to be path under another name, then gives it its own; where it
 * fails nothing is left and path is as it was. Errors of as_output_check(), of fill, AS_EWRITE, AS_ENOMEM,
 * all of which name path. */
as_status as_temporary_write(const char *path, bool force,
                             as_status (*fill)(const char *temporary, void *context),
                             void *context);

#endif

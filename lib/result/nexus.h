/* nexus: the journal's rows as a NeXus-HDF5 file. Private. */
#ifndef AS_RESULT_NEXUS_H
#define AS_RESULT_NEXUS_H

#include "result/journal.h"

/* What tells a result from other HDF5 files: the attribute `schema` of /entry. */
#define AS_NEXUS_SCHEMA "attnspec-result"

/* Writes the sorted entries into a new file. The same rows and provenance give the same bytes.
 * AS_EWRITE, AS_EREAD (the journal), AS_ENOMEM: a broken file may be left. Two passes over the
 * journal; memory for one block of rows, the index and the names. */
as_status as_nexus_write(const as_journal *journal, const char *path);

#endif

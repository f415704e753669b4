/* text_file: a whole file in memory. Private to the library. */
#ifndef AS_BASE_TEXT_FILE_H
#define AS_BASE_TEXT_FILE_H

#include "attnspec/base.h"

/* The bytes of a regular file of at most `most`.
 *   what   what it should be, for messages: "a config.json"
 *   bytes  owned by the caller (free()), not NULL even where size is 0; no NUL is put behind them
 * AS_EREAD with the file's name, AS_ENOMEM. It never waits for a pipe. Cost: the file. */
as_status as_read_text(const char *path, const char *what, size_t most, char **bytes, size_t *size);

#endif

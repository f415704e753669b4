/* Names in words the files that no format takes, so that the user knows what was handed in.
 * It decides nothing and reads nothing but the first bytes. */
#include "dump/format.h"

#include <string.h>

typedef struct magic {
    size_t at;
    const char *bytes;
    size_t size;
    const char *kind;
} magic;

static const magic magics[] = {
    {0, "\x28\xb5\x2f\xfd", 4, "a zstandard file"},
    {0,
     "\xfd"
     "7zXZ",
     5, "an xz file"},
    {0, "BZh", 3, "a bzip2 file"},
    /* torch.save before version 1.6: pickle protocol 2, then its magic number as a long. */
    {0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14,
     "a PyTorch file older than version 1.6 (torch.load() and torch.save() it again with a newer "
     "PyTorch)"},
    {0, "\x80\x02", 2, "a pickle"},
    {0, "\x80\x03", 2, "a pickle"},
    {0, "\x80\x04", 2, "a pickle"},
    {0, "\x80\x05", 2, "a pickle"},
    {0, "GGUF", 4, "a GGUF file"},
    {0, "PAR1", 4, "a Parquet file"},
    {0, "MATLAB 5.0", 10, "a MATLAB file of version 5"},
    {257, "ustar", 5, "a tar archive"},
};

const char *as_foreign_kind(const unsigned char *head, size_t size) {
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const magic *m = &magics[i];
        if (size >= m->at + m->size && memcmp(head + m->at, m->bytes, m->size) == 0) {
            return m->kind;
        }
    }
    return NULL;
}

/* text: numbers as people write them, read once and kept as float64 in a temporary file. Private to
 * lib/dump. */
#ifndef AS_DUMP_TEXT_H
#define AS_DUMP_TEXT_H

#include "door/zlib.h"
#include "dump/strided.h"

enum {
    AS_TEXT_BUFFER = 1 << 16, /* bytes read, and bytes of numbers kept, at a time */
    AS_TEXT_TOKEN = 1024      /* the longest number; every float64 can be written in 770 digits */
};

/* A text on its way through a parser, byte by byte. */
typedef struct as_text {
    const as_file *file;
    as_gz *gz;        /* NULL: the text is not packed */
    as_file spool;    /* the numbers, in this machine's byte order */
    as_status status; /* of reading: once it fails, the text has ended */
    uint64_t taken;   /* bytes that next() gave */
    uint64_t filled;  /* bytes that came into the buffer */
    uint64_t kept;    /* numbers */
    int decimals;     /* of the numbers since it was set to 0 */
    size_t at, size;  /* in the buffer */
    size_t pending;   /* numbers not yet in the file */
    unsigned char buffer[AS_TEXT_BUFFER];
    double values[AS_TEXT_BUFFER / sizeof(double)];
} as_text;

/* What was found: tensors, and where each lies in the spool. */
typedef struct as_text_tensors {
    as_tensor *tensors; /* their names and reasons are owned */
    as_strided *where;
    size_t count, capacity;
} as_text_tensors;

#define AS_TEXT_END (-1)
/* The next byte, AS_TEXT_END where there is none or reading failed; next() takes it. */
int as_text_peek(as_text *text);
int as_text_next(as_text *text);
/* Passes over white space; `lines` says whether line ends are some. AS_EREAD beyond 2^20 bytes. */
as_status as_text_blank(as_text *text, bool lines);
/* The number that begins here, rounded to the nearest float64 whatever the locale; also nan, inf and
 * infinity in any case, with a sign. AS_EREAD, with the word that is none. */
as_status as_text_number(as_text *text, double *out);
/* Appends a number to the spool. AS_EREAD where the disk is full. */
as_status as_text_keep(as_text *text, double value);
as_status as_text_flush(as_text *text);
/* The failure that ended the text, else one with this sentence. */
as_status as_text_wrong(const as_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A new tensor that begins in the spool at number `first`; name and reason (or NULL) are copied.
 * AS_ENOMEM; AS_EREAD beyond 2^16 tensors. */
as_status as_text_add(as_text_tensors *found, const as_tensor *tensor, uint64_t first);

/* Rows of numbers → one tensor ""; nested JSON lists → a tensor each. */
as_status as_text_rows(as_text *text, as_text_tensors *found);
as_status as_text_lists(as_text *text, as_text_tensors *found);

#endif

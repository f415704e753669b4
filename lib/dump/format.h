/* format: what one file format gives to the dump room. Private to lib/dump.
 * A new format is one file that ends in its `const as_format as_format_NAME`, and one line in
 * dumps.def. */
#ifndef AS_DUMP_FORMAT_H
#define AS_DUMP_FORMAT_H

#include "attnspec/dump.h"
#include "dump/file.h"

/* Messages inside the room do not name the file: as_dump_open() and as_dump_read() put its name in
 * front. */
typedef struct as_format {
    as_format_info info;

    /* Whether these first bytes of a file are the format's. No I/O, no allocation, no other test:
     * a file that is recognised but broken is open()'s to describe. */
    bool (*probe)(const unsigned char *head, size_t size);

    /* Contract of as_dump_open(): fills tensors, tensor_count and state from the table of contents.
     * dump->path and dump->stamp are set; file is open for reading and stays the caller's. On
     * failure close() is called all the same, so what was allocated may simply hang on the dump. */
    as_status (*open)(as_dump *dump, const as_file *file, const as_dump_options *options);

    /* Contract of as_dump_read(); the slice has been checked, has elements, and out has its shape.
     * file is open and is the one that was opened (same size and time of change). Thread-safe. */
    as_status (*read)(const as_dump *dump, const as_file *file, size_t tensor,
                      const as_slice *slice, as_matrix *out);

    /* Contract of as_dump_close(): frees tensors (with their names) and state; either may be
     * NULL. */
    void (*close)(as_dump *dump);

    /* Frees what read() can make again, open files above all; nobody reads meanwhile. NULL: nothing is
     * kept from one read to the next. */
    void (*let_go)(const as_dump *dump);

    /* Numbers are decimal: open() sets `decimals` of its tensors. Of others the room does. */
    bool decimal;
} as_format;

typedef struct as_held as_held;

struct as_dump {
    char *path; /* owned by the room */
    const as_format *format;
    as_held *held; /* owned by the room */
    as_file_stamp stamp;
    as_tensor *tensors; /* these three are owned by the format */
    size_t tensor_count;
    void *state;
    as_dump_note *notes; /* owned by the room; open() adds them by as_note_add() */
    size_t note_count;
    bool ours; /* a dump of ours: the notes are the attributes of its group */
};

/* How many first bytes probe() is shown. */
enum { AS_PROBE_BYTES = 1024 };

/* What a file with contents is that no format takes: "a zip archive of numpy arrays (.npz)", or
 * NULL where even that is unknown. */
const char *as_foreign_kind(const unsigned char *head, size_t size);

#define X(name) extern const as_format as_format_##name;
#include "dump/dumps.def"
#undef X

#endif

/* journal: the append-only file of finished rows. Private to this room.
 *
 * Bytes: the magic line, then records of {u32 length, u32 CRC-32, payload}, little endian. The first
 * record is the head (layout, fingerprint, provenance), every other one is a row. */
#ifndef AS_RESULT_JOURNAL_H
#define AS_RESULT_JOURNAL_H

#include "result/row.h"

#define AS_JOURNAL_MAGIC "attnspec journal 1\n"

/* Where a row is: all that is kept of it in memory. */
typedef struct as_entry {
    uint64_t item, offset; /* offset of the payload */
    uint32_t length;
    uint8_t status;
} as_entry;

typedef struct as_journal {
    int fd;       /* −1: none */
    char *name;   /* for messages */
    uint64_t end; /* where the next record goes; 0 while there is no head */
    as_entry *entries;
    size_t count, capacity;
    size_t sorted; /* the first entries, by item, one an item */
    char *fingerprint, *provenance;
} as_journal;

/* A journal over an open file, which it owns from here on, also on failure (AS_ENOMEM). */
as_status as_journal_start(as_journal *journal, int fd, const char *name);
void as_journal_free(as_journal *journal);

/* Empties the file and writes magic and head. AS_EWRITE, AS_ENOMEM. */
as_status as_journal_begin(as_journal *journal, const char *fingerprint, const char *provenance);

/* Reads the head and finds the rows, sorted. A torn end is left out and a record with
 * a wrong CRC is skipped. With a torn head `end` stays 0. AS_EREAD: no journal; AS_EMISMATCH: written
 * by a program with other fields or metrics. */
as_status as_journal_scan(as_journal *journal);

/* Cuts off what as_journal_scan() left out behind the last record. AS_EWRITE. */
as_status as_journal_cut(as_journal *journal);

as_status as_journal_append(as_journal *journal, const as_row *row);

/* Sorts the entries by item; the last of an item stays. */
void as_journal_sort(as_journal *journal);

/* The entry of an item among the sorted ones, or NULL. */
const as_entry *as_journal_find(const as_journal *journal, uint64_t item);

/* Row `index` of the entries. AS_EREAD, AS_ENOMEM. */
as_status as_journal_row(const as_journal *journal, size_t index, as_row_room *room, as_row *out);

#endif

/* The journal: what is in it when a call returns survives the death of the process.
 * It refuses files that are no journals, and drops records that are torn or damaged. */
#define _GNU_SOURCE /* pread, pwrite, ftruncate, strdup */
#include "result/journal.h"

#include "base/fail.h"
#include "door/zlib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_BYTES = sizeof AS_JOURNAL_MAGIC - 1, HEADER_BYTES = 8 };

as_status as_journal_start(as_journal *journal, int fd, const char *name) {
    *journal = (as_journal){.fd = fd, .name = strdup(name)};
    if (journal->name == NULL) {
        as_journal_free(journal);
        return as_fail(AS_ENOMEM, "no memory for the journal %s", name);
    }
    return AS_OK;
}

void as_journal_free(as_journal *journal) {
    if (journal->fd >= 0) {
        close(journal->fd);
    }
    free(journal->name);
    free(journal->entries);
    free(journal->fingerprint);
    free(journal->provenance);
    *journal = (as_journal){.fd = -1};
}

/* ---- bytes ------------------------------------------------------------------------------------ */

/* Reads up to `count` bytes; fewer only at the end of the file. Negative on an error. */
static ssize_t read_at(int fd, void *buffer, size_t count, uint64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(fd, (char *)buffer + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* Writes at the end, in one call unless the system splits it. On failure the file is cut back to
 * what it was, so that the journal stays whole. */
static as_status write_end(as_journal *journal, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t put = pwrite(journal->fd, (const char *)bytes + done, count - done,
                             (off_t)(journal->end + done));
        if (put > 0) {
            done += (size_t)put;
        } else if (put == 0 || errno != EINTR) {
            int error = put == 0 ? ENOSPC : errno;
            /* The scan drops a torn end too, should even this fail. */
            (void)!ftruncate(journal->fd, (off_t)journal->end);
            return as_fail(AS_EWRITE, "cannot write %s: %s", journal->name, strerror(error));
        }
    }
    journal->end += count;
    return AS_OK;
}

/* Room for the two numbers before a payload, which seal() fills in. */
static bool leave_header(as_bytes *record) {
    if (!as_bytes_reserve(record, record->size + HEADER_BYTES)) {
        return false;
    }
    record->size += HEADER_BYTES;
    return true;
}

/* Fills in length and CRC of the record whose header is at `start` and which ends the bytes. */
static bool seal(as_bytes *record, size_t start) {
    size_t length = record->size - start - HEADER_BYTES;
    unsigned char *header = record->data + start;
    if (length > UINT32_MAX) {
        return false;
    }
    as_put_u32(header, (uint32_t)length);
    as_put_u32(header + 4, as_crc32(0, header + HEADER_BYTES, length));
    return true;
}

/* ---- writing ---------------------------------------------------------------------------------- */

as_status as_journal_begin(as_journal *journal, const char *fingerprint, const char *provenance) {
    as_bytes bytes = {0};
    as_status status = AS_ENOMEM;
    char *layout = as_row_layout();
    free(journal->fingerprint);
    free(journal->provenance);
    journal->count = journal->sorted = 0;
    journal->fingerprint = strdup(fingerprint);
    journal->provenance = strdup(provenance);
    if (layout == NULL || journal->fingerprint == NULL || journal->provenance == NULL ||
        !as_bytes_reserve(&bytes, MAGIC_BYTES)) {
        as_fail(status, "no memory for the head of %s", journal->name);
        goto cleanup;
    }
    memcpy(bytes.data, AS_JOURNAL_MAGIC, MAGIC_BYTES);
    bytes.size = MAGIC_BYTES;
    if (!leave_header(&bytes) || !as_put_text(&bytes, layout) ||
        !as_put_text(&bytes, fingerprint) || !as_put_text(&bytes, provenance) ||
        !seal(&bytes, MAGIC_BYTES)) {
        as_fail(status, "no memory for the head of %s", journal->name);
        goto cleanup;
    }
    journal->end = 0;
    if (ftruncate(journal->fd, 0) != 0) {
        status = as_fail(AS_EWRITE, "cannot empty %s: %s", journal->name, strerror(errno));
        goto cleanup;
    }
    status = write_end(journal, bytes.data, bytes.size);
cleanup:
    free(layout);
    free(bytes.data);
    return status;
}

static as_status add_entry(as_journal *journal, as_entry entry) {
    if (journal->count == journal->capacity) {
        size_t capacity = journal->capacity > 0 ? 2 * journal->capacity : 64, bytes;
        as_entry *entries = NULL;
        if (as_mul(capacity, sizeof *entries, &bytes)) {
            entries = realloc(journal->entries, bytes);
        }
        if (entries == NULL) {
            return as_fail(AS_ENOMEM, "no memory for the index of %s (%zu rows)", journal->name,
                           journal->count);
        }
        journal->entries = entries;
        journal->capacity = capacity;
    }
    journal->entries[journal->count++] = entry;
    return AS_OK;
}

as_status as_journal_append(as_journal *journal, const as_row *row) {
    as_bytes record = {0};
    if (!leave_header(&record)) {
        return as_fail(AS_ENOMEM, "no memory for a record of %s", journal->name);
    }
    as_status status = as_row_encode(row, &record);
    if (status == AS_OK && !seal(&record, 0)) {
        status = as_fail(AS_EWRITE, "cannot write %s: the record of item %llu is beyond 4 GiB",
                         journal->name, (unsigned long long)row->item);
    }
    if (status == AS_OK) {
        /* The entry first: a row that is in the file but not in the index would be written twice. */
        status = add_entry(journal, (as_entry){row->item, journal->end + HEADER_BYTES,
                                               (uint32_t)(record.size - HEADER_BYTES),
                                               (uint8_t)row->status});
    }
    if (status == AS_OK) {
        status = write_end(journal, record.data, record.size);
        journal->count -= status != AS_OK;
    }
    free(record.data);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* The payload at `offset` into *out, which stays empty where the CRC is wrong: no payload is. */
static as_status read_payload(const as_journal *journal, uint64_t offset, uint32_t length,
                              uint32_t crc, as_bytes *out) {
    out->size = 0;
    if (!as_bytes_reserve(out, length)) {
        return as_fail(AS_ENOMEM, "no memory for a record of %s (%u bytes)", journal->name, length);
    }
    ssize_t got = read_at(journal->fd, out->data, length, offset);
    if (got < 0) {
        return as_fail(AS_EREAD, "cannot read %s: %s", journal->name, strerror(errno));
    }
    if ((size_t)got == length && as_crc32(0, out->data, length) == crc) {
        out->size = length;
    }
    return AS_OK;
}

/* The record at `offset`, of a file of `size` bytes. *length is 0 where none is whole: the end. */
static as_status read_record(const as_journal *journal, uint64_t offset, uint64_t size,
                             as_bytes *out, uint32_t *length) {
    unsigned char header[HEADER_BYTES];
    *length = 0;
    if (size - offset <= HEADER_BYTES) {
        return AS_OK;
    }
    ssize_t got = read_at(journal->fd, header, sizeof header, offset);
    if (got != (ssize_t)sizeof header) {
        return as_fail(AS_EREAD, "cannot read %s: %s", journal->name,
                       got < 0 ? strerror(errno) : "it became shorter");
    }
    /* A tail of zeros, as a crash leaves it, has length 0 and the CRC of nothing. */
    if (as_get_u32(header) > size - offset - HEADER_BYTES) {
        return AS_OK;
    }
    *length = as_get_u32(header);
    return read_payload(journal, offset + HEADER_BYTES, *length, as_get_u32(header + 4), out);
}

/* Layout, fingerprint and provenance. */
static as_status read_head(as_journal *journal, const as_bytes *payload) {
    as_cursor in = {.at = payload->data, .end = payload->data + payload->size};
    const char *layout = as_take_text(&in), *fingerprint = as_take_text(&in),
               *provenance = as_take_text(&in);
    if (in.bad || layout == NULL || fingerprint == NULL || provenance == NULL) {
        return as_fail(AS_EREAD, "the head of %s is damaged", journal->name);
    }
    char *own = as_row_layout();
    journal->fingerprint = strdup(fingerprint);
    journal->provenance = strdup(provenance);
    bool same = own != NULL && strcmp(own, layout) == 0, memory = own != NULL;
    free(own);
    if (!memory || journal->fingerprint == NULL || journal->provenance == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the head of %s", journal->name);
    }
    return same ? AS_OK
                : as_fail(AS_EMISMATCH, "%s was written by another version of attnspec",
                          journal->name);
}

static as_status scan_rows(as_journal *journal, uint64_t size, as_row_room *room) {
    for (uint32_t length;; journal->end += HEADER_BYTES + length) {
        as_row row;
        as_status status = read_record(journal, journal->end, size, &room->record, &length);
        if (status != AS_OK || length == 0) {
            return status;
        }
        if (room->record.size == 0) {
            continue;
        }
        status = as_row_decode(room, &row);
        if (status == AS_EREAD) {
            return as_fail(AS_EREAD, "%s is damaged at byte %llu", journal->name,
                           (unsigned long long)journal->end);
        }
        if (status == AS_OK) {
            status = add_entry(journal, (as_entry){row.item, journal->end + HEADER_BYTES, length,
                                                   (uint8_t)row.status});
        }
        if (status != AS_OK) {
            return status;
        }
    }
}

as_status as_journal_scan(as_journal *journal) {
    char magic[MAGIC_BYTES];
    struct stat facts;
    uint32_t length;
    as_row_room room = {0};
    ssize_t got = read_at(journal->fd, magic, sizeof magic, 0);
    if (got < 0 || fstat(journal->fd, &facts) != 0) {
        return as_fail(AS_EREAD, "cannot read %s: %s", journal->name, strerror(errno));
    }
    if (memcmp(magic, AS_JOURNAL_MAGIC, (size_t)got) != 0) {
        return as_fail(AS_EREAD, "%s is no journal of attnspec", journal->name);
    }
    uint64_t size = (uint64_t)facts.st_size;
    if (size <= MAGIC_BYTES) {
        return AS_OK;
    }
    as_status status = read_record(journal, MAGIC_BYTES, size, &room.record, &length);
    if (status == AS_OK && length > 0) {
        status = read_head(journal, &room.record);
    }
    if (status == AS_OK && length > 0) {
        journal->end = MAGIC_BYTES + HEADER_BYTES + length;
        status = scan_rows(journal, size, &room);
        as_journal_sort(journal);
    }
    as_row_room_free(&room);
    return status;
}

static int by_item(const void *a, const void *b) {
    const as_entry *x = a, *y = b;
    if (x->item != y->item) {
        return x->item < y->item ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void as_journal_sort(as_journal *journal) {
    size_t kept = 0;
    if (journal->count > 0) {
        qsort(journal->entries, journal->count, sizeof *journal->entries, by_item);
    }
    for (size_t i = 0; i < journal->count; i++) {
        bool last =
            i + 1 == journal->count || journal->entries[i + 1].item != journal->entries[i].item;
        if (last) {
            journal->entries[kept++] = journal->entries[i];
        }
    }
    journal->count = journal->sorted = kept;
}

const as_entry *as_journal_find(const as_journal *journal, uint64_t item) {
    size_t low = 0, high = journal->sorted;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (journal->entries[middle].item < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < journal->sorted && journal->entries[low].item == item ? &journal->entries[low]
                                                                       : NULL;
}

as_status as_journal_row(const as_journal *journal, size_t index, as_row_room *room, as_row *out) {
    const as_entry *entry = &journal->entries[index];
    unsigned char header[HEADER_BYTES];
    as_status status = AS_EREAD;
    if (read_at(journal->fd, header, sizeof header, entry->offset - HEADER_BYTES) ==
        (ssize_t)sizeof header) {
        status = read_payload(journal, entry->offset, entry->length, as_get_u32(header + 4),
                              &room->record);
    }
    if (status == AS_OK) {
        status = as_row_decode(room, out);
    }
    return status != AS_EREAD ? status
                              : as_fail(AS_EREAD, "the record of item %llu in %s cannot be read",
                                        (unsigned long long)entry->item, journal->name);
}

as_status as_journal_cut(as_journal *journal) {
    if (ftruncate(journal->fd, (off_t)journal->end) != 0) {
        return as_fail(AS_EWRITE, "cannot shorten %s: %s", journal->name, strerror(errno));
    }
    return AS_OK;
}

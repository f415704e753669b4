/* The writer: who may write OUT and OUT.part, and when one becomes the other.
 * It refuses outputs that are there, and journals that are in use or of another run. */
#define _GNU_SOURCE /* memfd_create, flock, fsync, strdup */
#include "result/writer.h"

#include "base/fail.h"
#include "door/hdf5.h"
#include "result/mismatch.h"
#include "result/nexus.h"
#include "result/provenance.h"
#include "result/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *a, const char *b) {
    size_t length = strlen(a), more = strlen(b) + 1;
    char *text = malloc(length + more);
    if (text != NULL) {
        memcpy(text, a, length);
        memcpy(text + length, b, more);
    }
    return text;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static as_status open_memory(as_result_writer *writer) {
#ifdef MFD_CLOEXEC
    int fd = memfd_create("attnspec", MFD_CLOEXEC);
#else
    FILE *file = tmpfile();
    int fd = file != NULL ? dup(fileno(file)) : -1;
    if (file != NULL) {
        fclose(file);
    }
#endif
    if (fd < 0) {
        return as_fail(AS_EWRITE, "cannot hold rows in memory: %s", strerror(errno));
    }
    return as_journal_start(&writer->journal, fd, "the rows in memory");
}

/* Whether a name is there; AS_EWRITE where it is something that a rename must not replace. */
static as_status look(const char *path, bool *there) {
    struct stat facts;
    *there = stat(path, &facts) == 0;
    return *there && !S_ISREG(facts.st_mode)
               ? as_fail(AS_EWRITE, "cannot write %s: it is no regular file", path)
               : AS_OK;
}

/* Takes the lock. A file system without locks is no failure: it had none to lose. */
static as_status lock(int fd, const char *name) {
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return as_fail(AS_EBUSY, "%s is in use by another run", name);
        }
        if (errno != EINTR) {
            break;
        }
    }
    return AS_OK;
}

/* Opens OUT.part and locks it. Its holder may remove it between the two: then once more. */
static as_status open_locked(const char *part, int flags, int *out) {
    for (int attempt = 0; attempt < 8; attempt++) {
        int fd = open(part, flags | O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            return errno == EEXIST
                       ? as_fail(AS_EBUSY, "%s is in use by another run", part)
                       : as_fail(AS_EWRITE, "cannot write %s: %s", part, strerror(errno));
        }
        struct stat opened, named;
        as_status status = lock(fd, part);
        if (status == AS_OK && fstat(fd, &opened) == 0 && stat(part, &named) == 0 &&
            opened.st_ino == named.st_ino && opened.st_dev == named.st_dev) {
            *out = fd;
            return AS_OK;
        }
        close(fd);
        if (status != AS_OK) {
            return status;
        }
    }
    return as_fail(AS_EBUSY, "%s is in use by another run", part);
}

/* Reads the journal that is there and compares its fingerprint. journal.end stays 0 where it has no
 * head yet. */
static as_status take_up(as_result_writer *writer, const char *fingerprint) {
    as_journal *journal = &writer->journal;
    as_status status = as_journal_scan(journal);
    if (status == AS_EREAD) {
        return as_fail(AS_EMISMATCH, "%s", as_message());
    }
    if (status == AS_OK && journal->end > 0 && strcmp(journal->fingerprint, fingerprint) != 0) {
        return as_mismatch(journal->name, journal->fingerprint, fingerprint);
    }
    return status == AS_OK && journal->end > 0 ? as_journal_cut(journal) : status;
}

static as_status open_journal(as_result_writer *writer, const as_result_options *options,
                              const char *fingerprint, const char *provenance) {
    int fd = -1;
    bool fresh = !options->resume && !options->force;
    as_status status = open_locked(writer->part, fresh ? O_EXCL : 0, &fd);
    if (status != AS_OK) {
        return status;
    }
    struct stat facts;
    bool empty = fstat(fd, &facts) != 0 || facts.st_size == 0;
    status = as_journal_start(&writer->journal, fd, writer->part);
    if (status == AS_OK && options->resume && !empty) {
        status = take_up(writer, fingerprint);
        bool other = status == AS_EMISMATCH && options->force;
        if (!other && (status != AS_OK || writer->journal.end > 0)) {
            return status;
        }
        status = AS_OK;
    }
    writer->fresh = true;
    if (status == AS_OK) {
        status = as_journal_begin(&writer->journal, fingerprint, provenance);
    }
    if (status != AS_OK && (empty || options->force)) {
        unlink(writer->part);
    }
    return status;
}

/* Whether the finished output is of the same run; AS_EMISMATCH where it is not. */
static as_status compare_output(const char *path, const char *fingerprint) {
    as_h5 *file = NULL;
    char *found = NULL;
    as_status status = as_h5_open(path, &file);
    if (status == AS_OK) {
        status = as_h5_get_text(file, AS_NOTE_GROUP, "fingerprint", &found);
    }
    if (status == AS_OK && strcmp(found, fingerprint) != 0) {
        status = as_mismatch(path, found, fingerprint);
    } else if (status == AS_EREAD) {
        status = as_fail(AS_EMISMATCH, "%s is there and is no result of this run: %s", path,
                         as_message());
    }
    free(found);
    as_h5_close(file);
    return status;
}

/* The rules of result.h: what may be there and what follows from it. */
static as_status open_beside(as_result_writer *writer, const as_result_options *options,
                             const char *fingerprint, const char *provenance) {
    bool output, journal;
    as_status status = look(writer->path, &output);
    if (status == AS_OK) {
        status = look(writer->part, &journal);
    }
    if (status != AS_OK) {
        return status;
    }
    if (!options->force && !options->resume && (output || journal)) {
        return output ? as_fail(AS_EEXIST, "%s is there already", writer->path)
                      : as_fail(AS_EEXIST, "%s is there already: an unfinished or running run",
                                writer->part);
    }
    if (options->resume && output && !journal) {
        status = compare_output(writer->path, fingerprint);
        if (status == AS_OK) {
            writer->complete = true;
            return AS_OK;
        }
        if (status != AS_EMISMATCH || !options->force) {
            return status;
        }
    }
    return open_journal(writer, options, fingerprint, provenance);
}

as_status as_result_create(const char *path, const as_result_options *options,
                           as_result_writer **out) {
    char *provenance = NULL;
    const char *fingerprint = options->fingerprint != NULL ? options->fingerprint : "";
    if (path != NULL && path[0] == '\0') {
        return as_fail(AS_EINVAL, "the output has no name");
    }
    as_result_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return as_fail(AS_ENOMEM, "no memory to write results");
    }
    writer->journal.fd = -1;
    writer->replace = options->force;
    pthread_mutex_init(&writer->mutex, NULL);
    as_status status = as_provenance_tidy(options->provenance, &provenance);
    if (status == AS_OK && path != NULL) {
        writer->path = strdup(path);
        writer->part = join(path, ".part");
        writer->temporary = join(path, ".part.h5");
        if (writer->path == NULL || writer->part == NULL || writer->temporary == NULL) {
            status = as_fail(AS_ENOMEM, "no memory to write %s", path);
        }
    }
    if (status == AS_OK && path != NULL) {
        status = open_beside(writer, options, fingerprint, provenance);
    } else if (status == AS_OK) {
        status = open_memory(writer);
        if (status == AS_OK) {
            status = as_journal_begin(&writer->journal, fingerprint, provenance);
        }
    }
    free(provenance);
    if (status != AS_OK) {
        as_result_writer_free(writer);
        return status;
    }
    *out = writer;
    return AS_OK;
}

/* ---- using ------------------------------------------------------------------------------------ */

bool as_result_writer_complete(const as_result_writer *writer) {
    return writer->complete;
}

bool as_result_has(as_result_writer *writer, uint64_t item) {
    if (writer->complete) {
        return true;
    }
    pthread_mutex_lock(&writer->mutex);
    const as_entry *entry = as_journal_find(&writer->journal, item);
    bool has = entry != NULL && entry->status != AS_EREAD && entry->status != AS_ENOMEM;
    pthread_mutex_unlock(&writer->mutex);
    return has;
}

as_status as_result_append(as_result_writer *writer, const as_row *row) {
    if (writer->complete || writer->finished) {
        return as_fail(AS_EINVAL, "%s is finished: no row can be added", writer->path);
    }
    pthread_mutex_lock(&writer->mutex);
    as_status status = as_journal_append(&writer->journal, row);
    pthread_mutex_unlock(&writer->mutex);
    return status;
}

/* Some systems cannot sync a folder or a pipe; only a real I/O error counts. */
static bool sync_failed(int fd) {
    return fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
}

as_status as_result_finish(as_result_writer *writer) {
    if (writer->path == NULL || writer->complete || writer->finished) {
        return AS_OK;
    }
    if (sync_failed(writer->journal.fd)) {
        return as_fail(AS_EWRITE, "cannot write %s: %s", writer->part, strerror(errno));
    }
    as_journal_sort(&writer->journal);
    as_status status = as_nexus_write(&writer->journal, writer->temporary);
    if (status == AS_OK) {
        status = as_publish(writer->temporary, writer->path, writer->replace);
    }
    if (status != AS_OK) {
        unlink(writer->temporary);
        return status;
    }
    unlink(writer->part);
    writer->finished = true;
    return AS_OK;
}

void as_result_writer_free(as_result_writer *writer) {
    if (writer == NULL) {
        return;
    }
    as_journal_free(&writer->journal);
    pthread_mutex_destroy(&writer->mutex);
    free(writer->path);
    free(writer->part);
    free(writer->temporary);
    free(writer);
}

void as_result_discard(as_result_writer *writer) {
    if (writer != NULL && writer->part != NULL && writer->fresh && !writer->finished) {
        unlink(writer->part);
    }
    as_result_writer_free(writer);
}

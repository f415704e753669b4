/* What runs and comparisons say of themselves: format, configuration, provenance.
 * It refuses files of another format, and of a version that is not known yet. */
#define _GNU_SOURCE /* strdup, O_CLOEXEC */
#include "result/run.h"

#include "base/fail.h"
#include "door/json.h"
#include "result/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* GROUP/part. */
static const char *below(const as_origin *origin, const char *part, char path[64]) {
    snprintf(path, 64, "%s/%s", origin->group, part);
    return path;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* The pairs are attributes, which have no order of their own: it stands in `names`. */
static as_status put_config(as_h5 *file, const as_origin *origin) {
    char path[64], list[64];
    const char **names = calloc(origin->config_count + 1, sizeof *names);
    if (names == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu settings", origin->config_count);
    }
    as_status status = as_h5_group(file, below(origin, "config", path), "NXcollection");
    for (size_t i = 0; i < origin->config_count && status == AS_OK; i++) {
        names[i] = origin->config[i][0];
        status =
            as_h5_has_attribute(file, path, names[i])
                ? as_fail(AS_EINVAL, "the setting %s is there twice, or means something in HDF5",
                          names[i])
                : as_h5_set_text(file, path, names[i], origin->config[i][1]);
    }
    if (status == AS_OK) {
        status = as_h5_write_strings(file, below(origin, "config/names", list), names,
                                     origin->config_count);
    }
    free(names);
    return status;
}

as_status as_origin_put(as_h5 *file, const as_origin *origin) {
    as_status status = as_h5_group(file, "/", "NXroot");
    if (status == AS_OK) {
        status = as_h5_set_text(file, "/", "default", origin->group + 1);
    }
    if (status == AS_OK) {
        status = as_h5_group(file, origin->group, "NXentry");
    }
    if (status == AS_OK) {
        status = as_h5_set_text(file, origin->group, "default", origin->first);
    }
    if (status == AS_OK) {
        status = as_h5_set_text(file, origin->group, "format", origin->format);
    }
    if (status == AS_OK) {
        status = as_h5_set_integer(file, origin->group, "format_version", AS_RUN_VERSION);
    }
    if (status == AS_OK) {
        status = as_h5_set_integer(file, origin->group, "finished", origin->finished);
    }
    if (status == AS_OK) {
        status = put_config(file, origin);
    }
    return status == AS_OK ? as_provenance_put(file, origin->group, origin->provenance) : status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

as_status as_origin_probe(const char *path, uint64_t *bytes) {
    static const char hdf5[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char magic[sizeof hdf5];
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return as_fail(AS_EREAD, "cannot open %s: %s", path, strerror(errno));
    }
    /* A pipe would wait for its writer. */
    if (!S_ISREG(facts.st_mode)) {
        return as_fail(AS_EREAD, "%s is no regular file", path);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, magic, sizeof magic);
    int error = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (got < 0) {
        return as_fail(AS_EREAD, "cannot read %s: %s", path, strerror(error));
    }
    *bytes = (uint64_t)facts.st_size;
    return got == (ssize_t)sizeof hdf5 && memcmp(magic, hdf5, sizeof hdf5) == 0
               ? AS_OK
               : as_fail(AS_EREAD, "%s is no HDF5 file", path);
}

as_status as_origin_trial(const char *path, as_status (*work)(void *context), void *context) {
    uint64_t bytes = 0;
    as_status status = as_origin_probe(path, &bytes);
    if (status != AS_OK) {
        return status;
    }
    status = as_h5_trial(bytes, work, context);
    return status != AS_EREAD || strstr(as_message(), path) != NULL
               ? status
               : as_fail_prefix(status, "%s", path);
}

as_status as_origin_check(as_h5 *file, const char *path, const as_origin *origin) {
    char *format = NULL;
    int64_t version = 0;
    bool is = as_h5_has(file, origin->group) &&
              as_h5_get_text(file, origin->group, "format", &format) == AS_OK &&
              strcmp(format, origin->format) == 0;
    free(format);
    if (!is) {
        return as_fail(AS_EREAD, "%s is HDF5, but its %s is not of the format %s", path,
                       origin->group, origin->format);
    }
    as_status status = as_h5_get_integer(file, origin->group, "format_version", &version);
    return status == AS_OK && version != AS_RUN_VERSION
               ? as_fail(AS_EREAD, "%s has %s version %lld; this program knows version %d", path,
                         origin->format, (long long)version, AS_RUN_VERSION)
               : status;
}

typedef struct question {
    const char *path;
    as_origin origin;
} question;

static as_status ask(void *context) {
    const question *q = context;
    as_h5 *file = NULL;
    as_status status = as_h5_open(q->path, &file);
    if (status == AS_OK) {
        status = as_origin_check(file, q->path, &q->origin);
    }
    as_h5_close(file);
    return status;
}

bool as_origin_is(const char *path, const char *group, const char *format) {
    question q = {path, {.group = group, .format = format}};
    uint64_t bytes = 0;
    return as_origin_probe(path, &bytes) == AS_OK && as_h5_trial(bytes, ask, &q) == AS_OK;
}

static as_status take_config(as_h5 *file, const char *path, as_origin *origin) {
    char group[64], list[64], **names = NULL, *value = NULL;
    size_t count = 0;
    as_status status =
        as_h5_read_strings(file, below(origin, "config/names", list), &names, &count);
    if (status != AS_OK) {
        return status;
    }
    below(origin, "config", group);
    origin->config = calloc(count + 1, sizeof *origin->config);
    if (origin->config == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for %zu settings of %s", count, path);
    }
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        status = as_h5_has_attribute(file, group, names[i])
                     ? as_h5_get_text(file, group, names[i], &value)
                     : as_fail(AS_EREAD, "%s of %s lacks the setting %s", group, path, names[i]);
        if (status == AS_OK) {
            origin->config[i][0] = names[i];
            origin->config[i][1] = value;
            origin->config_count = i + 1;
            names[i] = NULL;
        }
    }
    as_h5_strings_free(names, count);
    return status;
}

static as_status take_provenance(as_h5 *file, const char *path, as_origin *origin) {
    char data[64], *text = NULL;
    as_json_value *value = NULL;
    as_status status = as_h5_read_string(file, below(origin, "provenance/data", data), &text);
    if (status != AS_OK) {
        return status;
    }
    origin->provenance = text;
    status = as_json_parse(text, strlen(text), &value);
    if (status == AS_OK && !as_json_is_object(value)) {
        status = as_fail(AS_EREAD, "it is no JSON object");
    }
    as_json_value_free(value);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s of %s", data, path);
}

as_status as_origin_take(as_h5 *file, const char *path, as_origin *origin) {
    int64_t finished = 0;
    as_status status = as_origin_check(file, path, origin);
    if (status == AS_OK) {
        status = as_h5_get_integer(file, origin->group, "finished", &finished);
        origin->finished = finished != 0;
    }
    if (status == AS_OK) {
        status = take_config(file, path, origin);
    }
    return status == AS_OK ? take_provenance(file, path, origin) : status;
}

void as_origin_free(as_origin *origin) {
    for (size_t i = 0; i < origin->config_count; i++) {
        free((void *)origin->config[i][0]);
        free((void *)origin->config[i][1]);
    }
    free((void *)origin->config);
    free((void *)origin->provenance);
}

/* Where a result comes from: what ran, on which inputs, with which options and libraries.
 * What cannot be found out is null; it refuses a provenance that is no JSON object. */
#define _GNU_SOURCE /* strdup, gmtime_r, O_CLOEXEC */
#include "result/provenance.h"

#include "attnspec/result.h"
#include "base/fail.h"
#include "door/json.h"
#include "door/zlib.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* https://reproducible-builds.org/specs/source-date-epoch/ asks for the same bytes. */
static bool is_deterministic(const as_provenance_input *input) {
    return input->deterministic || getenv("SOURCE_DATE_EPOCH") != NULL;
}

static void add_time(as_json *json, const char *key, struct timespec when) {
    struct tm utc;
    char text[64] = "", whole[40];
    if (gmtime_r(&when.tv_sec, &utc) != NULL && strftime(text, sizeof text, "%FT%T", &utc) > 0) {
        snprintf(whole, sizeof whole, "%.24s.%09ldZ", text, (long)when.tv_nsec);
        as_json_string(json, key, whole);
    } else {
        as_json_null(json, key);
    }
}

/* The CRC-32 of the whole file. */
static void add_crc(as_json *json, const char *path) {
    enum { BLOCK = 1 << 16 };
    unsigned char block[BLOCK];
    uint32_t crc = 0;
    ssize_t got = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        while ((got = read(fd, block, sizeof block)) > 0) {
            crc = as_crc32(crc, block, (size_t)got);
        }
        close(fd);
    }
    if (got == 0) {
        as_json_integer(json, "crc32", crc);
    } else {
        as_json_null(json, "crc32");
    }
}

/* Path, size and what tells a change: the time, or where times are left out and `content` is asked
 * for, the bytes. */
static void add_inputs(as_json *json, const as_provenance_input *input, bool content) {
    as_json_array(json, "inputs");
    for (size_t i = 0; i < input->input_count; i++) {
        struct stat facts;
        as_json_object(json, NULL);
        as_json_string(json, "path", input->inputs[i]);
        if (stat(input->inputs[i], &facts) != 0 || !S_ISREG(facts.st_mode)) {
            as_json_null(json, "size");
        } else {
            as_json_integer(json, "size", (uint64_t)facts.st_size);
            if (!is_deterministic(input)) {
                add_time(json, "mtime", facts.st_mtim);
            } else if (content) {
                add_crc(json, input->inputs[i]);
            }
        }
        as_json_end(json);
    }
    as_json_end(json);
}

/* The index of the first option behind `from` that has the name of option i; their count where
 * there is none. */
static size_t find_option(const as_provenance_input *input, size_t i, size_t from) {
    while (from < input->option_count &&
           strcmp(input->options[from][0], input->options[i][0]) != 0) {
        from++;
    }
    return from;
}

/* A name that was given several times has its values in an array. */
static void add_options(as_json *json, const as_provenance_input *input) {
    size_t count = input->option_count;
    as_json_object(json, "options");
    for (size_t i = 0; i < count; i++) {
        const char *name = input->options[i][0];
        if (find_option(input, i, 0) < i) {
            continue;
        }
        if (find_option(input, i, i + 1) == count) {
            as_json_string(json, name, input->options[i][1]);
            continue;
        }
        as_json_array(json, name);
        for (size_t k = i; k < count; k = find_option(input, i, k + 1)) {
            as_json_string(json, NULL, input->options[k][1]);
        }
        as_json_end(json);
    }
    as_json_end(json);
}

/* The first "model name" of Linux; null elsewhere. */
static void add_cpu(as_json *json) {
    char line[256], *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && model == NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && (model = strstr(line, ": ")) != NULL) {
            model += 2;
            model[strcspn(model, "\n")] = '\0';
        }
    }
    as_json_string(json, "cpu", model);
    if (file != NULL) {
        fclose(file);
    }
}

static void add_machine(as_json *json, const as_provenance_input *input) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    as_json_integer(json, "threads", input->threads);
    add_cpu(json);
    add_time(json, "started", now);
}

static as_status hand_over(as_json *json, char **out) {
    const char *text = as_json_take(json);
    *out = text != NULL ? strdup(text) : NULL;
    as_json_free(json);
    return *out != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory for the provenance");
}

as_status as_provenance(const as_provenance_input *input, char **out) {
    char hdf5[16];
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_string(json, "program", "attnspec");
    as_json_string(json, "version", as_version());
    as_json_string(json, "git", input->git);
    as_json_string(json, "tool", input->tool);
    as_json_array(json, "command");
    for (int i = 0; i < input->argc; i++) {
        as_json_string(json, NULL, input->argv[i]);
    }
    as_json_end(json);
    add_inputs(json, input, false);
    add_options(json, input);
    as_json_object(json, "blas");
    as_json_string(json, "config", as_blas_config());
    as_json_string(json, "core", as_blas_core());
    as_json_string(json, "path", as_blas_path());
    as_json_end(json);
    as_json_string(json, "hdf5", as_h5_version(hdf5));
    if (!is_deterministic(input)) {
        add_machine(json, input);
    }
    as_json_end(json);
    return hand_over(json, out);
}

as_status as_fingerprint(const as_provenance_input *input, char **out) {
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_string(json, "version", as_version());
    as_json_string(json, "tool", input->tool);
    add_inputs(json, input, true);
    add_options(json, input);
    as_json_end(json);
    return hand_over(json, out);
}

as_status as_provenance_tidy(const char *given, char **out) {
    as_json_value *value = NULL;
    given = given != NULL ? given : "{}";
    as_status status = as_json_parse(given, strlen(given), &value);
    if (status == AS_OK && !as_json_is_object(value)) {
        status = as_fail(AS_EINVAL, "it is no object");
    }
    if (status != AS_OK) {
        as_json_value_free(value);
        return status == AS_ENOMEM ? status : as_fail_prefix(AS_EINVAL, "the provenance");
    }
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_copy_members(json, value, "names");
    as_json_end(json);
    as_json_value_free(value);
    return hand_over(json, out);
}

as_status as_provenance_put(as_h5 *file, const char *group, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "%s/provenance", group);
    as_status status = as_h5_group(file, path, "NXnote");
    if (status == AS_OK) {
        snprintf(path, sizeof path, "%s/provenance/type", group);
        status = as_h5_write_string(file, path, "application/json");
    }
    snprintf(path, sizeof path, "%s/provenance/data", group);
    return status == AS_OK ? as_h5_write_string(file, path, text) : status;
}

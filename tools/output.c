/* output: a file gets its name when it is whole; before that it has another one beside it.
 * It refuses to replace a file without force, and folders always. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static as_status fail(char *why, as_status status, const char *path, const char *what) {
    snprintf(why, OUTPUT_WHY, "%s: %s", path, what);
    return status;
}

/* dir/.name.XXXXXX, in the folder of `path` so that the rename stays in one file system. */
static char *temporary_name(const char *path) {
    size_t size = strlen(path) + sizeof "..XXXXXX";
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - path);
    char *name = malloc(size);
    if (name != NULL)
        snprintf(name, size, "%.*s.%s.XXXXXX", folder, path, path + folder);
    return name;
}

static as_status open_file(const char *path, bool force, output_file *out, char *why) {
    output_file made = {.path = strdup(path), .temporary = temporary_name(path), .replace = force};
    if (made.path == NULL || made.temporary == NULL) {
        free(made.path);
        free(made.temporary);
        return fail(why, AS_ENOMEM, path, "there is no memory");
    }
    int descriptor = mkstemp(made.temporary);
    made.stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (made.stream == NULL) {
        fail(why, AS_EWRITE, path, strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
            unlink(made.temporary);
        }
        free(made.path);
        free(made.temporary);
        return AS_EWRITE;
    }
    /* mkstemp's files are private; this one gets the rights of any new file. */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    *out = made;
    return AS_OK;
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool output_is_input(const char *output, const char *const *inputs, size_t count) {
    struct stat there;
    size_t i = count;
    char *part = output == NULL ? NULL : malloc(strlen(output) + sizeof ".part");
    if (part != NULL) {
        sprintf(part, "%s.part", output);
        bool device = stat(output, &there) == 0 && !S_ISREG(there.st_mode);
        for (i = 0; i < count; i++)
            if (same_file(part, inputs[i]) || (!device && same_file(output, inputs[i])))
                break;
    }
    free(part);
    if (i < count)
        message_error("%s is read: writing %s would destroy it; name another output", inputs[i],
                      output);
    return i < count;
}

as_status output_open(const char *path, bool force, output_file *out, char *why) {
    struct stat there;
    if (path == NULL || strcmp(path, "-") == 0) {
        *out = (output_file){.stream = stdout};
        return AS_OK;
    }
    if (stat(path, &there) != 0)
        return errno == ENOENT ? open_file(path, force, out, why)
                               : fail(why, AS_EWRITE, path, strerror(errno));
    if (S_ISDIR(there.st_mode))
        return fail(why, AS_EWRITE, path, "is a folder");
    if (S_ISREG(there.st_mode))
        return force ? open_file(path, force, out, why)
                     : fail(why, AS_EEXIST, path, "is there already; --force replaces it");
    output_file device = {.path = strdup(path), .stream = fopen(path, "w")};
    if (device.path == NULL || device.stream == NULL) {
        fail(why, AS_EWRITE, path, strerror(errno));
        output_discard(&device);
        return AS_EWRITE;
    }
    *out = device;
    return AS_OK;
}

as_status output_commit(output_file *out, char *why) {
    /* main flushes, checks and closes standard output. */
    if (out->stream == stdout)
        return AS_OK;
    errno = 0;
    bool good = fflush(out->stream) == 0 && !ferror(out->stream) &&
                (out->temporary == NULL || fsync(fileno(out->stream)) == 0);
    int error = errno;
    if (fclose(out->stream) != 0 && good) {
        good = false;
        error = errno;
    }
    out->stream = NULL;
    as_status status = AS_OK;
    if (!good) {
        status =
            fail(why, AS_EWRITE, out->path, error == 0 ? "cannot be written" : strerror(error));
    } else if (out->temporary != NULL) {
        status = as_publish(out->temporary, out->path, out->replace);
        if (status == AS_OK)
            out->temporary[0] = '\0';
        else
            snprintf(why, OUTPUT_WHY, "%s", as_message());
    }
    output_discard(out);
    return status;
}

void output_discard(output_file *out) {
    if (out->stream != NULL && out->stream != stdout)
        fclose(out->stream);
    if (out->temporary != NULL && out->temporary[0] != '\0')
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (output_file){0};
}

/* attnspec: one program for all tools, `attnspec NAME ...` or, by its own name, `attnspec-NAME ...`.
 * It refuses unknown tools, and to end well when its output could not be written. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "message.h"
#include "text.h"
#include "tool.h"

static const struct {
    const tool *tool;
    const char *summary;
} tools[] = {
#define X(name, summary) {&tool_##name, summary},
#include "tools.def"
#undef X
};
#define TOOL_COUNT (sizeof tools / sizeof tools[0])

const tool *tool_list(size_t index) {
    return index < TOOL_COUNT ? tools[index].tool : NULL;
}

const char *tool_summary(const tool *self) {
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (tools[i].tool == self)
            return tools[i].summary;
    return "";
}

int exit_code_of(as_status status) {
    switch (status) {
    case AS_OK:
        return EXIT_DONE;
    case AS_EINVAL:
        return EXIT_USAGE;
    case AS_SKIPPED:
    case AS_EREAD:
        return EXIT_NOTHING;
    case AS_EWRITE:
    case AS_EEXIST:
    case AS_EBUSY:
    case AS_EMISMATCH:
        return EXIT_OUTPUT;
    case AS_ENOCONV:
        return EXIT_NO_CONVERGENCE;
    default:
        return EXIT_SOME_FAILED;
    }
}

const char *tool_commit(void) {
    return AS_GIT[0] != '\0' ? AS_GIT : NULL;
}

int exit_code_of_counts(const size_t count[AS_MATRIX_STATUS_COUNT]) {
    size_t failed = 0;
    for (size_t s = AS_SKIPPED + 1; s < AS_MATRIX_STATUS_COUNT; s++)
        failed += count[s];
    if (count[AS_OK] == 0 && failed == count[AS_EREAD])
        return EXIT_NOTHING;
    if (failed > 0)
        return failed == count[AS_ENOCONV] ? EXIT_NO_CONVERGENCE : EXIT_SOME_FAILED;
    return EXIT_DONE;
}

int usage_error(const tool *self, const char *format, ...) {
    char text[2560];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text);
    bool asked = length > 0 && text[length - 1] == '?';
    message_error("%s%s 'attnspec %s --help'", text, asked ? " See" : "; see", self->name);
    return EXIT_USAGE;
}

static void usage(FILE *out) {
    fputs("Usage: attnspec TOOL [OPTION]... [WORD]...\n\n", out);
    text_wrap(out,
              "Spectra of attention matrices. The tools, each a program of its own (attnspec-TOOL) "
              "too:",
              0, 0);
    fputc('\n', out);
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        fprintf(out, "  %-10s", tools[i].tool->name);
        text_wrap(out, tools[i].summary, 12, 12);
    }
    fputs("\nattnspec help TOOL says more; attnspec --version prints the version.\n"
          "attnspec completion prints what bash needs to complete these words.\n",
          out);
}

static const tool *find(const char *name) {
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tools[i].tool->name, name) == 0)
            return tools[i].tool;
    const char *words[TOOL_COUNT];
    for (size_t i = 0; i < TOOL_COUNT; i++)
        words[i] = tools[i].tool->name;
    const char *close = as_nearest(name, words, TOOL_COUNT);
    if (close != NULL)
        message_error("there is no tool '%s'; did you mean '%s'?", name, close);
    else
        message_error("there is no tool '%s'; see 'attnspec --help'", name);
    return NULL;
}

static int run(const tool *self, int argc, char *const *argv) {
    char who[64];
    snprintf(who, sizeof who, "attnspec %s", self->name);
    message_setup(who, false, false);
    void *values = calloc(1, self->options_size);
    if (values == NULL) {
        message_error("there is no memory for the options");
        return EXIT_SOME_FAILED;
    }
    int code = EXIT_DONE;
    switch (options_parse(self, argc, argv, values)) {
    case PARSE_RUN: {
        const common_options *common = values;
        message_setup(who, common->quiet, common->verbose);
        code = self->run(self, values);
        break;
    }
    case PARSE_DONE:
        break;
    case PARSE_REFUSED:
        code = EXIT_USAGE;
        break;
    case PARSE_FAILED:
        code = EXIT_SOME_FAILED;
        break;
    }
    options_free(self, values);
    free(values);
    return code;
}

/* attnspec help [--man] [TOOL] */
static int help(int argc, char **argv) {
    bool man = argc > 0 && strcmp(argv[0], "--man") == 0;
    if (argc > (man ? 2 : 1)) {
        message_error("help takes the name of one tool; see 'attnspec --help'");
        return EXIT_USAGE;
    }
    if (argc == (man ? 1 : 0)) {
        (man ? options_print_main_man : usage)(stdout);
        return EXIT_DONE;
    }
    const tool *found = find(argv[argc - 1]);
    if (found == NULL)
        return EXIT_USAGE;
    (man ? options_print_man : options_print_help)(found, stdout);
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv) {
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *program = argc == 0 ? "attnspec" : slash == NULL ? argv[0] : slash + 1;
    if (strncmp(program, "attnspec-", 9) == 0) {
        const tool *own = find(program + 9);
        return own == NULL ? EXIT_USAGE : run(own, argc - 1, argv + 1);
    }
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        printf("attnspec %s\n", as_version());
        return EXIT_DONE;
    }
    if (strcmp(word, "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(word, "completion") == 0) {
        options_print_completion(stdout);
        return EXIT_DONE;
    }
    if (word[0] == '-') {
        message_error("there is no option '%s' before a tool; see 'attnspec --help'", word);
        return EXIT_USAGE;
    }
    const tool *found = find(word);
    return found == NULL ? EXIT_USAGE : run(found, argc - 2, argv + 2);
}

/* Whether the reader of a pipe has gone: head has seen enough, and that is no failure. */
static bool reader_gone(void) {
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

/* Data that did not arrive are a failure. */
static int close_output(int code) {
    errno = 0;
    bool lost = fflush(stdout) != 0 || ferror(stdout) != 0;
    int error = errno;
    bool quiet = lost && reader_gone();
    if (fclose(stdout) != 0 && !lost) {
        lost = true;
        error = errno;
    }
    if (!lost || quiet)
        return code;
    message_error("standard output cannot be written%s%s", error == 0 ? "" : ": ",
                  error == 0 ? "" : strerror(error));
    return code != EXIT_DONE ? code : EXIT_OUTPUT;
}

/* OpenBLAS starts threads when it is loaded, and each asks for memory in a loop that ends only when it
 * gets it. Under a limit on address space (ulimit -v) the program starts once more without them. */
static void start_without_blas_threads(char *const *argv) {
    static const char name[] = "OPENBLAS_NUM_THREADS";
    struct rlimit limit;
    const char *now = getenv(name);
    bool started = now != NULL && strcmp(now, "1") == 0;
    if (!started && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        setenv(name, "1", 1) == 0)
        execv("/proc/self/exe", argv);
}

/* A file that takes the place of a closed standard stream would get what is meant for that stream:
 * messages into a journal. Opened for the wrong direction, the place is taken and still refuses. */
static void fill_closed_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* HDF5 opens all sources of a virtual dataset at once, and the usual soft limit is 1024 files. */
static void allow_many_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv) {
    start_without_blas_threads(argv);
    fill_closed_streams();
    allow_many_files();
    /* Both then come back as errors of a write, which are told and leave nothing half-written. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_CTYPE, "");
    return close_output(dispatch(argc, argv));
}

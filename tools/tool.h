/* tool: what every tool is, and the exit codes. A tool's file ends with its descriptor,
 * `const tool tool_NAME`, and has a line in tools.def. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "attnspec/attnspec.h"
#include "options.h"

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_SOME_FAILED = 1,    /* some matrices or inputs failed, or a failure at run time */
    EXIT_USAGE = 2,          /* unknown words, a parameter out of range */
    EXIT_NOTHING = 3,        /* no input readable, or only empty or skipped tensors */
    EXIT_OUTPUT = 4,         /* the output cannot be written, or exists and no --force */
    EXIT_NO_CONVERGENCE = 5, /* every failure was one of convergence */
    EXIT_INTERRUPTED = 130,  /* SIGINT */
    EXIT_TERMINATED = 143    /* SIGTERM */
} exit_code;

typedef struct tool {
    const char *name;     /* "analyze" */
    const char *operands; /* as in the usage line: "INPUT..." */
    size_t min_operands, max_operands;
    const char *description; /* for help and man: paragraphs, broken anew to the width */
    const option *options;   /* ends with OPTION_END; the common ones are added */
    size_t options_size;     /* of the struct the offsets are in; it begins with
                                      common_options */
    const char *examples;    /* lines "command\n" or "# remark\n" */
    /* Returns an exit_code. values is the struct, parsed; it lives until run returns. */
    int (*run)(const struct tool *tool, void *values);
} tool;

#define X(name, summary) extern const tool tool_##name;
#include "tools.def"
#undef X

/* The commit that the program was built from, NULL where that is unknown. */
const char *tool_commit(void);
/* The summary in tools.def. */
const char *tool_summary(const tool *self);
/* The tools in the order of tools.def; NULL past the last. */
const tool *tool_list(size_t index);

/* The exit code of a call that ended the run. */
int exit_code_of(as_status status);
/* The exit code of a run over many matrices; count[s] is how many ended with status s. */
int exit_code_of_counts(const size_t count[AS_MATRIX_STATUS_COUNT]);

/* "attnspec analyze: SENTENCE; see 'attnspec analyze --help'" on stderr; returns EXIT_USAGE. */
int usage_error(const tool *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

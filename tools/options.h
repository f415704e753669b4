/* options: one table of options a tool; from it come the parser, --help, the man page and the
 * completion. It refuses what the table does not name, and values outside their range. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a row of the table is, and the type of the field at its offset. */
typedef enum option_type {
    OPTION_END,    /* closes the table */
    OPTION_GROUP,  /* a heading in the help: `help` alone is used */
    OPTION_SWITCH, /* bool */
    OPTION_TEXT,   /* const char *, NULL where not given */
    OPTION_LIST,   /* text_list: the option may be repeated */
    OPTION_CHOICE, /* int: 0 … in the order of `choices` */
    OPTION_SIZE,   /* size_t within low … high */
    OPTION_REAL    /* double within low … high, always finite */
} option_type;

#define OPTION_MAX_THREADS 256

typedef struct text_list {
    const char **item; /* [count], owned by the parser; the texts are argv's */
    size_t count;
} text_list;

/* One row. Unset members are 0; `preset` is parsed as if the user had written it, so that the
 * default in the help is the default. */
typedef struct option {
    option_type type;
    char letter;         /* 'o' for -o, 0 for none */
    const char *name;    /* "output" for --output */
    const char *value;   /* the word for the value in the help: "FILE" */
    const char *choices; /* of CHOICE: "auto|always|never" */
    const char *preset;  /* the default, or NULL */
    double low, high;    /* of SIZE and REAL; both 0: no bound but the type's */
    const char *help;    /* a phrase, lower case, no full stop */
    bool incidental;     /* the numbers do not depend on it: -o, -j, --progress … */
    size_t offset;       /* of the field in the tool's struct of options */
} option;

/* always is for tests and for pipes into a pager. */
typedef enum option_when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER } option_when;

/* The options that every tool has. It is the first member of every tool's struct of options. */
typedef struct common_options {
    const char *output; /* NULL or "-": standard output */
    bool force;
    size_t threads; /* 1 … 256; the cores of this process where not given */
    bool quiet, verbose;
    int progress; /* option_when */
    int color;    /* option_when; NO_COLOR has been honoured */
    bool deterministic;
    bool help, version;
    text_list operands; /* the words that are no options */
    int argc;           /* the words after the tool's name, as they were given */
    char *const *argv;
    text_list words; /* the same in one form (--name=value), without the incidental */
    const char *const (*settings)[2]; /* [setting_count] name, value of every option that is not
                                      incidental and has a value, given or default */
    size_t setting_count;
} common_options;

struct tool;

typedef enum parse_outcome {
    PARSE_RUN,     /* go on */
    PARSE_DONE,    /* --help or --version was printed: exit 0 */
    PARSE_REFUSED, /* the sentence was printed: exit 2 */
    PARSE_FAILED   /* no memory: exit 1 */
} parse_outcome;

/* Reads the words after the tool's name into `values`, a zeroed struct of tool->options_size bytes.
 * Understands --name VALUE, --name=VALUE, -o VALUE, -oVALUE, bundles (-qv) and `--`. The last of a
 * repeated option counts. options_free() also after a refusal. */
parse_outcome options_parse(const struct tool *tool, int argc, char *const *argv, void *values);
void options_free(const struct tool *tool, void *values);

/* The texts that are made of the tables. */
void options_print_help(const struct tool *tool, FILE *out);
void options_print_man(const struct tool *tool, FILE *out);
void options_print_main_man(FILE *out);
void options_print_completion(FILE *out);

/* Row `index` of the tool's table and then of the common one, headings too; NULL past the last. A
 * row of the tool's replaces the common one of the same name. */
const option *options_row(const struct tool *tool, size_t index);

/* Choice `index` of "auto|always|never", copied to word[OPTION_WORD]; NULL past the last. */
#define OPTION_WORD 48
const char *option_choice(const char *choices, size_t index, char *word);

#endif

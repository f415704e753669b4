/* options_table: the options that every tool has, and the walk over a tool's table.
 * It refuses nothing: it only answers. */
#include <string.h>

#include "options.h"
#include "tool.h"

#define COMMON(field) .offset = offsetof(common_options, field), .incidental = true
static const option common_rows[] = {
    {.type = OPTION_GROUP, .help = "Common options"},
    {OPTION_TEXT, 'o', "output", "FILE", .help = "write to FILE; - is standard output",
     COMMON(output)},
    {OPTION_SWITCH, 0, "force", .help = "replace an output that exists", COMMON(force)},
    {OPTION_SIZE, 'j', "threads", "N", .low = 1, .high = OPTION_MAX_THREADS,
     .help = "threads; the cores of this process where not given", COMMON(threads)},
    {OPTION_SWITCH, 'q', "quiet", .help = "only errors on standard error", COMMON(quiet)},
    {OPTION_SWITCH, 'v', "verbose", .help = "say more on standard error", COMMON(verbose)},
    {OPTION_CHOICE, 0, "progress", "WHEN", "auto|always|never", "auto",
     .help = "a progress line on standard error", COMMON(progress)},
    {OPTION_CHOICE, 0, "color", "WHEN", "auto|always|never", "auto",
     .help = "colours; auto is on a terminal, and never where NO_COLOR is set", COMMON(color)},
    {OPTION_SWITCH, 0, "deterministic", .help = "the same bytes from the same input",
     COMMON(deterministic)},
    {OPTION_SWITCH, 'h', "help", .help = "print this help", COMMON(help)},
    {OPTION_SWITCH, 0, "version", .help = "print the version", COMMON(version)},
    {.type = OPTION_END},
};

static bool shadowed(const tool *self, const option *common) {
    for (const option *row = self->options; row->type != OPTION_END; row++)
        if (row->name != NULL && common->name != NULL && strcmp(row->name, common->name) == 0)
            return true;
    return false;
}

const option *options_row(const tool *self, size_t index) {
    for (const option *row = self->options; row->type != OPTION_END; row++)
        if (index-- == 0)
            return row;
    for (const option *row = common_rows; row->type != OPTION_END; row++)
        if (!shadowed(self, row) && index-- == 0)
            return row;
    return NULL;
}

const char *option_choice(const char *choices, size_t index, char *word) {
    for (; index > 0 && choices != NULL; index--) {
        choices = strchr(choices, '|');
        choices = choices == NULL ? NULL : choices + 1;
    }
    if (choices == NULL)
        return NULL;
    size_t length = strcspn(choices, "|");
    if (length >= OPTION_WORD)
        length = OPTION_WORD - 1;
    memcpy(word, choices, length);
    word[length] = '\0';
    return word;
}

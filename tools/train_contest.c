/* What attnspec train --compare compares: words into schemes, schemes and tasks into configurations.
 * It refuses a list in which one scheme cannot be trained, before anything is. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "origin.h"
#include "output.h"
#include "tool.h"
#include "train_compare.h"

enum { SEEDS = 3 };

int contest_no_memory(void) {
    message_error("there is no memory for this comparison");
    return exit_code_of(AS_ENOMEM);
}

/* Every scheme that can be trained with these sizes, where the word is `all`. */
static int add_all(contest *c) {
    char why[AS_MESSAGE_MAX];
    size_t before = c->words.count;
    const as_scheme_type *type;
    as_train_config config;
    for (size_t i = 0; (type = as_scheme_list(i)) != NULL; i++)
        if (train_resolve(c->o, c->tasks[0], type->name, &config) == AS_OK &&
            words_add(&c->words, type->name, strlen(type->name), why) != AS_OK)
            return contest_no_memory();
    if (c->words.count > before)
        return EXIT_DONE;
    /* What the scheme without position is refused for is no scheme's doing. */
    return train_configure(c->self, c->o, c->tasks[0], "nope", &config);
}

static int add_word(contest *c, word_set *files, const char *word) {
    char why[AS_MESSAGE_MAX] = "";
    if (strcmp(word, "all") == 0)
        return add_all(c);
    as_status status = words_expand(&c->words, files, word, why);
    if (status == AS_EINVAL || status == AS_EREAD)
        return usage_error(c->self, "--compare: %s", why);
    return status == AS_OK ? EXIT_DONE : contest_no_memory();
}

static int read_schemes(contest *c) {
    const text_list *lists[2] = {&c->o->compare, &c->o->common.operands};
    const char *output = c->o->common.output;
    word_set files = {0};
    int code = EXIT_DONE;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count && code == EXIT_DONE; i++)
            code = add_word(c, &files, lists[l]->item[i]);
    if (code == EXIT_DONE && output != NULL &&
        output_is_input(output, (const char *const *)files.item, files.count))
        code = EXIT_OUTPUT;
    words_free(&files);
    return code;
}

/* The configurations of one word, behind those that there are. Two words for the same scheme are one. */
static int add_scheme(contest *c, const char *word) {
    as_train_config *column = c->configs + c->scheme_count * c->task_count;
    for (size_t t = 0; t < c->task_count; t++) {
        int code = train_configure(c->self, c->o, c->tasks[t], word, &column[t]);
        if (code != EXIT_DONE)
            return code;
    }
    for (size_t s = 0; s < c->scheme_count; s++)
        if (strcmp(c->configs[s * c->task_count].scheme, column->scheme) == 0) {
            message_note("%s is %s, and stands there once", word, column->scheme);
            return EXIT_DONE;
        }
    c->scheme_count++;
    return EXIT_DONE;
}

static int configure(contest *c) {
    int code = EXIT_DONE;
    c->configs = calloc(c->words.count * c->task_count, sizeof *c->configs);
    if (c->configs == NULL)
        return contest_no_memory();
    for (size_t i = 0; i < c->words.count && code == EXIT_DONE; i++)
        code = add_scheme(c, c->words.item[i]);
    for (size_t t = 0; t < c->task_count && c->o->common.output != NULL && code == EXIT_DONE; t++)
        code = train_check_text(c->o, &c->configs[t]);
    if (code == EXIT_DONE && c->configs->seed + (c->seeds - 1) > 1ULL << 53)
        code = usage_error(c->self, "the last of %zu seeds from %zu on is beyond 2^53", c->seeds,
                           c->configs->seed);
    c->count = c->task_count * c->scheme_count * c->seeds;
    c->result.row = calloc(c->count + 1, sizeof *c->result.row);
    return code == EXIT_DONE && c->result.row == NULL ? contest_no_memory() : code;
}

/* The settings that all configurations have in common, but for what a row says. */
static as_status take_config(contest *c) {
    const char *name;
    char *value = malloc(2 * AS_TRAIN_TEXT), *other = value + AS_TRAIN_TEXT;
    size_t fields = 0, cells = c->task_count * c->scheme_count;
    if (value == NULL)
        return AS_ENOMEM;
    while (as_train_config_get(&c->configs[0], fields, &name, value))
        fields++;
    c->result.config = calloc(fields, sizeof *c->result.config);
    bool made = c->result.config != NULL;
    for (size_t f = 0; f < fields && made; f++) {
        as_train_config_get(&c->configs[0], f, &name, value);
        bool same =
            strcmp(name, "task") != 0 && strcmp(name, "scheme") != 0 && strcmp(name, "seed") != 0;
        for (size_t i = 1; i < cells && same; i++) {
            as_train_config_get(&c->configs[i], f, &name, other);
            same = strcmp(value, other) == 0;
        }
        if (same) {
            const char *copy = strdup(value);
            c->result.config[c->result.config_count][0] = name;
            c->result.config[c->result.config_count][1] = copy;
            c->result.config_count += copy != NULL;
            made = copy != NULL;
        }
    }
    free(value);
    return made ? AS_OK : AS_ENOMEM;
}

static as_status take_provenance(contest *c) {
    const common_options *common = &c->o->common;
    const as_provenance_input input = origin_of(c->self, common, common->deterministic);
    char *text = NULL;
    as_status status = as_provenance(&input, &text);
    c->result.provenance = text;
    return status;
}

int contest_plan(contest *c) {
    c->task_count = c->o->task != NULL ? 1 : 2;
    c->tasks[0] = c->o->task != NULL ? c->o->task : "distance";
    c->tasks[1] = "count";
    c->seeds = c->o->seeds > 0 ? c->o->seeds : SEEDS;
    int code = read_schemes(c);
    if (code == EXIT_DONE)
        code = configure(c);
    if (code == EXIT_DONE && (take_config(c) != AS_OK || take_provenance(c) != AS_OK))
        code = contest_no_memory();
    return code;
}

void contest_free(contest *c) {
    for (size_t i = 0; i < c->result.config_count; i++)
        free((void *)(uintptr_t)c->result.config[i][1]);
    free((void *)(uintptr_t)c->result.config);
    free((void *)(uintptr_t)c->result.provenance);
    free(c->result.row);
    free(c->configs);
    free(c->part);
    words_free(&c->words);
}

const as_train_config *contest_config(const contest *c, size_t r, uint64_t *seed) {
    size_t cells = c->task_count * c->scheme_count, cell = r % cells;
    const as_train_config *config =
        &c->configs[cell % c->scheme_count * c->task_count + cell / c->scheme_count];
    *seed = config->seed + r / cells;
    return config;
}

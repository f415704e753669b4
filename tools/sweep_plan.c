/* What a sweep is to do: schemes, contents and lengths from their words, and which go together.
 * It refuses unknown words, and more matrices than can be listed. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hf_note.h"
#include "message.h"
#include "sweep.h"
#include "tool.h"

#define ROWS_MOST ((size_t)100000000)

void sweep_plan_free(sweep_plan *plan) {
    for (size_t i = 0; plan->cases != NULL && i < plan->scheme_words.count * plan->size_count;
         i++) {
        free(plan->cases[i].reason);
    }
    free(plan->cases);
    for (size_t i = 0; plan->tables != NULL && i < plan->scheme_words.count; i++) {
        as_tables_free(&plan->tables[i]);
    }
    free(plan->tables);
    free(plan->sizes);
    free(plan->schemes);
    free(plan->contents);
    words_free(&plan->scheme_words);
    words_free(&plan->content_words);
    words_free(&plan->files);
}

uint64_t sweep_item(const sweep_plan *plan, const sweep_place *at) {
    const sweep_options *o = plan->options;
    uint64_t item = at->scheme;
    item = item * plan->content_words.count + at->content;
    item = item * plan->size_count + at->size;
    item = item * o->seeds + at->seed;
    item = item * o->layers + at->layer;
    return item * o->heads + at->head;
}

const sweep_case *sweep_case_of(const sweep_plan *plan, const sweep_place *at) {
    return &plan->cases[at->scheme * plan->size_count + at->size];
}

as_head sweep_head(const sweep_plan *plan, const sweep_place *at) {
    const sweep_options *o = plan->options;
    return (as_head){.layer = at->layer,
                     .head = at->head,
                     .heads = o->heads,
                     .rows = plan->sizes[at->size],
                     .cols = plan->sizes[at->size],
                     .dim = o->dim,
                     .causal = as_mask_hides(plan->mask),
                     .seed = o->seed + at->seed,
                     .tables = plan->tables[at->scheme].item,
                     .table_count = plan->tables[at->scheme].count};
}

bool sweep_next(const sweep_plan *plan, sweep_place *at) {
    const sweep_options *o = plan->options;
    size_t *const digit[] = {&at->scheme, &at->head, &at->layer,
                             &at->seed,   &at->size, &at->content};
    const size_t base[] = {
        plan->scheme_words.count, o->heads, o->layers, o->seeds, plan->size_count,
        plan->content_words.count};
    for (;;) {
        size_t d = 0;
        while (d < 6 && ++*digit[d] == base[d]) {
            *digit[d++] = 0;
        }
        if (d == 6) {
            return false;
        }
        if (sweep_case_of(plan, at)->status == AS_OK || (at->layer == 0 && at->head == 0)) {
            return true;
        }
    }
}

/* The words of a repeated option. */
static int expand(const tool *self, const char *name, const text_list *list, word_set *out,
                  word_set *files) {
    char why[AS_MESSAGE_MAX];
    as_status status = AS_OK;
    for (size_t i = 0; i < list->count && status == AS_OK; i++) {
        status = words_expand(out, files, list->item[i], why);
    }
    return status == AS_OK       ? EXIT_DONE
           : status == AS_ENOMEM ? (message_error("%s", why), EXIT_SOME_FAILED)
                                 : usage_error(self, "--%s: %s", name, why);
}

static as_status add_all_schemes(word_set *words, char *why) {
    const as_scheme_type *type;
    as_status status = AS_OK;
    for (size_t i = 0; (type = as_scheme_list(i)) != NULL && status == AS_OK; i++) {
        status = words_add(words, type->name, strlen(type->name), why);
    }
    return status;
}

/* Adds the canonical text, which it frees; what is there already has its place, and the next takes
 * this one's. */
static as_status add_canonical(word_set *set, char *text, char *why) {
    if (text == NULL) {
        snprintf(why, AS_MESSAGE_MAX, "there is no memory for the name of a scheme or content");
        return AS_ENOMEM;
    }
    as_status status = words_add(set, text, strlen(text), why);
    free(text);
    return status;
}

static int failed(const char *why) {
    message_error("%s", why);
    return EXIT_SOME_FAILED;
}

/* The file that the scheme came from or names, of the plan's files from here on; its tables are read once
 * where the scheme is no repetition. */
static int take_file(const tool *self, sweep_plan *plan, size_t place, const char *word) {
    char why[AS_MESSAGE_MAX];
    const as_scheme *scheme = &plan->schemes[place];
    const char *path = as_scheme_input(word, scheme);
    if (path != NULL && words_add(&plan->files, path, strlen(path), why) != AS_OK) {
        return failed(why);
    }
    as_status status =
        plan->scheme_words.count > place ? as_tables_read(scheme, &plan->tables[place]) : AS_OK;
    return status == AS_OK       ? EXIT_DONE
           : status == AS_ENOMEM ? failed(as_message())
                                 : usage_error(self, "%s", as_message());
}

static int parse_schemes(const tool *self, sweep_plan *plan, const word_set *words) {
    char why[AS_MESSAGE_MAX];
    word_set every = {0};
    as_status status = AS_OK;
    int code = EXIT_DONE;
    for (size_t i = 0; i < words->count && status == AS_OK; i++) {
        const char *word = words->item[i];
        status = strcmp(word, "all") == 0 ? add_all_schemes(&every, why)
                                          : words_add(&every, word, strlen(word), why);
    }
    plan->schemes = calloc(every.count + 1, sizeof *plan->schemes);
    plan->tables = calloc(every.count + 1, sizeof *plan->tables);
    if (status != AS_OK || plan->schemes == NULL || plan->tables == NULL) {
        code = failed(status != AS_OK ? why : "there is no memory for the schemes");
    }
    for (size_t i = 0; i < every.count && code == EXIT_DONE; i++) {
        size_t place = plan->scheme_words.count;
        as_scheme *scheme = &plan->schemes[place];
        if (as_scheme_parse(every.item[i], scheme) != AS_OK) {
            code = usage_error(self, "%s", as_message());
        } else if (add_canonical(&plan->scheme_words, as_scheme_text(scheme), why) != AS_OK) {
            code = failed(why);
        } else {
            hf_note_of(every.item[i]);
            code = take_file(self, plan, place, every.item[i]);
        }
    }
    words_free(&every);
    return code;
}

static int parse_contents(const tool *self, sweep_plan *plan, const word_set *words) {
    char why[AS_MESSAGE_MAX];
    plan->contents = calloc(words->count + 1, sizeof *plan->contents);
    if (plan->contents == NULL) {
        return failed("there is no memory for the contents");
    }
    for (size_t i = 0; i < words->count; i++) {
        as_content *content = &plan->contents[plan->content_words.count];
        if (strncmp(words->item[i], "file:", 5) == 0) {
            return usage_error(self,
                               "a sweep draws its content; of the q and k of a dump: attnspec "
                               "analyze --query '%s:dump/query' --key '%s:dump/key' --scheme ...",
                               words->item[i] + 5, words->item[i] + 5);
        }
        if (as_content_parse(words->item[i], content) != AS_OK) {
            return usage_error(self, "%s", as_message());
        }
        if (add_canonical(&plan->content_words, as_content_text(content), why) != AS_OK) {
            return failed(why);
        }
    }
    return EXIT_DONE;
}

static int parse(const tool *self, const sweep_options *o, sweep_plan *plan) {
    word_set schemes = {0}, contents = {0};
    char why[AS_MESSAGE_MAX];
    int code = taking_parse(self, &o->taking, o->seed, &plan->summary);
    if (code == EXIT_DONE) {
        code = expand(self, "scheme", &o->schemes, &schemes, &plan->files);
    }
    if (code == EXIT_DONE) {
        code = parse_schemes(self, plan, &schemes);
    }
    if (code == EXIT_DONE && o->contents.count == 0 && words_add(&contents, "gaussian", 8, why)) {
        code = failed(why);
    }
    if (code == EXIT_DONE) {
        code = expand(self, "content", &o->contents, &contents, &plan->files);
    }
    if (code == EXIT_DONE) {
        code = parse_contents(self, plan, &contents);
    }
    words_free(&schemes);
    words_free(&contents);
    if (code == EXIT_DONE && words_sizes(o->sizes, &plan->sizes, &plan->size_count, why) != AS_OK) {
        code = usage_error(self, "--n %s", why);
    }
    if (code == EXIT_DONE && as_mask_parse(o->mask, &plan->mask) != AS_OK) {
        code = usage_error(self, "%s", as_message());
    }
    if (code == EXIT_DONE && plan->mask.kind == AS_MASK_AUTO) {
        code = usage_error(self, "--mask auto finds a mask in data; sweep takes none, causal, "
                                 "window:W or prefix:P");
    }
    return code;
}

/* Whether every head of a scheme at a length can be done; a large one is not asked for its scheme. */
static as_status judge(const sweep_plan *plan, const analyze_job *job, sweep_place at, char *why) {
    const sweep_options *o = plan->options;
    const as_item item = {.rows = plan->sizes[at.size], .cols = plan->sizes[at.size]};
    as_status status = analyze_admit(job, plan->need.memory, &item, why);
    for (at.head = 0; at.head < o->heads && status == AS_OK; at.head++) {
        as_head head = sweep_head(plan, &at);
        if (as_scheme_check(&plan->schemes[at.scheme], &head) != AS_OK) {
            snprintf(why, AS_MESSAGE_MAX, "%s", as_message());
            status = AS_SKIPPED;
        }
    }
    return status;
}

/* What a scheme has to say of this mask, and each length that it does not take. */
static void tell(const sweep_plan *plan, const sweep_place *at) {
    const sweep_case *c = sweep_case_of(plan, at);
    const as_scheme *scheme = &plan->schemes[at->scheme];
    as_head head = sweep_head(plan, at);
    if (c->status != AS_OK) {
        (c->status == AS_SKIPPED ? message_note : message_error)(
            "%s, n = %zu: %s%s", plan->scheme_words.item[at->scheme], plan->sizes[at->size],
            c->status == AS_SKIPPED ? "skipped: " : "", c->reason);
    } else if (at->size == 0 && scheme->type->warning != NULL &&
               scheme->type->warning(scheme, &head) != NULL) {
        message_note("%s", scheme->type->warning(scheme, &head));
    }
}

/* Rows of a case. */
static size_t rows_of(const sweep_plan *plan, const sweep_case *c) {
    const sweep_options *o = plan->options;
    size_t rows = plan->content_words.count * o->seeds;
    return c->status == AS_OK ? rows * o->layers * o->heads : rows;
}

static int judge_all(sweep_plan *plan) {
    const sweep_options *o = plan->options;
    const analyze_job job = {.summary = plan->summary,
                             .threads = o->common.threads,
                             .deterministic = o->common.deterministic};
    plan->need = (analyze_need){.memory = as_memory_total()};
    plan->cases = calloc(plan->scheme_words.count * plan->size_count, sizeof *plan->cases);
    if (plan->cases == NULL) {
        return failed("there is no memory for the plan");
    }
    for (sweep_place at = {0}; at.scheme < plan->scheme_words.count; at.scheme++) {
        for (at.size = 0; at.size < plan->size_count; at.size++) {
            sweep_case *c = &plan->cases[at.scheme * plan->size_count + at.size];
            size_t n = plan->sizes[at.size];
            char why[AS_MESSAGE_MAX];
            c->status = judge(plan, &job, at, why);
            c->reason = c->status == AS_OK ? NULL : strdup(why);
            if (c->status != AS_OK && c->reason == NULL) {
                return failed("there is no memory for the plan");
            }
            tell(plan, &at);
            plan->count += rows_of(plan, c);
            if (c->status == AS_OK) {
                analyze_add_need(&job, n, n, rows_of(plan, c), &plan->need);
            }
        }
    }
    analyze_choose_threads(&job, &plan->need);
    return EXIT_DONE;
}

int sweep_plan_make(const tool *self, const sweep_options *o, sweep_plan *plan) {
    *plan = (sweep_plan){.options = o};
    int code = parse(self, o, plan);
    if (code != EXIT_DONE) {
        return code;
    }
    const size_t factors[] = {plan->scheme_words.count,
                              plan->content_words.count,
                              plan->size_count,
                              o->seeds,
                              o->layers,
                              o->heads};
    size_t product = 1;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (__builtin_mul_overflow(product, factors[i], &product) || product > ROWS_MOST) {
            return usage_error(self, "that is more than %zu matrices", ROWS_MOST);
        }
    }
    return judge_all(plan);
}

/* attnspec schemes: the positional encodings there are, with their parameters, promises and papers.
 * It refuses names that are no scheme. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "door/json.h"
#include "message.h"
#include "output.h"
#include "text.h"
#include "tool.h"

typedef struct schemes_options {
    common_options common;
    bool json;
} schemes_options;

#define AT(field) .offset = offsetof(schemes_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "How it is printed"},
    {.type = OPTION_SWITCH, .name = "json", .help = "as JSON: {\"schemes\":[...]}", AT(json)},
    {.type = OPTION_END},
};

enum { COLUMN = 14, LINE = 1024 };

/* "base=10000 (1 to 1e+12)", "layout=interleaved (interleaved|half)": default, then what may be. */
static const char *values_text(const as_param *p, char *text, size_t size) {
    if (p->type == AS_PARAM_CHOICE)
        snprintf(text, size, "%s=%s (%s)", p->key, p->preset, p->choices);
    else if (p->type == AS_PARAM_TEXT)
        snprintf(text, size, "%s (a file or a list)", p->key);
    else
        snprintf(text, size, "%s=%s (%.7g to %.7g)", p->key, p->preset, p->low, p->high);
    return text;
}

/* "toeplitz, symmetric"; "none". */
static const char *traits_text(const as_scheme_type *type, char *text, size_t size) {
    size_t used = 0;
    snprintf(text, size, "none");
    for (unsigned bit = 1; bit <= type->traits; bit *= 2)
        if ((type->traits & bit) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     as_scheme_trait_name(bit));
    return text;
}

/* "  label       text, broken under itself". */
static void row(FILE *out, const char *label, const char *text) {
    fprintf(out, "  %-*s", COLUMN - 2, label);
    text_wrap(out, text, COLUMN, COLUMN);
}

static void print_row(const as_scheme_type *type, FILE *out) {
    char line[LINE];
    fprintf(out, "%s (%s)\n", type->name, as_scheme_class_name(type->kind));
    row(out, "", type->summary);
    for (const as_param *p = type->params; p->key != NULL; p++)
        row(out, p == type->params ? "parameters" : "", values_text(p, line, sizeof line));
    row(out, "traits", traits_text(type, line, sizeof line));
    row(out, "paper", type->reference);
}

/* "a|b" as "a, b". */
static const char *commas(const char *bars, char *text, size_t size) {
    size_t used = 0;
    for (; *bars != '\0' && used + 2 < size; bars++) {
        text[used++] = *bars == '|' ? ',' : *bars;
        if (*bars == '|')
            text[used++] = ' ';
    }
    text[used] = '\0';
    return text;
}

static void print_whole(const as_scheme_type *type, FILE *out) {
    char line[LINE], part[LINE / 2];
    fprintf(out, "%s\n", type->name);
    row(out, "summary", type->summary);
    row(out, "class", as_scheme_class_name(type->kind));
    if (type->aliases != NULL)
        row(out, "aliases", commas(type->aliases, line, sizeof line));
    row(out, "traits", traits_text(type, line, sizeof line));
    row(out, "paper", type->reference);
    fputs(type->params->key == NULL ? "  It has no parameters.\n" : "\nParameters:\n", out);
    for (const as_param *p = type->params; p->key != NULL; p++) {
        fprintf(out, "  %s\n", values_text(p, line, sizeof line));
        row(out, "", p->meaning);
        if (p->aliases != NULL) {
            snprintf(line, sizeof line, "also: %s", commas(p->aliases, part, sizeof part));
            row(out, "", line);
        }
    }
}

/* "a|b" as an array. */
static void add_words(as_json *json, const char *key, const char *bars) {
    char word[OPTION_WORD];
    as_json_array(json, key);
    for (size_t i = 0; option_choice(bars, i, word) != NULL; i++)
        as_json_string(json, NULL, word);
    as_json_end(json);
}

static void add_param(as_json *json, const as_param *p) {
    static const char *const types[] = {[AS_PARAM_REAL] = "real",
                                        [AS_PARAM_COUNT] = "count",
                                        [AS_PARAM_CHOICE] = "choice",
                                        [AS_PARAM_TEXT] = "text"};
    bool number = p->type == AS_PARAM_REAL || p->type == AS_PARAM_COUNT;
    as_json_object(json, NULL);
    as_json_string(json, "key", p->key);
    add_words(json, "aliases", p->aliases);
    as_json_string(json, "type", types[p->type]);
    add_words(json, "choices", p->choices);
    if (!number || strcmp(p->preset, "auto") == 0)
        as_json_string(json, "default", p->preset);
    else
        as_json_number(json, "default", strtod(p->preset, NULL));
    if (!number) {
        as_json_null(json, "low");
        as_json_null(json, "high");
    } else {
        as_json_number(json, "low", p->low);
        as_json_number(json, "high", p->high);
    }
    as_json_string(json, "meaning", p->meaning);
    as_json_end(json);
}

static void add_scheme(as_json *json, const as_scheme_type *type) {
    as_json_object(json, NULL);
    as_json_string(json, "name", type->name);
    add_words(json, "aliases", type->aliases);
    as_json_string(json, "class", as_scheme_class_name(type->kind));
    as_json_string(json, "summary", type->summary);
    as_json_string(json, "reference", type->reference);
    as_json_array(json, "traits");
    for (unsigned bit = 1; bit <= type->traits; bit *= 2)
        if ((type->traits & bit) != 0)
            as_json_string(json, NULL, as_scheme_trait_name(bit));
    as_json_end(json);
    as_json_array(json, "parameters");
    for (const as_param *p = type->params; p->key != NULL; p++)
        add_param(json, p);
    as_json_end(json);
    as_json_end(json);
}

/* Scheme `index` of those that were asked for; NULL past the last. */
static const as_scheme_type *asked(const schemes_options *o, size_t index) {
    const text_list *names = &o->common.operands;
    as_scheme scheme;
    if (names->count == 0)
        return as_scheme_list(index);
    return index < names->count && as_scheme_parse(names->item[index], &scheme) == AS_OK
               ? scheme.type
               : NULL;
}

static as_status print_json(const schemes_options *o, FILE *out) {
    const as_scheme_type *type;
    as_json *json = as_json_new();
    as_json_object(json, NULL);
    as_json_array(json, "schemes");
    for (size_t i = 0; (type = asked(o, i)) != NULL; i++)
        add_scheme(json, type);
    as_json_end(json);
    as_json_end(json);
    const char *text = as_json_take(json);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    as_json_free(json);
    return text == NULL ? AS_ENOMEM : AS_OK;
}

static as_status print(const schemes_options *o, FILE *out) {
    const as_scheme_type *type;
    if (o->json)
        return print_json(o, out);
    for (size_t i = 0; (type = asked(o, i)) != NULL; i++) {
        fputs(i > 0 ? "\n" : "", out);
        if (o->common.operands.count == 0)
            print_row(type, out);
        else
            print_whole(type, out);
    }
    return AS_OK;
}

static int run(const tool *self, void *values) {
    const schemes_options *o = values;
    for (size_t i = 0; i < o->common.operands.count; i++) {
        as_scheme scheme;
        if (as_scheme_parse(o->common.operands.item[i], &scheme) != AS_OK)
            return usage_error(self, "%s", as_message());
    }
    char why[OUTPUT_WHY];
    output_file out;
    as_status status = output_open(o->common.output, o->common.force, &out, why);
    if (status != AS_OK) {
        message_error("%s", why);
    } else if ((status = print(o, out.stream)) != AS_OK) {
        message_error("%s", as_message());
        output_discard(&out);
    } else if ((status = output_commit(&out, why)) != AS_OK) {
        message_error("%s", why);
    }
    return exit_code_of(status);
}

const tool tool_schemes = {
    .name = "schemes",
    .operands = "[NAME]...",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .description =
        "Lists the positional encodings: class, parameters with their defaults and ranges, traits "
        "(what is promised, at the defaults and without a mask), and the paper. toeplitz: bias or "
        "kernel depends on query minus key alone; symmetric: it is the same with query and key "
        "exchanged; low_rank: the rank of the logits is at most the head size; correlation: the "
        "kernel is a correlation matrix, and no norm in a report can grow by it. With a NAME it "
        "says what each parameter means. A scheme is written NAME[:KEY=VALUE[,KEY=VALUE]...].",
    .options = options,
    .options_size = sizeof(schemes_options),
    .examples = "attnspec schemes\n"
                "attnspec schemes rope alibi\n"
                "attnspec schemes --json | python3 -m json.tool\n",
    .run = run,
};

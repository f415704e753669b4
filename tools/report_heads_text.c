/* report_heads_text: which heads have which role, and the concentration a layer: text, Markdown.
 * It refuses to list hundreds of heads: the strongest of each role are named, the others counted. */
#include "report_heads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report_summary.h"
#include "text.h"

enum { NAMED = 8, LAYERS = 16, ORIGINS = 8, TITLE = 512 };

/* Heads begin … end are those of one origin. */
typedef struct section {
    const head_tally *tally;
    size_t begin, end;
} section;

static section section_from(const head_tally *tally, size_t begin) {
    section s = {tally, begin, begin + 1};
    while (s.end < tally->count && tally->record[s.end].origin == tally->record[begin].origin)
        s.end++;
    return s;
}

static bool has_role(const head_record *head, as_head_role role) {
    return as_head_role_holds(role, head->role[role]);
}

/* Heads whose matrices are large enough to have a role. */
static bool is_measured(const head_record *head) {
    bool any = false;
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++)
        any = any || !isnan(head->role[r]);
    return any;
}

/* The strongest head of a role after `last`, which may be NULL; equals go by their order. */
static const head_record *next_strongest(const section *s, as_head_role role,
                                         const head_record *last) {
    double sign = as_head_rule_of(role)->low ? -1 : 1;
    const head_record *best = NULL;
    for (size_t i = s->begin; i < s->end; i++) {
        const head_record *head = &s->tally->record[i];
        double strength = sign * head->role[role];
        bool after = last == NULL || strength < sign * last->role[role] ||
                     (strength == sign * last->role[role] && head > last);
        if (has_role(head, role) && after && (best == NULL || strength > sign * best->role[role]))
            best = head;
    }
    return best;
}

static void print_role(const section *s, as_head_role role, size_t measured, FILE *out,
                       report_style style) {
    const as_head_rule *rule = as_head_rule_of(role);
    size_t count = 0, named = 0, used;
    for (size_t i = s->begin; i < s->end; i++)
        count += has_role(&s->tally->record[i], role) ? 1 : 0;
    if (count == 0)
        return;
    char text[1024];
    const char *sign = rule->low ? (style.utf8 ? "≤" : "<=") : (style.utf8 ? "≥" : ">=");
    used = (size_t)snprintf(text, sizeof text, "%s, %zu of %zu (%s%s %s %g):", rule->name, count,
                            measured, as_metric_key(rule->metric), rule->share ? "/n" : "", sign,
                            rule->threshold);
    const head_record *head = NULL;
    while (named < NAMED && (head = next_strongest(s, role, head)) != NULL)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s %" PRIu64 ".%" PRIu64 " (%.2f)",
                             named++ == 0 ? "" : ",", head->layer, head->head, head->role[role]);
    if (count > named)
        snprintf(text + used, sizeof text - used, " and %zu more.", count - named);
    else
        snprintf(text + used, sizeof text - used, ".");
    summary_say(out, style, 1, text);
}

/* ---- concentration ---------------------------------------------------------------------------- */

static const struct {
    const char *above, *head;
} columns[HEADS_QUANTITIES] = {{"spectral", "norm"},
                               {"Toeplitz", "fraction"},
                               {"previous", "token"},
                               {"first", "token"},
                               {"spectral", "ratio"}};

/* Columns that have a number in some layer. */
static size_t find_columns(const section *s, bool *shown) {
    size_t layers = 0;
    for (size_t begin = s->begin, end; begin < s->end; begin = end) {
        end = heads_layer_end(s->tally, begin);
        bool any = false;
        for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
            head_shares shares = heads_share(s->tally, begin, end, i);
            bool here = shares.concentration.reason == AS_REASON_NONE;
            shown[i] = shown[i] || here;
            any = any || here;
        }
        layers += any ? 1 : 0;
    }
    return layers;
}

static void print_layer(const section *s, size_t begin, size_t end, const bool *shown, FILE *out,
                        const char *dash) {
    fprintf(out, "  %5" PRIu64 "%6zu", s->tally->record[begin].layer, end - begin);
    for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
        as_concentration c = heads_share(s->tally, begin, end, i).concentration;
        if (!shown[i])
            continue;
        if (c.reason == AS_REASON_NONE)
            fprintf(out, "%8.2f%5.2f", c.value[AS_CONCENTRATION_head_max_share],
                    c.value[AS_CONCENTRATION_head_gini]);
        else
            fprintf(out, "%7s%s%4s%s", "", dash, "", dash);
    }
    fputc('\n', out);
}

static void print_heads(const bool *shown, FILE *out) {
    fputs("  Concentration over the heads of a layer: largest share, and Gini coefficient\n"
          "  layer heads",
          out);
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        if (shown[i])
            fprintf(out, "%13s", columns[i].above);
    fprintf(out, "\n%13s", "");
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        if (shown[i])
            fprintf(out, "%13s", columns[i].head);
    fputc('\n', out);
}

static void print_layer_md(const section *s, size_t begin, size_t end, const bool *shown,
                           FILE *out) {
    fprintf(out, "| %" PRIu64 " | %zu |", s->tally->record[begin].layer, end - begin);
    for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
        as_concentration c = heads_share(s->tally, begin, end, i).concentration;
        if (!shown[i])
            continue;
        if (c.reason == AS_REASON_NONE)
            fprintf(out, " %.2f | %.2f |", c.value[AS_CONCENTRATION_head_max_share],
                    c.value[AS_CONCENTRATION_head_gini]);
        else
            fputs(" – | – |", out);
    }
    fputc('\n', out);
}

static void print_heads_md(const bool *shown, FILE *out) {
    fputs("\nConcentration over the heads of a layer: largest share, and Gini coefficient.\n\n"
          "| layer | heads |",
          out);
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        if (shown[i])
            fprintf(out, " %s %s | Gini |", columns[i].above, columns[i].head);
    fputs("\n|---:|---:|", out);
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        if (shown[i])
            fputs("---:|---:|", out);
    fputc('\n', out);
}

static void print_concentration(const section *s, FILE *out, report_style style) {
    bool shown[HEADS_QUANTITIES] = {false};
    size_t layers = find_columns(s, shown), printed = 0;
    if (layers == 0)
        return;
    if (style.markdown)
        print_heads_md(shown, out);
    else
        print_heads(shown, out);
    for (size_t begin = s->begin, end; begin < s->end; begin = end) {
        end = heads_layer_end(s->tally, begin);
        if (end - begin < 2 || printed++ >= LAYERS)
            continue;
        if (style.markdown)
            print_layer_md(s, begin, end, shown, out);
        else
            print_layer(s, begin, end, shown, out, style.utf8 ? "–" : "-");
    }
    if (printed > LAYERS)
        fprintf(out, "%sand %zu further layers: --format json has them all.\n",
                style.markdown ? "\n… " : "  ", printed - LAYERS);
}

/* ---- the section ------------------------------------------------------------------------------ */

static void print_title(const section *s, FILE *out, report_style style) {
    const head_origin *origin = &s->tally->origin[s->tally->record[s->begin].origin];
    const char *const words[] = {origin->source, origin->scheme, origin->content};
    const char *const before[] = {" of ", ", scheme ", ", content "};
    char text[3 * TITLE + 64] = "Heads", name[TITLE];
    for (size_t i = 0; i < 3 && s->tally->origins > 1; i++) {
        size_t used = strlen(text);
        if (words[i] != NULL && words[i][0] != '\0')
            snprintf(text + used, sizeof text - used, "%s%s", before[i],
                     text_clean(name, sizeof name, words[i]));
    }
    if (style.markdown) {
        fputs("### ", out);
        text_markdown(out, text);
        fputs("\n\n", out);
        return;
    }
    fputs(style.color ? "\033[1m" : "", out);
    text_wrap(out, text, 0, 2);
    fputs(style.color ? "\033[0m" : "", out);
}

static size_t count_measured(const section *s) {
    size_t measured = 0;
    for (size_t i = s->begin; i < s->end; i++)
        measured += is_measured(&s->tally->record[i]) ? 1 : 0;
    return measured;
}

static void print_section(const section *s, size_t measured, FILE *out, report_style style) {
    size_t without = 0;
    print_title(s, out, style);
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++)
        print_role(s, (as_head_role)r, measured, out, style);
    for (size_t i = s->begin; i < s->end; i++) {
        bool any = !is_measured(&s->tally->record[i]);
        for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++)
            any = any || has_role(&s->tally->record[i], (as_head_role)r);
        without += any ? 0 : 1;
    }
    if (without > 0) {
        char text[64];
        snprintf(text, sizeof text, "No role: %zu of %zu.", without, measured);
        summary_say(out, style, 1, text);
    }
    print_concentration(s, out, style);
    fputc('\n', out);
}

static void print(const head_tally *tally, FILE *out, report_style style) {
    size_t printed = 0;
    for (size_t begin = 0; begin < tally->count;) {
        section s = section_from(tally, begin);
        size_t measured = count_measured(&s);
        if (measured > 0 && printed++ < ORIGINS)
            print_section(&s, measured, out, style);
        begin = s.end;
    }
    if (printed > ORIGINS)
        fprintf(out,
                "Heads of %zu further files, schemes or contents: --format json has them all.\n\n",
                printed - ORIGINS);
}

as_status heads_report(const report_rows *rows, FILE *out, report_style style) {
    head_tally tally = {0};
    as_status status = heads_gather(&tally, rows);
    if (status == AS_OK)
        print(&tally, out, style);
    heads_free(&tally);
    return status;
}

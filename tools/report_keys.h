/* report_keys: what a row is chosen and ordered by: names, places, sizes, metrics, ratios.
 * It refuses words that are no key, with the nearest one and all of them. */
#ifndef TOOLS_REPORT_KEYS_H
#define TOOLS_REPORT_KEYS_H

#include "attnspec/result.h"

typedef enum report_kind { KEY_TEXT, KEY_WHOLE, KEY_REAL } report_kind;

typedef struct report_key {
    report_kind kind;
    size_t at;        /* which one of its kind: see report_keys.c */
    const char *name; /* static */
} report_key;

/* The sentence of a refusal, its end included. */
#define KEY_WHY 2400
/* "layer", "spectral_norm", "contraction.nuclear_norm"; false with the sentence in why[KEY_WHY]. */
bool report_key_find(const char *name, report_key *out, char *why);

/* "" where there is none; borrowed from the row. */
const char *report_key_text(report_key key, const as_row *row);
/* False where the row has no such number. */
bool report_key_whole(report_key key, const as_row *row, uint64_t *out);
/* NaN where the row has no such number. */
double report_key_real(report_key key, const as_row *row);

/* The main numbers, which groups and comparisons are made of, in the order of reports. */
#define REPORT_MAIN 14
typedef struct report_main {
    const char *key, *above, *head; /* as --where spells it; the two lines of a heading */
    const char *name;               /* for sentences: "Spectral norm" */
} report_main;
extern const report_main report_mains[REPORT_MAIN];
report_key report_main_key(size_t main);
/* Writes the main numbers of a row, NaN where there is none. */
void report_main_values(const as_row *row, double value[REPORT_MAIN]);

#endif

/* message: sentences on standard error, one at a time.
 * It refuses control characters: names from files cannot move the cursor. */
#include "message.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"
#include "text.h"

#define LONGEST 2048

static struct {
    char who[64];
    bool quiet, verbose;
} setup = {.who = "attnspec"};

void message_setup(const char *who, bool quiet, bool verbose) {
    snprintf(setup.who, sizeof setup.who, "%s", who);
    setup.quiet = quiet;
    setup.verbose = verbose;
}

static void say(const char *format, va_list arguments) {
    char text[LONGEST], clean[LONGEST];
    vsnprintf(text, sizeof text, format, arguments);
    text_clean(clean, sizeof clean, text);
    progress_hide();
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", setup.who, clean);
    progress_show();
}

void message_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void message_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!setup.quiet)
        say(format, arguments);
    va_end(arguments);
}

void message_detail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (setup.verbose)
        say(format, arguments);
    va_end(arguments);
}

/* Whether a whole number in the name is `number`: "layer_3" says 3, "layer_13" does not. */
static bool name_says(const char *name, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t length = strlen(digits);
    for (const char *at = name; (at = strstr(at, digits)) != NULL; at++)
        if ((at == name || !isdigit((unsigned char)at[-1])) && !isdigit((unsigned char)at[length]))
            return true;
    return false;
}

/* "1", or "0.3" of the steps of a generation: a place in a list. */
static bool is_number(const char *name) {
    return name[strspn(name, "0123456789.")] == '\0';
}

char *message_place(char *text, size_t size, const message_spot *spot) {
    const char *name = spot->tensor == NULL ? "" : spot->tensor;
    bool number = is_number(name);
    char which[96] = "";
    size_t used = 0;
    /* Without a name the layer is always said: beside "layer 1, head 3" a mere "head 1" is a riddle. */
    if (number || ((spot->layer != 0 || spot->layers) && !name_says(name, spot->layer)))
        used += (size_t)snprintf(which, sizeof which, "layer %" PRIu64 ", ", spot->layer);
    if ((spot->batch != 0 || spot->batches) && (number || !name_says(name, spot->batch)))
        used +=
            (size_t)snprintf(which + used, sizeof which - used, "batch %" PRIu64 ", ", spot->batch);
    snprintf(which + used, sizeof which - used, "head %" PRIu64, spot->head);
    char layer[24];
    snprintf(layer, sizeof layer, "%" PRIu64, spot->layer);
    if (!number)
        snprintf(text, size, "%s[%s]", name, which);
    else if (name[0] == '\0' || strcmp(name, layer) == 0)
        snprintf(text, size, "%s", which);
    else
        snprintf(text, size, "%s of tensor %s", which, name);
    return text;
}

char *message_place_of(char *text, size_t size, const as_item *item) {
    message_spot spot = {
        .tensor = item->tensor, .layer = item->layer, .batch = item->batch, .head = item->head};
    return message_place(text, size, &spot);
}

void message_item(const as_item *item, as_status status, const char *sentence) {
    char place[512] = "";
    if (item->rows > 0)
        message_place_of(place, sizeof place, item);
    else
        snprintf(place, sizeof place, "%s", item->tensor == NULL ? "" : item->tensor);
    /* A sentence about a file begins with its name already. */
    const char *file =
        strncmp(sentence, item->source, strlen(item->source)) == 0 ? "" : item->source;
    const char *colon = *file == '\0' ? "" : ": ";
    if (*file == '\0')
        place[0] = '\0';
    const char *second = place[0] == '\0' ? "" : ": ";
    (status == AS_SKIPPED ? message_note
                          : message_error)("%s%s%s%s%s%s", file, colon, place, second,
                                           status == AS_SKIPPED ? "skipped: " : "", sentence);
}

void message_left_out(const as_left_out *out) {
    if (out->repeated == 1)
        message_note("%s was found twice, it is read once", out->repeat);
    if (out->repeated > 1)
        message_note("%zu files were found twice and are read once; the first is %s", out->repeated,
                     out->repeat);
    if (out->results == 1)
        message_note("%s is a result of attnspec and left out", out->result);
    if (out->results > 1)
        message_note("%zu results of attnspec are left out; the first is %s", out->results,
                     out->result);
    if (out->others == 1)
        message_note("%s is neither a file nor a folder with files, and left out", out->other);
    if (out->others > 1)
        message_note(
            "%zu that are neither files nor folders with files are left out; the first is %s",
            out->others, out->other);
    if (out->reports == 1)
        message_note("%s is a report of attnspec and left out", out->report);
    if (out->reports > 1)
        message_note("%zu reports of attnspec are left out; the first is %s", out->reports,
                     out->report);
}

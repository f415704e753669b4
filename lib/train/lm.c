/* The next byte of a text.
 * It refuses files that are no regular ones, empty, larger than 1 GiB, too short for the samples, or other
 * than they were. */
#include "base/fail.h"
#include "base/text_file.h"
#include "door/zlib.h"
#include "train/task.h"

#include <stdlib.h>

enum { FILE_NAME, CRC }; /* places in params */
enum { BYTES = 256, FILE_MOST = 1 << 30, TENTH = 10 };

static const as_param params[] = {
    [FILE_NAME] = {.key = "file",
                   .type = AS_PARAM_TEXT,
                   .preset = "",
                   .meaning = "any file of up to 1 GiB; its last tenth is for tests"},
    [CRC] = {.key = "crc32",
             .type = AS_PARAM_COUNT,
             .preset = "auto",
             .low = 0,
             .high = UINT32_MAX,
             .meaning = "of the file's bytes: a file that has another one is refused"},
    {.key = NULL}};

typedef struct lm_text {
    unsigned char *bytes; /* [size], owned */
    size_t size, test;    /* the test's part begins at `test` */
} lm_text;

/* The share of the commonest byte of the test's part. */
static double commonest(const lm_text *text) {
    size_t count[BYTES] = {0}, most = 0;
    for (size_t i = text->test; i < text->size; i++) {
        size_t seen = ++count[text->bytes[i]];
        most = seen > most ? seen : most;
    }
    return (double)most / (double)(text->size - text->test);
}

/* A run names the text that it was trained on: what goes on with it, or tests it, has the same. */
static as_status check_crc(as_task *task, const char *path, const lm_text *text) {
    size_t crc = as_crc32(0, text->bytes, text->size);
    return as_task_settle(task, CRC, crc) == crc
               ? AS_OK
               : as_fail(AS_EREAD, "%s has changed: its CRC-32 is %zu, not %zu", path, crc,
                         as_task_size(task, CRC));
}

static as_status plan(as_task *task) {
    const char *path = task->words + as_task_size(task, FILE_NAME);
    if (*path == '\0') {
        return as_fail(AS_EINVAL, "the text is missing; write lm:file=PATH");
    }
    lm_text *text = calloc(1, sizeof *text);
    char *bytes = NULL;
    if (text == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a text");
    }
    task->data = text;
    as_status status = as_read_text(path, "a text to train on", FILE_MOST, &bytes, &text->size);
    if (status != AS_OK) {
        return status;
    }
    text->bytes = (unsigned char *)bytes;
    text->test = text->size - text->size / TENTH;
    if (text->size == 0) {
        return as_fail(AS_EREAD, "%s is empty", path);
    }
    if (text->size / TENTH <= task->n) {
        return as_fail(AS_EINVAL,
                       "%s has %zu bytes, the last tenth of them for tests, but samples of n = %zu "
                       "take %zu at least",
                       path, text->size, task->n, TENTH * (task->n + 1));
    }
    task->facts = (as_task_facts){
        .classes = BYTES,
        .vocab = BYTES,
        .causal = true,
        .per_position = true,
        .plateau = commonest(text),
        .plateau_of = "by the commonest byte of the test part",
        .file = path,
    };
    return check_crc(task, path, text);
}

/* (T14). A window is one byte longer than a sample: its last byte is an answer alone. */
static void draw(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels) {
    const lm_text *text = task->data;
    size_t n = task->n, begin = split == AS_SPLIT_TEST ? text->test : 0;
    size_t end = split == AS_SPLIT_TEST ? text->size : text->test;
    const unsigned char *window = text->bytes + begin + as_task_below(stream, end - begin - n);
    for (size_t i = 0; i < n; i++) {
        tokens[i] = window[i];
        labels[i] = window[i + 1];
    }
}

static void close(as_task *task) {
    lm_text *text = task->data;
    if (text != NULL) {
        free(text->bytes);
        free(text);
    }
}

const as_task_type as_task_lm = {
    .name = "lm",
    .summary = "the next byte of a text, at each position",
    .params = params,
    .plan = plan,
    .draw = draw,
    .close = close,
};

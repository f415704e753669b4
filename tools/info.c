/* attnspec info: what a dump holds: tensors, shapes, dtypes, kinds, masks, finite or not.
 * It refuses no file: what cannot be read is a line with its sentence. */
#define _POSIX_C_SOURCE 200809L
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "tool.h"

#define AT(field) .offset = offsetof(info_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "What is read"},
    {.type = OPTION_SWITCH,
     .name = "headers",
     .help = "only names, shapes, dtypes and axes: no element is read",
     AT(headers)},
    READING_KIND(offsetof(info_options, reading)),
    READING_MASK(offsetof(info_options, reading), ""),
    READING_SENTINEL(offsetof(info_options, reading)),
    {.type = OPTION_TEXT,
     .name = "axes",
     .value = "LIST",
     .help = "the axes in the file's order, of layer,batch,head,query,key; by rank where not given",
     AT(axes)},
    {.type = OPTION_TEXT,
     .name = "raw",
     .value = "SHAPE:DTYPE",
     .help = "the files are elements without a header, as 8x64x64:f32 says; > before the dtype: "
             "big-endian",
     AT(raw)},
    {.type = OPTION_TEXT,
     .name = "raw-dtype",
     .value = "DTYPE",
     .help = "what opaque elements are: bf16",
     AT(raw_dtype)},
    {.type = OPTION_GROUP, .help = "How it is printed"},
    {.type = OPTION_SWITCH, .name = "json", .help = "as JSON, schema attnspec-info", AT(json)},
    {.type = OPTION_END},
};

/* Everything that the threads share. */
typedef struct scan {
    const as_source *source;
    info_look *looks;  /* [items] */
    as_loaded *loaded; /* [threads] */
} scan;

static void look_at(void *context, size_t index, size_t worker) {
    const scan *all = context;
    info_look *look = &all->looks[index];
    const as_item *item = as_source_item(all->source, index);
    look->row_sum_deviation = look->low = look->high = NAN;
    look->row_sum_min = look->row_sum_max = NAN;
    look->status = item->status;
    if (item->status != AS_OK || interrupt_signal() != 0) {
        progress_step(false);
        return;
    }
    as_loaded *loaded = &all->loaded[worker];
    const as_logits *logits = &loaded->logits;
    look->status = as_source_load(all->source, index, loaded);
    if (look->status != AS_OK) {
        look->reason = strdup(as_message());
    } else {
        look->kind = logits->kind;
        look->mask = logits->mask;
        look->masked_rows = logits->masked_rows;
        if (logits->kind == AS_KIND_WEIGHTS)
            look->row_sum_deviation = logits->row_sum_deviation;
        look->row_sum_min = logits->row_sum_min;
        look->row_sum_max = logits->row_sum_max;
        for (size_t i = 0; i < logits->a.rows * logits->a.cols; i++)
            if (logits->masked == NULL || logits->masked[i] == 0) {
                look->low = fmin(look->low, logits->a.data[i]);
                look->high = fmax(look->high, logits->a.data[i]);
            }
    }
    progress_step(look->status != AS_OK);
}

static as_status look_at_all(const as_source *source, const info_options *o, info_look *looks) {
    size_t threads = o->common.threads;
    scan all = {source, looks, calloc(threads, sizeof(as_loaded))};
    if (all.loaded == NULL)
        return AS_ENOMEM;
    progress_start(&o->common, "matrices", as_source_count(source));
    as_status status = as_parallel_for(as_source_count(source), threads, look_at, &all);
    progress_stop();
    for (size_t i = 0; i < threads; i++)
        as_loaded_free(&all.loaded[i]);
    free(all.loaded);
    return status;
}

/* Where the last tensor was found: the items follow the files. */
typedef struct cursor {
    size_t input, tensor;
} cursor;

static bool find_in(const as_dump *dump, const char *name, size_t *tensor) {
    size_t count = as_dump_tensor_count(dump);
    for (size_t n = 0; n < count; n++) {
        size_t k = (*tensor + n) % count;
        if (strcmp(as_dump_tensor(dump, k)->name, name) == 0) {
            *tensor = k;
            return true;
        }
    }
    return false;
}

static void find_tensor(const as_source *source, const as_item *item, cursor *at, info_tensor *t) {
    size_t count = as_source_input_count(source);
    for (size_t n = 0; n < count; n++) {
        size_t input = (at->input + n) % count;
        const as_dump *dump = as_source_dump(source, input);
        if (dump == NULL || strcmp(as_dump_path(dump), item->source) != 0)
            continue;
        if (input != at->input)
            *at = (cursor){input, 0};
        t->dump = dump;
        if (find_in(dump, t->name, &at->tensor)) {
            t->tensor = as_dump_tensor(dump, at->tensor);
            return;
        }
    }
}

/* Which of layer, batch and head a tensor's matrices run over, as bits. */
enum { HEADS = 1, BATCH = 2, LAYERS = 4 };

/* How the axes were read: those that vary are there; what the rank needs beyond that has length 1,
 * and is a head before it is a batch entry, and that before it is a layer. */
static const char *axes_of(const info_options *o, const info_tensor *t, unsigned varying) {
    static const char *const names[] = {
        [0] = "query,key",
        [HEADS] = "head,query,key",
        [BATCH] = "batch,query,key",
        [BATCH | HEADS] = "batch,head,query,key",
        [LAYERS] = "layer,query,key",
        [LAYERS | HEADS] = "layer,head,query,key",
        [LAYERS | BATCH] = "layer,batch,query,key",
        [LAYERS | BATCH | HEADS] = "layer,batch,head,query,key",
    };
    if (t->tensor == NULL || t->matrices == 0 || t->tensor->rank < 2 || t->tensor->rank > 5)
        return NULL;
    if (o->axes != NULL)
        return o->axes;
    size_t missing = t->tensor->rank - 2;
    for (unsigned bit = HEADS; bit <= LAYERS; bit *= 2)
        missing -= (varying & bit) != 0 && missing > 0 ? 1 : 0;
    for (unsigned bit = HEADS; bit <= LAYERS && missing > 0; bit *= 2)
        if ((varying & bit) == 0) {
            varying |= bit;
            missing--;
        }
    return names[varying];
}

static void add_look(info_tensor *t, const info_look *look, const as_item *item) {
    char mask[AS_MASK_TEXT];
    if (look->status != AS_OK) {
        t->nonfinite += look->status == AS_ENONFINITE ? 1 : 0;
        if (t->status == AS_OK) {
            t->status = look->status;
            t->reason = look->reason;
            message_spot spot = {.layer = item->layer, .batch = item->batch, .head = item->head};
            message_place(t->place, sizeof t->place, &spot);
        }
        return;
    }
    as_mask_name(look->mask, mask);
    if (t->kind == NULL) {
        t->kind = as_kind_name(look->kind);
        memcpy(t->mask, mask, sizeof mask);
    }
    if (strcmp(t->kind, as_kind_name(look->kind)) != 0)
        t->kind = "mixed";
    if (strcmp(t->mask, mask) != 0)
        memcpy(t->mask, "mixed", sizeof "mixed");
    t->masked_rows += look->masked_rows;
    if (look->mask.left > t->padding_left)
        t->padding_left = look->mask.left;
    if (look->mask.right > t->padding_right)
        t->padding_right = look->mask.right;
    t->row_sum_deviation = fmax(t->row_sum_deviation, look->row_sum_deviation);
    row_sums_add(&t->sums, look->kind == AS_KIND_WEIGHTS, look->row_sum_min, look->row_sum_max);
    t->low = fmin(t->low, look->low);
    t->high = fmax(t->high, look->high);
}

/* The tensor of item `*at` and those that follow it; *at moves past them. */
static info_tensor gather(const as_source *source, const info_options *o, const info_look *looks,
                          size_t *at, cursor *at_tensor) {
    const as_item *first = as_source_item(source, *at);
    info_tensor t = {.source = first->source,
                     .name = first->tensor == NULL ? "" : first->tensor,
                     .looked = looks != NULL && first->status == AS_OK,
                     .row_sum_deviation = NAN,
                     .sums = row_sums_begin(),
                     .low = NAN,
                     .high = NAN};
    unsigned varying = 0;
    find_tensor(source, first, at_tensor, &t);
    for (; *at < as_source_count(source); (*at)++) {
        const as_item *item = as_source_item(source, *at);
        if (strcmp(item->source, t.source) != 0 ||
            strcmp(item->tensor == NULL ? "" : item->tensor, t.name) != 0)
            break;
        varying |= (item->head != first->head ? HEADS : 0u) |
                   (item->batch != first->batch ? BATCH : 0u) |
                   (item->layer != first->layer ? LAYERS : 0u);
        if (item->status != AS_OK) {
            t.status = item->status;
            t.reason = item->reason;
            continue;
        }
        t.matrices++;
        if (looks != NULL)
            add_look(&t, &looks[*at], item);
    }
    t.axes = axes_of(o, &t, varying);
    return t;
}

/* To say that a tensor is skipped or not finite is what info is for; what it could not read is not.
 */
static int code_of(const info_tensor *tensors, size_t count) {
    size_t counts[AS_MATRIX_STATUS_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        as_status s = tensors[i].status;
        counts[s == AS_SKIPPED || s == AS_ENONFINITE ? AS_OK : s]++;
    }
    return exit_code_of_counts(counts);
}

static int print(const info_options *o, const info_tensor *tensors, size_t count) {
    char why[OUTPUT_WHY];
    output_file out;
    as_status status = output_open(o->common.output, o->common.force, &out, why);
    if (status != AS_OK) {
        message_error("%s", why);
        return exit_code_of(status);
    }
    if (o->json)
        status = info_print_json(tensors, count, out.stream);
    else
        info_print_text(tensors, count, o, out.stream);
    if (status != AS_OK) {
        message_error("%s", as_message());
        output_discard(&out);
        return exit_code_of(status);
    }
    status = output_commit(&out, why);
    if (status != AS_OK) {
        message_error("%s", why);
        return exit_code_of(status);
    }
    return code_of(tensors, count);
}

/* Whether the output is a file that is described. */
static bool writes_input(const as_source *source, const info_options *o) {
    bool clash = false;
    for (size_t i = 0; i < as_source_input_count(source) && !clash; i++) {
        const char *path = as_source_input_path(source, i);
        clash = output_is_input(o->common.output, &path, 1);
    }
    return clash;
}

static int describe(const as_source *source, const info_options *o) {
    size_t items = as_source_count(source), count = 0;
    info_look *looks = o->headers ? NULL : calloc(items + 1, sizeof *looks);
    info_tensor *tensors = calloc(items + 1, sizeof *tensors);
    int code = EXIT_SOME_FAILED;
    if (tensors == NULL || (looks == NULL && !o->headers) ||
        (looks != NULL && look_at_all(source, o, looks) != AS_OK)) {
        message_error("there is no memory for %zu matrices", items);
    } else if (interrupt_signal() != 0) {
        code = interrupt_exit_code();
    } else {
        cursor here = {0, 0};
        for (size_t at = 0; at < items;)
            tensors[count++] = gather(source, o, looks, &at, &here);
        code = print(o, tensors, count);
    }
    for (size_t i = 0; looks != NULL && i < items; i++)
        free(looks[i].reason);
    free(looks);
    free(tensors);
    return code;
}

static int run(const tool *self, void *values) {
    const info_options *o = values;
    const text_list *inputs = &o->common.operands;
    as_source_options how = {
        .axes = o->axes,
        .raw = o->raw,
        .raw_dtype = o->raw_dtype,
    };
    int code = reading_parse(self, &o->reading, &how);
    if (code != EXIT_DONE)
        return code;
    as_source *source = NULL;
    as_status status = as_source_open(inputs->item, inputs->count, &how, &source);
    if (status == AS_EINVAL)
        return usage_error(self, "%s", as_message());
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    if (as_source_note(source) != NULL)
        message_note("%s", as_source_note(source));
    message_left_out(as_source_left_out(source));
    interrupt_catch();
    code = writes_input(source, o) ? EXIT_OUTPUT : describe(source, o);
    as_source_close(source);
    return code;
}

const tool tool_info = {
    .name = "info",
    .operands = "FILE[:TENSOR]...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .description =
        "Says what files hold before they are analysed: every tensor with its shape and dtype; "
        "and, read one matrix at a time, whether it holds logits or weights, which mask, whether "
        "all is finite, and the smallest and the largest entry that is not masked. TENSOR is a "
        "name or a pattern with * and ?; FILE may be a folder, or a quoted pattern of names.",
    .options = options,
    .options_size = sizeof(info_options),
    .examples = "attnspec info attention.npy\n"
                "attnspec info --headers *.npy\n"
                "# Weights after dropout, or with a sink, do not sum to 1:\n"
                "attnspec info --kind weights attention.npy\n"
                "attnspec info --json attention.npy -o attention.json\n",
    .run = run,
};

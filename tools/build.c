/* attnspec build: q, k, content logits and coupled logits of one scheme and one content, as a dump.
 * It refuses to replace a dump without --force. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hf_note.h"
#include "interrupt.h"
#include "message.h"
#include "origin.h"
#include "output.h"
#include "progress.h"
#include "tool.h"

/* A seed is a numeric attribute, which is exact up to here. */
#define MAX_SEED 0x1p53

#define AT(field) .offset = offsetof(build_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "What is built"},
    {.type = OPTION_TEXT,
     .name = "scheme",
     .value = "SCHEME",
     .help = "the positional encoding, name[:key=value,...], such as rope:base=500000",
     AT(scheme)},
    {.type = OPTION_TEXT,
     .name = "hf-config",
     .value = "FILE",
     .help = "a Hugging Face config.json: scheme, heads, key heads and head size are its model's, "
             "where they are not named",
     AT(hf_config)},
    {.type = OPTION_TEXT,
     .name = "content",
     .value = "CONTENT",
     .preset = "gaussian",
     .help =
         "where q and k come from, name[:key=value,...], such as mean:strength=2; or file:PATH, "
         "the q and k of another dump of attnspec build, with its sizes",
     AT(content)},
    {.type = OPTION_SIZE,
     .name = "n",
     .value = "N",
     .preset = "128",
     .low = 1,
     .help = "positions: logits are n by n",
     AT(n)},
    {.type = OPTION_SIZE,
     .name = "head-dim",
     .value = "D",
     .preset = "64",
     .low = 1,
     .help = "head size",
     AT(dim)},
    HEADS_ROWS(build_options),
    {.type = OPTION_TEXT,
     .name = "mask",
     .value = "MASK",
     .preset = "none",
     .help = "none, causal, window:W or prefix:P; masked logits are -inf",
     AT(mask)},
    {.type = OPTION_SIZE,
     .name = "seed",
     .value = "X",
     .preset = "0",
     .high = MAX_SEED,
     .help = "of every random number",
     AT(seed)},
    {OPTION_TEXT, 'o', "output", "FILE", .incidental = true, .help = "the dump; it must be named",
     AT(common.output)},
    {.type = OPTION_END},
};

/* The text attributes of the dump and the writer; the sentence of a failure is told. */
static as_status open_writer(const tool *self, build_job *j) {
    const build_options *o = j->o;
    const common_options *common = &o->common;
    char mask[AS_MASK_TEXT], *provenance = NULL;
    char *scheme = as_scheme_text(&j->pair.scheme);
    char *content = j->file != NULL ? strdup(o->content) : as_content_text(&j->content);
    /* Without times, threads and -o: the same words give the same bytes. */
    const as_provenance_input input = origin_of(self, common, true);
    as_status status = as_provenance(&input, &provenance);
    if (status != AS_OK) {
        message_error("%s", as_message());
    } else if (scheme == NULL || content == NULL) {
        message_error("there is no memory for the names of scheme and content");
        status = AS_ENOMEM;
    } else {
        const char *const attributes[][2] = {{"scheme", scheme},
                                             {"content", content},
                                             {"mask", as_mask_name(j->mask, mask)},
                                             {"provenance", provenance}};
        const as_dump_shape shape = {.layers = o->layers,
                                     .heads = o->heads,
                                     .kv_heads = o->kv_heads,
                                     .rows = o->n,
                                     .cols = o->n,
                                     .dim = o->dim};
        status = as_dump_create(common->output, common->force, &shape, attributes,
                                sizeof attributes / sizeof *attributes, &j->writer);
        if (status != AS_OK) {
            message_error("%s%s", as_message(), status == AS_EEXIST ? "; --force replaces it" : "");
        }
    }
    free(provenance);
    free(content);
    free(scheme);
    return status;
}

static void mask_out(const build_job *j, as_matrix *a) {
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t k = 0; k < a->cols; k++) {
            if (!as_mask_keeps(j->mask, a->rows, a->cols, i, k)) {
                a->data[i * a->cols + k] = -INFINITY;
            }
        }
    }
}

/* q and k of one query head; its key head is shared by `group` of them. */
static as_status fill(build_job *j, size_t layer, size_t head, size_t kv_head) {
    const build_options *o = j->o;
    if (j->file != NULL) {
        as_slice place = {.row_axis = 2, .col_axis = 3, .index = {layer, head}};
        as_status read = as_dump_read(j->file, j->query, &place, &j->pair.q);
        place.index[1] = kv_head;
        return read == AS_OK ? as_dump_read(j->file, j->key, &place, &j->pair.k) : read;
    }
    const as_content_shape q = {layer, head, o->n, o->dim, o->seed};
    return draw_pair(&j->content, &q, kv_head, &j->pair);
}

static as_status write(const build_job *j, size_t layer, size_t head, size_t kv_head,
                       bool with_key) {
    as_status status = as_dump_write(j->writer, "query", layer, 0, head, j->pair.q.data);
    if (status == AS_OK && with_key) {
        status = as_dump_write(j->writer, "key", layer, 0, kv_head, j->pair.k.data);
    }
    if (status == AS_OK) {
        status = as_dump_write(j->writer, "logits", layer, 0, head, j->logits.data);
    }
    return status == AS_OK
               ? as_dump_write(j->writer, "content", layer, 0, head, j->content_logits.data)
               : status;
}

static as_status make_head(build_job *j, size_t layer, size_t head) {
    const build_options *o = j->o;
    size_t group = o->heads / o->kv_heads, kv_head = head / group;
    j->pair.head = build_head(j, layer, head);
    j->pair.scale = 0; /* the scheme's own */
    as_status status = fill(j, layer, head, kv_head);
    if (status == AS_OK) {
        status = as_couple(&j->pair, &j->content_logits, &j->logits);
    }
    if (status != AS_OK) {
        return status;
    }
    mask_out(j, &j->logits);
    mask_out(j, &j->content_logits);
    status = write(j, layer, head, kv_head, head % group == 0);
    /* One scale for the dump: no scheme's depends on layer or head. */
    if (status == AS_OK && layer == 0 && head == 0) {
        status = as_dump_write_number(j->writer, "scale", j->pair.scale);
    }
    return status;
}

/* One step of the loop; BLAS has the threads. */
static void step(void *context, size_t index, size_t worker) {
    build_job *j = context;
    (void)worker;
    if (j->status != AS_OK || interrupt_signal() != 0) {
        return;
    }
    j->status = make_head(j, index / j->o->heads, index % j->o->heads);
    if (j->status != AS_OK) {
        snprintf(j->sentence, sizeof j->sentence, "%s", as_message());
    } else {
        j->done++;
    }
    progress_step(j->status != AS_OK);
}

static void tell(const build_options *o) {
    struct stat facts;
    double bytes = stat(o->common.output, &facts) == 0 ? (double)facts.st_size : 0;
    bool large = bytes >= 0x1p20;
    message_note("%s: query, key, logits and content, %zu layer%s of %zu head%s, n = %zu, %.3g %s; "
                 "next: attnspec analyze %s",
                 o->common.output, o->layers, o->layers == 1 ? "" : "s", o->heads,
                 o->heads == 1 ? "" : "s", o->n, ldexp(bytes, large ? -20 : -10),
                 large ? "MiB" : "KiB", o->common.output);
}

static int deliver(build_job *j, size_t planned) {
    if (j->status != AS_OK) {
        message_error("%s", j->sentence);
        return exit_code_of(j->status);
    }
    if (j->done < planned) {
        message_error("interrupted after %zu of %zu heads; nothing is written", j->done, planned);
        return interrupt_exit_code();
    }
    as_status status = as_dump_write_number(j->writer, "seed", (double)j->o->seed);
    if (status == AS_OK) {
        status = as_dump_finish(j->writer);
    }
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    tell(j->o);
    return EXIT_DONE;
}

static int work(const tool *self, build_job *j) {
    const build_options *o = j->o;
    size_t planned;
    if (__builtin_mul_overflow(o->layers, o->heads, &planned)) {
        return usage_error(self, "%zu layers of %zu heads are too many", o->layers, o->heads);
    }
    interrupt_catch();
    as_status status = open_writer(self, j);
    if (status != AS_OK) {
        return exit_code_of(status);
    }
    progress_start(&o->common, "heads", planned);
    as_serial_for(planned, o->common.deterministic ? 1 : o->common.threads, step, j);
    progress_stop();
    return deliver(j, planned);
}

static int run(const tool *self, void *values) {
    build_options *o = values;
    build_job j = {.o = o};
    as_hf_config config;
    int code = o->hf_config != NULL ? build_take_config(self, o, &config) : EXIT_DONE;
    o->kv_heads = o->kv_heads > 0 ? o->kv_heads : o->heads;
    if (code == EXIT_DONE && strncmp(o->content, "file:", 5) == 0) {
        code = build_open_file(self, o, &j);
    }
    if (code == EXIT_DONE) {
        code = build_parse(self, o, &j);
    }
    if (code == EXIT_DONE) {
        hf_note_of(o->scheme);
        as_head head = build_head(&j, 0, 0);
        const char *warning = as_scheme_warning(&j.pair.scheme, &head);
        if (warning != NULL) {
            message_note("%s", warning);
        }
    }
    if (code == EXIT_DONE) {
        code = work(self, &j);
    }
    as_dump_writer_free(j.writer);
    as_dump_close(j.file);
    as_pair_free(&j.pair);
    as_tables_free(&j.tables);
    as_matrix_free(&j.content_logits);
    as_matrix_free(&j.logits);
    return code;
}

const tool tool_build = {
    .name = "build",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .description =
        "Draws q and k from a content, couples them by a positional encoding, and writes what "
        "attention would see: q and k before position, the content logits q k^T times the scale, "
        "and the coupled logits, all in float64, as an HDF5 dump that attnspec analyze compares. "
        "Every layer, head and purpose has its own stream of random numbers, so one more shifts "
        "no other, and the same words give the same bytes.",
    .options = options,
    .options_size = sizeof(build_options),
    .examples = "attnspec build --scheme rope --mask causal -o rope.h5\n"
                "attnspec build --scheme alibi --content mean:strength=2 --heads 8 -o alibi.h5\n"
                "# Grouped queries, as many models have them:\n"
                "attnspec build --scheme rope:layout=half --heads 8 --kv-heads 2 -o gqa.h5\n",
    .run = run,
};

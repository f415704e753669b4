/* The options of analyze, and what their words mean.
 * It refuses words that are no layers, masks, schemes, spectra, metrics or tolerances. */
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "hf_note.h"
#include "message.h"
#include "output.h"
#include "tool.h"

#define AT(field) offsetof(analyze_options, field)

const option analyze_rows[] = {
    {.type = OPTION_GROUP, .help = "What the input is"},
    READING_KIND(AT(reading)),
    {.type = OPTION_TEXT,
     .name = "axes",
     .value = "LIST",
     .help = "the axes in the file's order, of layer,batch,head,query,key; by rank where not given",
     .offset = AT(axes)},
    {.type = OPTION_TEXT,
     .name = "layers",
     .value = "LIST",
     .help = "only these layers, such as 0,3-5,8-",
     .offset = AT(layers)},
    {.type = OPTION_TEXT,
     .name = "heads",
     .value = "LIST",
     .help = "only these heads",
     .offset = AT(heads)},
    {.type = OPTION_TEXT,
     .name = "batch",
     .value = "LIST",
     .help = "only these batch entries",
     .offset = AT(batch)},
    {.type = OPTION_TEXT,
     .name = "raw",
     .value = "SHAPE:DTYPE",
     .help = "the inputs are elements without a header, as 8x64x64:f32 says; > before the dtype: "
             "big-endian",
     .offset = AT(raw)},
    {.type = OPTION_TEXT,
     .name = "raw-dtype",
     .value = "DTYPE",
     .help = "what opaque two-byte elements are: bf16",
     .offset = AT(raw_dtype)},
    {.type = OPTION_GROUP, .help = "Query and key, coupled by schemes"},
    {.type = OPTION_LIST,
     .name = "query",
     .value = "INPUT",
     .help = "queries [layer, batch, head, position, dim], before position; with --key",
     .offset = AT(queries)},
    {.type = OPTION_LIST,
     .name = "key",
     .value = "INPUT",
     .help = "keys, paired with the queries by layer and batch; each key head serves a group of "
             "query heads",
     .offset = AT(keys)},
    {.type = OPTION_TEXT,
     .name = "query-axes",
     .value = "LIST",
     .help = "the axes of the queries, of layer,batch,head,position,dim",
     .offset = AT(query_axes)},
    {.type = OPTION_TEXT,
     .name = "key-axes",
     .value = "LIST",
     .help = "the axes of the keys",
     .offset = AT(key_axes)},
    {.type = OPTION_LIST,
     .name = "scheme",
     .value = "SCHEME",
     .help = "couple by this scheme, such as rope:base=10000 ('attnspec schemes' lists them), and "
             "compare with content only; without one there is content only",
     .offset = AT(schemes)},
    {.type = OPTION_TEXT,
     .name = "hf-config",
     .value = "FILE",
     .help = "couple by the scheme of the model of this Hugging Face config.json, too; the same as "
             "--scheme hf:FILE",
     .offset = AT(hf_config)},
    {.type = OPTION_REAL,
     .name = "scale",
     .value = "X",
     .low = 0,
     .high = 1e300,
     .help = "factor on q k^T, where it is not the scheme's own: 1/sqrt(dim), of t5 1; where "
             "there are none, factor on the logits that are read; 0: its own",
     .offset = AT(scale)},
    {.type = OPTION_CHOICE,
     .name = "position",
     .value = "WHICH",
     .choices = "none|applied",
     .preset = "none",
     .help = "applied: queries and keys were saved after rotation by the scheme; it is undone for "
             "the content",
     .offset = AT(position)},
    {.type = OPTION_TEXT,
     .name = "positions",
     .value = "FILE",
     .help = "where the keys stand, an array [keys] or [batch, keys]; the last query stands at the "
             "last key. Without it 0, 1, ..., from the first token on behind --mask padding:left=L",
     .offset = AT(positions)},
    {.type = OPTION_CHOICE,
     .name = "phase-dtype",
     .value = "DTYPE",
     .choices = "f64|f32|bf16",
     .preset = "f64",
     .help = "how angles, cosines and sines of rotations are rounded: exactly, or as models do",
     .offset = AT(phase)},
    {.type = OPTION_SIZE,
     .name = "seed",
     .value = "N",
     .preset = "0",
     .high = 0x1p53,
     .help = "of the tables that schemes draw (learned, t5), and of the order that ww shuffles to",
     .offset = AT(seed)},
    {.type = OPTION_LIST,
     .name = "baseline",
     .value = "INPUT",
     .help = "compare with these matrices, paired by layer, batch and head",
     .offset = AT(baselines)},
    {.type = OPTION_LIST,
     .name = "baseline-query",
     .value = "INPUT",
     .help = "compare with the plain product of these queries",
     .offset = AT(baseline_queries)},
    {.type = OPTION_LIST,
     .name = "baseline-key",
     .value = "INPUT",
     .help = "and these keys; their axes are --query-axes and --key-axes",
     .offset = AT(baseline_keys)},
    {.type = OPTION_GROUP, .help = "Masks"},
    READING_MASK(AT(reading), "; of queries and keys it is none"),
    READING_SENTINEL(AT(reading)),
    {.type = OPTION_SWITCH,
     .name = "drop-padding",
     .help =
         "leave out the keys of the padding, and of square matrices the queries at their places",
     .offset = AT(drop_padding)},
    {.type = OPTION_CHOICE,
     .name = "masked-as",
     .value = "HOW",
     .choices = "zero|softmax",
     .preset = "zero",
     .help = "before the spectrum is taken, masked logits become 0, or all rows are softmaxed",
     .offset = AT(masked_as)},
    {.type = OPTION_GROUP, .help = "What is done to logits, in this order: scale, cap, bias, mask"},
    {.type = OPTION_REAL,
     .name = "softcap",
     .value = "C",
     .low = 0,
     .high = 1e300,
     .help = "x becomes C tanh(x/C); 0: it does not",
     .offset = AT(softcap)},
    {.type = OPTION_LIST,
     .name = "bias",
     .value = "INPUT",
     .help = "add these matrices, paired by layer, batch, head and shape; an axis that they lack "
             "stands for all. What is masked in them is masked. Without another baseline it is the "
             "logits without bias",
     .offset = AT(biases)},
    {.type = OPTION_CHOICE,
     .name = "center",
     .value = "HOW",
     .choices = "none|row",
     .preset = "none",
     .help = "row: take the mean of each row's kept entries out, which softmax does not see",
     .offset = AT(center)},
    {.type = OPTION_GROUP, .help = "Work"},
    TAKING_ROWS(AT(taking)),
    {.type = OPTION_TEXT,
     .name = "rank-tolerance",
     .value = "TOL",
     .preset = "auto",
     .help = "of the matrix rank: auto, abs:X, or rel:X (times the largest singular value)",
     .offset = AT(rank_tolerance)},
    {.type = OPTION_TEXT,
     .name = "grid",
     .value = "[P+]HxW",
     .help = "the tokens are the patches of an image, H rows of W, after P others (class, "
             "registers): Toeplitz metrics go by the offset in two dimensions, without the P",
     .offset = AT(grid)},
    {.type = OPTION_SWITCH,
     .name = "dry-run",
     .incidental = true,
     .help =
         "only say what would be analysed, what not and why, and about how much memory and time "
         "it takes; reads headers, writes nothing",
     .offset = AT(dry_run)},
    {.type = OPTION_SWITCH,
     .name = "resume",
     .incidental = true,
     .help = "go on with the OUT.part of an interrupted run",
     .offset = AT(resume)},
    {OPTION_TEXT, 'o', "output", "FILE", .incidental = true,
     .help = "write the results to FILE; without it print the text report",
     .offset = AT(common.output)},
    {.type = OPTION_END},
};

static as_status parse_tolerance(const char *text, as_rank_tolerance *out) {
    *out = (as_rank_tolerance){.rule = AS_RANK_AUTO};
    if (strcmp(text, "auto") == 0) {
        return AS_OK;
    }
    char *end = NULL;
    bool absolute = strncmp(text, "abs:", 4) == 0;
    if ((absolute || strncmp(text, "rel:", 4) == 0) && text[4] != '\0') {
        out->rule = absolute ? AS_RANK_ABSOLUTE : AS_RANK_RELATIVE;
        out->value = strtod(text + 4, &end);
    }
    /* Also refuses NaN. */
    bool good = end != NULL && *end == '\0' && out->value >= 0 && out->value <= 1e308;
    return good ? AS_OK : AS_EINVAL;
}

void analyze_request_free(analyze_request *r) {
    as_index_set_free(r->layers);
    as_index_set_free(r->heads);
    as_index_set_free(r->batch);
    free(r->schemes);
}

static int parse_schemes(const tool *self, const analyze_options *o, analyze_request *r) {
    if (o->queries.count > 0 && o->reading.kind == AS_KIND_WEIGHTS) {
        return usage_error(self, "queries and keys make logits; --kind weights is not for them");
    }
    if (o->hf_config != NULL && o->queries.count == 0) {
        return usage_error(self, "--hf-config names a scheme, which couples queries and keys: "
                                 "--query and --key name them");
    }
    if (o->schemes.count > 0 && o->queries.count == 0) {
        return usage_error(self, "--scheme couples queries and keys, which --query and --key name");
    }
    if (o->position != 0 && o->queries.count == 0) {
        return usage_error(self, "--position is of queries and keys, which --query and --key name");
    }
    if ((o->positions != NULL || o->phase != 0) && o->queries.count == 0) {
        return usage_error(self,
                           "--positions and --phase-dtype are of queries and keys, which --query "
                           "and --key name");
    }
    bool axes = o->query_axes != NULL || o->key_axes != NULL;
    if (axes && o->queries.count + o->baseline_queries.count == 0) {
        return usage_error(self, "the axes of queries and keys need a --query and a --key, or a "
                                 "--baseline-query and a --baseline-key");
    }
    if (o->reading.kind == AS_KIND_WEIGHTS &&
        (o->scale != 0 || o->softcap != 0 || o->center != 0 || o->biases.count > 0)) {
        return usage_error(self, "--scale, --softcap, --bias and --center are of logits; --kind "
                                 "weights says that there are none");
    }
    r->schemes = calloc(o->schemes.count + 2, sizeof *r->schemes);
    if (r->schemes == NULL) {
        message_error("no memory for %zu schemes", o->schemes.count);
        return EXIT_SOME_FAILED;
    }
    for (size_t i = 0; i < o->schemes.count; i++) {
        if (as_scheme_parse(o->schemes.item[i], &r->schemes[i]) != AS_OK) {
            return usage_error(self, "%s", as_message());
        }
        hf_note_of(o->schemes.item[i]);
    }
    as_hf_config config;
    if (o->hf_config != NULL) {
        if (as_scheme_hf(o->hf_config, &config) != AS_OK ||
            as_scheme_parse(config.scheme, &r->schemes[o->schemes.count]) != AS_OK) {
            return usage_error(self, "%s", as_message());
        }
        hf_note(o->hf_config, &config);
        r->source.scheme_count++;
    }
    return EXIT_DONE;
}

/* What the schemes have to say under the mask that is named. */
static void say_warnings(const analyze_request *r) {
    const as_head head = {
        .heads = 1, .rows = 1, .cols = 1, .dim = 1, .causal = as_mask_hides(r->source.mask)};
    for (size_t i = 0; i < r->source.scheme_count; i++) {
        const char *warning = as_scheme_warning(&r->schemes[i], &head);
        if (warning != NULL) {
            message_note("%s", warning);
        }
    }
}

int analyze_request_parse(const tool *self, const analyze_options *o, analyze_request *r) {
    *r = (analyze_request){.source = {.axes = o->axes,
                                      .raw = o->raw,
                                      .raw_dtype = o->raw_dtype,
                                      .masked_as = (as_masked_as)o->masked_as,
                                      .scale = o->scale,
                                      .softcap = o->softcap,
                                      .center = o->center == 1,
                                      .drop_padding = o->drop_padding,
                                      .biases = o->biases.item,
                                      .bias_count = o->biases.count,
                                      .seed = o->seed,
                                      .queries = o->queries.item,
                                      .query_count = o->queries.count,
                                      .keys = o->keys.item,
                                      .key_count = o->keys.count,
                                      .query_axes = o->query_axes,
                                      .key_axes = o->key_axes,
                                      .scheme_count = o->schemes.count,
                                      .position_applied = o->position == 1,
                                      .positions = o->positions,
                                      .phase = (as_phase)o->phase,
                                      .baselines = o->baselines.item,
                                      .baseline_queries = o->baseline_queries.item,
                                      .baseline_query_count = o->baseline_queries.count,
                                      .baseline_keys = o->baseline_keys.item,
                                      .baseline_key_count = o->baseline_keys.count,
                                      .baseline_count = o->baselines.count}};
    if (as_index_set_parse(o->layers, &r->layers) != AS_OK ||
        as_index_set_parse(o->heads, &r->heads) != AS_OK ||
        as_index_set_parse(o->batch, &r->batch) != AS_OK) {
        return usage_error(self, "%s", as_message());
    }
    int code = reading_parse(self, &o->reading, &r->source);
    if (code != EXIT_DONE) {
        return code;
    }
    if (parse_tolerance(o->rank_tolerance, &r->summary.tolerance) != AS_OK) {
        return usage_error(self, "--rank-tolerance '%s' is not auto, abs:X or rel:X with X ≥ 0",
                           o->rank_tolerance);
    }
    if (o->reading.sentinel != NULL && o->common.operands.count + o->baselines.count == 0) {
        return usage_error(self,
                           "--sentinel is of matrices that are read, not of queries and keys");
    }
    if (o->grid != NULL && as_grid_parse(o->grid, &r->summary.grid) != AS_OK) {
        return usage_error(self, "%s", as_message());
    }
    code = taking_parse(self, &o->taking, o->seed, &r->summary);
    if (code == EXIT_DONE) {
        code = parse_schemes(self, o, r);
    }
    if (code == EXIT_DONE) {
        say_warnings(r);
    }
    r->source.schemes = r->schemes;
    r->source.layers = r->layers;
    r->source.heads = r->heads;
    r->source.batch = r->batch;
    return code;
}

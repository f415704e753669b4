/* build: what the command and its plan share. */
#ifndef TOOLS_BUILD_H
#define TOOLS_BUILD_H

#include "draw.h"

typedef struct build_options {
    common_options common;
    const char *scheme, *hf_config, *content, *mask;
    size_t n, dim, heads, kv_heads, layers, seed;
} build_options;

/* What is built, parsed, and the matrices of the head at hand. */
typedef struct build_job {
    const build_options *o;
    as_content content;
    as_dump *file;     /* content file:PATH: q and k of a dump, else NULL */
    size_t query, key; /* tensors of file */
    as_mask mask;
    as_tables tables; /* of the file that the scheme names */
    as_pair pair;
    as_matrix content_logits, logits;
    as_dump_writer *writer;
    as_status status; /* of the first failure, which ends the loop; its sentence is kept */
    char sentence[AS_MESSAGE_MAX];
    size_t done;
} build_job;

/* Takes from `--hf-config` what is not named; *config keeps the text of the scheme. As the others here:
 * EXIT_DONE, or the exit code after the sentence. */
int build_take_config(const struct tool *self, build_options *o, as_hf_config *config);
/* Opens the dump of `--content file:PATH` and takes its sizes. */
int build_open_file(const struct tool *self, build_options *o, build_job *j);
/* Reads the words, the tables of the scheme too, and asks it whether it takes every head. */
int build_parse(const struct tool *self, const build_options *o, build_job *j);

as_head build_head(const build_job *j, size_t layer, size_t head);

#endif

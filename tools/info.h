/* info: what is known of each tensor once its matrices were looked at.
 * It takes no spectrum. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "attnspec/logits.h"
#include "options.h"
#include "reading.h"
#include "row_sums.h"

#define INFO_PLACE 160

typedef struct info_options {
    common_options common;
    const char *axes, *raw, *raw_dtype;
    reading reading; /* what the numbers are */
    bool headers, json;
} info_options;

/* What one look at a matrix gave; the reason is owned. */
typedef struct info_look {
    as_status status;
    char *reason;
    as_kind kind;
    as_mask mask;
    size_t masked_rows;
    double row_sum_deviation, low, high; /* NaN where there is none */
    double row_sum_min, row_sum_max;
} info_look;

/* One tensor, or one file that could not be read (then tensor is NULL). */
typedef struct info_tensor {
    const char *source;
    const as_dump *dump; /* NULL where it could not be opened */
    const as_tensor *tensor;
    const char *name;
    const char *axes; /* "layer,head,query,key"; NULL where there is no reading */
    size_t matrices;
    bool looked;      /* elements were read: the rest is known */
    const char *kind; /* "mixed" where the matrices differ */
    char mask[AS_MASK_TEXT];
    size_t nonfinite, masked_rows;
    size_t padding_left, padding_right; /* the most of one matrix */
    row_sums sums;
    double row_sum_deviation, low, high;
    as_status status; /* of the first matrix that is not AS_OK, with its reason and its place */
    const char *reason;
    char place[INFO_PLACE];
} info_tensor;

void info_print_text(const info_tensor *tensors, size_t count, const info_options *options,
                     FILE *out);
/* AS_ENOMEM */
as_status info_print_json(const info_tensor *tensors, size_t count, FILE *out);

#endif

/* scaling: one table of what longer contexts do to RoPE's frequencies. Private to lib/scheme. */
#ifndef AS_SCHEME_SCALING_H
#define AS_SCHEME_SCALING_H

#include "attnspec/scheme.h"

/* The words of a scheme's parameter `scaling`, which may also be some of them. */
#define AS_SCALINGS "none|linear|ntk|dynamic|yarn|llama3|longrope|proportional"

/* The ends of YaRN's ramp, for the tables of schemes that take it. */
#define AS_YARN_RAMP_PARAMS                                                                        \
    {.key = "beta_fast",                                                                           \
     .type = AS_PARAM_REAL,                                                                        \
     .preset = "32",                                                                               \
     .low = 1e-6,                                                                                  \
     .high = 1e6,                                                                                  \
     .meaning = "of yarn: pairs that turn more often within L keep their frequency"},              \
    {                                                                                              \
        .key = "beta_slow", .type = AS_PARAM_REAL, .preset = "1", .low = 1e-6, .high = 1e6,        \
        .meaning = "of yarn: pairs that turn less often within L are slowed by the whole factor"   \
    }

/* AS_EINVAL where a parameter is given that the chosen scaling does not read, or one is missing, or
 * they contradict each other. */
as_status as_scaling_agree(const as_scheme *scheme);

/* What the chosen scaling needs of a head with that many rotated dimensions: lists of that length. */
as_status as_scaling_check(const as_scheme *scheme, const as_head *head, size_t dims);

/* Sets theta [dims/2] and gain; proportional also the count of pairs. */
as_status as_scaling_apply(const as_scheme *scheme, const as_head *head, size_t dims,
                           as_rotation *out);

/* (P14) g(s, m) = 0.1 m ln s + 1, 1 for s ≤ 1. */
double as_scaling_magnitude(double factor, double mscale);

#endif

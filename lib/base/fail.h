/* fail: how a function says what went wrong. Private to the library. */
#ifndef AS_BASE_FAIL_H
#define AS_BASE_FAIL_H

#include "attnspec/base.h"

/* Keeps the sentence for as_message() and returns status: `return as_fail(AS_EREAD, "…", …);`.
 * The one place for a breakpoint. */
as_status as_fail(as_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the message that is there; returns status. */
as_status as_fail_prefix(as_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* a·b in *out; false where it does not fit. */
static inline bool as_mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/* 64-byte aligned, `bytes` rounded up; NULL where there is no memory or bytes is 0. free() it. */
void *as_alloc(size_t bytes);

/* AS_ENOMEM where a call of BLAS would wait for memory for ever: to be asked before one that needs a
 * buffer, inside a loop of as_parallel_for() or as_serial_for(), which find it out. */
as_status as_blas_ready(void);

/* What helps where None was saved instead of attention. */
#define AS_EAGER_HINT                                                                              \
    "models give no attention weights unless they are loaded with attn_implementation=\"eager\""

#endif

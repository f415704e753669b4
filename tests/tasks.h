/* tasks: what the tests of tasks share. */
#ifndef AS_TESTS_TASKS_H
#define AS_TESTS_TASKS_H

#include "support.h"

enum { N = 37, V = 64 }; /* positions and vocabulary */

static inline as_task *task(const char *text, size_t n, size_t vocab) {
    as_task *t = NULL;
    assert_ok(as_task_open(text, n, vocab, &t));
    return t;
}

static inline as_stream *stream(void) {
    as_stream *s = NULL;
    assert_ok(as_stream_new(0, "test", 0, 0, &s));
    return s;
}

/* Expected counts are all total/cells. With k cells the mean is k − 1 and the variance 2(k − 1); what is
 * five standard deviations above occurs in 1 of 400 seeds with three cells, in 1 of 6000 with eighteen,
 * and the seeds here are fixed. */
static inline void assert_uniform(const size_t *count, size_t cells) {
    double total = 0, square = 0, freedom = (double)cells - 1;
    for (size_t i = 0; i < cells; i++) {
        total += (double)count[i];
    }
    double expected = total / (double)cells;
    ck_assert_double_ge(expected, 20);
    for (size_t i = 0; i < cells; i++) {
        square += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    }
    ck_assert_msg(square < freedom + 5 * sqrt(2 * freedom), "chi-square %g of %zu cells", square,
                  cells);
}

#endif

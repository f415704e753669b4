/* The table of ragged arrays, and the way to them in a row.
 * It refuses more numbers than an array within the row can hold. */
#include "result/ragged.h"

#include <string.h>

#define CAPACITY_POINTER(member) 0
#define CAPACITY_ARRAY(member)   (sizeof((as_row *)0)->member / sizeof(double))
#define SCALE_LOG                true
#define SCALE_LINEAR             false

const as_ragged as_raggeds[AS_RAGGED_COUNT] = {
#define X(name, member, count, hold, group, axis, scale, title, summary)                           \
    {#name,                                                                                        \
     "/entry/" group,                                                                              \
     title,                                                                                        \
     summary,                                                                                      \
     offsetof(as_row, member),                                                                     \
     offsetof(as_row, count),                                                                      \
     CAPACITY_##hold(member),                                                                      \
     AS_RAGGED_##axis,                                                                             \
     SCALE_##scale},
#include "result/ragged.def"
#undef X
};

size_t as_ragged_leader(size_t r) {
    while (r > 0 && as_raggeds[r - 1].count == as_raggeds[r].count) {
        r--;
    }
    return r;
}

size_t as_ragged_count(const as_row *row, size_t r) {
    return *(const size_t *)((const char *)row + as_raggeds[r].count);
}

const double *as_ragged_numbers(const as_row *row, size_t r) {
    const void *member = (const char *)row + as_raggeds[r].member;
    return as_raggeds[r].capacity > 0 ? member : *(const double *const *)member;
}

bool as_ragged_set(as_row *row, size_t r, const double *numbers, size_t count) {
    const as_ragged *ragged = &as_raggeds[r];
    void *member = (char *)row + ragged->member;
    if (ragged->capacity == 0) {
        *(const double **)member = count > 0 ? numbers : NULL;
    } else if (count > ragged->capacity) {
        return false;
    } else if (count > 0) {
        memcpy(member, numbers, count * sizeof *numbers);
    }
    *(size_t *)((char *)row + ragged->count) = count;
    return true;
}

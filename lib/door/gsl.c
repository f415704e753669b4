/* The only file that knows GSL. Its error handler, which would abort, is off.
 * It refuses a GSL whose mt19937 keeps another state than it has since 1.0. */
#include "door/gsl.h"
#include "base/fail.h"

#include <pthread.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { N = 624 };

/* What gsl_rng_state() of mt19937 points to (rng/mt.c): files of gsl_rng_fwrite() hold it, too.
 * GSL seeds by 32 bits alone, so that among 10⁵ streams two would be the same. */
typedef struct mt_state {
    unsigned long mt[N];
    int mti;
} mt_state;

static void handler_off(void) {
    gsl_set_error_handler_off();
}

/* mt[i]: its neighbour mixed in, as both loops of init_by_array() do; 32 bits. */
static uint32_t mixed(const mt_state *s, size_t i, uint32_t factor) {
    uint32_t before = (uint32_t)s->mt[i - 1];
    return (uint32_t)s->mt[i] ^ ((before ^ (before >> 30)) * factor);
}

static size_t next(mt_state *s, size_t i) {
    if (i + 1 < N) {
        return i + 1;
    }
    s->mt[0] = s->mt[N - 1];
    return 1;
}

/* init_by_array() from the second step on; gsl_rng_set() with its number was the first, which is the
 * same for every key and so was made once. */
static void mix(mt_state *s, const uint32_t head[6], const char *purpose) {
    size_t length = 6 + strlen(purpose), i = 1, j = 0;
    for (size_t k = length > N ? length : N; k > 0; k--) {
        uint32_t word = j < 6 ? head[j] : (unsigned char)purpose[j - 6];
        s->mt[i] = mixed(s, i, UINT32_C(1664525)) + word + (uint32_t)j;
        i = next(s, i);
        j = j + 1 < length ? j + 1 : 0;
    }
    for (size_t k = N - 1; k > 0; k--) {
        s->mt[i] = mixed(s, i, UINT32_C(1566083941)) - (uint32_t)i;
        i = next(s, i);
    }
    s->mt[0] = UINT32_C(0x80000000);
}

as_status as_rng_open(uint64_t seed, const char *purpose, size_t layer, size_t head, as_rng *out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handler_off);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (rng == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a stream of random numbers");
    }
    if (gsl_rng_size(rng) != sizeof(mt_state)) {
        size_t bytes = gsl_rng_size(rng);
        gsl_rng_free(rng);
        return as_fail(AS_EINVAL, "the state of this GSL's mt19937 has %zu bytes in place of %zu",
                       bytes, sizeof(mt_state));
    }
    gsl_rng_set(rng, 19650218UL);
    gsl_rng *start = gsl_rng_clone(rng);
    if (start == NULL) {
        gsl_rng_free(rng);
        return as_fail(AS_ENOMEM, "there is no memory for a stream of random numbers");
    }
    *out = (as_rng){.state = rng, .start = start};
    as_rng_restart(out, seed, purpose, layer, head);
    return AS_OK;
}

void as_rng_restart(const as_rng *rng, uint64_t seed, const char *purpose, size_t layer,
                    size_t head) {
    uint64_t place[3] = {seed, layer, head};
    uint32_t words[6];
    for (size_t i = 0; i < 3; i++) {
        words[2 * i] = (uint32_t)place[i];
        words[2 * i + 1] = (uint32_t)(place[i] >> 32);
    }
    gsl_rng_memcpy(rng->state, rng->start);
    mix(gsl_rng_state(rng->state), words, purpose);
}

void as_rng_close(as_rng *rng) {
    gsl_rng_free(rng->state);
    gsl_rng_free(rng->start);
    *rng = (as_rng){0};
}

double as_rng_gaussian(const as_rng *rng) {
    return gsl_ran_gaussian_ziggurat(rng->state, 1.0);
}

double as_rng_uniform(const as_rng *rng) {
    return gsl_rng_uniform(rng->state);
}

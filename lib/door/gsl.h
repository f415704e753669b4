/* gsl: random numbers of GSL's mt19937. Private to the library. */
#ifndef AS_DOOR_GSL_H
#define AS_DOOR_GSL_H

#include "attnspec/base.h"

typedef struct as_rng {
    void *state, *start; /* start: what every key's initialisation begins with */
} as_rng;

/* The generator of a key: (seed, purpose, layer, head). All bits of the key count, and different
 * keys give different generators: mt19937 is initialised by the array of words
 *   seed, layer, head (the low 32 bits, then the high ones, of each), then the bytes of purpose
 * by init_by_array() of Matsumoto and Nishimura (mt19937ar.c, 2002), as numpy.random.RandomState
 * is. AS_ENOMEM, and AS_EINVAL where this GSL keeps another state. Thread-safe. */
as_status as_rng_open(uint64_t seed, const char *purpose, size_t layer, size_t head, as_rng *out);
void as_rng_close(as_rng *rng);
/* An open generator becomes that of another key, as as_rng_open() makes it. No allocation. */
void as_rng_restart(const as_rng *rng, uint64_t seed, const char *purpose, size_t layer,
                    size_t head);

/* N(0, 1) by the ziggurat of Marsaglia and Tsang (2000). */
double as_rng_gaussian(const as_rng *rng);
/* [0, 1), a multiple of 2⁻³². */
double as_rng_uniform(const as_rng *rng);

#endif

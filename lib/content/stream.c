/* Streams of random numbers by key.
 * It refuses nothing. */
#include "attnspec/content.h"
#include "base/fail.h"
#include "door/gsl.h"

#include <stdlib.h>

struct as_stream {
    as_rng rng;
};

as_status as_stream_new(uint64_t seed, const char *purpose, size_t layer, size_t head,
                        as_stream **out) {
    as_stream *stream = malloc(sizeof *stream);
    if (stream == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a stream of random numbers");
    }
    as_status status = as_rng_open(seed, purpose, layer, head, &stream->rng);
    if (status != AS_OK) {
        free(stream);
        return status;
    }
    *out = stream;
    return AS_OK;
}

void as_stream_free(as_stream *stream) {
    if (stream != NULL) {
        as_rng_close(&stream->rng);
        free(stream);
    }
}

void as_stream_restart(as_stream *stream, uint64_t seed, const char *purpose, size_t layer,
                       size_t head) {
    as_rng_restart(&stream->rng, seed, purpose, layer, head);
}

double as_stream_gaussian(as_stream *stream) {
    return as_rng_gaussian(&stream->rng);
}

double as_stream_uniform(as_stream *stream) {
    return as_rng_uniform(&stream->rng);
}

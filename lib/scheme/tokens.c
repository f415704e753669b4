/* Tokens between a key and a query, and their gates.
 * It refuses heads that are not causal where a scheme asks for that. */
#include "scheme/tokens.h"

#include "base/fail.h"

#include <math.h>

as_status as_causal_only(const as_head *head) {
    return head->causal ? AS_OK
                        : as_fail(AS_EINVAL,
                                  "it is defined under a causal mask only, since it sums over the "
                                  "tokens from a key up to a query");
}

double as_log_sigmoid(double x) {
    return fmin(x, 0) - log1p(exp(-fabs(x)));
}

double as_sigmoid(double x) {
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* Independent normal rows: what content is when nothing is known of it.
 * It refuses nothing. */
#include "content/type.h"

static const as_param params[] = {{.key = NULL}};

static as_status fill(const as_content *content, const as_content_shape *shape, bool is_key,
                      size_t shared_head, double *x) {
    (void)content;
    (void)shared_head;
    return as_content_noise(shape, is_key, x);
}

const as_content_type as_content_gaussian = {
    .name = "gaussian",
    .summary = "every entry of q and k from N(0, 1)",
    .params = params,
    .fill = fill,
};

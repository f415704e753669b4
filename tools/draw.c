/* q and k of one head, drawn.
 * It refuses what contents refuse. */
#include "draw.h"

as_status draw_pair(const as_content *content, const as_content_shape *q, size_t kv_head,
                    as_pair *pair) {
    as_content_shape k = *q;
    k.head = kv_head;
    as_status status = as_matrix_resize(&pair->q, q->n, q->dim);
    if (status == AS_OK) {
        status = as_matrix_resize(&pair->k, k.n, k.dim);
    }
    if (status == AS_OK) {
        status = as_content_query(content, q, kv_head, pair->q.data);
    }
    return status == AS_OK ? as_content_key(content, &k, pair->k.data) : status;
}

/* reading: what the words of --kind, --mask and --sentinel mean.
 * It refuses words that are no masks, and sentinels that are no numbers. */
#include "reading.h"

#include <stdlib.h>

#include "tool.h"

int reading_parse(const tool *self, const reading *r, as_source_options *out) {
    out->kind = (as_kind)r->kind;
    if (as_mask_parse(r->mask, &out->mask) != AS_OK)
        return usage_error(self, "%s", as_message());
    out->has_sentinel = r->sentinel != NULL;
    if (r->sentinel != NULL) {
        char *end;
        out->sentinel = strtod(r->sentinel, &end);
        if (end == r->sentinel || *end != '\0')
            return usage_error(self, "--sentinel '%s' is no number", r->sentinel);
    }
    return EXIT_DONE;
}

/* What a Hugging Face config.json says of its logits and its scheme does not do, such as a scale.
 * It refuses nothing. */
#include "hf_note.h"

#include <string.h>

#include "message.h"

void hf_note(const char *path, const as_hf_config *config) {
    if (*config->note != '\0') {
        message_note("%s: %s", path, config->note);
    }
}

void hf_note_of(const char *scheme) {
    as_hf_config config;
    if (strncmp(scheme, "hf:", 3) == 0 && as_scheme_hf(scheme + 3, &config) == AS_OK) {
        hf_note(scheme + 3, &config);
    }
}

/* hf_note: what a Hugging Face config.json says of its logits and its scheme does not do. */
#ifndef TOOLS_HF_NOTE_H
#define TOOLS_HF_NOTE_H

#include "attnspec/scheme.h"

/* Says it of the config that was read from path. */
void hf_note(const char *path, const as_hf_config *config);
/* The same of a scheme's string that has been parsed, where it is hf:PATH; nothing of another. */
void hf_note_of(const char *scheme);

#endif

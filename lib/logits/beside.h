/* beside: the content, query and key of a dump of ours, and what loading shares with them. Private to
 * lib/logits. */
#ifndef AS_LOGITS_BESIDE_H
#define AS_LOGITS_BESIDE_H

#include "logits/source.h"

/* A dump of ours: `content` is the baseline, `query` and `key` the pair behind both. Nothing is done
 * for any other file. Errors are those of reading and preparing. */
as_status as_load_beside(const as_source *source, const as_entry *entry, as_loaded *out);

/* Prepares attention that was read, or the content beside it, which no bias is added to. */
as_status as_prepare_read(const as_source *source, const as_entry *entry, as_dtype dtype,
                          const as_loaded *loaded, as_logits *logits);

/* Terms (C5) are of all of q and k as their scheme coupled them: whether these logits are. */
bool as_has_terms(const as_preparation *how, const as_loaded *loaded);

/* as_loaded.gain of logits that were coupled by the pair's scheme; `altered`: and changed since. */
double as_gain_of(const as_pair *pair, bool altered);

/* What is known of logits that were coupled here, by what the scheme is. */
as_relation as_relation_of(const as_pair *pair);

#endif

/* origin: what a tool knows of its own run, for the provenance in what it writes. */
#ifndef TOOLS_ORIGIN_H
#define TOOLS_ORIGIN_H

#include "attnspec/result.h"
#include "tool.h"

/* Without inputs, which the caller may add. Everything in it is borrowed from the options.
 *   deterministic  the words in one form, without those that the numbers do not depend on */
as_provenance_input origin_of(const tool *self, const common_options *common, bool deterministic);

#endif

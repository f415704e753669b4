/* origin: program, words and options of a run.
 * It refuses nothing. */
#include "origin.h"

as_provenance_input origin_of(const tool *self, const common_options *common, bool deterministic) {
    return (as_provenance_input){
        .tool = self->name,
        .git = tool_commit(),
        .argc = deterministic ? (int)common->words.count : common->argc,
        .argv = deterministic ? common->words.item : (const char *const *)common->argv,
        .options = (const char *const(*)[2])common->settings,
        .option_count = common->setting_count,
        .threads = common->threads,
        .deterministic = deterministic,
    };
}

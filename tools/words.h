/* words: lists of words that a user wrote short: name:key=a|b|c, @FILE, 128,256.
 * It refuses empty places in them, and more words than a run could have. */
#ifndef TOOLS_WORDS_H
#define TOOLS_WORDS_H

#include "attnspec/base.h"

/* Words in order, no two equal. Start from {0}. */
typedef struct word_set {
    char **item; /* [count], owned like the set; NULL where count is 0 */
    size_t count, room;
} word_set;
void words_free(word_set *set);
/* AS_ENOMEM, and AS_EINVAL beyond 10000 words; the sentence is in why[AS_MESSAGE_MAX]. */
as_status words_add(word_set *set, const char *word, size_t length, char *why);

/* Adds what `text` stands for, in its order:
 *   a|b:key=1|2,other=x|y   a, and b with every combination of the values, the last key fastest
 *   hf:a.json|hf:b.json     two words: what stands behind hf: has no values
 *   @FILE                   a line of the file a word as above; blank lines and # remarks are none
 *   key=@FILE               a line of the file a value
 * `files` gets the names of the files, which are regular ones of UTF-8 text, with a byte order mark or
 * without, and of 4 MiB at most. AS_EINVAL for an empty place or a list in a list, AS_EREAD for a file,
 * AS_ENOMEM; the sentence is in why[AS_MESSAGE_MAX], and the sets are to be freed all the same. */
as_status words_expand(word_set *set, word_set *files, const char *text, char *why);

/* "128,256,512": whole numbers from 1 to 2³¹ − 1, each once; owned by the caller. AS_EINVAL, AS_ENOMEM. */
as_status words_sizes(const char *text, size_t **out, size_t *count, char *why);

#endif

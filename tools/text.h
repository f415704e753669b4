/* text: lines for people: columns counted in characters, paragraphs broken at words.
 * Names from files are shown without the control characters they may hold. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define TEXT_COLUMNS 80

/* Characters of a UTF-8 text (each counts one column). */
size_t text_width(const char *text);

/* Copies at most `size`−1 bytes, whole characters only, with control characters made '?'; returns
 * to. NULL is "". */
char *text_clean(char *to, size_t size, const char *from);

/* The last `parts` parts of a path, which slashes part; "" of none, all of it where it has no more. */
const char *path_tail(const char *path, size_t parts);
size_t path_parts(const char *path);

/* Writes words broken before TEXT_COLUMNS: `column` is where the cursor stands, `indent` where the
 * following lines begin. A newline in the text ends a line; the last line is ended too. */
void text_wrap(FILE *out, const char *text, size_t column, size_t indent);

/* Writes text in `width` columns, filled up with spaces on the right; a longer text loses its
 * middle. */
void text_fit(FILE *out, const char *text, size_t width);

/* Writes text so that Markdown shows it as it is, also in a cell of a table. */
void text_markdown(FILE *out, const char *text);

#endif

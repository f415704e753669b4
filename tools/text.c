/* text: columns, words and safe names.
 * It refuses nothing: bytes that are no UTF-8 pass as they are. */
#include "text.h"

#include <string.h>

static int starts_character(unsigned char c) {
    return (c & 0xC0) != 0x80;
}

size_t text_width(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += starts_character((unsigned char)*text) ? 1 : 0;
    return width;
}

char *text_clean(char *to, size_t size, const char *from) {
    size_t n = 0;
    for (; from != NULL && *from != '\0' && n + 1 < size; from++, n++) {
        unsigned char c = (unsigned char)*from;
        /* C1 controls are U+0080 … U+009F: in UTF-8 0xC2, then 0x80 … 0x9F. */
        int c1 = c >= 0x80 && c < 0xA0 && n > 0 && (unsigned char)from[-1] == 0xC2;
        if (c1)
            n--;
        to[n] = c < 0x20 || c == 0x7F || c1 ? '?' : *from;
    }
    if (from != NULL && *from != '\0')
        while (n > 0 && !starts_character((unsigned char)*from--))
            n--;
    to[n] = '\0';
    return to;
}

const char *path_tail(const char *path, size_t parts) {
    const char *tail = path + strlen(path);
    while (tail > path && (tail[-1] != '/' || parts > 1) && parts > 0) {
        tail--;
        parts -= *tail == '/' ? 1 : 0;
    }
    return tail;
}

size_t path_parts(const char *path) {
    size_t parts = 1;
    for (; *path != '\0'; path++)
        parts += *path == '/' ? 1 : 0;
    return parts;
}

void text_wrap(FILE *out, const char *text, size_t column, size_t indent) {
    while (*text != '\0') {
        size_t spaces = strspn(text, " "), length = strcspn(text + spaces, " \n");
        size_t width = 0;
        for (size_t i = 0; i < length; i++)
            width += starts_character((unsigned char)text[spaces + i]) ? 1 : 0;
        if (column > indent && column + spaces + width > TEXT_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            text += spaces;
            spaces = 0;
        }
        fwrite(text, 1, spaces + length, out);
        column += spaces + width;
        text += spaces + length;
        if (*text == '\n') {
            text++;
            if (*text != '\0')
                fprintf(out, "\n%*s", *text == '\n' ? 0 : (int)indent, "");
            column = indent;
        }
    }
    fputc('\n', out);
}

void text_fit(FILE *out, const char *text, size_t width) {
    size_t have = text_width(text);
    if (have <= width) {
        fprintf(out, "%s%*s", text, (int)(width - have), "");
        return;
    }
    size_t gap = width > 4 ? 2 : 0, head = (width - gap) / 2, tail = width - gap - head, at = 0;
    for (const char *p = text; *p != '\0'; p++) {
        at += starts_character((unsigned char)*p) ? 1 : 0;
        if (at <= head || at > have - tail)
            fputc(*p, out);
        else if (at == head + 1 && starts_character((unsigned char)*p))
            fprintf(out, "%.*s", (int)gap, "..");
    }
}

void text_markdown(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_[]<>|~&$#", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

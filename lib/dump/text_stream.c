/* Bytes of a text, packed or not, the numbers in them, and the temporary file that keeps these.
 * It refuses what unpacks without end, and words that are no decimal numbers. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"
#include "dump/text.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_BLANK = 1 << 20, EXACT_DIGITS = 15, EXACT_POWER = 22, QUOTED = 24 };
static const uint64_t max_bytes = UINT64_C(1) << 34;
/* Attention never packs this well: deflate reaches 1032, and does so only on one byte repeated. */
static const uint64_t bomb_bytes = UINT64_C(1) << 25, bomb_ratio = 200;

static as_status fill(as_text *t) {
    size_t got = 0;
    if (t->gz != NULL) {
        as_status status = as_gz_read(t->gz, t->buffer, sizeof t->buffer, &got);
        if (status != AS_OK) {
            return status;
        }
    } else {
        uint64_t left = t->file->stamp.size - t->filled;
        got = left < sizeof t->buffer ? (size_t)left : sizeof t->buffer;
        as_status status = as_file_read(t->file, t->filled, t->buffer, got);
        if (status != AS_OK) {
            return status;
        }
    }
    t->filled += got;
    t->at = 0;
    t->size = got;
    if (t->filled > max_bytes) {
        return as_fail(AS_EREAD, "is a text of more than %" PRIu64 " bytes, the most that is read",
                       max_bytes);
    }
    if (t->gz != NULL && t->filled > bomb_bytes && t->filled / bomb_ratio > as_gz_offset(t->gz)) {
        return as_fail(AS_EREAD,
                       "unpacks to more than %" PRIu64 " times its size, as no attention does",
                       bomb_ratio);
    }
    return AS_OK;
}

int as_text_peek(as_text *t) {
    if (t->at == t->size && t->status == AS_OK) {
        t->status = fill(t);
    }
    return t->status == AS_OK && t->at < t->size ? t->buffer[t->at] : AS_TEXT_END;
}

int as_text_next(as_text *t) {
    int byte = as_text_peek(t);
    if (byte != AS_TEXT_END) {
        t->at++;
        t->taken++;
    }
    return byte;
}

as_status as_text_wrong(const as_text *t, const char *format, ...) {
    if (t->status != AS_OK) {
        return t->status; /* its sentence is there */
    }
    char sentence[AS_MESSAGE_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    return as_fail(AS_EREAD, "%s", sentence);
}

as_status as_text_blank(as_text *t, bool lines) {
    uint64_t start = t->taken;
    int c = as_text_peek(t);
    while (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
        as_text_next(t);
        if (t->taken - start > MAX_BLANK) {
            return as_text_wrong(t, "more than %d bytes of white space in a row", MAX_BLANK);
        }
        c = as_text_peek(t);
    }
    return t->status;
}

/* What a decimal number is made of. */
typedef struct decimal {
    uint64_t digits; /* the first 19 significant ones */
    int significant; /* how many there are, from the first that is not 0 */
    int fraction;    /* digits after the point */
    int exponent;    /* as it is written */
} decimal;

static bool scan_exponent(const char **at, int *exponent) {
    const char *s = *at + 1;
    bool minus = *s == '-';
    s += *s == '-' || *s == '+';
    if (!isdigit((unsigned char)*s)) {
        return false;
    }
    int e = 0;
    for (; isdigit((unsigned char)*s); s++) {
        e = e < 100000 ? 10 * e + (*s - '0') : e;
    }
    *exponent = minus ? -e : e;
    *at = s;
    return true;
}

/* Digits with at most one point, at least one digit, perhaps an exponent, and nothing more. */
static bool scan(const char *s, decimal *d) {
    *d = (decimal){0};
    bool any = false, point = false;
    for (; isdigit((unsigned char)*s) || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        any = true;
        d->fraction += point;
        d->significant += d->significant > 0 || *s != '0';
        if (d->significant > 0 && d->significant <= 19) {
            d->digits = 10 * d->digits + (uint64_t)(*s - '0');
        }
    }
    if (any && (*s == 'e' || *s == 'E') && !scan_exponent(&s, &d->exponent)) {
        return false;
    }
    return any && *s == '\0';
}

/* Digits below 2^53 and a power of ten up to 22 are exact, so that one operation rounds once
 * (Clinger 1990); anything else is strtod's. */
static double value_of(const char *token, const decimal *d) {
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int power = d->exponent - d->fraction;
    if (FLT_EVAL_METHOD == 0 && d->significant <= EXACT_DIGITS && abs(power) <= EXACT_POWER) {
        double digits = (double)d->digits;
        return power < 0 ? digits / powers[-power] : digits * powers[power];
    }
    return strtod(token, NULL);
}

/* Digits after the point that a number stands for. One written with significant digits (%g, %e) has
 * more of them the smaller it is, though it was not rounded there: at most its significant digits
 * count, where these are more than six. */
static int decimals_of(const decimal *d) {
    int places = d->fraction - d->exponent, most = d->significant > 6 ? d->significant : 6;
    places = places < most ? places : most;
    return places > 0 ? places : 0;
}

static bool is_word(int c) {
    return c != AS_TEXT_END && (isalnum(c) || c == '+' || c == '-' || c == '.' || c == '_');
}

/* Takes a word; false where it is longer than any number. */
static bool take_word(as_text *t, char *word) {
    size_t length = 0;
    while (is_word(as_text_peek(t))) {
        if (length == AS_TEXT_TOKEN - 1) {
            return false;
        }
        word[length++] = (char)as_text_next(t);
    }
    word[length] = '\0';
    return true;
}

static as_status no_number(as_text *t, const char *word) {
    int c = as_text_peek(t);
    if (word[0] != '\0') {
        bool cut = strlen(word) > QUOTED;
        return as_text_wrong(t, "'%.*s%s' is no number", QUOTED, word, cut ? "..." : "");
    }
    return c == AS_TEXT_END || c == '\n' ? as_text_wrong(t, "ends where a number is expected")
           : c > ' ' && c < 0x7f
               ? as_text_wrong(t, "'%c' stands where a number is expected", c)
               : as_text_wrong(t, "the byte %02x stands where a number is expected", (unsigned)c);
}

as_status as_text_number(as_text *t, double *out) {
    char word[AS_TEXT_TOKEN];
    if (!take_word(t, word)) {
        return as_text_wrong(t, "a number of more than %d characters", AS_TEXT_TOKEN - 1);
    }
    bool minus = word[0] == '-';
    const char *size = word + (word[0] == '-' || word[0] == '+');
    decimal d;
    double value;
    if (t->status == AS_OK && scan(size, &d)) {
        value = value_of(size, &d);
        if (isinf(value)) {
            return as_text_wrong(t, "'%.*s' is beyond float64", QUOTED, word);
        }
        int decimals = decimals_of(&d);
        t->decimals = decimals > t->decimals ? decimals : t->decimals;
    } else if (strcasecmp(size, "nan") == 0) {
        value = NAN;
    } else if (strcasecmp(size, "inf") == 0 || strcasecmp(size, "infinity") == 0) {
        value = INFINITY;
    } else {
        return no_number(t, word);
    }
    *out = minus ? -value : value;
    return t->status;
}

as_status as_text_flush(as_text *t) {
    const unsigned char *from = (const unsigned char *)t->values;
    size_t bytes = t->pending * sizeof *t->values;
    while (bytes > 0) {
        ssize_t wrote = write(t->spool.fd, from, bytes);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return as_fail(AS_EREAD, "its numbers cannot be kept in a temporary file (TMPDIR): %s",
                           strerror(errno));
        }
        from += wrote;
        bytes -= (size_t)wrote;
    }
    t->pending = 0;
    return AS_OK;
}

as_status as_text_keep(as_text *t, double value) {
    t->values[t->pending++] = value;
    t->kept++;
    return t->pending == sizeof t->values / sizeof *t->values ? as_text_flush(t) : AS_OK;
}

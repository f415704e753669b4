/* The status of a call and the sentence that goes with it, one a thread.
 * It refuses nothing: a message that is too long is cut. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[AS_MESSAGE_MAX];

static const char *const names[] = {
#define X(code, name) [code] = name,
    AS_STATUS_LIST(X)
#undef X
};

const char *as_status_name(as_status status) {
    return (unsigned)status < AS_STATUS_COUNT ? names[status] : "unknown";
}

const char *as_message(void) {
    return message;
}

as_status as_fail(as_status status, const char *format, ...) {
    /* Through a buffer of its own: the arguments may point into the message that is there. */
    char text[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof message);
    return status;
}

as_status as_fail_prefix(as_status status, const char *format, ...) {
    char prefix[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return as_fail(status, "%s: %s", prefix, message);
}

const char *as_version(void) {
    return AS_VERSION;
}

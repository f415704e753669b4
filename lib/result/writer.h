/* writer: what a result is while it is being written; the reader looks into it. Private. */
#ifndef AS_RESULT_WRITER_H
#define AS_RESULT_WRITER_H

#include "result/journal.h"

#include <pthread.h>

struct as_result_writer {
    as_journal journal;
    pthread_mutex_t mutex; /* guards the journal */
    char *path;            /* NULL: rows in memory, and there are no other files either */
    char *part, *temporary;
    bool replace;  /* a file of that name */
    bool fresh;    /* the journal was begun here */
    bool complete; /* the output was there, of the same run: there is no journal */
    bool finished;
};

#endif

/* Any number of dumps may be open at once, so only the last few of them keep files open between reads.
 * It refuses nothing: what is let go comes back at the next read. */
#include "dump/held.h"

#include <pthread.h>

/* As many as one matrix and its neighbours need: each may be a file without a name of all that was
 * packed, or an HDF5 file with its chunks. */
enum { MOST = 16 };

static struct {
    pthread_mutex_t lock;
    as_held *newest, *oldest;
    size_t count;
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void unlist(as_held *one) {
    if (!one->listed) {
        return;
    }
    *(one->newer != NULL ? &one->newer->older : &held.newest) = one->older;
    *(one->older != NULL ? &one->older->newer : &held.oldest) = one->newer;
    one->newer = one->older = NULL;
    one->listed = false;
    held.count--;
}

static void list(as_held *one) {
    one->older = held.newest;
    *(held.newest != NULL ? &held.newest->newer : &held.oldest) = one;
    held.newest = one;
    one->listed = true;
    held.count++;
}

void as_held_take(const as_dump *dump) {
    if (dump->format->let_go != NULL) {
        pthread_mutex_lock(&held.lock);
        dump->held->readers++;
        pthread_mutex_unlock(&held.lock);
    }
}

void as_held_give(const as_dump *dump) {
    if (dump->format->let_go == NULL) {
        return;
    }
    pthread_mutex_lock(&held.lock);
    as_held *one = dump->held;
    one->dump = dump;
    one->readers--;
    unlist(one);
    list(one);
    for (as_held *old = held.oldest; old != NULL && held.count > MOST;) {
        as_held *next = old->newer;
        if (old->readers == 0) {
            unlist(old);
            old->dump->format->let_go(old->dump);
        }
        old = next;
    }
    pthread_mutex_unlock(&held.lock);
}

void as_held_forget(const as_dump *dump) {
    pthread_mutex_lock(&held.lock);
    unlist(dump->held);
    pthread_mutex_unlock(&held.lock);
}

/* work: the room that the routes share. Private to this room of the library. */
#ifndef AS_SPECTRUM_WORK_H
#define AS_SPECTRUM_WORK_H

#include "attnspec/spectrum.h"
#include "door/lapack.h"

typedef struct as_eigenvalue {
    double re, im, magnitude;
} as_eigenvalue;

struct as_spectrum_work {
    size_t rows, cols;
    double *copy;  /* [≥ rows·cols]: drivers destroy what they are given */
    double *sigma; /* [min]: the caller's array is written only on success */
    double *e;     /* [min]: a superdiagonal */
    as_lapack_work lapack;
    /* Made when eigenvalues are first asked for; NULL until then. */
    double *re, *im;       /* [min] */
    as_eigenvalue *sorted; /* [min] */
    as_lapack_work eigen;
};

#endif

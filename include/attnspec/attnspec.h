/* attnspec: everything at once. */
#ifndef ATTNSPEC_H
#define ATTNSPEC_H

#include "base.h"
#include "content.h"
#include "dump.h"
#include "logits.h"
#include "metric.h"
#include "result.h"
#include "scheme.h"
#include "spectrum.h"
#include "train.h"

#endif

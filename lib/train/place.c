/* Asks the scheme room, once for what is fixed and once a step for what is trained.
 * It refuses heads for which the scheme is not defined. */
#include "train/place.h"
#include "base/fail.h"
#include "train/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

as_real *as_zeros(size_t count) {
    as_real *x = as_alloc(count * sizeof *x);
    if (x != NULL) {
        memset(x, 0, count * sizeof *x);
    }
    return x;
}

static void make_mask(const as_model *m, as_real *mask) {
    for (size_t j = 0; j < m->T; j++) {
        for (size_t i = 0; i < m->T; i++) {
            mask[j * m->stride + i] = m->config.mask == AS_SEES_ALL || j <= i ? 0 : AS_MASKED;
        }
    }
}

/* b [T][T] of the scheme room, queries by keys, under the mask. */
static void take_bias(const as_model *m, const as_places *p, const double *b, size_t layer,
                      size_t head) {
    as_real *out = p->bias + (layer * m->H + head) * m->T * m->stride;
    for (size_t j = 0; j < m->T; j++) {
        for (size_t i = 0; i < m->T; i++) {
            as_real mask = p->mask[j * m->stride + i];
            out[j * m->stride + i] = mask < 0 ? mask : (as_real)b[i * m->T + j];
        }
    }
}

static as_status make_biases(const as_model *m, as_places *p) {
    const as_scheme_type *type = m->scheme.type;
    as_status status = AS_OK;
    for (size_t at = 0; at < m->L * m->H && type->bias != NULL && status == AS_OK; at++) {
        as_head head = as_model_head(m, at / m->H, at % m->H);
        status = type->bias(&m->scheme, &head, p->room);
        if (status == AS_OK) {
            take_bias(m, p, p->room, at / m->H, at % m->H);
        }
    }
    return status;
}

/* A rotation is linear: what it makes of the unit vector of a pair's first dimension is the pair's column
 * (cos, sin), with gain and growth. */
static void take_turn(const as_model *m, const as_head *head, const as_rotation *rotation,
                      double *x, as_turn *t) {
    size_t count = rotation->count, dim = m->query_dim;
    t->count = count;
    memcpy(t->first, rotation->first, count * sizeof *t->first);
    memcpy(t->second, rotation->second, count * sizeof *t->second);
    for (int side = 0; side < 2; side++) {
        as_real *c = side == AS_QUERIES ? t->q_cos : t->k_cos;
        as_real *s = side == AS_QUERIES ? t->q_sin : t->k_sin;
        memset(x, 0, m->T * dim * sizeof *x);
        for (size_t i = 0; i < m->T; i++) {
            for (size_t f = 0; f < count; f++) {
                x[i * dim + rotation->first[f]] = 1;
            }
        }
        as_rotate(rotation, head, side == AS_QUERIES ? AS_QUERIES : AS_KEYS, false, x);
        for (size_t i = 0; i < m->T; i++) {
            for (size_t f = 0; f < count; f++) {
                c[f * m->T + i] = (as_real)x[i * dim + rotation->first[f]];
                s[f * m->T + i] = (as_real)x[i * dim + rotation->second[f]];
            }
        }
    }
}

static bool make_turn(const as_model *m, as_turn *t) {
    size_t half = m->query_dim / 2 + 1, size = m->T * half;
    t->first = calloc(2 * half, sizeof *t->first);
    t->q_cos = as_zeros(4 * size);
    if (t->first == NULL || t->q_cos == NULL) {
        return false;
    }
    t->second = t->first + half;
    t->q_sin = t->q_cos + size;
    t->k_cos = t->q_cos + 2 * size;
    t->k_sin = t->q_cos + 3 * size;
    return true;
}

static as_status make_turns(const as_model *m, as_places *p) {
    size_t half = m->query_dim / 2 + 1;
    double *x = as_alloc((m->T * m->query_dim + 3 * half) * sizeof *x);
    size_t *pairs = calloc(2 * half, sizeof *pairs);
    as_status status = AS_OK;
    p->turn = calloc(m->L * m->H, sizeof *p->turn);
    if (x == NULL || pairs == NULL || p->turn == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for the rotations");
    }
    for (size_t at = 0; at < m->L * m->H && status == AS_OK; at++) {
        double *arrays = x + m->T * m->query_dim;
        as_rotation rotation = {.gain = 1,
                                .theta = arrays,
                                .theta_y = arrays + half,
                                .growth = arrays + 2 * half,
                                .first = pairs,
                                .second = pairs + half};
        as_head head = as_model_head(m, at / m->H, at % m->H);
        status = m->scheme.type->rotation(&m->scheme, &head, &rotation);
        if (status == AS_OK && !make_turn(m, &p->turn[at])) {
            status = as_fail(AS_ENOMEM, "no memory for the rotations");
        }
        if (status == AS_OK) {
            take_turn(m, &head, &rotation, x, &p->turn[at]);
        }
    }
    free(pairs);
    free(x);
    return status;
}

/* [sin, cos] of Gu et al.'s code: sines in the first half of the width, cosines in the second, at the
 * frequencies of (P2). (T4) */
static void add_sinusoids(const as_model *m, as_real *table) {
    size_t half = m->d / 2;
    for (size_t i = 0; i < m->T; i++) {
        for (size_t f = 0; f < half; f++) {
            double phase = (double)i * pow(10000, -2 * (double)f / (double)m->d);
            table[i * m->d + f] += (as_real)sin(phase);
            table[i * m->d + half + f] += (as_real)cos(phase);
        }
    }
}

static as_status make_table(const as_model *m, as_places *p) {
    bool fixed = m->embeds && m->positions == AS_NOT_THERE;
    if (!fixed && m->config.sinusoids != AS_YES) {
        return AS_OK;
    }
    double *x = as_alloc(m->T * m->d * sizeof *x);
    as_status status = AS_OK;
    p->table = as_zeros(m->T * m->d);
    if (x == NULL || p->table == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for the positions");
    }
    if (status == AS_OK && fixed) {
        as_head head = as_model_embedding_head(m);
        status = m->scheme.type->embed(&m->scheme, &head, AS_KEYS, x);
        for (size_t i = 0; i < m->T * m->d && status == AS_OK; i++) {
            p->table[i] = (as_real)x[i];
        }
    }
    if (status == AS_OK && m->config.sinusoids == AS_YES) {
        add_sinusoids(m, p->table);
    }
    free(x);
    return status;
}

as_status as_places_new(const as_model *m, as_places *out) {
    as_places p = {0};
    const as_scheme_type *type = m->scheme.type;
    as_status status = AS_OK;
    size_t square = m->T * m->stride;
    bool biased = type->bias != NULL || m->theta_size > 0;
    p.mask = as_zeros(square);
    p.room = as_alloc((2 * m->T * m->T + 2 * m->theta_size) * sizeof *p.room);
    p.bias = biased ? as_zeros(m->L * m->H * square) : NULL;
    if (p.mask == NULL || p.room == NULL || (biased && p.bias == NULL)) {
        status = as_fail(AS_ENOMEM, "no memory for the positions of %zu heads", m->L * m->H);
    }
    if (status == AS_OK) {
        make_mask(m, p.mask);
        status = biased && m->theta_size == 0 ? make_biases(m, &p) : AS_OK;
    }
    if (status == AS_OK && type->rotation != NULL) {
        status = make_turns(m, &p);
    }
    if (status == AS_OK) {
        status = make_table(m, &p);
    }
    if (status != AS_OK) {
        as_places_free(m, &p);
        return as_fail_prefix(status, "scheme %s", type->name);
    }
    *out = p;
    return AS_OK;
}

void as_places_free(const as_model *m, as_places *p) {
    for (size_t at = 0; at < m->L * m->H && p->turn != NULL; at++) {
        free(p->turn[at].first);
        free(p->turn[at].q_cos);
    }
    free(p->turn);
    free(p->mask);
    free(p->bias);
    free(p->table);
    free(p->room);
    *p = (as_places){0};
}

/* The parameters of a head's bias, in double precision. */
static void take_theta(const as_model *m, const as_real *theta, size_t layer, size_t head,
                       double *out) {
    const as_real *at = theta + m->layer[layer].theta + head * m->theta_size;
    for (size_t i = 0; i < m->theta_size; i++) {
        out[i] = (double)at[i];
    }
}

as_status as_places_refresh(const as_model *m, const as_real *theta, as_places *p) {
    as_status status = AS_OK;
    double *numbers = p->room + 2 * m->T * m->T;
    for (size_t at = 0; at < m->L * m->H && m->theta_size > 0 && status == AS_OK; at++) {
        size_t layer = at / m->H, h = at % m->H;
        as_head head = as_model_head(m, layer, h);
        take_theta(m, theta, layer, h, numbers);
        status = m->scheme.type->learning->bias(&m->scheme, &head, numbers, p->room);
        if (status == AS_OK) {
            take_bias(m, p, p->room, layer, h);
        }
    }
    return status;
}

as_status as_places_backward(const as_model *m, const as_real *theta, const as_real *db,
                             as_places *p, as_real *gradient) {
    as_status status = AS_OK;
    double *numbers = p->room + 2 * m->T * m->T, *slopes = numbers + m->theta_size;
    for (size_t at = 0; at < m->L * m->H && m->theta_size > 0 && status == AS_OK; at++) {
        size_t layer = at / m->H, h = at % m->H;
        as_head head = as_model_head(m, layer, h);
        take_theta(m, theta, layer, h, numbers);
        memset(slopes, 0, m->theta_size * sizeof *slopes);
        for (size_t i = 0; i < m->T; i++) {
            for (size_t j = 0; j < m->T; j++) {
                p->room[i * m->T + j] = (double)db[(at * m->T + j) * m->stride + i];
            }
        }
        status = m->scheme.type->learning->backward(&m->scheme, &head, numbers, p->room, slopes);
        as_real *to = gradient + m->layer[layer].theta + h * m->theta_size;
        for (size_t i = 0; i < m->theta_size && status == AS_OK; i++) {
            to[i] += (as_real)slopes[i];
        }
    }
    return status;
}

void as_places_project(const as_model *m, as_places *p, as_real *theta) {
    const as_learning *learning = m->scheme.type->learning;
    double *numbers = p->room + 2 * m->T * m->T;
    if (m->theta_size == 0 || learning->project == NULL) {
        return;
    }
    for (size_t at = 0; at < m->L * m->H; at++) {
        size_t layer = at / m->H, h = at % m->H;
        as_head head = as_model_head(m, layer, h);
        as_real *to = theta + m->layer[layer].theta + h * m->theta_size;
        take_theta(m, theta, layer, h, numbers);
        learning->project(&m->scheme, &head, numbers);
        for (size_t i = 0; i < m->theta_size; i++) {
            to[i] = (as_real)numbers[i];
        }
    }
}

void as_places_turn(const as_model *m, const as_places *p, const as_turned *how, as_real *x) {
    for (size_t h = 0; h < m->H && p->turn != NULL; h++) {
        const as_turn *t = &p->turn[how->layer * m->H + h];
        const as_real *c = how->side == AS_QUERIES ? t->q_cos : t->k_cos;
        const as_real *s = how->side == AS_QUERIES ? t->q_sin : t->k_sin;
        as_real *head = x + h * m->query_dim * how->step;
        for (size_t f = 0; f < t->count; f++) {
            as_real *a = head + t->first[f] * how->step, *b = head + t->second[f] * how->step;
            as_turn_pair(c + f * m->T, s + f * m->T, m->T, how->samples, how->back ? b : a,
                         how->back ? a : b);
        }
    }
}

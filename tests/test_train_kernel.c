/* The inner loops of the model, in single precision and at unround sizes, against naive ones in double
 * precision. */
#include "support.h"

#include <string.h>

#include "train/kernel.h"

#define EPSILON 0x1p-24 /* of single precision */

/* A bound on the error of a sum of so many products whose absolute values add up to `sum`. */
static double bound(size_t count, double sum) {
    return AS_TEST_C * (double)(count + 1) * EPSILON * sum;
}

static as_real *room(size_t count) {
    as_real *x = aligned_alloc(64, (count * sizeof *x + 63) / 64 * 64);
    ck_assert_ptr_nonnull(x);
    return x;
}

/* Numbers of both signs, none of which is another's. */
static void fill(as_real *x, size_t count, double salt) {
    for (size_t i = 0; i < count; i++) {
        x[i] = (as_real)(2 * sin(1.7 * (double)i + salt));
    }
}

/* a [m][k], or transposed in rows of `row` numbers; what lies between them is not to be read. b and c begin
 * at no whole register. */
static void product_is_right(size_t m, size_t n, size_t k, bool transposed, bool add) {
    size_t ldb = n + AS_LANES, ldc = n + 2 * AS_LANES;
    as_small s = {.m = m, .n = n, .k = k, .ldb = ldb, .ldc = ldc};
    s.row = transposed ? 1 : k + 3;
    s.col = transposed ? m + 3 : 1;
    size_t sizes[3] = {(m + 3) * (k + 3), k * ldb + 1, m * ldc + 1};
    as_real *rooms[4] = {room(sizes[0]), room(sizes[1]), room(sizes[2]), room(sizes[2])};
    as_real *a = rooms[0], *b = rooms[1] + 1, *c = rooms[2] + 1, *was = rooms[3];
    for (size_t i = 0; i < sizes[0]; i++) {
        a[i] = (as_real)NAN;
    }
    for (size_t i = 0; i < m * k; i++) {
        a[i / k * s.row + i % k * s.col] = (as_real)sin(0.3 * (double)i + 1);
    }
    fill(b, k * ldb, 3);
    fill(c, m * ldc, 4);
    memcpy(was, c, m * ldc * sizeof *c);
    as_small_product(&s, a, b, add ? was : NULL, c);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < ldc; j++) {
            double sum = add && j < n ? (double)was[i * ldc + j] : 0, all = fabs(sum);
            for (size_t l = 0; l < k && j < n; l++) {
                double term = (double)a[i * s.row + l * s.col] * (double)b[l * ldb + j];
                sum += term;
                all += fabs(term);
            }
            double expected = j < n ? sum : (double)was[i * ldc + j];
            assert_near((double)c[i * ldc + j], expected, j < n ? bound(k, all) : 0);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        free(rooms[i]);
    }
}

START_TEST(products_are_those_of_naive_loops) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 37};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (size_t i = 0; i < SIZES * SIZES * 5 * 4; i++) {
        size_t m = sizes[i % SIZES], k = sizes[i / SIZES % SIZES];
        size_t n = (1 + i / SIZES / SIZES % 5) * AS_LANES, way = i / SIZES / SIZES / 5;
        product_is_right(m, n, k, way % 2 == 1, way / 2 == 1);
    }
}
END_TEST

START_TEST(rows_are_padded_to_whole_registers) {
    ck_assert_uint_eq(as_padded(0), 0);
    for (size_t i = 1; i < 50; i++) {
        ck_assert(as_padded(i) >= i && as_padded(i) < i + AS_LANES && as_padded(i) % AS_LANES == 0);
    }
}
END_TEST

/* To a few units in the last place, and what a difference of logits has of its own rounding; 0 where they
 * are masked. Of each column. */
START_TEST(softmax_is_that_of_the_c_library) {
    static const double scales[] = {0.01, 1, 30, 1e4};
    for (size_t i = 0; i < 4 * 5 * 3; i++) {
        size_t rows = 5 + i / 4 % 5, stride = (1 + i / 4 % 5) * AS_LANES, masked = i / 20 * 2;
        as_real *x = room(rows * stride), *p = room(rows * stride);
        fill(x, rows * stride, (double)i);
        for (size_t j = 0; j < rows * stride; j++) {
            x[j] = j / stride >= rows - masked ? AS_MASKED : x[j] * (as_real)scales[i % 4];
        }
        memcpy(p, x, rows * stride * sizeof *p);
        as_softmax(p, rows, stride);
        for (size_t c = 0; c < stride; c++) {
            double most = -INFINITY, sum = 0, total = 0;
            for (size_t j = 0; j < rows; j++) {
                most = fmax(most, (double)x[j * stride + c]);
            }
            for (size_t j = 0; j < rows; j++) {
                sum += exp((double)x[j * stride + c] - most);
            }
            for (size_t j = 0; j < rows; j++) {
                double below = most - (double)x[j * stride + c], expected = exp(-below) / sum;
                double is = (double)p[j * stride + c];
                total += is;
                assert_near(is, expected, (1e-6 + EPSILON * below) * expected + 1e-37);
                ck_assert(j < rows - masked || is == 0);
            }
            assert_near(total, 1, 1e-6);
        }
        free(x);
        free(p);
    }
}
END_TEST

/* The exponential to 2 units in the last place, and the quotient's own rounding. */
START_TEST(weights_fall_as_the_exponential) {
    for (double x = 0; x < 87; x += 0.037) {
        as_real p[2 * AS_LANES] __attribute__((aligned(32)));
        for (size_t j = 0; j < AS_LANES; j++) {
            p[j] = 0;
            p[AS_LANES + j] = -(as_real)x;
        }
        as_softmax(p, 2, AS_LANES);
        double expected = exp(-(double)(as_real)x);
        assert_near((double)p[AS_LANES] / (double)p[0], expected, 6 * EPSILON * expected + 1e-37);
    }
}
END_TEST

/* Also where the column's first number, which the others are compared with, is it. */
START_TEST(softmax_of_what_is_no_number_is_none) {
    enum { NUMBERS = 7 };
    for (size_t at = 0; at < NUMBERS; at++) {
        as_real *p = room(NUMBERS * AS_LANES);
        fill(p, NUMBERS * AS_LANES, 1);
        p[at * AS_LANES + 2] = (as_real)NAN;
        as_softmax(p, NUMBERS, AS_LANES);
        for (size_t i = 0; i < NUMBERS * AS_LANES; i++) {
            ck_assert(isnan(p[i]) == (i % AS_LANES == 2));
        }
        free(p);
    }
}
END_TEST

START_TEST(softmax_turns_back_by_its_formula) {
    for (size_t stride = AS_LANES; stride <= 5 * AS_LANES; stride += AS_LANES) {
        enum { NUMBERS = 7 };
        size_t count = NUMBERS * stride;
        as_real *p = room(count), *dp = room(count), *was = room(count);
        fill(p, count, 1);
        fill(dp, count, 2);
        as_softmax(p, NUMBERS, stride);
        memcpy(was, dp, count * sizeof *dp);
        as_softmax_backward(p, dp, NUMBERS, stride);
        for (size_t i = 0; i < count; i++) {
            double mean = 0;
            for (size_t j = i % stride; j < count; j += stride) {
                mean += (double)p[j] * (double)was[j];
            }
            assert_near((double)dp[i], (double)p[i] * ((double)was[i] - mean), bound(NUMBERS, 4));
        }
        free(p);
        free(dp);
        free(was);
    }
}
END_TEST

/* Twice the same angles, and back to where it was. */
START_TEST(pairs_are_turned_and_turned_back) {
    enum { COUNT = 13 };
    as_real c[COUNT], s[COUNT], a[2 * COUNT], b[2 * COUNT], x[2 * COUNT], y[2 * COUNT];
    fill(a, 2 * COUNT, 1);
    fill(b, 2 * COUNT, 2);
    memcpy(x, a, sizeof a);
    memcpy(y, b, sizeof b);
    for (size_t i = 0; i < COUNT; i++) {
        c[i] = (as_real)cos((double)i);
        s[i] = (as_real)sin((double)i);
    }
    as_turn_pair(c, s, COUNT, 2, x, y);
    for (size_t i = 0; i < 2 * COUNT; i++) {
        double cosine = cos((double)(i % COUNT)), sine = sin((double)(i % COUNT));
        assert_near((double)x[i], (double)a[i] * cosine - (double)b[i] * sine, bound(2, 4));
        assert_near((double)y[i], (double)a[i] * sine + (double)b[i] * cosine, bound(2, 4));
    }
    as_turn_pair(c, s, COUNT, 2, y, x);
    for (size_t i = 0; i < 2 * COUNT; i++) {
        assert_near((double)x[i], (double)a[i], bound(4, 4));
        assert_near((double)y[i], (double)b[i], bound(4, 4));
    }
}
END_TEST

typedef struct norm {
    double mean, factor; /* 1/√(variance + ε) */
} norm;

static norm norm_of(const as_real *x, size_t width) {
    norm n = {0, 0};
    for (size_t j = 0; j < width; j++) {
        n.mean += (double)x[j] / (double)width;
    }
    for (size_t j = 0; j < width; j++) {
        n.factor += ((double)x[j] - n.mean) * ((double)x[j] - n.mean) / (double)width;
    }
    n.factor = 1 / sqrt(n.factor + 1e-5);
    return n;
}

static void norm_is_right(size_t width, double scale, double shift) {
    enum { ROWS = 5 };
    size_t count = ROWS * width;
    as_real *x = room(count), *w = room(2 * width), *y = room(count), *stat = room(2 * ROWS);
    fill(x, count, 1);
    fill(w, 2 * width, 2);
    for (size_t i = 0; i < count; i++) {
        x[i] = x[i] * (as_real)scale + (as_real)shift;
    }
    as_norm_forward(x, w, w + width, ROWS, width, y, stat);
    for (size_t i = 0; i < count; i++) {
        size_t r = i / width, j = i % width;
        norm n = norm_of(x + r * width, width);
        /* What single precision has of x itself is stretched by the factor. */
        double size = 4 + n.factor * (fabs(shift) + 2 * scale);
        assert_near((double)stat[2 * r], n.mean, bound(width, fabs(shift) + 2 * scale));
        assert_near((double)stat[2 * r + 1], n.factor, n.factor * bound(width, size));
        assert_near((double)y[i],
                    ((double)x[i] - n.mean) * n.factor * (double)w[j] + (double)w[width + j],
                    bound(width, 4 * size));
    }
    free(x);
    free(w);
    free(y);
    free(stat);
}

static const size_t widths[] = {1, 2, 3, 7, 8, 9, 13, 16, 37, 40};
enum { WIDTHS = sizeof widths / sizeof *widths };

START_TEST(norms_have_mean_and_variance_of_the_row) {
    for (size_t i = 0; i < WIDTHS; i++) {
        norm_is_right(widths[i], 1, 0);
        norm_is_right(widths[i], 0.1, 10);
        norm_is_right(widths[i], 1e-3, 0); /* ε counts */
        norm_is_right(widths[i], 0, 3);    /* a constant row */
    }
}
END_TEST

/* Against the formula of kernel.c; all three gradients are added to what is there. */
static void norm_turns_back(size_t width) {
    enum { ROWS = 5 };
    size_t count = ROWS * width;
    as_real *x = room(count), *w = room(width), *dy = room(count), *y = room(count);
    as_real *stat = room(2 * ROWS), *dw = room(width), *db = room(width), *dx = room(count);
    fill(x, count, 1);
    fill(w, width, 2);
    fill(dy, count, 3);
    as_norm_forward(x, w, w, ROWS, width, y, stat);
    for (size_t i = 0; i < count; i++) {
        dx[i] = 5;
        dw[i % width] = db[i % width] = 7;
    }
    as_norm_backward(x, stat, w, dy, ROWS, width, &(as_norm_gradient){dw, db, dx});
    double weights[40] = {0}, biases[40] = {0};
    for (size_t r = 0; r < ROWS; r++) {
        norm n = norm_of(x + r * width, width);
        double mean = 0, along = 0;
        for (size_t j = 0; j < width; j++) {
            double unit = ((double)x[r * width + j] - n.mean) * n.factor;
            double g = (double)dy[r * width + j] * (double)w[j];
            mean += g / (double)width;
            along += g * unit / (double)width;
            weights[j] += (double)dy[r * width + j] * unit;
            biases[j] += (double)dy[r * width + j];
        }
        for (size_t j = 0; j < width; j++) {
            double unit = ((double)x[r * width + j] - n.mean) * n.factor;
            double g = (double)dy[r * width + j] * (double)w[j];
            assert_near((double)dx[r * width + j], 5 + n.factor * (g - mean - unit * along),
                        bound(width, 10 * (1 + n.factor)));
        }
    }
    for (size_t j = 0; j < width; j++) {
        assert_near((double)dw[j], 7 + weights[j], bound(width, 20));
        assert_near((double)db[j], 7 + biases[j], bound(width, 20));
    }
    as_real *all[] = {x, w, dy, y, stat, dw, db, dx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

START_TEST(norms_turn_back_by_their_formula) {
    for (size_t i = 1; i < WIDTHS; i++) {
        norm_turns_back(widths[i]);
    }
}
END_TEST

START_TEST(rows_are_added_and_summed_by_rows_and_by_columns) {
    for (size_t i = 0; i < WIDTHS; i++) {
        enum { ROWS = 13, STEP = ROWS + 2 };
        size_t width = widths[i], count = ROWS * width;
        as_real *x = room(count), *was = room(count), *columns = room(STEP * width);
        as_real *sum = room(width), *too = room(width);
        fill(x, count, 1);
        fill(columns, STEP * width, 2); /* what is beside the rows does not count */
        fill(sum, width, 3);
        memcpy(was, x, count * sizeof *x);
        memcpy(too, sum, width * sizeof *sum);
        as_transpose(x, width, ROWS, width, columns, STEP);
        as_add(x, was, count);
        for (size_t j = 0; j < count; j++) {
            ck_assert(x[j] == 2 * was[j]);
            ck_assert(columns[j % width * STEP + j / width] == was[j]);
        }
        as_sum_rows(was, ROWS, width, sum);
        as_sum_columns(columns, STEP, ROWS, width, too);
        for (size_t j = 0; j < width; j++) {
            double expected = 2 * sin(1.7 * (double)j + 3);
            for (size_t r = 0; r < ROWS; r++) {
                expected += (double)was[r * width + j];
            }
            assert_near((double)sum[j], expected, bound(ROWS, 2 * ROWS + 2));
            assert_near((double)too[j], expected, bound(ROWS, 2 * ROWS + 2));
        }
        as_scale(x, 3, count);
        for (size_t j = 0; j < count; j++) {
            ck_assert(x[j] == 6 * was[j]);
        }
        as_real *all[] = {x, was, columns, sum, too};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            free(all[j]);
        }
    }
}
END_TEST

/* Dropped is the same each time, and independent of the neighbour and of another key: each count within 5
 * standard deviations of its binomial distribution. */
START_TEST(dropout_is_independent_and_can_be_repeated) {
    enum { COUNT = 100003 };
    as_real *x = room(3 * COUNT), *again = x + COUNT, *other = again + COUNT;
    double share = 0.1, pair = share * share, dropped = 0, both = 0, pairs = 0;
    as_real factor = (as_real)(1 / (1 - share));
    uint64_t key = UINT64_C(0x9e3779b97f4a7c15);
    uint32_t limit = (uint32_t)(share * 0x1p32);
    for (size_t i = 0; i < 3 * COUNT; i++) {
        x[i] = 1;
    }
    as_drop_out(x, COUNT, key, limit, factor);
    as_drop_out(again, COUNT, key, limit, factor);
    as_drop_out(other, COUNT, key ^ (UINT64_C(1) << 32), limit, factor);
    ck_assert_mem_eq(x, again, COUNT * sizeof *x);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(x[i] == 0 || x[i] == factor);
        dropped += x[i] == 0;
        both += x[i] == 0 && other[i] == 0;
        pairs += x[i] == 0 && i > 0 && x[i - 1] == 0;
    }
    assert_near(dropped, share * COUNT, 5 * sqrt(COUNT * share * (1 - share)));
    assert_near(both, pair * COUNT, 5 * sqrt(COUNT * pair * (1 - pair)));
    assert_near(pairs, pair * COUNT, 5 * sqrt(COUNT * pair * (1 - pair)));
    free(x);
}
END_TEST

/* (T8). Φ by the C library's erfc, whose tail has its digits; ours is within 7.5e-8 of it. */
START_TEST(activations_and_their_slopes) {
    enum { COUNT = 77 };
    as_real u[COUNT], y[COUNT], du[COUNT], dy[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        u[i] = ((as_real)i - 38) / 8;
        dy[i] = (as_real)(1 + i % 3);
    }
    as_gelu(u, y, COUNT);
    as_gelu_backward(u, dy, du, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double x = (double)u[i], below = erfc(-x / sqrt(2)) / 2;
        double density = exp(-x * x / 2) / sqrt(2 * acos(-1));
        assert_near((double)y[i], x * below, (7.5e-8 + 4 * EPSILON) * fabs(x));
        assert_near((double)du[i], (double)dy[i] * (below + x * density),
                    (double)dy[i] * (7.5e-8 + 4 * EPSILON));
    }
    as_relu(u, y, COUNT);
    as_relu_backward(u, dy, du, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(y[i] == (i > 38 ? u[i] : 0) && du[i] == (i > 38 ? dy[i] : 0));
    }
    u[3] = u[70] = (as_real)NAN;
    as_relu(u, y, COUNT);
    as_gelu(u, du, COUNT);
    ck_assert(isnan(y[3]) && isnan(y[70]) && isnan(du[3]) && isnan(du[70]));
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, products_are_those_of_naive_loops);
    tcase_add_test(t, rows_are_padded_to_whole_registers);
    tcase_add_test(t, softmax_is_that_of_the_c_library);
    tcase_add_test(t, weights_fall_as_the_exponential);
    tcase_add_test(t, softmax_of_what_is_no_number_is_none);
    tcase_add_test(t, softmax_turns_back_by_its_formula);
    tcase_add_test(t, pairs_are_turned_and_turned_back);
    tcase_add_test(t, norms_have_mean_and_variance_of_the_row);
    tcase_add_test(t, norms_turn_back_by_their_formula);
    tcase_add_test(t, rows_are_added_and_summed_by_rows_and_by_columns);
    tcase_add_test(t, dropout_is_independent_and_can_be_repeated);
    tcase_add_test(t, activations_and_their_slopes);
}

AS_TEST_MAIN("train_kernel")

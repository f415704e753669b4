/* What names and words make of a tensor's axes: TransformerLens, --axes in every order, element by
 * element, and lists of layers and of steps. */
#define _GNU_SOURCE /* mkdtemp */
#include "logits/axes.h"
#include "npy_file.h"
#include "support.h"

#include <stdbool.h>

#define NO AS_NO_AXIS

START_TEST(transformer_lens_says_its_axes) {
    static const struct {
        const char *name;
        size_t rank, at[AS_AXIS_COUNT];
    } rows[] = {{"blocks.3.attn.hook_q", 4, {NO, 0, 2, 1, 3}},
                {"blocks.3.attn.hook_rot_k", 3, {NO, NO, 1, 0, 2}},
                {"blocks.3.attn.hook_k", 2, {NO, NO, NO, 0, 1}},
                {"hook_q", 4, {NO, 0, 2, 1, 3}},
                {"hook_q", 5, {0, 1, 2, 3, 4}},
                {"blocks.3.attn.hook_pattern", 4, {NO, 0, 1, 2, 3}},
                {"hook_attn_scores", 4, {NO, 0, 1, 2, 3}},
                {"hook_pattern", 3, {NO, NO, 0, 1, 2}},
                {"logits", 4, {0, NO, 1, 2, 3}},
                {"layers.3.q", 4, {NO, 0, 1, 2, 3}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const as_tensor t = {.name = rows[i].name, .rank = rows[i].rank, .shape = {2, 3, 5, 7, 11}};
        size_t number[AS_LOOP_COUNT];
        as_axes_numbers(&t, number);
        as_axes axes = as_axes_guess(&t, number);
        ck_assert_uint_eq(axes.rank, t.rank);
        ck_assert_msg(memcmp(axes.at, rows[i].at, sizeof axes.at) == 0, "%s, rank %zu", t.name,
                      t.rank);
    }
}
END_TEST

/* Element number n of a tensor in C order is n. */
static const size_t lengths[AS_AXIS_COUNT] = {2, 3, 4, 5, 6};

/* Every element of every matrix that `input` has under these axes; of Fortran order the strides run
 * the other way, so the file's numbers are those of its memory. */
static void check_order(const char *input, const size_t *words, size_t rank, bool fortran) {
    char text[64] = "";
    size_t shape[AS_AXIS_COUNT] = {1, 1, 1, 1, 1}, stride[AS_AXIS_COUNT] = {0}, step = 1;
    for (size_t i = 0; i < rank; i++) {
        strcat(strcat(text, i > 0 ? "," : ""), as_axis_name(AS_ROLE_ATTENTION, (as_axis)words[i]));
        size_t axis = fortran ? i : rank - 1 - i;
        shape[words[axis]] = lengths[axis];
        stride[words[axis]] = step;
        step *= lengths[axis];
    }
    const as_source_options options = {
        .axes = text, .kind = AS_KIND_LOGITS, .mask = {.kind = AS_MASK_NONE}};
    as_source *source = NULL;
    assert_ok(as_source_open(&input, 1, &options, &source));
    ck_assert_uint_eq(as_source_count(source), shape[0] * shape[1] * shape[2]);
    as_loaded l = {0};
    for (size_t n = 0; n < as_source_count(source); n++) {
        const as_item *item = as_source_item(source, n);
        ck_assert_uint_eq((item->layer * shape[1] + item->batch) * shape[2] + item->head, n);
        assert_ok(as_source_load(source, n, &l));
        const as_matrix *a = &l.logits.a;
        ck_assert(a->rows == shape[3] && a->cols == shape[4]);
        for (size_t i = 0; i < a->rows * a->cols; i++) {
            size_t expected = item->layer * stride[0] + item->batch * stride[1] +
                              item->head * stride[2] + i / a->cols * stride[3] +
                              i % a->cols * stride[4];
            ck_assert_msg(a->data[i] == (double)expected, "%s of %s: matrix %zu, element %zu", text,
                          input, n, i);
        }
    }
    as_loaded_free(&l);
    as_source_close(source);
}

/* Every order of `rank` words with query and key among them; how many there were. */
static size_t walk(const char *input, size_t *words, size_t used, size_t rank, bool fortran) {
    unsigned seen = 0;
    for (size_t i = 0; i < used; i++) {
        seen |= 1u << words[i];
    }
    if (used == rank) {
        unsigned both = 1u << AS_AXIS_QUERY | 1u << AS_AXIS_KEY;
        if ((seen & both) != both) {
            return 0;
        }
        check_order(input, words, rank, fortran);
        return 1;
    }
    size_t count = 0;
    for (size_t word = 0; word < AS_AXIS_COUNT; word++) {
        if ((seen >> word & 1) == 0) {
            words[used] = word;
            count += walk(input, words, used + 1, rank, fortran);
        }
    }
    return count;
}

/* Of rank r there are r! orders of query, key and r − 2 of the other three words. */
static const size_t orders[] = {[2] = 2, [3] = 3 * 6, [4] = 3 * 24, [5] = 120};

START_TEST(npy_has_its_axes_in_any_order) {
    float data[720];
    for (size_t i = 0; i < 720; i++) {
        data[i] = (float)i;
    }
    for (size_t rank = 2; rank <= AS_AXIS_COUNT; rank++) {
        size_t count = 1, words[AS_AXIS_COUNT];
        for (size_t i = 0; i < rank; i++) {
            count *= lengths[i];
        }
        for (int fortran = 0; fortran < 2; fortran++) {
            char path[64];
            temporary_file(path);
            write_npy(path, "<f4", fortran, rank, lengths, data, count * sizeof *data);
            ck_assert_uint_eq(walk(path, words, 0, rank, fortran == 1), orders[rank]);
            unlink(path);
        }
    }
}
END_TEST

START_TEST(hdf5_has_its_axes_in_any_order) {
    for (size_t rank = 2; rank <= AS_AXIS_COUNT; rank++) {
        size_t words[AS_AXIS_COUNT];
        char input[64];
        snprintf(input, sizeof input, "data/axes.h5:packed/rank_%zu", rank);
        ck_assert_uint_eq(walk(input, words, 0, rank, false), orders[rank]);
        snprintf(input, sizeof input, "data/axes.h5:plain/rank_%zu", rank);
        ck_assert_uint_eq(walk(input, words, 0, rank, false), orders[rank]);
    }
}
END_TEST

/* Every tensor of the fixtures gives half its weight to the key (step + layer + head + i) mod keys of
 * row i, and spreads the rest evenly. */
static void check_container(const char *input, size_t step, size_t layer, size_t keys, size_t at,
                            const as_source *source) {
    as_loaded l = {0};
    for (size_t head = 0; head < 2; head++) {
        const as_item *item = as_source_item(source, at + head);
        ck_assert_int_eq(item->status, AS_OK);
        ck_assert_msg(item->layer == layer && item->batch == 0 && item->head == head &&
                          item->cols == keys,
                      "%s: %s: layer %zu, batch %zu, head %zu of %zu keys", input, item->tensor,
                      item->layer, item->batch, item->head, item->cols);
        assert_ok(as_source_load(source, at + head, &l));
        ck_assert_int_eq(l.logits.kind, AS_KIND_WEIGHTS);
        for (size_t i = 0; i < item->rows; i++) {
            double more = l.logits.a.data[i * keys + (step + layer + head + i) % keys];
            assert_near(more, 0.5 / (double)keys + 0.5, 1e-7);
        }
    }
    as_loaded_free(&l);
}

START_TEST(torch_containers_have_their_layers) {
    static const struct {
        const char *input;
        size_t steps, layers, keys[3], rows[3];
    } files[] = {{"data/attentions.pt", 1, 3, {6}, {6}},
                 {"data/generation.pt", 3, 2, {6, 7, 8}, {6, 1, 1}},
                 {"data/outputs.pt:encoder_*", 1, 2, {5}, {5}},
                 {"data/outputs.pt:decoder_*", 3, 2, {6, 7, 8}, {6, 1, 1}},
                 {"data/outputs.pt:cross_*", 3, 2, {5, 5, 5}, {6, 1, 1}}};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        as_source *source = NULL;
        assert_ok(as_source_open(&files[f].input, 1, NULL, &source));
        ck_assert_uint_eq(as_source_count(source), files[f].steps * files[f].layers * 2);
        size_t at = 0;
        for (size_t step = 0; step < files[f].steps; step++) {
            for (size_t layer = 0; layer < files[f].layers; layer++, at += 2) {
                ck_assert_uint_eq(as_source_item(source, at)->rows, files[f].rows[step]);
                check_container(files[f].input, step, layer, files[f].keys[step], at, source);
            }
        }
        as_source_close(source);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, transformer_lens_says_its_axes);
    tcase_add_test(t, npy_has_its_axes_in_any_order);
    tcase_add_test(t, hdf5_has_its_axes_in_any_order);
    tcase_add_test(t, torch_containers_have_their_layers);
}

AS_TEST_MAIN("axes")

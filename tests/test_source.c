/* The logits room, from files to a list of matrices: axes by word, name and rank, selection, what is
 * skipped and why, threads, and the attention of real models. */
#define _GNU_SOURCE /* mkdtemp, truncate */
#include "logits/axes.h"
#include "npy_file.h"
#include "support.h"

#include <stdbool.h>

static as_source *open_one(const char *input, const as_source_options *options) {
    as_source *source = NULL;
    assert_ok(as_source_open(&input, 1, options, &source));
    return source;
}

/* A float32 .npy whose element is its number in C order. */
static void write_numbers(char *path, size_t rank, const size_t *shape) {
    size_t n = 1;
    for (size_t i = 0; i < rank; i++) {
        n *= shape[i];
    }
    float *data = malloc((n + 1) * sizeof *data);
    for (size_t i = 0; i < n; i++) {
        data[i] = (float)i;
    }
    temporary_file(path);
    write_npy(path, "<f4", 0, rank, shape, data, n * sizeof *data);
    free(data);
}

/* What every item's first and second elements must be: number at strides of the C-order file. */
static void check_items(const size_t *shape, const char *axes, size_t loops[3], size_t rows,
                        size_t cols, const size_t stride[5]) {
    size_t rank = 0;
    while (rank < 5 && shape[rank] != 0) {
        rank++;
    }
    char path[64];
    write_numbers(path, rank, shape);
    as_source *source = open_one(path, &(as_source_options){.axes = axes});
    ck_assert_uint_eq(as_source_count(source), loops[0] * loops[1] * loops[2]);
    as_loaded l = {0};
    size_t index = 0;
    for (size_t layer = 0; layer < loops[0]; layer++) {
        for (size_t batch = 0; batch < loops[1]; batch++) {
            for (size_t head = 0; head < loops[2]; head++, index++) {
                const as_item *item = as_source_item(source, index);
                ck_assert_str_eq(item->source, path);
                ck_assert_str_eq(item->tensor, "");
                ck_assert_str_eq(item->dtype, "f4");
                ck_assert_int_eq(item->status, AS_OK);
                ck_assert_ptr_null(item->reason);
                ck_assert(item->layer == layer && item->batch == batch && item->head == head);
                ck_assert(item->rows == rows && item->cols == cols);
                assert_ok(as_source_load(source, index, &l));
                ck_assert(l.logits.a.rows == rows && l.logits.a.cols == cols);
                size_t base = layer * stride[0] + batch * stride[1] + head * stride[2];
                for (size_t i = 0; i < rows * cols; i++) {
                    assert_near(l.logits.a.data[i],
                                (double)(base + i / cols * stride[3] + i % cols * stride[4]), 0);
                }
            }
        }
    }
    as_loaded_free(&l);
    as_source_close(source);
    unlink(path);
}

START_TEST(axes_by_rank) {
    check_items((size_t[5]){3, 4}, NULL, (size_t[]){1, 1, 1}, 3, 4, (size_t[]){0, 0, 0, 4, 1});
    check_items((size_t[5]){2, 3, 4}, NULL, (size_t[]){1, 1, 2}, 3, 4, (size_t[]){0, 0, 12, 4, 1});
    check_items((size_t[5]){5, 2, 3, 4}, NULL, (size_t[]){5, 1, 2}, 3, 4,
                (size_t[]){24, 0, 12, 4, 1});
    check_items((size_t[5]){1, 2, 3, 4}, NULL, (size_t[]){1, 1, 2}, 3, 4,
                (size_t[]){0, 24, 12, 4, 1});
    check_items((size_t[5]){2, 3, 2, 3, 4}, NULL, (size_t[]){2, 3, 2}, 3, 4,
                (size_t[]){72, 24, 12, 4, 1});
}
END_TEST

START_TEST(axes_by_word) {
    check_items((size_t[5]){3, 4}, "key,query", (size_t[]){1, 1, 1}, 4, 3,
                (size_t[]){0, 0, 0, 1, 4});
    check_items((size_t[5]){3, 5, 4}, "query,batch,key", (size_t[]){1, 5, 1}, 3, 4,
                (size_t[]){0, 4, 0, 20, 1});
    check_items((size_t[5]){3, 4, 2, 2}, "query,key,head,layer", (size_t[]){2, 1, 2}, 3, 4,
                (size_t[]){1, 0, 2, 16, 4});
    check_items((size_t[5]){2, 2, 3, 4, 3}, "head,batch,key,query,layer", (size_t[]){3, 2, 2}, 4, 3,
                (size_t[]){1, 36, 72, 3, 12});
    static const struct {
        const char *axes, *says;
    } wrong[] = {{"layer,head,query,keys", "\"keys\" is no axis; valid are layer, batch, head"},
                 {"query,key,", "\"\" is no axis"},
                 {"", "\"\" is no axis"},
                 {"head,head,query,key", "the axis head is named twice"},
                 {"layer,head,query", "need both query and key"},
                 {"layer,batch,head,query,key", "names 5 axes, but the tensors have rank 4"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *input = "data/numbers_2x3x5x7_f4_little_C.npy";
        as_source *source = NULL;
        const as_source_options options = {.axes = wrong[i].axes};
        assert_fails(as_source_open(&input, 1, &options, &source), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i].says), "%s", as_message());
        ck_assert_ptr_null(source);
    }
}
END_TEST

START_TEST(numbers_in_names) {
    const size_t no = AS_NO_AXIS;
    static const struct {
        const char *name;
        size_t number[3];
    } rows[] = {{"transformer.h.3", {3, SIZE_MAX, SIZE_MAX}},
                {"blocks.3", {3, SIZE_MAX, SIZE_MAX}},
                {"decoder.block.3.layer.0", {3, SIZE_MAX, SIZE_MAX}},
                {"layer_3/batch_0/head_2", {3, 0, 2}},
                {"layer_12", {12, SIZE_MAX, SIZE_MAX}},
                {"attn/7", {7, SIZE_MAX, SIZE_MAX}},
                {"attentions_2", {2, SIZE_MAX, SIZE_MAX}},
                {"layers4", {4, SIZE_MAX, SIZE_MAX}},
                {"heads.1", {SIZE_MAX, SIZE_MAX, 1}},
                {"my_layer_3", {3, SIZE_MAX, SIZE_MAX}},
                {"h2o", {SIZE_MAX, SIZE_MAX, SIZE_MAX}},
                {"layer", {SIZE_MAX, SIZE_MAX, SIZE_MAX}},
                {"layer_99999999999999999999", {SIZE_MAX, SIZE_MAX, SIZE_MAX}},
                {"", {SIZE_MAX, SIZE_MAX, SIZE_MAX}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t number[3];
        as_axes_numbers(&(as_tensor){.name = rows[i].name}, number);
        ck_assert_msg(memcmp(number, rows[i].number, sizeof number) == 0, "%s: %zd %zd %zd",
                      rows[i].name, number[0], number[1], number[2]);
    }
    const as_tensor t = {.rank = 4, .shape = {2, 3, 4, 5}};
    as_axes axes = as_axes_guess(&t, (size_t[]){3, no, no});
    ck_assert(axes.at[AS_AXIS_LAYER] == no && axes.at[AS_AXIS_BATCH] == 0);
    ck_assert(axes.at[AS_AXIS_HEAD] == 1 && axes.at[AS_AXIS_KEY] == 3);
    axes = as_axes_guess(&t, (size_t[]){no, no, 3});
    ck_assert(axes.at[AS_AXIS_LAYER] == 0 && axes.at[AS_AXIS_BATCH] == 1);
    axes = as_axes_guess(&(as_tensor){.rank = 3}, (size_t[]){1, no, 3});
    ck_assert(axes.at[AS_AXIS_BATCH] == 0 && axes.at[AS_AXIS_HEAD] == no);
    axes = as_axes_guess(&(as_tensor){.rank = 5}, (size_t[]){1, 2, 3});
    ck_assert(axes.at[AS_AXIS_LAYER] == 0 && axes.at[AS_AXIS_HEAD] == 2);

    const char *projections[] = {"q", "layers.0.k_proj", "a/value", "h.1.key2", "V", "x.q_norm"};
    const char *others[] = {"", "logits", "keys", "queue", "key.weight", "q/logits", "vs"};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_msg(as_axes_is_projection(projections[i]), "%s", projections[i]);
    }
    for (size_t i = 0; i < 7; i++) {
        ck_assert_msg(!as_axes_is_projection(others[i]), "%s", others[i]);
    }
}
END_TEST

START_TEST(what_is_skipped_says_why) {
    static const struct {
        const char *descr;
        size_t rank, shape[8];
        const char *says;
    } rows[] = {
        {"<f4", 1, {3}, "has rank 1, a matrix has 2"},
        {"<f4", 0, {0}, "has rank 0, a matrix has 2"},
        {"<f4", 6, {1, 1, 1, 1, 2, 2}, "has rank 6, more than layer, batch, head, query and key"},
        {"<i8", 2, {1, 2}, "holds integers (i8), not attention"},
        {"|b1", 2, {1, 2}, "holds booleans (b1), not attention"},
        {"<f4",
         1,
         {0},
         "is empty (axis 0 has length 0); models give no attention weights unless "
         "they are loaded with attn_implementation=\"eager\""},
        {"<f4",
         3,
         {2, 0, 4},
         "is empty (axis 1 has length 0); models give no attention weights "
         "unless they are loaded with attn_implementation=\"eager\""},
    };
    const char zeros[64] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64];
        temporary_file(path);
        write_npy(path, rows[i].descr, 0, rows[i].rank, rows[i].shape, zeros, sizeof zeros);
        as_source *source = open_one(path, NULL);
        ck_assert_uint_eq(as_source_count(source), 1);
        const as_item *item = as_source_item(source, 0);
        ck_assert_int_eq(item->status, AS_SKIPPED);
        ck_assert_str_eq(item->reason, rows[i].says);
        ck_assert_str_eq(item->dtype, rows[i].descr + 1);
        as_loaded l = {0};
        assert_fails(as_source_load(source, 0, &l), AS_SKIPPED);
        ck_assert_str_eq(as_message(), rows[i].says);
        assert_fails(as_source_load(source, 1, &l), AS_EINVAL);
        as_source_close(source);
        unlink(path);
    }
}
END_TEST

START_TEST(inputs_are_files_and_patterns) {
    char folder[] = "/tmp/attnspec_test_XXXXXX", odd[64], odd_glob[64], text[80];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(odd, sizeof odd, "%s/a:b", folder);
    snprintf(odd_glob, sizeof odd_glob, "%s/a:b:c*", folder);
    const float one = 1;
    write_npy(odd, "<f4", 0, 2, (size_t[]){1, 1}, &one, sizeof one);
    char nothing[] = "/tmp/attnspec_test_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(nothing));
    const char *inputs[] = {
        odd,    "data/scalar_f8.npy:*", "missing:layer*", "data/broken/empty_file.npy", odd_glob,
        nothing};
    as_source *source;
    assert_ok(as_source_open(inputs, 6, NULL, &source));
    ck_assert_uint_eq(as_source_count(source), 6);
    ck_assert_uint_eq(as_source_input_count(source), 6);
    snprintf(text, sizeof text, "%s", odd);
    static const as_status statuses[] = {AS_OK, AS_SKIPPED, AS_EREAD, AS_EREAD, AS_EREAD, AS_EREAD};
    const char *sources[] = {
        text, "data/scalar_f8.npy", "missing:layer*", "data/broken/empty_file.npy", text, nothing};
    const char *reasons[] = {NULL,
                             "has rank 0, a matrix has 2",
                             "cannot be opened: No such file or directory",
                             "is empty",
                             "holds one tensor, which has no name for a pattern to match",
                             "is a folder without files to read"};
    for (size_t i = 0; i < 6; i++) {
        const as_item *item = as_source_item(source, i);
        ck_assert_int_eq(item->status, statuses[i]);
        ck_assert_str_eq(item->source, sources[i]);
        if (reasons[i] != NULL) {
            ck_assert_str_eq(item->reason, reasons[i]);
        }
        bool opened = i < 2 || i == 4;
        ck_assert_int_eq(as_source_dump(source, i) != NULL, opened);
    }
    as_source_close(source);
    as_source_close(NULL);
    rmdir(nothing);
    assert_fails(as_source_open(inputs, 0, NULL, &source), AS_EINVAL);
    const as_source_options raw = {.raw_dtype = "f3"};
    assert_fails(as_source_open(inputs, 1, &raw, &source), AS_EINVAL);
    unlink(odd);
    rmdir(folder);
}
END_TEST

START_TEST(sets_of_indices) {
    static const struct {
        const char *text;
        unsigned members; /* of 0 … 15, bit by bit */
    } sets[] = {{NULL, 0xffff}, {"", 0xffff},         {"0", 1},        {"3-5", 0x38},
                {"8-", 0xff00}, {"0,3-5,8-", 0xff39}, {"5,1,1", 0x22}, {" 1 , 2 - 3 ", 0xe}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        as_index_set *set;
        assert_ok(as_index_set_parse(sets[i].text, &set));
        for (size_t k = 0; k < 16; k++) {
            ck_assert_int_eq(as_index_set_has(set, k), sets[i].members >> k & 1);
        }
        as_index_set_free(set);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"a", "character 1: a number"},      {"1,,2", "character 3: a number"},
        {"1,", "character 3: a number"},     {"5-3", "character 1: the range runs backwards"},
        {"1 2", "character 3: a comma"},     {"-3", "character 1: a number"},
        {"1-x", "character 3: the end"},     {"9999999999", "character 1: a number"},
        {"0,3-5;8", "character 6: a comma"}, {"1.5", "character 2: a comma"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_index_set *set = NULL;
        assert_fails(as_index_set_parse(wrong[i].text, &set), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i].says), "%s: %s", wrong[i].text, as_message());
        ck_assert_ptr_null(set);
    }
}
END_TEST

START_TEST(layers_and_heads_are_chosen) {
    char path[64];
    write_numbers(path, 4, (size_t[]){5, 8, 2, 3});
    as_index_set *layers, *heads, *batch;
    assert_ok(as_index_set_parse("1,3-", &layers));
    assert_ok(as_index_set_parse("0,7", &heads));
    assert_ok(as_index_set_parse("0", &batch));
    as_source_options options = {.layers = layers, .heads = heads, .batch = batch};
    as_source *source = open_one(path, &options);
    static const size_t expected[][2] = {{1, 0}, {1, 7}, {3, 0}, {3, 7}, {4, 0}, {4, 7}};
    ck_assert_uint_eq(as_source_count(source), 6);
    as_loaded l = {0};
    for (size_t i = 0; i < 6; i++) {
        const as_item *item = as_source_item(source, i);
        ck_assert(item->layer == expected[i][0] && item->head == expected[i][1]);
        assert_ok(as_source_load(source, i, &l));
        ck_assert_double_eq(l.logits.a.data[0],
                            (double)((expected[i][0] * 8 + expected[i][1]) * 6));
    }
    as_loaded_free(&l);
    as_source_close(source);
    as_index_set_free(layers);
    as_index_set_free(heads);
    as_index_set_free(batch);

    static const struct {
        const char *layers, *heads, *batch, *says;
    } wrong[] = {{NULL, "8", NULL, "no input has head 8; there are 0 to 7"},
                 {"0,9", NULL, NULL, "no input has layer 9; there are 0 to 4"},
                 {"3-5", NULL, NULL, "no input has layer 5; there are 0 to 4"},
                 {"7-", NULL, NULL, "no input has layer 7; there are 0 to 4"},
                 {NULL, NULL, "1", "no input has batch 1; there is only 0"}};
    const char *input = path;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_ok(as_index_set_parse(wrong[i].layers, &layers));
        assert_ok(as_index_set_parse(wrong[i].heads, &heads));
        assert_ok(as_index_set_parse(wrong[i].batch, &batch));
        options = (as_source_options){.layers = layers, .heads = heads, .batch = batch};
        assert_fails(as_source_open(&input, 1, &options, &source), AS_EINVAL);
        ck_assert_str_eq(as_message(), wrong[i].says);
        as_index_set_free(layers);
        as_index_set_free(heads);
        as_index_set_free(batch);
    }

    /* Each index is in one of the inputs, but they are in no matrix together. */
    char other[64];
    write_numbers(other, 3, (size_t[]){12, 2, 3});
    const char *inputs[] = {path, other};
    assert_ok(as_index_set_parse("4", &layers));
    assert_ok(as_index_set_parse("11", &heads));
    options = (as_source_options){.layers = layers, .heads = heads};
    assert_fails(as_source_open(inputs, 2, &options, &source), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "asked for together"));
    as_index_set_free(layers);
    as_index_set_free(heads);
    unlink(path);
    unlink(other);
}
END_TEST

/* 2^40 matrices of one number each, in a file that takes no room. */
START_TEST(a_plan_has_a_limit) {
    char path[64];
    temporary_file(path);
    write_npy(path, "<f2", 0, 4, (size_t[]){1 << 20, 1 << 20, 1, 1}, NULL, 0);
    if (truncate(path, ((off_t)1 << 41) + 4096) != 0) {
        printf("skipped: this file system has no sparse files of 2^41 bytes\n");
        unlink(path);
        return;
    }
    as_source *source = open_one(path, NULL);
    ck_assert_uint_eq(as_source_count(source), 1);
    ck_assert_int_eq(as_source_item(source, 0)->status, AS_ETOOLARGE);
    as_source_close(source);
    as_index_set *set;
    assert_ok(as_index_set_parse("7,1000000-1000001", &set));
    source = open_one(path, &(as_source_options){.layers = set, .heads = set});
    ck_assert_uint_eq(as_source_count(source), 9);
    ck_assert_uint_eq(as_source_item(source, 5)->head, 1000001);
    as_source_close(source);
    as_index_set_free(set);
    unlink(path);
}
END_TEST

typedef struct loading {
    const as_source *source;
    as_loaded room[3];
    double first[96];
    as_status status[96];
} loading;

static void load_one(void *context, size_t index, size_t worker) {
    loading *l = context;
    l->status[index] = as_source_load(l->source, index % 8, &l->room[worker]);
    l->first[index] = l->room[worker].logits.a.data[0];
}

START_TEST(threads_load_from_one_source) {
    as_source *source = open_one("data/demo_logits_2x4x64x64_f32.npy", NULL);
    ck_assert_uint_eq(as_source_count(source), 8);
    loading one = {.source = source}, three = {.source = source};
    assert_ok(as_parallel_for(96, 1, load_one, &one));
    assert_ok(as_parallel_for(96, 3, load_one, &three));
    ck_assert_mem_eq(one.first, three.first, sizeof one.first);
    ck_assert_mem_eq(one.status, three.status, sizeof one.status);
    ck_assert_int_eq(one.status[95], AS_OK);
    ck_assert_int_eq(one.room[0].logits.mask.kind, AS_MASK_CAUSAL);
    for (size_t i = 0; i < 3; i++) {
        as_loaded_free(&one.room[i]);
        as_loaded_free(&three.room[i]);
    }
    as_source_close(source);
}
END_TEST

START_TEST(a_file_that_goes_away_is_unreadable) {
    char path[64];
    write_numbers(path, 2, (size_t[]){2, 2});
    as_source *source = open_one(path, NULL);
    as_loaded l = {0};
    unlink(path);
    assert_fails(as_source_load(source, 0, &l), AS_EREAD);
    ck_assert_str_eq(as_message(), "cannot be opened: No such file or directory");
    as_loaded_free(&l);
    as_source_close(source);
}
END_TEST

START_TEST(attention_of_real_models) {
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    if (folder == NULL) {
        printf("skipped: attention of real models (ATTNSPEC_TEST_DATA is not set)\n");
        return;
    }
    static const struct {
        const char *name;
        size_t count, layers, batch, heads;
        as_kind kind;
        const char *mask;
    } rows[] = {
        {"stories260K_logits_masked_layer0_8x160x160_f32", 8, 1, 1, 8, AS_KIND_LOGITS, "causal"},
        {"stories260K_logits_masked_layer2_1x8x160x160_f16", 8, 3, 1, 8, AS_KIND_LOGITS, "causal"},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f64_fortran", 1, 3, 1, 4, AS_KIND_LOGITS,
         "none"},
        {"stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian", 1, 3, 1, 4,
         AS_KIND_LOGITS, "none"},
        {"ngswin_x2_enc1b0_logits_8x6x64x64_f32", 48, 8, 1, 6, AS_KIND_LOGITS, "none"},
        {"found_unitree_worldmodel_attentions_2x1x2x39x39_f32", 4, 2, 1, 2, AS_KIND_WEIGHTS,
         "prefix:32"},
        {"found_spatial_probing_crossattn_first8_8x8x16x196_f32", 64, 8, 1, 8, AS_KIND_WEIGHTS,
         "none"},
    };
    as_loaded l = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512], mask[AS_MASK_TEXT];
        snprintf(path, sizeof path, "%s/%s.npy", folder, rows[i].name);
        as_source *source = open_one(path, NULL);
        ck_assert_uint_eq(as_source_count(source), rows[i].count);
        const as_item *last = as_source_item(source, rows[i].count - 1);
        ck_assert_uint_eq(last->layer + 1, rows[i].layers);
        ck_assert_uint_eq(last->batch + 1, rows[i].batch);
        ck_assert_uint_eq(last->head + 1, rows[i].heads);
        for (size_t k = 0; k < rows[i].count; k++) {
            assert_ok(as_source_load(source, k, &l));
            ck_assert_msg(l.logits.kind == rows[i].kind &&
                              strcmp(as_mask_name(l.logits.mask, mask), rows[i].mask) == 0,
                          "%s %zu: %s, %s", rows[i].name, k, as_kind_name(l.logits.kind), mask);
        }
        as_source_close(source);
    }
    as_loaded_free(&l);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, axes_by_rank);
    tcase_add_test(t, axes_by_word);
    tcase_add_test(t, numbers_in_names);
    tcase_add_test(t, what_is_skipped_says_why);
    tcase_add_test(t, inputs_are_files_and_patterns);
    tcase_add_test(t, sets_of_indices);
    tcase_add_test(t, layers_and_heads_are_chosen);
    tcase_add_test(t, a_plan_has_a_limit);
    tcase_add_test(t, threads_load_from_one_source);
    tcase_add_test(t, a_file_that_goes_away_is_unreadable);
    tcase_add_test(t, attention_of_real_models);
}
AS_TEST_MAIN("source")

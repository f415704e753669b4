/* Schemes from Hugging Face's config.json: the keys of published models that say where they stand. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/attnspec-hf-XXXXXX";

static void write_config(const char *text) {
    strcpy(path + sizeof path - 7, "XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

/* Reads the config through a scheme's string and writes the canonical one. The caller's. */
static char *canonical(const char *config) {
    char text[64];
    as_scheme s = {.type = NULL};
    write_config(config);
    snprintf(text, sizeof text, "hf:%s", path);
    assert_ok(as_scheme_parse(text, &s));
    unlink(path);
    return as_scheme_text(&s);
}

START_TEST(published_models_have_their_schemes) {
    static const struct {
        const char *config, *scheme;
        size_t layers, heads, kv_heads, dim;
    } models[] = {
        /* Llama 3.1 8B */
        {"{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,"
         "\"num_hidden_layers\":32,\"num_key_value_heads\":8,\"rope_theta\":500000.0,"
         "\"max_position_embeddings\":131072,\"rope_scaling\":{\"factor\":8.0,"
         "\"low_freq_factor\":1.0,\"high_freq_factor\":4.0,"
         "\"original_max_position_embeddings\":8192,\"rope_type\":\"llama3\"}}",
         "rope:layout=half,base=500000,scaling=llama3,factor=8,"
         "original_max_position_embeddings=8192",
         32, 32, 8, 128},
        /* Qwen2 7B; the same with the newer key, and stretched as its card says */
        {"{\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_attention_heads\":28,"
         "\"num_hidden_layers\":28,\"num_key_value_heads\":4,\"rope_theta\":1000000.0}",
         "rope:layout=half,base=1000000", 28, 28, 4, 128},
        {"{\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_attention_heads\":28,"
         "\"num_hidden_layers\":28,\"num_key_value_heads\":4,\"max_position_embeddings\":32768,"
         "\"rope_parameters\":{\"rope_theta\":1000000.0,\"rope_type\":\"default\"}}",
         "rope:layout=half,base=1000000", 28, 28, 4, 128},
        {"{\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_attention_heads\":28,"
         "\"num_hidden_layers\":28,\"num_key_value_heads\":4,\"rope_theta\":1000000.0,"
         "\"rope_scaling\":{\"factor\":4.0,\"original_max_position_embeddings\":32768,"
         "\"type\":\"yarn\",\"truncate\":false}}",
         "rope:layout=half,base=1000000,scaling=yarn,factor=4,"
         "original_max_position_embeddings=32768,truncate=false",
         28, 28, 4, 128},
        /* Phi-3, with lists of three */
        {"{\"model_type\":\"phi3\",\"hidden_size\":12,\"num_attention_heads\":2,"
         "\"num_hidden_layers\":3,\"num_key_value_heads\":2,\"rope_theta\":10000.0,"
         "\"original_max_position_embeddings\":4096,\"max_position_embeddings\":131072,"
         "\"rope_scaling\":{\"long_factor\":[1.0700000524520874,1.1200000047683716,64.1],"
         "\"short_factor\":[1.1,1,1.2999999],\"type\":\"longrope\"}}",
         "rope:layout=half,scaling=longrope,factor=32,original_max_position_embeddings=4096,"
         "short_factor=1.1,1,1.2999999,long_factor=1.0700000524520874,1.1200000047683716,64.1",
         3, 2, 2, 6},
        /* DeepSeek-V3 */
        {"{\"model_type\":\"deepseek_v3\",\"hidden_size\":7168,\"num_attention_heads\":128,"
         "\"num_hidden_layers\":61,\"num_key_value_heads\":128,\"qk_nope_head_dim\":128,"
         "\"qk_rope_head_dim\":64,\"rope_theta\":10000,\"max_position_embeddings\":163840,"
         "\"rope_scaling\":{\"beta_fast\":32,\"beta_slow\":1,\"factor\":40,\"mscale\":1.0,"
         "\"mscale_all_dim\":1.0,\"original_max_position_embeddings\":4096,\"type\":\"yarn\"}}",
         "mla:qk_nope_head_dim=128,qk_rope_head_dim=64,scaling=yarn,mscale=1", 61, 128, 128, 192},
        /* GPT-NeoX 20B */
        {"{\"model_type\":\"gpt_neox\",\"hidden_size\":6144,\"num_attention_heads\":64,"
         "\"num_hidden_layers\":44,\"rotary_emb_base\":10000,\"rotary_pct\":0.25}",
         "rope:layout=half,rotary_fraction=0.25", 44, 64, 64, 96},
        /* Gemma 7B */
        {"{\"model_type\":\"gemma\",\"head_dim\":256,\"hidden_size\":3072,"
         "\"num_attention_heads\":16,\"num_hidden_layers\":28,\"num_key_value_heads\":16,"
         "\"rope_theta\":10000.0,\"rope_scaling\":null}",
         "rope:layout=half", 28, 16, 16, 256},
        /* GPT-J 6B turns 64 of 256 dimensions, in turn */
        {"{\"model_type\":\"gptj\",\"n_embd\":4096,\"n_head\":16,\"n_layer\":28,"
         "\"rotary_dim\":64}",
         "rope:rotary_fraction=0.25", 28, 16, 16, 256},
        {"{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_head\":12,\"n_layer\":12,"
         "\"n_positions\":1024}",
         "learned:max_position_embeddings=1024", 12, 12, 12, 64},
        {"{\"model_type\":\"t5\",\"d_kv\":64,\"d_model\":512,\"num_heads\":8,\"num_layers\":6,"
         "\"relative_attention_num_buckets\":32,\"relative_attention_max_distance\":100}",
         "t5:max_distance=100", 6, 8, 8, 64},
        {"{\"model_type\":\"bloom\",\"hidden_size\":1024,\"n_head\":16,\"n_layer\":24}", "alibi",
         24, 16, 16, 64},
        /* MPT 7B, and DistilBERT */
        {"{\"model_type\":\"mpt\",\"d_model\":4096,\"n_heads\":32,\"n_layers\":32,"
         "\"attn_config\":{\"alibi\":true,\"alibi_bias_max\":8}}",
         "alibi", 32, 32, 32, 128},
        {"{\"model_type\":\"distilbert\",\"dim\":768,\"n_heads\":12,\"n_layers\":6,"
         "\"max_position_embeddings\":512,\"sinusoidal_pos_embds\":false}",
         "learned:max_position_embeddings=512", 6, 12, 12, 64},
        {"{\"model_type\":\"bert\",\"hidden_size\":768,\"num_attention_heads\":12,"
         "\"num_hidden_layers\":12,\"max_position_embeddings\":512,"
         "\"position_embedding_type\":\"absolute\"}",
         "learned:max_position_embeddings=512", 12, 12, 12, 64},
        /* Falcon 7B, whose one key head is no number, and 40B */
        {"{\"model_type\":\"falcon\",\"alibi\":false,\"hidden_size\":4544,\"multi_query\":true,"
         "\"new_decoder_architecture\":false,\"num_attention_heads\":71,"
         "\"num_hidden_layers\":32}",
         "rope:layout=half", 32, 71, 1, 64},
        {"{\"model_type\":\"falcon\",\"alibi\":false,\"hidden_size\":8192,\"multi_query\":true,"
         "\"new_decoder_architecture\":true,\"num_attention_heads\":128,\"num_kv_heads\":8,"
         "\"num_hidden_layers\":60}",
         "rope:layout=half", 60, 128, 8, 64},
        /* GLM-4 9B, ERNIE 4.5 0.3B, Command R */
        {"{\"model_type\":\"glm\",\"hidden_size\":4096,\"head_dim\":128,"
         "\"num_attention_heads\":32,\"num_hidden_layers\":40,\"num_key_value_heads\":2,"
         "\"partial_rotary_factor\":0.5,\"rope_theta\":10000.0}",
         "rope:rotary_fraction=0.5", 40, 32, 2, 128},
        {"{\"model_type\":\"glm4\",\"num_attention_heads\":32,\"head_dim\":128,"
         "\"partial_rotary_factor\":0.5,\"rope_theta\":10000.0}",
         "rope:rotary_fraction=0.5", 0, 32, 32, 128},
        {"{\"model_type\":\"ernie4_5\",\"hidden_size\":1024,\"head_dim\":128,"
         "\"num_attention_heads\":16,\"num_hidden_layers\":18,\"num_key_value_heads\":2,"
         "\"rope_theta\":500000.0}",
         "rope:base=500000", 18, 16, 2, 128},
        {"{\"model_type\":\"cohere\",\"hidden_size\":8192,\"num_attention_heads\":64,"
         "\"num_hidden_layers\":40,\"rope_theta\":8000000.0}",
         "rope:base=8000000", 40, 64, 64, 128},
        /* Layers without rotation, by a list, an interval, and the kinds of layers; all and none */
        {"{\"model_type\":\"smollm3\",\"num_hidden_layers\":9,\"rope_theta\":5000000.0,"
         "\"no_rope_layers\":[1,1,1,0,1,0,0,1,1]}",
         "rope:layout=half,base=5000000,rotary_layers=0-2,4,7-8", 9, 0, 0, 0},
        {"{\"model_type\":\"smollm3\",\"num_hidden_layers\":6,\"rope_theta\":5000000.0,"
         "\"no_rope_layer_interval\":3}",
         "rope:layout=half,base=5000000,rotary_layers=0-1,3-4", 6, 0, 0, 0},
        {"{\"text_config\":{\"model_type\":\"llama4_text\",\"num_hidden_layers\":8,"
         "\"no_rope_layers\":[],\"rope_theta\":500000.0,\"rope_scaling\":{\"factor\":16.0,"
         "\"low_freq_factor\":1.0,\"high_freq_factor\":1.5,"
         "\"original_max_position_embeddings\":8192,\"rope_type\":\"llama3\"}}}",
         "rope:base=500000,rotary_layers=0-2,4-6,scaling=llama3,factor=16,"
         "original_max_position_embeddings=8192,high_freq_factor=1.5",
         8, 0, 0, 0},
        {"{\"model_type\":\"cohere2\",\"num_hidden_layers\":5,\"rope_theta\":50000,"
         "\"sliding_window\":4096,\"sliding_window_pattern\":4}",
         "rope:base=50000,rotary_layers=0-2,4", 5, 0, 0, 0},
        {"{\"model_type\":\"cohere2\",\"num_hidden_layers\":2,\"rope_theta\":50000,"
         "\"sliding_window\":4096,\"layer_types\":[\"full_attention\",\"sliding_attention\"]}",
         "rope:base=50000,rotary_layers=1", 2, 0, 0, 0},
        {"{\"model_type\":\"cohere2\",\"num_hidden_layers\":5,\"rope_theta\":50000,"
         "\"sliding_window\":null}",
         "rope:base=50000", 5, 0, 0, 0},
        {"{\"rope_theta\":1e4,\"no_rope_layers\":[1,1]}", "rope:layout=half", 0, 0, 0, 0},
        {"{\"rope_theta\":1e4,\"no_rope_layers\":[0,0]}", "nope", 0, 0, 0, 0},
        {"{\"model_type\":\"x\",\"text_config\":{\"model_type\":\"llama\",\"head_dim\":8,"
         "\"num_attention_heads\":4}}",
         "rope:layout=half", 0, 4, 4, 8},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        as_hf_config config;
        char *text = canonical(models[i].config);
        ck_assert_str_eq(text, models[i].scheme);
        free(text);
        write_config(models[i].config);
        assert_ok(as_scheme_hf(path, &config));
        unlink(path);
        ck_assert_uint_eq(config.layers, models[i].layers);
        ck_assert_uint_eq(config.heads, models[i].heads);
        ck_assert_uint_eq(config.kv_heads, models[i].kv_heads);
        ck_assert_uint_eq(config.dim, models[i].dim);
    }
}
END_TEST

/* 48 numbers of 18 digits, twice: as long as Phi-3's. */
START_TEST(lists_of_a_real_length_fit) {
    char lists[2][48 * 24], config[4096];
    for (size_t l = 0; l < 2; l++) {
        size_t used = 0;
        for (size_t i = 0; i < 48; i++) {
            used += (size_t)snprintf(lists[l] + used, sizeof lists[l] - used, "%s%.17g",
                                     i > 0 ? "," : "", 1.0700000524520874 + (double)i);
        }
    }
    snprintf(config, sizeof config,
             "{\"model_type\":\"phi3\",\"rope_theta\":10000,\"max_position_embeddings\":131072,"
             "\"original_max_position_embeddings\":4096,\"rope_scaling\":{\"type\":\"su\","
             "\"short_factor\":[%s],\"long_factor\":[%s]}}",
             lists[0], lists[1]);
    char *text = canonical(config);
    as_scheme s;
    assert_ok(as_scheme_parse(text, &s));
    as_head head = {.heads = 1, .rows = 4, .cols = 4, .dim = 96};
    assert_ok(as_scheme_check(&s, &head));
    free(text);
}
END_TEST

START_TEST(what_says_nothing_is_refused) {
    static const struct {
        const char *config;
        as_status status;
        const char *message;
    } wrong[] = {
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"mystery\"}}", AS_EINVAL,
         "there is no rope type 'mystery'; valid are default, linear, ntk, dynamic, yarn, llama3, "
         "longrope"},
        {"{\"model_type\":\"mamba\"}", AS_EINVAL,
         "a model of type 'mamba' without rope_theta does not say"},
        {"{\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1e6},\"sliding_attention\":{}}}",
         AS_EINVAL, "rotate in several ways, the first of them full_attention"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"linear\"}}", AS_EINVAL,
         "scaling=linear needs a factor"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"longrope\",\"factor\":2}}", AS_EINVAL,
         "the rope type longrope has no list short_factor"},
        {"{\"rope_theta\":1e4,\"qk_rope_head_dim\":8,\"rope_scaling\":{\"type\":\"llama3\"}}",
         AS_EINVAL, "scaling is 'llama3'; valid are none, yarn"},
        {"{\"rope_theta\":0.5}", AS_EINVAL, "base is '0.5', but must be a number from 1"},
        {"{\"model_type\":\"falcon\",\"alibi\":true,\"hidden_size\":1024}", AS_EINVAL,
         "its alibi is true, and Falcon divides the bias by the root of the head size"},
        {"{\"model_type\":\"mpt\",\"attn_config\":{\"alibi\":true,\"alibi_bias_max\":16}}",
         AS_EINVAL, "its alibi_bias_max is 16"},
        {"{\"model_type\":\"bert\",\"position_embedding_type\":\"relative_key_query\"}", AS_EINVAL,
         "its position_embedding_type is 'relative_key_query', for which there is no scheme"},
        {"{\"model_type\":\"distilbert\",\"sinusoidal_pos_embds\":true}", AS_EINVAL,
         "its sinusoidal_pos_embds makes its table sines"},
        {"{\"model_type\":\"gemma3_text\",\"rope_scaling\":{\"factor\":8,"
         "\"rope_type\":\"linear\"}}",
         AS_EINVAL, "its local layers rotate by the base rope_local_base_freq"},
        {"{\"rope_theta\":1e6,\"rope_local_base_freq\":1e4}", AS_EINVAL,
         "its local layers rotate by the base rope_local_base_freq"},
        {"{\"model_type\":\"olmo3\",\"rope_theta\":5e5,\"rope_scaling\":{\"rope_type\":\"yarn\","
         "\"factor\":8}}",
         AS_EINVAL, "only its layers without a window rotate by its rope_scaling"},
        {"{\"rope_theta\":1e4,\"num_hidden_layers\":3,\"no_rope_layers\":[1,0]}", AS_EINVAL,
         "its no_rope_layers has 2 entries, but there are 3 layers"},
        {"{\"rope_theta\":1e4,\"no_rope_layers\":[1,\"0\"]}", AS_EINVAL,
         "its no_rope_layers has an entry that is neither 0 nor 1"},
        {"{\"rope_theta\":1e4,\"no_rope_layers\":4}", AS_EINVAL,
         "its no_rope_layers must be a list"},
        {"{\"rope_theta\":1e4,\"no_rope_layer_interval\":0}", AS_EINVAL,
         "its no_rope_layer_interval (4 where it is not given) and its number of layers"},
        {"{\"rope_theta\":\"10000\"}", AS_EINVAL, "its rope_theta must be a number"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"linear\",\"factor\":\"2\"}}", AS_EINVAL,
         "its factor must be a number"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":2}}", AS_EINVAL, "its type must be text"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":\"linear\"}", AS_EINVAL,
         "its rope_scaling must be an object"},
        {"{\"rope_theta\":1e4,\"alibi\":\"true\"}", AS_EINVAL, "its alibi must be true or false"},
        {"{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"su\",\"short_factor\":[1,\"2\"]}}",
         AS_EINVAL, "its short_factor has an entry that is no number"},
        {"{\"rope_theta\":1e4,\"num_attention_heads\":0}", AS_EINVAL,
         "its number of heads is 0, but must be a whole number from 1 to 1000000"},
        {"{\"rope_theta\":1e4,\"num_attention_heads\":-4}", AS_EINVAL, "its number of heads is -4"},
        {"{\"rope_theta\":1e4,\"num_attention_heads\":\"4\"}", AS_EINVAL,
         "its num_attention_heads must be a number"},
        {"{\"rope_theta\":1e4,\"num_attention_heads\":3,\"hidden_size\":64}", AS_EINVAL,
         "its hidden size 64 is no multiple of its 3 heads"},
        {"[1]", AS_EREAD, "a config.json is an object"},
        {"{", AS_EREAD, "/tmp/attnspec-hf-"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[64];
        as_scheme s = {.type = NULL};
        write_config(wrong[i].config);
        snprintf(text, sizeof text, "hf:%s", path);
        assert_fails(as_scheme_parse(text, &s), wrong[i].status);
        unlink(path);
        ck_assert_msg(strstr(as_message(), wrong[i].message) != NULL, "%s", as_message());
        ck_assert_msg(strstr(as_message(), path) != NULL, "%s", as_message());
        ck_assert_ptr_null(s.type);
    }
    as_scheme s = {.type = NULL};
    assert_fails(as_scheme_parse("hf:/nowhere/config.json", &s), AS_EREAD);
    assert_fails(as_scheme_parse("hf:/tmp", &s), AS_EREAD);
    ck_assert_str_eq(as_message(), "/tmp is no regular file");
    assert_fails(as_scheme_parse("hf:/dev/zero", &s), AS_EREAD);
}
END_TEST

/* Gemma 2: of 2B and 9B the scale is the usual one, of 27B it is 1/12 at a head size of 128. */
START_TEST(what_is_not_applied_is_noted) {
    static const struct {
        const char *config, *note;
    } notes[] = {
        {"{\"rope_theta\":1e4,\"head_dim\":256,\"query_pre_attn_scalar\":256,"
         "\"attn_logit_softcapping\":null}",
         ""},
        {"{\"rope_theta\":1e4,\"head_dim\":128,\"query_pre_attn_scalar\":144,"
         "\"attn_logit_softcapping\":50.0}",
         "its query_pre_attn_scalar makes the scale of the logits 0.08333333333, which is not "
         "applied; its attn_logit_softcapping caps the logits at 50, which is not applied"},
        {"{\"rope_theta\":1e4,\"head_dim\":64,\"attention_multiplier\":0.015625}",
         "its attention_multiplier makes the scale of the logits 0.015625, which is not applied"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        as_hf_config config;
        write_config(notes[i].config);
        assert_ok(as_scheme_hf(path, &config));
        unlink(path);
        ck_assert_str_eq(config.note, notes[i].note);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, what_is_not_applied_is_noted);
    tcase_add_test(t, published_models_have_their_schemes);
    tcase_add_test(t, lists_of_a_real_length_fit);
    tcase_add_test(t, what_says_nothing_is_refused);
}

AS_TEST_MAIN("hf")

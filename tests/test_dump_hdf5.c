/* HDF5 in the dump room: every dtype, byte order and chunking against numbers known by formula; links,
 * kinds and lies against their sentences; and files that h5py makes here, where it is installed. */
#define _GNU_SOURCE /* mkdtemp, mkfifo, flock */
#include "npy_file.h"
#include "support.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>

static size_t find(const as_dump *dump, const char *name) {
    for (size_t t = 0; t < as_dump_tensor_count(dump); t++) {
        if (strcmp(as_dump_tensor(dump, t)->name, name) == 0) {
            return t;
        }
    }
    ck_abort_msg("%s has no %s", as_dump_path(dump), name);
    return 0;
}

/* Element number i of the fixtures: i − 100 as the dtype has it. */
static double value_of(as_dtype dtype, size_t i) {
    double number = (double)i - 100;
    bool is_unsigned = as_dtype_name(dtype)[0] == 'u';
    return dtype == AS_BOOL            ? number != 0
           : is_unsigned && number < 0 ? ldexp(1, (int)(8 * as_dtype_size(dtype))) + number
                                       : number;
}

static void check_slice(const as_dump *dump, size_t tensor, as_slice slice) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    as_matrix m = {0};
    assert_ok(as_dump_read(dump, tensor, &slice, &m));
    ck_assert_uint_eq(m.rows, slice.row_axis == AS_NO_AXIS ? 1 : t->shape[slice.row_axis]);
    ck_assert_uint_eq(m.cols, t->shape[slice.col_axis]);
    for (size_t i = 0; i < m.rows; i++) {
        for (size_t k = 0; k < m.cols; k++) {
            size_t number = 0;
            for (size_t a = 0; a < t->rank; a++) {
                size_t at = a == slice.row_axis ? i : a == slice.col_axis ? k : slice.index[a];
                number = number * t->shape[a] + at;
            }
            double expected = value_of(t->dtype, number);
            if (m.data[i * m.cols + k] != expected) {
                ck_abort_msg("%s axes %zu, %zu: (%zu, %zu) = %g, expected %g", t->name,
                             slice.row_axis, slice.col_axis, i, k, m.data[i * m.cols + k],
                             expected);
            }
        }
    }
    as_matrix_free(&m);
}

/* Every ordered pair of axes and every single one, at the first, an inner and the last index. */
static void check_tensor(const as_dump *dump, size_t tensor) {
    const as_tensor *t = as_dump_tensor(dump, tensor);
    for (size_t part = 0; part < 3; part++) {
        as_slice slice = {0};
        for (size_t a = 0; a < t->rank; a++) {
            slice.index[a] = part * (t->shape[a] - 1) / 2;
        }
        for (slice.col_axis = 0; slice.col_axis < t->rank; slice.col_axis++) {
            for (size_t row = 0; row <= t->rank; row++) {
                slice.row_axis = row < t->rank ? row : AS_NO_AXIS;
                if (slice.row_axis != slice.col_axis) {
                    check_slice(dump, tensor, slice);
                }
            }
        }
    }
}

START_TEST(every_dtype_order_and_chunking) {
    /* In the order of h5py's visit(). */
    static const char *const names[] = {
        "big/bf16",    "big/f2",    "big/f4",       "big/f8",    "layers/10/attn", "layers/2/attn",
        "little/bf16", "little/f2", "little/f4",    "little/f8", "packed/across",  "packed/gzip",
        "packed/odd",  "whole/b1",  "whole/big_i4", "whole/i1",  "whole/i2",       "whole/i4",
        "whole/i8",    "whole/u1",  "whole/u2",     "whole/u4",  "whole/u8",
    };
    enum { COUNT = sizeof names / sizeof *names };
    as_dump *dump;
    assert_ok(as_dump_open("data/numbers_2x3x5x7.h5", NULL, &dump));
    ck_assert_str_eq(as_dump_format(dump), "hdf5");
    ck_assert_uint_eq(as_dump_tensor_count(dump), COUNT);
    ck_assert_ptr_null(as_dump_attribute(dump, "scheme"));
    for (size_t t = 0; t < COUNT; t++) {
        const as_tensor *tensor = as_dump_tensor(dump, t);
        ck_assert_str_eq(tensor->name, names[t]);
        ck_assert_int_eq(tensor->status, AS_OK);
        ck_assert_ptr_null(tensor->reason);
        if (strncmp(names[t], "layers", 6) == 0) {
            continue;
        }
        const char *code = strchr(names[t], '/') + 1;
        if (strncmp(names[t], "packed", 6) != 0) {
            code += strncmp(code, "big_", 4) == 0 ? 4 : 0;
            ck_assert_str_eq(as_dtype_name(tensor->dtype), code);
        }
        const size_t shape[] = {2, 3, 5, 7};
        ck_assert_uint_eq(tensor->rank, 4);
        ck_assert_mem_eq(tensor->shape, shape, sizeof shape);
        check_tensor(dump, t);
    }
    as_dump_close(dump);
}
END_TEST

START_TEST(what_holds_no_numbers_says_so) {
    static const struct {
        const char *name, *reason;
    } rows[] = {
        {"arrays", "holds arrays as its elements; save them as further axes"},
        {"colours", "holds an enumeration, not numbers"},
        {"complex", "holds complex numbers; save the real and the imaginary part"},
        {"long_double", "holds floats of 16 bytes with 15 exponent and 64 mantissa bits, which few "
                        "machines know; save them as float64"},
        {"nine_axes", "has 9 axes, more than 8"},
        {"null", "is empty (it has no dataspace)"},
        {"opaque_1", "holds opaque elements; save them as float32"},
        {"opaque_2", "holds opaque elements of 2 bytes, as h5py writes bfloat16; if that is what "
                     "they are, say so with --raw-dtype bf16"},
        {"ragged", "holds lists of varying length; save each as a dataset of its own"},
        {"records", "holds records (a compound type); save each field as a dataset of its own"},
        {"references", "holds references to other objects, not numbers"},
        {"text", "holds text, not numbers"},
        {"texts", "holds text, not numbers"},
        {"twelve_bits", "holds integers of 12 bits in 2 bytes"},
    };
    as_dump *dump;
    as_matrix m = {0};
    assert_ok(as_dump_open("data/kinds.h5", NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), sizeof rows / sizeof *rows + 3);
    size_t t;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t = find(dump, rows[i].name);
        ck_assert_int_eq(as_dump_tensor(dump, t)->status, AS_SKIPPED);
        ck_assert_str_eq(as_dump_tensor(dump, t)->reason, rows[i].reason);
        ck_assert_int_eq(as_dump_tensor(dump, t)->dtype, AS_DTYPE_COUNT);
        ck_assert(!as_dtype_is_float(AS_DTYPE_COUNT) && as_dtype_size(AS_DTYPE_COUNT) == 0);
        assert_fails(as_dump_read(dump, t, &(as_slice){0, 1, {0}}, &m), AS_SKIPPED);
        ck_assert_ptr_nonnull(strstr(as_message(), rows[i].reason));
    }
    ck_assert_uint_eq(as_dump_tensor(dump, find(dump, "scalar"))->rank, 0);
    assert_ok(as_dump_read(dump, find(dump, "empty"), &(as_slice){1, 2, {1}}, &m));
    ck_assert_uint_eq(m.rows, 0);
    ck_assert_uint_eq(m.cols, 3);
    /* Legal, whatever it claims: nothing was written, so the fill value is what it holds. */
    t = find(dump, "sparse");
    assert_ok(as_dump_read(dump, t, &(as_slice){AS_NO_AXIS, 2, {1, 99999}}, &m));
    ck_assert_uint_eq(m.cols, 1 << 20);
    ck_assert_double_eq(m.data[m.cols - 1], 2.5);
    assert_fails(as_dump_read(dump, t, &(as_slice){1, 2, {1}}, &m), AS_ENOMEM);
    ck_assert_ptr_nonnull(strstr(as_message(), ": a matrix of 1048576 × 1048576 does not fit this "
                                               "machine's memory"));
    as_dump_close(dump);
    const as_dump_options bf16 = {.raw_dtype = "bf16"};
    assert_ok(as_dump_open("data/kinds.h5", &bf16, &dump));
    t = find(dump, "opaque_2");
    ck_assert_int_eq(as_dump_tensor(dump, t)->dtype, AS_BF16);
    assert_ok(as_dump_read(dump, t, &(as_slice){0, 1, {0}}, &m));
    const double expected[] = {1, 2, -INFINITY, 3.140625};
    ck_assert_mem_eq(m.data, expected, sizeof expected);
    ck_assert_int_eq(as_dump_tensor(dump, find(dump, "opaque_1"))->status, AS_SKIPPED);
    as_dump_close(dump);
    as_matrix_free(&m);
}
END_TEST

START_TEST(links_neither_loop_nor_lead_outside) {
    as_dump *dump;
    as_matrix m = {0};
    assert_ok(as_dump_open("data/links.h5", NULL, &dump));
    ck_assert_uint_eq(as_dump_tensor_count(dump), 2);
    ck_assert_str_eq(as_dump_tensor(dump, 0)->name, "a/again");
    assert_ok(as_dump_read(dump, 0, &(as_slice){0, 1, {0}}, &m));
    ck_assert_double_eq(m.data[3], 1);
    ck_assert_str_eq(as_dump_tensor(dump, 1)->name, "outside");
    ck_assert_int_eq(as_dump_tensor(dump, 1)->status, AS_EREAD);
    ck_assert_str_eq(as_dump_tensor(dump, 1)->reason,
                     "is a link to \"/attn\" in the file \"other.h5\", which is not followed; name "
                     "that file");
    as_dump_close(dump);
    as_matrix_free(&m);
}
END_TEST

START_TEST(what_is_out_of_reach_says_so) {
    FILE *list = fopen("data/broken/expected_tensors.txt", "r");
    ck_assert_ptr_nonnull(list);
    char line[600], path[700];
    size_t count = 0;
    as_matrix m = {0};
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *tensor = strchr(line, '\t'),
             *sentence = tensor != NULL ? strchr(tensor + 1, '\t') : NULL;
        ck_assert_ptr_nonnull(sentence);
        *tensor++ = '\0';
        *sentence++ = '\0';
        snprintf(path, sizeof path, "data/broken/%s", line);
        as_dump *dump;
        assert_ok(as_dump_open(path, NULL, &dump));
        size_t t = find(dump, tensor);
        ck_assert_str_eq(as_dump_tensor(dump, t)->reason, sentence);
        ck_assert_int_eq(as_dump_tensor(dump, t)->dtype, AS_F64);
        assert_fails(as_dump_read(dump, t, &(as_slice){0, 1, {0}}, &m), AS_EREAD);
        ck_assert_str_eq(as_message() + strlen(path) + 2, sentence);
        as_dump_close(dump);
        count++;
    }
    fclose(list);
    ck_assert_uint_ge(count, 10);
    as_matrix_free(&m);
}
END_TEST

START_TEST(virtual_datasets_with_their_sources) {
    static const struct {
        const char *name;
        double first;
    } rows[] = {{"good", 1}, {"good_local", 1}, {"good_rows", 0}};
    as_matrix m = {0};
    /* Also while the file of the sources is open as an input of its own, before and after. */
    for (int order = 0; order < 3; order++) {
        as_dump *dump, *source = NULL;
        if (order == 1) {
            assert_ok(as_dump_open("data/broken/source.h5", NULL, &source));
        }
        assert_ok(as_dump_open("data/broken/virtual.h5", NULL, &dump));
        if (order == 2) {
            assert_ok(as_dump_open("data/broken/source.h5", NULL, &source));
        }
        for (size_t i = 0; i < 3; i++) {
            assert_ok(as_dump_read(dump, find(dump, rows[i].name), &(as_slice){0, 1, {0}}, &m));
            ck_assert_double_eq(m.data[0], rows[i].first);
            ck_assert_double_eq(m.data[1], 1 - rows[i].first);
        }
        as_dump_close(dump);
        as_dump_close(source);
    }
    as_matrix_free(&m);
}
END_TEST

static void copy_file(const char *from, const char *to) {
    static char bytes[1 << 17];
    FILE *f = fopen(from, "rb");
    ck_assert_ptr_nonnull(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    write_bytes(to, bytes, size, NULL, 0);
}

START_TEST(a_lock_is_named) {
    char path[64];
    temporary_file(path);
    copy_file("data/numbers_2x3x5x7.h5", path);
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    as_dump *dump = NULL;
    if (getenv("HDF5_USE_FILE_LOCKING") == NULL) {
        assert_fails(as_dump_open(path, NULL, &dump), AS_EREAD);
        ck_assert_msg(strncmp(as_message(), path, strlen(path)) == 0 &&
                          strstr(as_message(), "HDF5_USE_FILE_LOCKING=FALSE") != NULL,
                      "%s", as_message());
    }
    close(fd);
    assert_ok(as_dump_open(path, NULL, &dump));
    as_dump_close(dump);
    unlink(path);
}
END_TEST

START_TEST(a_file_that_changes_is_noticed) {
    char path[64];
    temporary_file(path);
    copy_file("data/numbers_2x3x5x7.h5", path);
    as_dump *dump;
    as_matrix m = {0};
    const as_slice slice = {2, 3, {1, 1}};
    assert_ok(as_dump_open(path, NULL, &dump));
    assert_ok(as_dump_read(dump, find(dump, "little/f4"), &slice, &m));
    ck_assert_int_eq(truncate(path, 4000), 0);
    assert_fails(as_dump_read(dump, find(dump, "little/f4"), &slice, &m), AS_EREAD);
    ck_assert_ptr_nonnull(strstr(as_message(), ": changed since it was opened"));
    as_dump_close(dump);
    as_matrix_free(&m);
    unlink(path);
}
END_TEST

enum { READS = 3000 }; /* each of another dataset than the last: it is closed meanwhile */
typedef struct shared {
    const as_dump *dump[2];
    as_matrix out[READS];
    as_status status[READS];
} shared;

static const char *const shared_names[] = {"packed/gzip", "big/f2", "packed/odd"};

static void read_one(void *context, size_t index, size_t worker) {
    (void)worker;
    shared *s = context;
    const as_dump *dump = s->dump[index / 100 % 2];
    const as_slice slice = {2, 3, {index / 3 % 2, index % 3}};
    s->status[index] =
        as_dump_read(dump, find(dump, shared_names[index % 3]), &slice, &s->out[index]);
}

START_TEST(threads_share_dumps) {
    as_dump *dumps[2];
    shared s = {0};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(as_dump_open("data/numbers_2x3x5x7.h5", NULL, &dumps[i]));
        s.dump[i] = dumps[i];
    }
    assert_ok(as_parallel_for(READS, 3, read_one, &s));
    for (size_t i = 0; i < READS; i++) {
        ck_assert_int_eq(s.status[i], AS_OK);
        double first = (double)(i / 3 % 2 * 105 + i % 3 * 35) - 100;
        ck_assert_double_eq(s.out[i].data[34], first + 34);
        as_matrix_free(&s.out[i]);
    }
    as_dump_close(dumps[0]);
    as_dump_close(dumps[1]);
}
END_TEST

/* ---- files that h5py makes ------------------------------------------------------------------- */

/* Runs a program that is given folder as sys.argv[1]; false, with a word, where there is no h5py. */
static bool python(const char *folder, const char *program) {
    char command[4096];
    if (system("/usr/bin/python3 -c 'import h5py, numpy' >/dev/null 2>&1") != 0) {
        printf("skipped: files that h5py makes (no h5py in /usr/bin/python3)\n");
        return false;
    }
    int used = snprintf(command, sizeof command, "/usr/bin/python3 -c '%s' %s", program, folder);
    ck_assert_int_lt(used, (int)sizeof command);
    ck_assert_int_eq(system(command), 0);
    return true;
}

static as_dump *open_in(const char *folder, const char *name) {
    char path[128];
    as_dump *dump = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(as_dump_open(path, NULL, &dump));
    return dump;
}

static void remove_folder(const char *folder) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(chunks_of_any_shape) {
    char folder[] = "/tmp/attnspec_test_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    if (python(folder, "import h5py, numpy as n, sys\n"
                       "f = h5py.File(sys.argv[1] + \"/a.h5\", \"w\", userblock_size=512, "
                       "libver=\"latest\")\n"
                       "a = n.arange(3 * 130 * 111.).reshape(3, 130, 111) - 100\n"
                       "for c in [(1, 130, 111), (3, 7, 13), (2, 64, 111), (3, 130, 111), "
                       "(1, 1, 1), (1, 130, 1)]:\n"
                       "    f.create_dataset(\"c%dx%dx%d\" % c, data=a, chunks=c, "
                       "compression=\"lzf\" if c == (3, 7, 13) else None, dtype=\">f4\" "
                       "if c[0] == 2 else \"f8\", maxshape=(None, 130, None))\n"
                       "f[\"fixed\"] = a\n")) {
        as_dump *dump = open_in(folder, "a.h5");
        ck_assert_uint_eq(as_dump_tensor_count(dump), 7);
        for (size_t t = 0; t < 7; t++) {
            const as_tensor *tensor = as_dump_tensor(dump, t);
            if (tensor->status == AS_OK) {
                check_tensor(dump, t);
            } else { /* HDF5 itself has no lzf */
                ck_assert_str_eq(tensor->name, "c3x7x13");
                ck_assert_ptr_nonnull(strstr(tensor->reason, "the filter 32000 (lzf)"));
            }
        }
        as_dump_close(dump);
    }
    remove_folder(folder);
}
END_TEST

/* HDF5 reads the missing end of an external file as zeros, and waits for a pipe for ever. */
START_TEST(external_files_must_be_whole) {
    char folder[] = "/tmp/attnspec_test_XXXXXX", pipe[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(pipe, sizeof pipe, "%s/pipe.bin", folder);
    if (python(folder, "import h5py, numpy as n, sys\n"
                       "d = sys.argv[1] + \"/\"\n"
                       "f = h5py.File(d + \"a.h5\", \"w\")\n"
                       "n.arange(6.).tofile(d + \"whole.bin\")\n"
                       "n.arange(5.).tofile(d + \"short.bin\")\n"
                       "for x in [\"whole\", \"short\", \"pipe\"]:\n"
                       "    f.create_dataset(x, (2, 3), \"f8\", external=[(d + x + \".bin\", 0, "
                       "h5py.h5f.UNLIMITED)])\n")) {
        ck_assert_int_eq(mkfifo(pipe, 0600), 0);
        as_dump *dump = open_in(folder, "a.h5");
        as_matrix m = {0};
        assert_ok(as_dump_read(dump, find(dump, "whole"), &(as_slice){0, 1, {0}}, &m));
        ck_assert_double_eq(m.data[5], 5);
        assert_fails(as_dump_read(dump, find(dump, "short"), &(as_slice){0, 1, {0}}, &m), AS_EREAD);
        ck_assert_ptr_nonnull(strstr(as_message(), "short.bin\", which is too short"));
        assert_fails(as_dump_read(dump, find(dump, "pipe"), &(as_slice){0, 1, {0}}, &m), AS_EREAD);
        ck_assert_ptr_nonnull(strstr(as_message(), "pipe.bin\", which is not there"));
        as_matrix_free(&m);
        as_dump_close(dump);
    }
    remove_folder(folder);
}
END_TEST

START_TEST(one_wrong_byte_is_noticed) {
    char folder[] = "/tmp/attnspec_test_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    if (python(folder, "import h5py, numpy as n, sys\n"
                       "p = sys.argv[1] + \"/a.h5\"\n"
                       "f = h5py.File(p, \"w\")\n"
                       "d = f.create_dataset(\"attn\", data=n.eye(64), chunks=(64, 64), "
                       "fletcher32=True)\n"
                       "at = d.id.get_chunk_info(0).byte_offset\n"
                       "f.close()\n"
                       "g = open(p, \"r+b\")\n"
                       "g.seek(at + 100)\n"
                       "g.write(b\"x\")\n")) {
        as_dump *dump = open_in(folder, "a.h5");
        as_matrix m = {0};
        assert_fails(as_dump_read(dump, 0, &(as_slice){0, 1, {0}}, &m), AS_EREAD);
        ck_assert_msg(strstr(as_message(), "a.h5: cannot be read: ") != NULL, "%s", as_message());
        as_matrix_free(&m);
        as_dump_close(dump);
    }
    remove_folder(folder);
}
END_TEST

START_TEST(many_datasets_in_many_groups) {
    char folder[] = "/tmp/attnspec_test_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    if (python(folder, "import h5py, numpy as n, sys\n"
                       "f = h5py.File(sys.argv[1] + \"/a.h5\", \"w\")\n"
                       "for l in range(12):\n"
                       "    for h in range(100):\n"
                       "        f[\"layer_%d/batch_0/head_%d\" % (l, h)] = n.full((2, 2), "
                       "100. * l + h)\n")) {
        as_dump *dump = open_in(folder, "a.h5");
        as_matrix m = {0};
        ck_assert_uint_eq(as_dump_tensor_count(dump), 1200);
        assert_ok(
            as_dump_read(dump, find(dump, "layer_11/batch_0/head_42"), &(as_slice){0, 1, {0}}, &m));
        ck_assert_double_eq(m.data[3], 1142);
        as_matrix_free(&m);
        as_dump_close(dump);
    }
    remove_folder(folder);
}
END_TEST

/* Elements of files of real models as h5py 3.7 prints them. */
START_TEST(elements_of_real_files) {
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    if (folder == NULL) {
        printf("skipped: elements of real files (ATTNSPEC_TEST_DATA is not set)\n");
        return;
    }
    static const struct {
        const char *name, *tensor;
        as_slice slice;
        size_t row, col;
        double value;
    } rows[] = {
        {"stories260K_attn_layer3_f32_gzip_shuffle.h5",
         "attn",
         {2, 3, {0, 5}},
         100,
         37,
         0x1.52330a0000000p-7},
        {"stories260K_attn_layer3_f32_gzip_shuffle.h5",
         "attn",
         {3, 2, {0, 2}},
         11,
         150,
         0x1.29d9180000000p-25},
        {"stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5",
         "logits",
         {2, 3, {4, 7}},
         159,
         1,
         -0x1.d340000000000p+2},
        {"stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5",
         "logits",
         {2, 3, {0, 3}},
         80,
         79,
         0x1.3780000000000p+1},
        {"stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5",
         "layers/3/q_prepe",
         {0, 2, {0, 6}},
         99,
         5,
         -0x1.4acb140000000p-1},
        {"stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5",
         "layers/4/k_rope",
         {2, 0, {0, 3}},
         7,
         42,
         0x1.1677e20000000p+3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].name);
        as_dump *dump;
        as_matrix m = {0};
        assert_ok(as_dump_open(path, NULL, &dump));
        assert_ok(as_dump_read(dump, find(dump, rows[i].tensor), &rows[i].slice, &m));
        ck_assert_double_eq(m.data[rows[i].row * m.cols + rows[i].col], rows[i].value);
        as_matrix_free(&m);
        as_dump_close(dump);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_dtype_order_and_chunking);
    tcase_add_test(t, what_holds_no_numbers_says_so);
    tcase_add_test(t, links_neither_loop_nor_lead_outside);
    tcase_add_test(t, what_is_out_of_reach_says_so);
    tcase_add_test(t, virtual_datasets_with_their_sources);
    tcase_add_test(t, a_lock_is_named);
    tcase_add_test(t, a_file_that_changes_is_noticed);
    tcase_add_test(t, threads_share_dumps);
    tcase_add_test(t, chunks_of_any_shape);
    tcase_add_test(t, external_files_must_be_whole);
    tcase_add_test(t, one_wrong_byte_is_noticed);
    tcase_add_test(t, many_datasets_in_many_groups);
    tcase_add_test(t, elements_of_real_files);
}
AS_TEST_MAIN("dump_hdf5")

/* Files of runs and comparisons: the round trip, the layout, what is refused and what is left alone. */
#define _GNU_SOURCE /* mkdtemp, setrlimit */
#include "run_rows.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

static size_t files_in(const char *folder) {
    size_t count = 0;
    DIR *d = opendir(folder);
    while (readdir(d) != NULL) {
        count++;
    }
    closedir(d);
    return count - 2;
}

START_TEST(a_run_comes_back) {
    char *folder = new_folder();
    const char *path = in_folder(folder, "r.h5");
    for (int kind = 0; kind < 4; kind++) {
        as_run *run = a_run(kind & 1, kind & 2);
        assert_ok(as_run_save(path, kind > 0, run, NULL));
        assert_run(path, run);
        ck_assert(as_run_is(path));
        ck_assert(!as_comparison_is(path));
        ck_assert(as_dump_is_result(path));
        ck_assert_uint_eq(files_in(folder), 1);
        free_run(run);
    }
    remove_folder(folder);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, a_run_comes_back);
}
AS_TEST_MAIN("run")

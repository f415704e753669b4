/* Results, runs and reports of ours, which hold no attention, told from other files.
 * It refuses nothing: what cannot be read is none. */
#include "attnspec/dump.h"
#include "door/hdf5.h"
#include "door/hdf5_tree.h"
#include "dump/file.h"
#include "dump/own.h"

#include <string.h>

/* As the result room writes them. */
static const char journal[] = "attnspec journal ", hdf5[] = "\x89HDF\r\n\x1a\n";
static const struct mark {
    const char *group, *name, *text; /* an attribute of a group */
    bool may_hold_dump;
} marks[] = {
    {"entry", "schema", "attnspec-result", false},
    {"comparison", "format", "attnspec-comparison", false},
    {"run", "format", "attnspec-run", true},
};

static bool has(as_h5_tree *tree, const char *group, const char *name, const char *text) {
    as_h5_attribute *found = NULL;
    size_t count = 0;
    bool is = false;
    if (as_h5_tree_attributes(tree, group, &found, &count) == AS_OK) {
        for (size_t i = 0; i < count; i++) {
            is = is || (strcmp(found[i].name, name) == 0 && strcmp(found[i].text, text) == 0);
        }
        as_h5_attributes_free(found, count);
    }
    return is;
}

/* AS_OK where one is there; a run with a dump holds attention. In a child process: HDF5 has not looked at
 * the file before. */
static as_status find_mark(void *path) {
    as_h5_tree *tree = NULL;
    as_status status = AS_SKIPPED;
    if (as_h5_tree_open(path, &tree) == AS_OK) {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            const struct mark *m = &marks[i];
            bool is = has(tree, m->group, m->name, m->text) &&
                      !(m->may_hold_dump && has(tree, AS_OWN_GROUP, "format", AS_OWN_FORMAT));
            status = is ? AS_OK : status;
        }
    }
    as_h5_tree_close(tree);
    return status;
}

bool as_dump_is_result(const char *path) {
    unsigned char head[sizeof journal - 1];
    as_file file;
    if (as_file_open(path, &file) != AS_OK) {
        return false;
    }
    bool read = as_file_read(&file, 0, head, sizeof head) == AS_OK;
    uint64_t size = file.stamp.size;
    as_file_close(&file);
    return read && (memcmp(head, journal, sizeof head) == 0 ||
                    (memcmp(head, hdf5, sizeof hdf5 - 1) == 0 &&
                     as_h5_trial(size, find_mark, (void *)path) == AS_OK));
}

/* Passes blanks, then `word`; NULL where it is not there. */
static const char *pass(const char *at, const char *word) {
    at = at == NULL ? NULL : at + strspn(at, " \t\r\n");
    return at != NULL && strncmp(at, word, strlen(word)) == 0 ? at + strlen(word) : NULL;
}

bool as_dump_is_report(const char *path) {
    /* How the tables begin: of matrices, of two results, of a run, of its trials, and behind its key of groups. */
    static const char *const tables[] = {"source,tensor,layer,batch,head,scheme,content,seed,rows,",
                                         "tensor,layer,batch,head,source_a,scheme_a,content_a,",
                                         "kind,step,layer,head,name,value\r\n",
                                         "task,scheme,seed,steps,accuracy,loss,plateau,"};
    static const char *const groups[] = {"layer", "head", "scheme", "source", "step"};
    static const char of_group[] = ",metric,count,mean,min,max";
    char head[128] = "";
    as_file file;
    if (as_file_open(path, &file) != AS_OK) {
        return false;
    }
    size_t size = file.stamp.size < sizeof head ? (size_t)file.stamp.size : sizeof head - 1;
    bool found = false, read = as_file_read(&file, 0, head, size) == AS_OK;
    as_file_close(&file);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        found = found || strncmp(head, tables[i], strlen(tables[i])) == 0;
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const char *rest = pass(head, groups[i]);
        found = found || (rest != NULL && strncmp(rest, of_group, sizeof of_group - 1) == 0);
    }
    const char *value = pass(pass(pass(head, "{"), "\"schema\""), ":");
    return read && (found || pass(value, "\"attnspec-report\"") != NULL ||
                    pass(value, "\"attnspec-info\"") != NULL);
}

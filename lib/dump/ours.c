/* Results of ours, which hold no attention, told from other files.
 * It refuses nothing: what cannot be read is none. */
#include "attnspec/dump.h"
#include "door/hdf5.h"
#include "door/hdf5_tree.h"
#include "dump/file.h"

#include <string.h>

/* As the result room writes them. */
static const char journal[] = "attnspec journal ", hdf5[] = "\x89HDF\r\n\x1a\n";
#define RESULT_GROUP  "entry"
#define RESULT_SCHEMA "attnspec-result" /* the attribute `schema` of the group */

/* AS_OK where the attribute is there. In a child process: HDF5 has not looked at the file before. */
static as_status find_schema(void *path) {
    as_h5_tree *tree = NULL;
    as_h5_attribute *found = NULL;
    size_t count = 0;
    as_status status = AS_SKIPPED;
    if (as_h5_tree_open(path, &tree) == AS_OK &&
        as_h5_tree_attributes(tree, RESULT_GROUP, &found, &count) == AS_OK) {
        for (size_t i = 0; i < count; i++) {
            bool has =
                strcmp(found[i].name, "schema") == 0 && strcmp(found[i].text, RESULT_SCHEMA) == 0;
            status = has ? AS_OK : status;
        }
        as_h5_attributes_free(found, count);
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
                     as_h5_trial(size, find_schema, (void *)path) == AS_OK));
}

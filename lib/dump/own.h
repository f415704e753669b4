/* own: what tells our dumps from other HDF5 files. Private to lib/dump. */
#ifndef AS_DUMP_OWN_H
#define AS_DUMP_OWN_H

#define AS_OWN_GROUP   "dump"
#define AS_OWN_FORMAT  "attnspec-dump" /* the attribute `format` of the group */
#define AS_OWN_VERSION 1               /* `format_version` */

#endif

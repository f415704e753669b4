/* groups: the groups of a result file and the labels of its datasets, as readers of NeXus want them.
 * Private. */
#ifndef AS_RESULT_GROUPS_H
#define AS_RESULT_GROUPS_H

#include "result/table.h"

/* Every group that a column of the table stands in; widths are known by now. AS_EWRITE. */
as_status as_groups_create(as_h5 *file, const as_table *table);
/* Labels, codes and axes of the columns, which are there by now. AS_EWRITE, AS_ENOMEM. */
as_status as_groups_label(as_h5 *file, const as_table *table);

#endif

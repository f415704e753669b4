/* report_json: what every variant of the JSON report shares. */
#ifndef TOOLS_REPORT_JSON_H
#define TOOLS_REPORT_JSON_H

#include "door/json.h"
#include "report.h"

typedef struct json_counts {
    uint64_t ok, skipped, failed;
} json_counts;
/* Opens the document: schema, version, provenance (JSON text, or NULL) and counts. AS_ENOMEM, AS_EREAD. */
as_status json_open(as_json *json, const char *provenance, json_counts counts);
/* The same with provenance and counts of rows. */
as_status json_head(as_json *json, const report_rows *rows);
/* The provenance of a result as the member `key`. AS_EREAD. */
as_status json_provenance(as_json *json, const char *key, const as_result *result);
/* Prints what has been added on a line of its own; AS_ENOMEM where something could not be. */
as_status json_pour(as_json *json, FILE *out);

#endif

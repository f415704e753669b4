/* What a head does: rules on its metrics, from the table roles.def, reasons in docs/maths.md.
 * It refuses matrices that are too small to tell a pattern from chance. */
#include "attnspec/metric.h"

#include <math.h>

static const as_head_rule rules[] = {
#define X(name, metric, share, low, threshold) {#name, metric, share, low, threshold},
#include "attnspec/roles.def"
#undef X
};

const as_head_rule *as_head_rule_of(as_head_role role) {
    return (unsigned)role < AS_HEAD_ROLE_COUNT ? &rules[role] : NULL;
}

double as_head_role_number(const as_metrics *metrics, size_t rows, size_t cols, as_head_role role) {
    size_t q = rows < cols ? rows : cols;
    const as_head_rule *rule = as_head_rule_of(role);
    if (rule == NULL || q < AS_HEAD_ROLE_MIN || metrics->reason[rule->metric] != AS_REASON_NONE) {
        return (double)NAN;
    }
    return rule->share ? metrics->value[rule->metric] / (double)q : metrics->value[rule->metric];
}

bool as_head_role_holds(as_head_role role, double number) {
    const as_head_rule *rule = as_head_rule_of(role);
    return rule != NULL && (rule->low ? number <= rule->threshold : number >= rule->threshold);
}

uint32_t as_head_roles(const as_metrics *metrics, size_t rows, size_t cols) {
    uint32_t roles = 0;
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++) {
        double number = as_head_role_number(metrics, rows, cols, (as_head_role)r);
        roles |= as_head_role_holds((as_head_role)r, number) ? 1u << r : 0;
    }
    return roles;
}

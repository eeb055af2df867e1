import { canRehearse } from '../form/rules';
import type { RuleFormState } from '../form/useRuleForm';

/** Whether a form holds enough for a rehearsal, and what is wanting if it does not. */
export function rehearsalReadiness({ values, properties, findings }: RuleFormState) {
  // A condition is judged by its attribute. While the attributes load or cannot be loaded, the condition's
  // field says so, and the hint below asks for it.
  const enough = canRehearse(findings) && (values.trigger === 1 || properties !== undefined);
  // If only the period is wrong, asking for the fields above it would mislead.
  const { period, weekdays, ...others } = findings.fields;
  const onlyPeriod = (period ?? weekdays) !== undefined && canRehearse({ ...findings, fields: others });
  return { enough, hintKey: onlyPeriod ? ('periodWrong' as const) : ('incomplete' as const) };
}

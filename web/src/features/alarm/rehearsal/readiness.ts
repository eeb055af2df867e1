import { canRehearse } from '../form/rules';
import type { RuleFormState } from '../form/useRuleForm';

/** Whether a form holds enough to be rehearsed, and what to ask for where it does not. */
export function rehearsalReadiness({ values, properties, findings }: RuleFormState) {
  const enough = canRehearse(findings) && (values.trigger === 1 || properties !== undefined);
  // Where only the period is wrong, asking for what stands there would lead nowhere.
  const { period, weekdays, ...others } = findings.fields;
  const onlyPeriod = (period ?? weekdays) !== undefined && canRehearse({ ...findings, fields: others });
  return { enough, wanting: onlyPeriod ? ('periodWrong' as const) : ('incomplete' as const) };
}

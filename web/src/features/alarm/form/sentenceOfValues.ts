import type { SentenceRule } from '@/lib/alarm/sentence';
import type { TslProperty } from '@/lib/device/types';
import { parseNumber } from '@/lib/format/typedNumber';
import { titleOf } from './ConditionRow';
import { isBlank, mayRecover, type RuleValues, typedValue } from './values';

/** The form's values as a sentence; missing values stay gaps. */
export function sentenceOfValues(
  values: RuleValues,
  properties: ReadonlyMap<string, TslProperty> | undefined,
): SentenceRule {
  const filled = values.conditions.filter((condition) => !isBlank(condition));
  const conditions = (filled.length > 0 ? filled : values.conditions.slice(0, 1)).map((condition) => {
    const property = properties?.get(condition.sign);
    const recovery = condition.recovery !== null && mayRecover(condition, property);
    return {
      andor: condition.andor,
      name: property ? titleOf(property) : condition.sign,
      unit: property?.elementUnit ?? '',
      subconditions: condition.operator,
      value: typedValue(condition, property),
      recovery: recovery ? parseNumber(condition.recovery ?? '') : undefined,
    };
  });
  const { trigger, hitCounts, durations } = values;
  return { triggerType: trigger ?? 0, conditions, hitCounts, durations };
}

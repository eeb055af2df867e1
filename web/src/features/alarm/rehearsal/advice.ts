import type { RehearsalAdvice } from '@/lib/alarm/types';
import { numberText } from '../form/number';
import { type ConditionValues, isBlank, type RuleValues } from '../form/values';

/** The condition of the form that an advice is of: rows that are not filled in were not asked about. */
export function advisedCondition({ conditions }: RuleValues, advice: RehearsalAdvice): ConditionValues | undefined {
  const condition = conditions.filter((each) => !isBlank(each))[advice.condition ?? -1];
  return condition?.sign === advice.tslAttribute ? condition : undefined;
}

/** What the form has to be changed by; undefined where it no longer holds what was advised. `comma` as decimals are set off. */
export function advisedChange(
  values: RuleValues,
  advice: RehearsalAdvice,
  comma: boolean,
): Partial<RuleValues> | undefined {
  const { hitCounts, durations, recovery } = advice;
  if (advice.kind === 'hits') {
    return hitCounts === undefined || durations === undefined ? undefined : { hitCounts, durations };
  }
  const condition = advisedCondition(values, advice);
  if (!condition || recovery === undefined) return undefined;
  const changed = { ...condition, recovery: numberText(recovery, comma) };
  return { conditions: values.conditions.map((each) => (each === condition ? changed : each)) };
}

import type { RehearsalAdvice } from '@/lib/alarm/types';
import { numberText } from '@/lib/format/typedNumber';
import type { Language } from '@/lib/i18n/i18n';
import { type ConditionValues, isBlank, type RuleValues } from '../form/values';

/**
 * The condition of the form that an advice refers to. The request leaves empty rows out, so they do
 * not count.
 */
export function advisedCondition({ conditions }: RuleValues, advice: RehearsalAdvice): ConditionValues | undefined {
  const condition = conditions.filter((each) => !isBlank(each))[advice.condition ?? -1];
  return condition?.sign === advice.tslAttribute ? condition : undefined;
}

/**
 * The change that an advice makes to the form; undefined if the form no longer holds the condition.
 * Numbers are in the notation of the language.
 */
export function advisedChange(
  values: RuleValues,
  advice: RehearsalAdvice,
  language: Language,
): Partial<RuleValues> | undefined {
  const { hitCounts, durations, recovery } = advice;
  if (advice.kind === 'hits') {
    return hitCounts === undefined || durations === undefined ? undefined : { hitCounts, durations };
  }
  const condition = advisedCondition(values, advice);
  if (!condition || recovery === undefined) return undefined;
  const changed = { ...condition, recovery: numberText(recovery, language) };
  return { conditions: values.conditions.map((each) => (each === condition ? changed : each)) };
}

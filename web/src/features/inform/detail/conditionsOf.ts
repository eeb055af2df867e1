import type { SentenceCondition } from '@/lib/alarm/sentence';
import type { AlarmDetail } from '../queries';

/** The conditions of a notice's rule, as sentences are made of them. */
export function conditionsOf({ alarmRules }: AlarmDetail): (SentenceCondition & { precision?: number })[] {
  return alarmRules.conditions.map(({ yeuName, tslAttribute, elementUnit, ...rest }) => ({
    ...rest,
    name: yeuName || tslAttribute,
    unit: elementUnit,
  }));
}

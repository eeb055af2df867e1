import type { SentenceCondition } from '@/lib/alarm/sentence';
import type { AlarmDetail } from '../queries';

/** A condition of a notice's rule, in the form that sentences need. */
export interface NoticeCondition extends SentenceCondition {
  /** The attribute's identifier. */
  sign: string;
  precision?: number;
}

export function conditionsOf({ alarmRules }: AlarmDetail): NoticeCondition[] {
  return alarmRules.conditions.map(({ yeuName, tslAttribute, elementUnit, ...rest }) => ({
    ...rest,
    sign: tslAttribute,
    name: yeuName || tslAttribute,
    unit: elementUnit,
  }));
}

import type { TFunction } from 'i18next';
import { comparisonHolds, sideOf } from '@/lib/alarm/comparator';
import type { Format } from '@/lib/format/format';
import { descriptors } from '@/lib/i18n/languages';
import type { AlarmDetail } from '../queries';
import { conditionsOf, type NoticeCondition } from './conditionsOf';

/**
 * Says that the conditions of an open notice still hold, with the newest values and their limits,
 * and what solving the notice now would mean. Empty if the conditions do not hold or nothing is
 * known.
 */
export function stillHoldsText(detail: AlarmDetail, format: Format, t: TFunction): string {
  if (detail.alarmNotice.holds !== true) return '';
  const silent = detail.alarmRules.triggerType === 1;
  const sentences = silent
    ? [t('inform.solve.holds.silent'), t('inform.solve.holds.thenSilent')]
    : [readingsText(detail, format, t), t('inform.solve.holds.then')];
  return format.sentences([...sentences, t('inform.solve.holds.instead')]);
}

function readingsText(detail: AlarmDetail, format: Format, t: TFunction): string {
  const { newest } = detail.alarmNotice;
  const facts = conditionsOf(detail).flatMap((condition) => {
    const value = newest?.values[condition.sign];
    return value === undefined ? [] : factText(condition, value, format, t);
  });
  if (facts.length === 0) return t('inform.solve.holds.newest');
  const list = new Intl.ListFormat(descriptors[format.language].intl, { type: 'conjunction' }).format(new Set(facts));
  return t('inform.solve.holds.readings', { facts: list });
}

type Value = number | boolean | string;

/**
 * One condition's current value with the limit that it exceeds or, between limit and recovery, with
 * the value at which the alarm clears. Empty if this condition does not keep the notice open.
 */
function factText(condition: NoticeCondition, now: Value, format: Format, t: TFunction): string[] {
  const { name, unit, precision, subconditions: operator, value: limit, recovery } = condition;
  // The limit is formatted as in the rule, the value with the sensor's precision.
  const written = (value: number) => format.reading({ value, unit }, name);
  const value = format.reading({ value: now, unit, precision }, name);
  if (limit !== undefined && comparisonHolds(operator, now, limit, precision)) {
    return typeof limit !== 'number' || sideOf(operator) === null
      ? [t('inform.solve.holds.value', { name, value })]
      : [t('inform.solve.holds.limit', { name, value, limit: written(limit) })];
  }
  if (typeof recovery === 'number' && comparisonHolds(operator, now, recovery, precision)) {
    return [t('inform.solve.holds.clears', { name, value, limit: written(recovery) })];
  }
  return [];
}

import { type Operator, sideOf } from '@/lib/alarm/comparator';
import { clockSteps } from '@/lib/alarm/period';
import { noTargets, type Targets, targetsOf } from '@/lib/alarm/targets';
import type { AlarmRule, AlarmRuleCreate, Level, Trigger } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';
import { numberText, parseNumber } from '@/lib/format/typedNumber';
import { weekdayNumbers } from '@/lib/format/weekday';
import type { Language } from '@/lib/i18n/i18n';

/** Where readings come from: 1 is a device. There is no other source yet. */
export type DataSource = AlarmRule['dataSource'];
export type ManualRelease = AlarmRule['manualRelease'];

/** A condition as the user types it. */
export interface ConditionValues {
  /** Identifies the row while other rows are added and removed. */
  key: number;
  andor: 'and' | 'or';
  /** The attribute's identifier; empty until one is chosen. */
  sign: string;
  operator: Operator;
  /** For a boolean, `true` or `false`. */
  value: string;
  /** Null: the alarm ends at the limit itself. */
  recovery: string | null;
}

/** The values of the form. */
export interface RuleValues {
  alarmName: string;
  /** Null: none is chosen. */
  dataSource: DataSource | null;
  targets: Targets;
  trigger: Trigger | null;
  level: Level | null;
  conditions: readonly ConditionValues[];
  hitCounts: number;
  durations: number;
  complexTime: 0 | 1;
  startTime: string;
  endTime: string;
  slots: readonly number[];
  /**
   * The days on which the period applies, 1 Monday to 7 Sunday, ascending; every day is all seven.
   */
  weekdays: readonly number[];
  channels: readonly number[];
  /** Minutes between reminders while a notice is open; null: none. */
  remindEvery: number | null;
  description: string;
  /** Whether people may end a notice manually: 1 yes, 0 no; null until the user chooses. */
  manualRelease: ManualRelease | null;
}

export const nameLimit = 64;
export const descriptionLimit = 500;

export function emptyCondition(key: number): ConditionValues {
  return { key, andor: 'and', sign: '', operator: '>', value: '', recovery: null };
}

export function nextKey(conditions: readonly ConditionValues[]): number {
  return Math.max(0, ...conditions.map(({ key }) => key)) + 1;
}

const wholeDay = { startTime: clockSteps[0] ?? '', endTime: clockSteps.at(-1) ?? '' };

export function newValues(): RuleValues {
  return {
    alarmName: '',
    dataSource: 1,
    targets: noTargets,
    trigger: null,
    level: null,
    conditions: [emptyCondition(1)],
    hitCounts: 1,
    durations: 5 * 60_000,
    complexTime: 0,
    ...wholeDay,
    slots: [],
    weekdays: weekdayNumbers,
    channels: [],
    remindEvery: null,
    description: '',
    manualRelease: null,
  };
}

/** A rule as the form shows it, its numbers in the notation of the language. */
export function valuesOf(rule: AlarmRule, language: Language): RuleValues {
  const conditions = rule.conditions.map((condition, i) => ({
    key: i + 1,
    andor: condition.andor,
    sign: condition.tslAttribute,
    operator: condition.subconditions,
    value: typeof condition.value === 'number' ? numberText(condition.value, language) : String(condition.value),
    recovery: condition.recovery === undefined ? null : numberText(condition.recovery, language),
  }));
  const judged = rule.triggerType === 0 && conditions.length > 0;
  return {
    alarmName: rule.alarmName,
    dataSource: rule.dataSource,
    targets: targetsOf(rule),
    trigger: rule.triggerType,
    level: rule.alarmLevel,
    conditions: judged ? conditions : [emptyCondition(1)],
    hitCounts: rule.hitCounts,
    durations: rule.durations,
    complexTime: rule.complexTime,
    startTime: rule.startTime ?? wholeDay.startTime,
    endTime: rule.endTime ?? wholeDay.endTime,
    slots: rule.timePeriods,
    weekdays: rule.weekdays.length === 0 ? weekdayNumbers : rule.weekdays,
    channels: rule.passageway,
    remindEvery: rule.remindEvery ?? null,
    description: rule.alarmDesc,
    manualRelease: rule.manualRelease,
  };
}

export function isBlank({ sign, value }: ConditionValues): boolean {
  return sign === '' && value.trim() === '';
}

/** Only a numeric comparison by size may have a recovery value. */
export function mayRecover({ operator }: ConditionValues, property: TslProperty | undefined): boolean {
  return property?.dataType === 'number' && sideOf(operator) !== null;
}

/** A typed value in its attribute's type; undefined while it is not valid. */
export function typedValue({ value }: ConditionValues, property: TslProperty | undefined) {
  if (property?.dataType === 'number') return parseNumber(value);
  if (value.trim() === '') return undefined;
  return property?.dataType === 'boolean' ? value === 'true' : value.trim();
}

type Conditions = NonNullable<AlarmRuleCreate['conditions']>;

function conditionsBody(values: RuleValues, properties: ReadonlyMap<string, TslProperty>): Conditions {
  if (values.trigger === 1) return [{ andor: 'and', tslAttribute: 'onlineState', subconditions: '=', value: 0 }];
  return values.conditions
    .filter((condition) => !isBlank(condition))
    .map((condition, i) => {
      const property = properties.get(condition.sign);
      const recovery =
        condition.recovery !== null && mayRecover(condition, property) ? parseNumber(condition.recovery) : undefined;
      return {
        andor: i === 0 ? 'and' : condition.andor,
        tslAttribute: condition.sign,
        subconditions: condition.operator,
        value: typedValue(condition, property) ?? '',
        ...(recovery === undefined ? {} : { recovery }),
      };
    });
}

/**
 * Everything that a rehearsal depends on: what determines when there is an alarm, and whether
 * people are notified.
 */
export function rehearsalBody(values: RuleValues, properties: ReadonlyMap<string, TslProperty>): AlarmRuleCreate {
  const { devices, groups, products } = values.targets;
  return {
    dataSource: values.dataSource ?? undefined,
    executionId: values.targets.devices[0] ?? '',
    targets: { devices: [...devices], groups: [...groups], products: [...products] },
    triggerType: values.trigger ?? undefined,
    conditions: conditionsBody(values, properties),
    hitCounts: values.hitCounts,
    durations: values.durations,
    complexTime: values.complexTime,
    ...(values.complexTime === 0
      ? { startTime: values.startTime, endTime: values.endTime, timePeriods: [] }
      : { timePeriods: [...values.slots].sort((a, b) => a - b) }),
    weekdays: values.weekdays.length === weekdayNumbers.length ? [] : [...values.weekdays],
  };
}

export function ruleBody(values: RuleValues, properties: ReadonlyMap<string, TslProperty>): AlarmRuleCreate {
  return {
    alarmName: values.alarmName.trim(),
    ...rehearsalBody(values, properties),
    alarmLevel: values.level ?? undefined,
    passageway: [...values.channels],
    remindEvery: values.remindEvery,
    alarmDesc: values.description.trim(),
    manualRelease: values.manualRelease ?? undefined,
  };
}

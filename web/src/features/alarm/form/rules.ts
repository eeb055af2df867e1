import { sideOf, takesRecovery } from '@/lib/alarm/comparator';
import { minutesOf } from '@/lib/alarm/period';
import { targetCount } from '@/lib/alarm/targets';
import type { TslProperty } from '@/lib/device/types';
import { decimalsOf, isGrouped, parseNumber } from '@/lib/format/typedNumber';
import { isVisibleName } from '@/lib/text/visibleName';
import type { Attribute, Attributes } from './attributes';
import { type ConditionValues, descriptionLimit, isBlank, mayRecover, nameLimit, type RuleValues } from './values';

/** The fields that can have a problem, in their order. */
export type RuleField =
  | 'alarmName'
  | 'dataSource'
  | 'targets'
  | 'trigger'
  | 'level'
  | 'manualRelease'
  | 'conditions'
  | 'period'
  | 'weekdays'
  | 'channels'
  | 'remind'
  | 'description';

export type ConditionPart = 'sign' | 'operator' | 'value' | 'recovery';

/** A problem, by the key of its sentence, so that the sentence follows the language. */
export interface FieldProblem {
  key:
    | 'rule.nameRequired'
    | 'device.form.tooLong'
    | 'rule.sourceRequired'
    | 'rule.deviceRequired'
    | 'rule.triggerRequired'
    | 'rule.levelRequired'
    | 'rule.releaseRequired'
    | 'rule.conditionsRequired'
    | 'rule.timeOrder'
    | 'rule.timeNone'
    | 'rule.form.slotsRequired'
    | 'rule.form.weekdaysRequired';
  most?: number;
}

export interface ConditionProblem {
  part: ConditionPart;
  key:
    | 'rule.form.attributeRequired'
    | 'rule.form.attributeGone'
    | 'rule.form.attributeRefused'
    | 'rule.form.valueRequired'
    | 'rule.form.valueNumber'
    | 'rule.form.valueGrouped'
    | 'rule.form.valueDecimals'
    | 'rule.form.recoverySide.above'
    | 'rule.form.recoverySide.below';
  /** A number of decimals. */
  count?: number;
}

export interface Findings {
  fields: Partial<Record<RuleField, FieldProblem>>;
  /** By the key of the condition. */
  conditions: ReadonlyMap<number, ConditionProblem>;
}

const lengthOf = (text: string) => [...text.trim()].length;

function checkNumber(text: string, { precision }: TslProperty, part: ConditionPart): ConditionProblem | undefined {
  if (text.trim() === '') return { part, key: 'rule.form.valueRequired' };
  if (isGrouped(text)) return { part, key: 'rule.form.valueGrouped' };
  if (parseNumber(text) === undefined) return { part, key: 'rule.form.valueNumber' };
  if (precision === undefined || decimalsOf(text) <= precision) return undefined;
  return { part, key: 'rule.form.valueDecimals', count: precision };
}

function checkCondition(condition: ConditionValues, property: Attribute | undefined): ConditionProblem | undefined {
  if (condition.sign === '') return { part: 'sign', key: 'rule.form.attributeRequired' };
  if (!property) return { part: 'sign', key: 'rule.form.attributeGone' };
  if (property.refused) return { part: 'sign', key: 'rule.form.attributeRefused' };
  if (property.dataType !== 'number') {
    return condition.value.trim() === '' ? { part: 'value', key: 'rule.form.valueRequired' } : undefined;
  }
  const problem = checkNumber(condition.value, property, 'value');
  if (problem || condition.recovery === null || !mayRecover(condition, property)) return problem;
  const recoveryProblem = checkNumber(condition.recovery, property, 'recovery');
  if (recoveryProblem) return recoveryProblem;
  const [recovery, limit] = [parseNumber(condition.recovery) ?? 0, parseNumber(condition.value) ?? 0];
  const side = sideOf(condition.operator);
  return side === null || takesRecovery(condition.operator, recovery, limit)
    ? undefined
    : { part: 'recovery', key: `rule.form.recoverySide.${side}` };
}

/**
 * Finds all problems. While the devices' attributes are unknown, it does not check the conditions
 * against them.
 */
export function checkRule(values: RuleValues, properties: Attributes | undefined): Findings {
  const fields: Findings['fields'] = {};
  const conditions = new Map<number, ConditionProblem>();
  if (!isVisibleName(values.alarmName)) fields.alarmName = { key: 'rule.nameRequired' };
  else if (lengthOf(values.alarmName) > nameLimit) fields.alarmName = { key: 'device.form.tooLong', most: nameLimit };
  if (values.dataSource === null) fields.dataSource = { key: 'rule.sourceRequired' };
  if (targetCount(values.targets) === 0) fields.targets = { key: 'rule.deviceRequired' };
  if (values.trigger === null) fields.trigger = { key: 'rule.triggerRequired' };
  if (values.level === null) fields.level = { key: 'rule.levelRequired' };
  if (values.manualRelease === null) fields.manualRelease = { key: 'rule.releaseRequired' };
  if (values.trigger !== 1) {
    const filled = values.conditions.filter((condition) => !isBlank(condition));
    if (filled.length === 0) fields.conditions = { key: 'rule.conditionsRequired' };
    // If other rows are filled in, an empty row counts as forgotten.
    else if (properties) {
      for (const condition of values.conditions) {
        const problem = checkCondition(condition, properties.get(condition.sign));
        if (problem) conditions.set(condition.key, problem);
      }
    }
  }
  if (values.complexTime === 1) {
    if (values.slots.length === 0) fields.period = { key: 'rule.form.slotsRequired' };
  } else {
    const length = (minutesOf(values.endTime) ?? 0) - (minutesOf(values.startTime) ?? 0);
    if (length <= 0) fields.period = { key: length < 0 ? 'rule.timeOrder' : 'rule.timeNone' };
  }
  if (values.weekdays.length === 0) fields.weekdays = { key: 'rule.form.weekdaysRequired' };
  if (lengthOf(values.description) > descriptionLimit) {
    fields.description = { key: 'device.form.tooLong', most: descriptionLimit };
  }
  return { fields, conditions };
}

export function isValid({ fields, conditions }: Findings): boolean {
  return Object.keys(fields).length === 0 && conditions.size === 0;
}

/**
 * Whether the form holds enough for a rehearsal: source, device, trigger, conditions and period.
 */
export function canRehearse({ fields, conditions }: Findings): boolean {
  const { dataSource, targets, trigger, conditions: list, period, weekdays } = fields;
  return (
    [dataSource, targets, trigger, list, period, weekdays].every((problem) => problem === undefined) &&
    conditions.size === 0
  );
}

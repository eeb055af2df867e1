import { afterEach, describe, expect, it } from 'vitest';
import { decimalsOf, isGrouped, numberText, parseNumber } from '@/lib/format/typedNumber';
import { useLanguage } from '@/lib/i18n/i18n';
import { mastModel, rule } from '@/test/samples';
import { presets } from './presets';
import { readingsThatFit } from './readingsThatFit';
import { canRehearse, checkRule, isValid } from './rules';
import { interpretPeriod, overnightSlots, paintSlots, slotAfter } from './slots';
import { emptyCondition, newValues, nextKey, ruleBody, valuesOf } from './values';

const properties = new Map(mastModel.map((property) => [property.identifier, property]));

afterEach(() => useLanguage.setState({ language: 'en-us' }));

describe('a typed number', () => {
  it.each([
    ['2', 2],
    [' -2.50 ', -2.5],
    ['−2,5', -2.5],
    ['.5', 0.5],
    ['3.', 3],
    ['50 000', 50_000],
    ['−1\u00a0234,5', -1234.5],
    ['0,125', 0.125],
    ['1234,567', 1234.567],
  ])('%j is %d', (text, value) => expect(parseNumber(text)).toBe(value));

  it.each(['', '-', '1.2.3', '1,000.5', '1e3', '0x10', 'warm', '١', '5 00', '1 0000'])('%j is not a number', (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });

  it.each([
    ['en-us', '50,000', '50.125'],
    ['zh-cn', '-1,234.5', '1.234'],
    ['tr-tr', '1.234', '1,234'],
    ['ru-ru', undefined, '1,234'],
  ] as const)('is not guessed if it is ambiguous, in %s', (language, two, one) => {
    useLanguage.setState({ language });
    expect(parseNumber(one)).toBe(Number(one.replace(',', '.')));
    if (two === undefined) return;
    expect(parseNumber(two)).toBeUndefined();
    expect(isGrouped(two)).toBe(true);
  });

  it('has as many decimals as are significant', () => {
    expect(['2', '2.50', '2,125', '2.0', '-.05'].map(decimalsOf)).toEqual([0, 1, 3, 0, 2]);
  });

  it('is shown ungrouped, with the language’s decimal sign and never with an exponent', () => {
    expect(numberText(1234.5, 'en-us')).toBe('1234.5');
    expect(numberText(-0.25, 'ru-ru')).toBe('-0,25');
    expect(numberText(1e-7, 'en-us')).toBe('0.0000001');
  });
});

describe('half hours', () => {
  it('are painted over the existing ones, in either direction', () => {
    expect(paintSlots([1, 5], 4, 2, true)).toEqual([1, 2, 3, 4, 5]);
    expect(paintSlots([1, 2, 3, 9], 2, 9, false)).toEqual([1]);
  });

  it('are reached by keys, within the grid', () => {
    expect(slotAfter('ArrowRight', 47, 24)).toBe(47);
    expect(slotAfter('ArrowUp', 30, 24)).toBe(6);
    expect(slotAfter('ArrowDown', 30, 24)).toBe(30);
    expect(slotAfter('ArrowDown', 30, 8)).toBe(38);
    expect([slotAfter('Home', 9, 24), slotAfter('End', 9, 24), slotAfter('a', 9, 24)]).toEqual([0, 47, undefined]);
  });

  it('cover a whole night', () => {
    expect(overnightSlots(22 * 60 + 45, 75)).toEqual([0, 1, 2, 45, 46, 47]);
  });
});

describe('a start after its end', () => {
  const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  const meant = (start: string, end: string) => interpretPeriod(minutes(start), minutes(end));

  it.each([
    ['06:00', '20:00'],
    ['08:00', '08:00'],
    ['00:00', '24:00'],
  ])('is not a problem: %s to %s', (start, end) => expect(meant(start, end)).toBeUndefined());

  it.each([
    ['20:00', '07:00', undefined, '20:00–24:00, 00:00–07:00'],
    ['20:15', '06:45', '20:00–07:00', '20:00–24:00, 00:00–07:00'],
    ['20:30', '06:45', '20:30–07:00', '20:30–24:00, 00:00–07:00'],
    ['23:45', '00:15', '23:30–00:30', '23:30–24:00, 00:00–00:30'],
  ])('means a night of whole half hours: %s to %s, so %s', (start, end, wider, hours) => {
    const slots = overnightSlots(minutes(start), minutes(end));
    expect(meant(start, end)).toEqual({
      kind: 'overnight',
      entered: `${start}–${end}`,
      wider,
      hours,
      part: { complexTime: 1, slots },
    });
  });

  it.each([
    ['20:15', '00:00', '20:15', '24:00'],
    ['24:00', '06:45', '00:00', '06:45'],
    ['24:00', '00:00', '00:00', '24:00'],
  ])('means midnight at the other end of the day: %s to %s', (start, end, startTime, endTime) => {
    expect(meant(start, end)).toEqual({
      kind: 'midnight',
      entered: `${start}–${end}`,
      wider: undefined,
      hours: `${startTime}–${endTime}`,
      part: { complexTime: 0, startTime, endTime },
    });
  });

  it('means the whole day if the half hours leave no gap', () => {
    expect(meant('20:15', '20:00')).toMatchObject({
      wider: '00:00–24:00',
      hours: '00:00–24:00',
      part: { complexTime: 0, startTime: '00:00', endTime: '24:00' },
    });
  });
});

it('presets match their names', () => {
  const values = { ...newValues(), startTime: '08:00', endTime: '09:00' };
  const body = (part: object) => {
    const { complexTime, startTime, endTime, timePeriods, weekdays } = ruleBody({ ...values, ...part }, properties);
    return { complexTime, startTime, endTime, timePeriods, weekdays };
  };
  expect(body(presets.day)).toEqual({
    complexTime: 0,
    startTime: '06:00',
    endTime: '20:00',
    timePeriods: [],
    weekdays: [],
  });
  expect(body(presets.night)).toMatchObject({
    complexTime: 1,
    timePeriods: [...Array.from({ length: 12 }, (_, i) => i), ...Array.from({ length: 8 }, (_, i) => 40 + i)],
    weekdays: [],
  });
  expect(body(presets.workdays)).toEqual({
    complexTime: 0,
    startTime: '08:00',
    endTime: '09:00',
    timePeriods: [],
    weekdays: [1, 2, 3, 4, 5],
  });
});

describe('the problems of a rule', () => {
  const right = { ...valuesOf(rule(), 'en-us') };
  const wrong = (change: object) => checkRule({ ...right, ...change }, properties);
  const condition = right.conditions[0] ?? emptyCondition(1);
  const first = (change: object) => wrong({ conditions: [{ ...condition, ...change }] }).conditions.get(1);

  it('are none for a valid rule', () => {
    expect(isValid(checkRule(right, properties))).toBe(true);
    expect(canRehearse(checkRule(right, properties))).toBe(true);
  });

  it('are all for an empty rule, in the order of the form', () => {
    const { fields } = checkRule(newValues(), undefined);
    expect(Object.keys(fields)).toEqual(['alarmName', 'targets', 'trigger', 'level', 'manualRelease', 'conditions']);
    expect(fields.manualRelease?.key).toBe('rule.releaseRequired');
    expect(canRehearse(checkRule(newValues(), undefined))).toBe(false);
  });

  it('include a removed data source', () => {
    expect(wrong({ dataSource: null }).fields.dataSource?.key).toBe('rule.sourceRequired');
    expect(canRehearse(wrong({ dataSource: null }))).toBe(false);
  });

  it('include a blank name and a name of more than 64 characters, as people count', () => {
    expect(wrong({ alarmName: '   ' }).fields.alarmName?.key).toBe('rule.nameRequired');
    expect(wrong({ alarmName: '🌱'.repeat(64) }).fields.alarmName).toBeUndefined();
    expect(wrong({ alarmName: '🌱'.repeat(65) }).fields.alarmName?.key).toBe('device.form.tooLong');
    expect(wrong({ description: 'x'.repeat(501) }).fields.description?.most).toBe(500);
  });

  it.each([
    [{ sign: '' }, 'rule.form.attributeRequired', 'sign'],
    [{ sign: 'gone' }, 'rule.form.attributeGone', 'sign'],
    [{ value: '' }, 'rule.form.valueRequired', 'value'],
    [{ value: 'x' }, 'rule.form.valueNumber', 'value'],
    [{ value: '50,000' }, 'rule.form.valueGrouped', 'value'],
    [{ value: '2.25' }, 'rule.form.valueDecimals', 'value'],
    [{ recovery: '' }, 'rule.form.valueRequired', 'recovery'],
    [{ recovery: '1.9' }, 'rule.form.recoverySide.below', 'recovery'],
    [{ operator: '>', recovery: '2.1' }, 'rule.form.recoverySide.above', 'recovery'],
    [{ sign: 'wetness', operator: '=', value: ' ' }, 'rule.form.valueRequired', 'value'],
  ])('include a condition’s: %j', (change, key, part) => {
    expect(first(change)).toMatchObject({ key, part });
  });

  it.each([
    { value: '2.0' },
    { recovery: '2' },
    { operator: '=', recovery: '9' },
    { sign: 'heating', operator: '=', value: 'false' },
  ])('do not include a condition’s: %j', (change) => expect(first(change)).toBeUndefined());

  it('include a period that does not end after its beginning', () => {
    expect(wrong({ startTime: '08:00', endTime: '08:00' }).fields.period?.key).toBe('rule.timeNone');
    expect(wrong({ startTime: '08:15', endTime: '08:00' }).fields.period?.key).toBe('rule.timeOrder');
    expect(wrong({ complexTime: 1, slots: [] }).fields.period?.key).toBe('rule.form.slotsRequired');
  });

  it('include a week without a day', () => {
    expect(wrong({ weekdays: [] }).fields).toEqual({ weekdays: { key: 'rule.form.weekdaysRequired' } });
    expect(canRehearse(wrong({ weekdays: [] }))).toBe(false);
    expect(isValid(wrong({ weekdays: [7] }))).toBe(true);
  });

  it('include no condition if the rule is on being offline', () => {
    expect(isValid(wrong({ trigger: 1, conditions: [emptyCondition(1)] }))).toBe(true);
  });
});

describe('the request body', () => {
  it('equals the fetched rule if nothing was changed', () => {
    const given = rule({
      complexTime: 1,
      timePeriods: [0, 47],
      weekdays: [1, 7],
      startTime: undefined,
      endTime: undefined,
      conditions: [
        { andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: -2.5, recovery: 0 },
        { andor: 'or', tslAttribute: 'heating', subconditions: '=', value: false },
      ],
    });
    const { conditions, timePeriods, weekdays, hitCounts, alarmName } = ruleBody(valuesOf(given, 'tr-tr'), properties);
    expect({ conditions, timePeriods, weekdays, hitCounts, alarmName }).toEqual({
      conditions: given.conditions,
      timePeriods: [0, 47],
      weekdays: [1, 7],
      hitCounts: 3,
      alarmName: 'Spring frost',
    });
  });

  it('omits empty rows; the first remaining condition has no join', () => {
    const values = { ...valuesOf(rule(), 'en-us') };
    const [condition = emptyCondition(1)] = values.conditions;
    const conditions = [emptyCondition(5), { ...condition, key: 6, andor: 'or' as const }];
    expect(ruleBody({ ...values, conditions }, properties).conditions).toEqual([
      { andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 },
    ]);
    expect(nextKey(conditions)).toBe(7);
  });
});

it('counts the samples that fit into a window after its beginning', () => {
  expect([
    readingsThatFit(300_000, 150_000),
    readingsThatFit(300_000, 149_000),
    readingsThatFit(60_000, 3_600_000),
  ]).toEqual([2, 3, 1]);
});

import { expect, it } from 'vitest';
import { rule } from '@/test/samples';
import { limitsOf, limitsWithin } from './limits';

const frost = (value: number, change: object = {}) => ({
  andor: 'and' as const,
  tslAttribute: 'airTemperature',
  subconditions: '<' as const,
  value,
  ...change,
});

it('has each limit once, with the names of its rules and the most serious level', () => {
  const limits = limitsOf([
    rule({ alarmName: 'Frost', alarmLevel: 1, conditions: [frost(2), frost(0)] }),
    rule({ alarmName: 'Blossom', alarmLevel: 2, conditions: [frost(2)] }),
    rule({ alarmName: 'Hysteresis', alarmLevel: 0, conditions: [frost(2, { recovery: 3 })] }),
  ]);
  expect(limits.map(({ value, recovery, level, names }) => ({ value, recovery, level, names }))).toEqual([
    { value: 2, recovery: null, level: 2, names: ['Frost', 'Blossom'] },
    { value: 0, recovery: null, level: 1, names: ['Frost'] },
    { value: 2, recovery: 3, level: 0, names: ['Hysteresis'] },
  ]);
});

it('has no limits of switches and texts', () => {
  const heating = { ...frost(0), tslAttribute: 'heating', subconditions: '=' as const, value: true };
  expect(limitsOf([rule({ conditions: [heating, { ...heating, value: 'wet' }] })])).toEqual([]);
});

it('draws limits near the lines', () => {
  const limits = limitsOf([rule({ conditions: [frost(-7), frost(4), frost(5), frost(26), frost(27)] })]);
  expect(limitsWithin(limits, 10, 20).map(({ value }) => value)).toEqual([4, 5, 26]);
});

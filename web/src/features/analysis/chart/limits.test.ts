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

/** The devices of the samples' rule, and one more. */
const devices = [
  { deviceName: 'WS-1', groupId: 1, productId: 1 },
  { deviceName: 'GC-1', groupId: 2, productId: 2 },
];

it('has each limit once, with the names of its rules and the most serious level', () => {
  const limits = limitsOf(
    [
      rule({ alarmName: 'Frost', alarmLevel: 1, conditions: [frost(2), frost(0)] }),
      rule({ alarmName: 'Blossom', alarmLevel: 2, conditions: [frost(2)] }),
      rule({ alarmName: 'Hysteresis', alarmLevel: 0, conditions: [frost(2, { recovery: 3 })] }),
    ],
    devices,
  );
  expect(limits.map(({ value, recovery, level, names }) => ({ value, recovery, level, names }))).toEqual([
    { value: 2, recovery: null, level: 2, names: ['Frost', 'Blossom'] },
    { value: 0, recovery: null, level: 1, names: ['Frost'] },
    { value: 2, recovery: 3, level: 0, names: ['Hysteresis'] },
  ]);
});

it('has no limits of switches and texts', () => {
  const heating = { ...frost(0), tslAttribute: 'heating', subconditions: '=' as const, value: true };
  expect(limitsOf([rule({ conditions: [heating, { ...heating, value: 'wet' }] })], devices)).toEqual([]);
});

it('draws limits near the lines', () => {
  const limits = limitsOf([rule({ conditions: [frost(-7), frost(4), frost(5), frost(26), frost(27)] })], devices);
  expect(limitsWithin(limits, 10, 20).map(({ value }) => value)).toEqual([4, 5, 26]);
});

it('belongs to the devices of its rule, by name, scene or model', () => {
  const of = (targets: object) => limitsOf([rule({ conditions: [frost(2)], targets })], devices)[0]?.deviceNames;
  expect(of({ devices: ['WS-1', 'ELSEWHERE'] })).toEqual(['WS-1']);
  expect(of({ groups: [2] })).toEqual(['GC-1']);
  expect(of({ products: [1, 2] })).toEqual(['WS-1', 'GC-1']);
  expect(of({ devices: ['ELSEWHERE'] })).toEqual([]);
});

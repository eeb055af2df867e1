import { expect, it } from 'vitest';
import { derivationsOf, formulaInterval } from './derivation';
import type { TslProperty } from './types';

const property = (identifier: string, yeuName: string, more: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  yeuName,
  functionName: '',
  yeuUrl: '',
  elementUnit: '°C',
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...more,
});

it('names the inputs of a derived property in the order of the formula', () => {
  const found = derivationsOf([
    property('dew', 'Dew point', { formula: 'dewPoint', inputs: ['air', 'humidity', 'gone'] }),
    property('humidity', 'Humidity'),
    property('air', '', { functionName: 'Air' }),
    property('days', 'Degree days', { formula: 'growingDegreeDays', inputs: ['air'], parameters: { base: 5 } }),
  ]);
  expect([...found.keys()]).toEqual(['dew', 'days']);
  expect(found.get('dew')).toEqual({
    sign: 'dew',
    name: 'Dew point',
    formula: 'dewPoint',
    inputs: [
      { sign: 'air', name: 'Air' },
      { sign: 'humidity', name: 'Humidity' },
      { sign: 'gone', name: 'gone' },
    ],
    parameters: {},
  });
  expect(found.get('days')?.parameters).toEqual({ base: 5 });
});

it('knows which values are computed once a day', () => {
  const of = (formula: string) => formulaInterval({ sign: '', name: '', formula, inputs: [], parameters: {} });
  expect(of('growingDegreeDays')).toBe(24 * 3_600_000);
  expect(of('dewPoint')).toBeUndefined();
  expect(formulaInterval(undefined)).toBeUndefined();
});

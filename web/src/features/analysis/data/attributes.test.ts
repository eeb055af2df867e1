import { expect, it } from 'vitest';
import type { TslProperty } from '@/lib/device/types';
import { allAttributes, attributesOf, depthOf, firstSigns, soilMarksOf, warmthOf } from './attributes';

const property = (identifier: string, change: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName: `The ${identifier}`,
  yeuUrl: '',
  elementUnit: '°C',
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...change,
});

it('draws numbers and switches, but no texts', () => {
  const drawn = attributesOf([
    property('airTemperature', { precision: 1, leastSpan: 5 }),
    property('rainfall', { elementUnit: 'mm' }),
    property('windDirection', { elementUnit: '°' }),
    property('pump', { dataType: 'boolean', elementUnit: '' }),
    property('note', { dataType: 'text', elementUnit: '' }),
  ]);
  expect(drawn.map(({ sign, kind }) => [sign, kind])).toEqual([
    ['airTemperature', 'line'],
    ['rainfall', 'sum'],
    ['windDirection', 'direction'],
    ['pump', 'step'],
  ]);
  expect(drawn[0]).toMatchObject({ name: 'The airTemperature', unit: '°C', precision: 1, leastSpan: 5 });
});

it('lists what any device has once', () => {
  const all = allAttributes([
    [property('a'), property('b')],
    [property('b'), property('c')],
  ]);
  expect(all.map(({ sign }) => sign)).toEqual(['a', 'b', 'c']);
  expect(firstSigns(all, 'b')).toEqual(['b']);
  expect(firstSigns(all, 'unknown')).toEqual(['a']);
  expect(firstSigns([], undefined)).toEqual([]);
});

it('finds the temperature that degree days are of', () => {
  const degreeDays = property('gdd', { formula: 'growingDegreeDays', inputs: ['canopy'], parameters: { base: 6 } });
  expect(warmthOf([property('airTemperature'), degreeDays])).toEqual({ sign: 'canopy', base: 6 });
  expect(warmthOf([property('soilTemperature10'), property('airTemperature')])).toEqual({
    sign: 'airTemperature',
    base: undefined,
  });
  expect(warmthOf([property('soilTemperature10')])).toBeUndefined();
});

it('finds the marks of a soil from its available water', () => {
  const available = property('availableWater30', {
    formula: 'availableWater',
    inputs: ['soilMoisture30'],
    parameters: { fieldCapacity: 32, wiltingPoint: 14 },
  });
  expect(soilMarksOf([available], 'soilMoisture30')).toEqual({ full: 32, refill: 23 });
  expect(soilMarksOf([available], 'soilMoisture10')).toBeUndefined();
});

it('reads depths from identifiers', () => {
  expect(depthOf('soilMoisture10')).toEqual({ quantity: 'soilMoisture', depth: 10 });
  expect(depthOf('soil_moisture')).toBeNull();
  expect(depthOf('soilTemperature_60cm')).toEqual({ quantity: 'soilTemperature', depth: 60 });
  expect(depthOf('pm10')).toBeNull();
});

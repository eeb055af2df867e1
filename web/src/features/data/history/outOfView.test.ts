import { expect, it } from 'vitest';
import type { PropertyKind } from '@/lib/device/propertyKind';
import type { Attribute } from './attributes';
import { modelOf } from './model';
import { firstReadingOutOfView } from './outOfView';
import type { PreparedLine } from './preparedLines';
import { windowAt } from './window';

const window = { from: 0, to: 200 };
const prepared = (times: number[], gaps: PreparedLine['gaps'] = []): PreparedLine => ({
  line: { times: Float64Array.from(times), values: Float64Array.from(times, () => 1) },
  gaps,
  isExact: () => true,
});
const model = (named: Record<string, { kind?: PropertyKind; line: PreparedLine }>) => {
  const attributes = Object.entries(named).map(
    ([id, { kind = 'line' }]): Attribute => ({ id, name: id, unit: '', precision: 1, kind }),
  );
  const lines = new Map(Object.entries(named).map(([id, { line }]) => [id, line]));
  return modelOf(attributes, { lines, other: null, colors: new Map(), window, width: 800, steps: 4 });
};

it('finds the earliest reading of all lines if the window has none', () => {
  expect(
    firstReadingOutOfView(model({ a: { line: prepared([700, 900]) }, b: { line: prepared([500]) } }), window),
  ).toBe(500);
});

it('is null if the window shows anything or the range is empty', () => {
  expect(
    firstReadingOutOfView(model({ a: { line: prepared([700]) }, b: { line: prepared([150]) } }), window),
  ).toBeNull();
  expect(firstReadingOutOfView(model({ a: { line: prepared([]) } }), window)).toBeNull();
});

it('counts an earlier value that still holds, but not across a gap', () => {
  const before = { from: 300, to: 400 };
  expect(firstReadingOutOfView(model({ pump: { kind: 'step', line: prepared([100, 900]) } }), before)).toBeNull();
  const interrupted = prepared([100, 900], [{ from: 250, to: 500 }]);
  expect(firstReadingOutOfView(model({ pump: { kind: 'step', line: interrupted } }), before)).toBe(100);
});

it('leads to a window of the same length, within the range', () => {
  const hour = 3_600_000;
  const [range, hours] = [
    { from: 0, to: 1000 * hour },
    { from: 0, to: 200 * hour },
  ];
  expect(windowAt(500 * hour, hours, range)).toEqual({ from: 496 * hour, to: 696 * hour });
  expect(windowAt(hour, hours, range)).toEqual({ from: 0, to: 200 * hour });
  expect(windowAt(990 * hour, hours, range)).toEqual({ from: 800 * hour, to: 1000 * hour });
});

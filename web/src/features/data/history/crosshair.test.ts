import { describe, expect, it } from 'vitest';
import type { PropertyKind } from '@/lib/device/propertyKind';
import type { Attribute } from './attributes';
import { crosshairAt, stepReading } from './crosshair';
import { findGaps } from './gaps';
import { modelOf } from './model';
import type { PreparedLine } from './preparedLines';
import type { Line } from './series';

const hour = 3_600_000;
// Bars are aligned to the clock of the machine's zone.
const day = new Date('2026-11-21T00:00:00').getTime();
const window = { from: day, to: day + 10 * hour };
const attribute = (id: string, kind: PropertyKind, unit: string): Attribute => ({
  id,
  name: id,
  unit,
  precision: 1,
  kind,
});
const line = (times: readonly number[], values: readonly number[]): Line => ({
  times: Float64Array.from(times, (at) => day + at * hour),
  values: Float64Array.from(values),
});
const prepared = (source: Line): PreparedLine => ({
  line: source,
  gaps: findGaps({ ...source, bucket: 0 }, window),
  isExact: () => true,
});

const attributes = [attribute('air', 'line', '°C'), attribute('soil', 'line', '°C'), attribute('rain', 'sum', 'mm')];
const byId = new Map([
  ['air', prepared(line([0, 1, 2, 3, 7, 8, 9, 10], [10, 11, 12, 13, 7, 8, 9, 10]))],
  ['soil', prepared(line([0, 0.5, 1, 1.5, 2, 2.5, 3], [4, 4, 5, 5, 6, 6, 7]))],
  ['rain', prepared(line([0.2, 0.7, 1.2, 2], [1, 2, 4, 0]))],
]);
const parts = { lines: byId, other: null, colors: new Map(), window, width: 120, steps: 4 };
const model = modelOf(attributes, parts);
const crosshairValues = (time: number) =>
  crosshairAt(model, day + time * hour, window).marks.map(({ trace, value }) => [trace.attribute.id, value]);

describe('the model', () => {
  it('has one axis a unit, which covers the visible values', () => {
    expect(model.panels.map(({ unit, scale }) => [unit, scale.min, scale.max])).toEqual([
      ['°C', 0, 15],
      ['mm', 0, 4],
    ]);
  });

  it('has an axis that spans at least as much as the most demanding of its attributes needs', () => {
    const demanding = attributes.map((one) => (one.id === 'soil' ? { ...one, leastSpan: 40 } : one));
    const [panel] = modelOf(demanding, parts).panels;
    expect((panel?.scale.max ?? 0) - (panel?.scale.min ?? 0)).toBeGreaterThanOrEqual(40);
    expect(panel?.scale.min).toBe(0);
  });

  it('has a gap only where all lines of a panel have one', () => {
    // Air has a gap from 3 to 7, soil from 3 on.
    expect(model.panels[0]?.sharedGaps).toEqual([{ from: day + 3 * hour, to: day + 7 * hour }]);
  });

  it('shifts the compared readings over these', () => {
    const other = { lines: new Map([['air', prepared(line([-10, -9], [1, 2]))]]), shift: 10 * hour };
    const [panel] = modelOf(attributes, { ...parts, other }).panels;
    const compared = panel?.traces.find((trace) => trace.compared);
    expect([...(compared?.line.times ?? [])]).toEqual([day, day + hour]);
    expect(compared?.color).toBe(0);
    // The hatching shows only this device's gaps.
    expect(panel?.sharedGaps).toEqual(model.panels[0]?.sharedGaps);
  });
});

describe('the crosshair', () => {
  it('shows each line’s nearest reading', () => {
    expect(crosshairAt(model, day + 1.6 * hour, window).time).toBe(day + 1.5 * hour);
    expect(crosshairValues(1.6)).toEqual([
      ['air', 11],
      ['soil', 5],
      ['rain', 4],
    ]);
  });

  it('shows nothing where there is no reading', () => {
    expect(crosshairValues(5)).toEqual([
      ['air', null],
      ['soil', null],
      ['rain', null],
    ]);
    expect(crosshairValues(8)[1]).toEqual(['soil', null]);
  });

  it('lists a compared value right after its own, even if lines share a panel', () => {
    const other = { lines: byId, shift: 0 };
    const both = modelOf(attributes, { ...parts, other });
    const marks = crosshairAt(both, day + hour, window).marks.map(({ trace }) => [trace.attribute.id, trace.compared]);
    expect(marks).toEqual([
      ['air', false],
      ['air', true],
      ['soil', false],
      ['soil', true],
      ['rain', false],
      ['rain', true],
    ]);
  });

  it('shows the sum of the bar that it is in', () => {
    expect(model.barLength).toBe(hour);
    expect(crosshairValues(0.5)[2]).toEqual(['rain', 3]);
  });

  it('steps from reading to reading of the densest line and stops at the ends', () => {
    const at = (time: number, steps: number) => (stepReading(model, day + time * hour, window, steps) - day) / hour;
    // The denser line in view: air has eight readings.
    expect(at(1, 1)).toBe(2);
    expect(at(1, -1)).toBe(0);
    expect(at(0, -1)).toBe(0);
    expect(at(3, 1)).toBe(7);
    expect(at(10, 1)).toBe(10);
    expect(at(1.4, 1)).toBe(2);
    expect(at(1.4, -1)).toBe(1);
  });

  it('steps by hundredths if there is no line', () => {
    const alone = modelOf([attribute('rain', 'sum', 'mm')], parts);
    expect(stepReading(alone, day + 5 * hour, window, 1)).toBe(day + 5.1 * hour);
  });
});

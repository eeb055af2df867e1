import { describe, expect, it } from 'vitest';
import type { Attribute } from './attributes';
import { crosshairAt, stepReading } from './crosshair';
import { breaksOf, hourAt, readHours, showsHours } from './hours';
import { modelOf } from './model';
import { prepareLines } from './preparedLines';
import type { HoursSample, Sample } from './queries';

const hour = 3_600_000;
const day = 24 * hour;
// The hours are those of UTC.
const start = Date.UTC(2026, 10, 1);
const range = { from: start + 0.25 * hour, to: start + 10 * day };
const airTemperature: Attribute = { id: 'air', name: 'Air', unit: '°C', precision: 1, kind: 'line' };

/** Hours by their numbers since the start; the mean is the number, the band 2 below and 3 above. */
function piece(numbers: readonly number[]) {
  return {
    identifier: 'air',
    times: numbers.map((number, at) => (at === 0 ? start + number * hour : (number - (numbers[at - 1] ?? 0)) * hour)),
    count: numbers.map(() => 60),
    low: numbers.map((number) => number - 2),
    mean: [...numbers],
    high: numbers.map((number) => number + 3),
    sum: numbers.map((number) => number * 60),
  };
}

describe('hours', () => {
  it('are joined from the pieces of an answer, with their middles within the range', () => {
    const air = readHours([piece([0, 1, 2]), piece([5, 6])], range).get('air');
    expect([...(air?.starts ?? [])].map((time) => (time - start) / hour)).toEqual([0, 1, 2, 5, 6]);
    expect([...(air?.times ?? [])].map((time) => (time - start) / hour)).toEqual([0.5, 1.5, 2.5, 5.5, 6.5]);
    expect([...(air?.high ?? [])]).toEqual([3, 4, 5, 8, 9]);
    const late = readHours([piece([0])], { from: start + 0.75 * hour, to: range.to }).get('air');
    expect(late?.times[0]).toBe(start + 0.75 * hour);
  });

  it('are two where a day begins within one', () => {
    const air = readHours([piece([0, 1, 1.5, 2, 4])], range).get('air');
    expect([...(air?.times ?? [])].map((time) => (time - start) / hour)).toEqual([0.5, 1.25, 1.75, 2.5, 4.5]);
    const index = (at: number) => air && hourAt(air, start + at * hour);
    expect([1.4, 1.6, 2.9, 3.1].map(index)).toEqual([1, 2, 3, -1]);
  });

  it('are shown in windows of more than two days, where an hour is narrow', () => {
    const window = (days: number) => ({ from: start, to: start + days * day });
    expect(showsHours(window(30), 850)).toBe(true);
    expect(showsHours(window(6), 850)).toBe(true);
    expect(showsHours(window(2.5), 850)).toBe(false);
    expect(showsHours(window(2.5), 330)).toBe(true);
    expect(showsHours(window(2), 330)).toBe(false);
  });

  it('are not joined across a gap', () => {
    const air = readHours([piece([0, 1, 4, 5, 6])], range).get('air');
    if (!air) throw new Error('no hours');
    const gap = (from: number, to: number) => ({ from: start + from * hour, to: start + to * hour });
    expect(breaksOf(air, [gap(1.9, 4.1), gap(5.1, 5.3)])).toEqual([gap(1.5, 4.5)]);
    // Two gaps between the same hours are one break.
    expect(breaksOf(air, [gap(1.8, 2.6), gap(2.7, 4)])).toEqual([gap(1.5, 4.5)]);
    expect(breaksOf(air, [])).toEqual([]);
    expect(breaksOf(air, [gap(-3, 0.2), gap(6.6, 9)])).toEqual([]);
  });

  it('are found by a time', () => {
    const air = readHours([piece([0, 1, 4])], range).get('air');
    if (!air) throw new Error('no hours');
    expect([0, 0.99, 1, 2, 4.5, 5, -1].map((at) => hourAt(air, start + at * hour))).toEqual([0, 0, 1, -1, 2, -1, -1]);
  });
});

describe('the chart of a long window', () => {
  const thinned = (bucket: number): Sample => ({
    ...range,
    raw: false,
    points: 2000,
    lines: new Map([
      [
        'air',
        {
          times: Float64Array.from({ length: 10 * 24 }, (_, at) => start + (at + 0.5) * hour),
          values: Float64Array.from({ length: 10 * 24 }, (_, at) => (at % 2 === 0 ? at - 2 : at + 3)),
          bucket,
        },
      ],
    ]),
    texts: new Map(),
  });
  const hours: HoursSample = {
    ...range,
    raw: false,
    hours: readHours([piece(Array.from({ length: 240 }, (_, at) => at))], range),
  };
  const model = ({ detail = hour, sample = hours, window = { from: start + day, to: range.to }, shift = 0 } = {}) => {
    const lines = prepareLines([airTemperature], {
      overview: thinned(2 * hour),
      detail: thinned(detail),
      sums: undefined,
      hours: sample,
    });
    const other = shift > 0 ? { lines, shift } : null;
    return modelOf([airTemperature], { lines, other, colors: new Map(), window, width: 800, steps: 4 });
  };
  const traceOf = (made: ReturnType<typeof model>) => made.panels[0]?.traces.at(-1);

  it('draws the mean of each hour and its band, while the figures keep the readings', () => {
    const trace = traceOf(model());
    expect([...(trace?.points.slice(0, 4) ?? [])]).toEqual([start + 0.5 * hour, 0, start + 1.5 * hour, 1]);
    expect([...(trace?.band?.low.slice(0, 4) ?? [])]).toEqual([start + 0.5 * hour, -2, start + 1.5 * hour, -1]);
    expect([...(trace?.band?.height.slice(0, 4) ?? [])]).toEqual([start + 0.5 * hour, 5, start + 1.5 * hour, 5]);
    expect(trace?.line.values[0]).toBe(-2);
  });

  it('draws readings if all are there, if the window is short, or if the hours are of another range', () => {
    for (const made of [
      model({ detail: 0 }),
      model({ window: { from: start + day, to: start + 2 * day } }),
      model({ sample: { ...hours, from: hours.from - day } }),
    ]) {
      expect(traceOf(made)?.band).toBeNull();
      expect(traceOf(made)?.points.subarray(0, 4)).toEqual(
        Float64Array.of(start + 0.5 * hour, -2, start + 1.5 * hour, 4),
      );
    }
  });

  it('has no band for compared readings', () => {
    const [compared, own] = model({ shift: day }).panels[0]?.traces ?? [];
    expect(compared?.compared).toBe(true);
    expect(compared?.band).toBeNull();
    expect(compared?.points[0]).toBe(start + day + 0.5 * hour);
    expect(own?.band).not.toBeNull();
  });

  it('has the mean, lowest and highest of the hour under the crosshair', () => {
    const window = { from: start + day, to: range.to };
    const found = crosshairAt(model(), start + 30.1 * hour, window);
    expect(found.time).toBe(start + 30.5 * hour);
    expect(found.hour).toEqual({ from: start + 30 * hour, to: start + 31 * hour });
    expect(found.marks.map(({ value, spread }) => [value, spread])).toEqual([[30, [28, 33]]]);
    expect(stepReading(model(), found.time, window, 1)).toBe(start + 31.5 * hour);
    expect(crosshairAt(model({ detail: 0 }), start + 30.1 * hour, window).hour).toBeNull();
  });
});

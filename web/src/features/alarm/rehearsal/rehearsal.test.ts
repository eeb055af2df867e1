import { describe, expect, it } from 'vitest';
import { rehearsal } from '@/test/samples';
import { chart, dragStep, labelGap, labelledDays, niceStep, scaleOf, snapToStep } from './scale';
import { alarmDays, longestOf } from './summary';

describe('the dates below the bars', () => {
  it('keep their distance; the first one starts at its middle, the others are centred', () => {
    for (const width of [20, 34, 38, 50, 80]) {
      const days = Array.from({ length: 30 }, (_, i) => `day ${i}`);
      const named = labelledDays(days, 30, () => width);
      const middle = (i: number) => 30 + ((chart.right - 30) / 30) * (i + 0.5);
      const ends = named.map((i) =>
        i === 0 ? [middle(i), middle(i) + width] : [middle(i) - width / 2, middle(i) + width / 2],
      );
      for (const [i, [begin = 0]] of ends.entries()) {
        if (i > 0) expect(begin).toBeGreaterThanOrEqual((ends[i - 1]?.[1] ?? 0) + labelGap);
      }
      expect(named.length).toBeGreaterThan(1);
    }
  });
});

describe('the scale', () => {
  const scale = scaleOf([{ day: 0, min: -4, max: 16 }], 20);

  it('contains the days and the limit, with a margin to drag the limit into', () => {
    expect(scale.low).toBeLessThan(-4);
    expect(scale.high).toBeGreaterThan(20);
    expect(scale.ticks).toEqual([0, 10, 20]);
  });

  it('converts values to heights and back', () => {
    expect(scale.y(scale.low)).toBeCloseTo(chart.bottom);
    expect(scale.y(scale.high)).toBeCloseTo(chart.top);
    for (const value of [-4, 0, 7.5, 20]) expect(scale.at(scale.y(value))).toBeCloseTo(value);
  });

  it('spans at least what the quantity needs', () => {
    const { low, high } = scaleOf([{ day: 0, min: 20, max: 20.4 }], 20.2, 5);
    expect(high - low).toBeCloseTo(5);
    expect((low + high) / 2).toBeCloseTo(20.2);
    expect(scaleOf([{ day: 0, min: -4, max: 16 }], 20, 5).low).toBe(scale.low);
  });

  it('works for a single value and for far-off values', () => {
    for (const [min, max, limit] of [
      [5, 5, undefined],
      [0, 0, 0],
      [1e6, 1e6 + 1, 1e6],
    ] as const) {
      const flat = scaleOf([{ day: 0, min, max }], limit);
      expect(flat.high).toBeGreaterThan(flat.low);
      expect(flat.ticks.length).toBeGreaterThan(0);
      expect(flat.ticks.length).toBeLessThan(8);
    }
  });

  it('moves the limit in visible steps that are no finer than the attribute’s precision', () => {
    expect(niceStep(24, 3)).toBe(10);
    expect(dragStep({ low: -5, high: 20 }, 1)).toBe(0.2);
    expect(dragStep({ low: -5, high: 20 }, 0)).toBe(1);
    expect(dragStep({ low: 0, high: 1000 }, 2)).toBe(5);
    const within = { low: -5, high: 20 };
    expect(snapToStep(2.27, 0.1, within)).toBe(2.3);
    expect(snapToStep(0.1 + 0.2, 0.1, within)).toBe(0.3);
    expect([snapToStep(99, 0.5, within), snapToStep(-99, 0.5, within)]).toEqual([20, -5]);
    expect(snapToStep(0.3, 0.25, within)).toBe(0.25);
  });
});

describe('the summary', () => {
  it('finds the longest notice; an open one lasts until the end', () => {
    const given = rehearsal();
    expect(longestOf(given)?.duration).toBe(3 * 3_600_000 + 12 * 60_000);
    const open = { startTime: given.endTime - 9 * 3_600_000, night: true, told: true };
    expect(longestOf({ ...given, notices: [...given.notices, open] })?.notice).toBe(open);
    expect(longestOf({ ...given, notices: [] })).toBeUndefined();
  });

  it('marks the days on which a notice was open', () => {
    expect([...alarmDays(rehearsal())]).toEqual([10, 20]);
  });
});

import { describe, expect, it } from 'vitest';
import { barEnd, barLength, barStart, bars } from './bars';

const at = (text: string) => new Date(text).getTime();
const hour = 3_600_000;

describe('a bar', () => {
  it('is as short as can still be told apart', () => {
    expect(barLength({ from: 0, to: 24 * hour }, 800)).toBe(hour / 2);
    expect(barLength({ from: 0, to: 7 * 24 * hour }, 800)).toBe(3 * hour);
    expect(barLength({ from: 0, to: 30 * 24 * hour }, 300)).toBe(24 * hour);
    expect(barLength({ from: 0, to: hour }, 800)).toBe(hour / 6);
  });

  it('is aligned to the clock', () => {
    expect(barStart(at('2026-11-21T14:25:00'), hour)).toBe(at('2026-11-21T14:00:00'));
    expect(barStart(at('2026-11-21T14:25:00'), 6 * hour)).toBe(at('2026-11-21T12:00:00'));
    expect(barStart(at('2026-11-21T14:25:00'), 24 * hour)).toBe(at('2026-11-21T00:00:00'));
  });

  it('of a day ends at midnight', () => {
    expect(barEnd(at('2026-11-21T00:00:00'), 24 * hour)).toBe(at('2026-11-22T00:00:00'));
    expect(barEnd(at('2026-11-21T18:00:00'), 6 * hour)).toBe(at('2026-11-22T00:00:00'));
  });
});

it('sums the readings of each bar and omits times without readings', () => {
  const times = ['10:00', '10:30', '10:59', '11:00', '13:15'].map((clock) => at(`2026-11-21T${clock}:00`));
  const line = { times: Float64Array.from(times), values: Float64Array.of(1, 2, 4, 8, 16) };
  const { times: starts, values } = bars(line, hour);
  expect([...starts]).toEqual(['10:00', '11:00', '13:00'].map((clock) => at(`2026-11-21T${clock}:00`)));
  expect([...values]).toEqual([7, 8, 16]);
});

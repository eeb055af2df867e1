import { describe, expect, it } from 'vitest';
import { midnights, stripPath } from './strip';

const range = { from: 0, to: 600_000 };

describe('the drawing of the whole range', () => {
  it('keeps the lowest and highest of each column', () => {
    const times = Float64Array.from({ length: 6000 }, (_, index) => index * 100);
    const values = times.map((_, index) => (index === 3005 ? 100 : index % 2));
    const path = stripPath({ times, values }, [], range);
    expect(path.match(/[ML]/g)?.length).toBeLessThanOrEqual(1200);
    // Only the peak touches the top.
    expect(path).toMatch(/[ML]300 6\.0/);
    expect(path.match(/M/g)).toHaveLength(1);
  });

  it('breaks at a gap', () => {
    const line = { times: Float64Array.of(0, 1000, 400_000, 401_000), values: Float64Array.of(1, 2, 3, 4) };
    expect(stripPath(line, [{ from: 1000, to: 400_000 }], range).match(/M/g)).toHaveLength(2);
  });

  it('is empty without readings', () => {
    expect(stripPath({ times: new Float64Array(0), values: new Float64Array(0) }, [], range)).toBe('');
  });
});

it('labels a limited number of midnights, evenly spaced', () => {
  const from = new Date('2026-10-22T06:00:00').getTime();
  const all = midnights({ from, to: from + 30 * 86_400_000 }, 8);
  expect(all.length).toBeLessThanOrEqual(8);
  expect(new Date(all[0] ?? 0).getHours()).toBe(0);
  expect(midnights({ from, to: from + 3_600_000 }, 8)).toEqual([]);
});

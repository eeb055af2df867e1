import { describe, expect, it } from 'vitest';
import { sparkPath } from './sparkPath';

const hour = 3_600_000;
const span = { from: 0, to: 24 * hour };
const at = (hours: number, value: number) => ({ time: hours * hour, value });

describe('sparkPath', () => {
  it('spans the whole width, with the maximum at the top', () => {
    const points = Array.from({ length: 25 }, (_, i) => at(i, i));
    const path = sparkPath(points, span);
    expect(path?.d.startsWith('M0.00 27.00L4.17 26.00')).toBe(true);
    expect(path?.end).toEqual({ x: 100, y: 3 });
  });

  it('ends where the readings end', () => {
    const path = sparkPath([at(0, 1), at(6, 2), at(12, 1)], span);
    expect(path?.end.x).toBe(50);
  });

  it('breaks at a long gap', () => {
    const points = [at(0, 1), at(1, 1), at(2, 1), at(3, 1), at(9, 1), at(10, 1)];
    expect(sparkPath(points, span)?.d.match(/M/g)).toHaveLength(2);
  });

  it('does not break at a few minutes', () => {
    const minute = 1 / 60;
    const points = [0, 1, 2, 3, 12, 13, 14].map((i) => at(i * minute, 1));
    expect(sparkPath(points, span)?.d.match(/M/g)).toHaveLength(1);
  });

  it('centres a constant value', () => {
    expect(sparkPath([at(0, 7), at(24, 7)], span)?.end.y).toBe(15);
  });

  it('leaves out points outside the span, and is null without points', () => {
    expect(sparkPath([at(-1, 100), at(0, 1), at(12, 2), at(25, 100)], span)?.end).toEqual({ x: 50, y: 3 });
    expect(sparkPath([], span)).toBeNull();
    expect(sparkPath([at(25, 1)], span)).toBeNull();
  });
});

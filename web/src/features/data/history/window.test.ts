import { describe, expect, it } from 'vitest';
import { clampToRange, detailSpan, initialWindow, moveEnd, pan, pinch, zoom } from './window';

const hour = 3_600_000;
const range = { from: 0, to: 100 * hour };

it('shows 20 percent at first', () => {
  expect(initialWindow({ from: 1000, to: 2000 })).toEqual({ from: 1000, to: 1200 });
});

describe('zoom', () => {
  it('keeps the time under the pointer in place', () => {
    const window = { from: 20 * hour, to: 40 * hour };
    const near = zoom(window, range, 0.5, 25 * hour);
    expect(near).toEqual({ from: 22.5 * hour, to: 32.5 * hour });
    expect((25 * hour - near.from) / (near.to - near.from)).toBe(0.25);
  });

  it('is limited to the range and to a minute', () => {
    expect(zoom({ from: 0, to: 60 * hour }, range, 2)).toEqual(range);
    const nearest = zoom({ from: 0, to: 100_000 }, range, 0.01);
    expect(nearest.to - nearest.from).toBe(60_000);
  });

  it('does not leave the range', () => {
    expect(zoom({ from: 0, to: 20 * hour }, range, 2, 20 * hour)).toEqual({ from: 0, to: 40 * hour });
    expect(zoom({ from: 80 * hour, to: 100 * hour }, range, 2, 80 * hour)).toEqual({ from: 60 * hour, to: 100 * hour });
  });
});

it('pans by a share of its length and stops at the ends', () => {
  const window = { from: 20 * hour, to: 40 * hour };
  expect(pan(window, range, 0.25)).toEqual({ from: 25 * hour, to: 45 * hour });
  expect(pan(window, range, -2)).toEqual({ from: 0, to: 20 * hour });
  expect(pan(window, range, 10)).toEqual({ from: 80 * hour, to: 100 * hour });
});

describe('pinch', () => {
  const window = { from: 20 * hour, to: 40 * hour };

  it('keeps the times under both fingers', () => {
    const next = pinch(window, range, [0.25, 0.5], [0.2, 0.7]);
    const time = (share: number) => next.from + share * (next.to - next.from);
    expect(time(0.2)).toBeCloseTo(25 * hour, 3);
    expect(time(0.7)).toBeCloseTo(30 * hour, 3);
  });

  it('does nothing if both fingers are at one place', () => {
    expect(pinch(window, range, [0.5, 0.5], [0.2, 0.8])).toBe(window);
  });
});

it('moves one end, never past the other and not out of the range', () => {
  const window = { from: 20 * hour, to: 40 * hour };
  expect(moveEnd(window, range, 'from', 30 * hour)).toEqual({ from: 30 * hour, to: 40 * hour });
  expect(moveEnd(window, range, 'from', 90 * hour)).toEqual({ from: 40 * hour - 60_000, to: 40 * hour });
  expect(moveEnd(window, range, 'to', 0)).toEqual({ from: 20 * hour, to: 20 * hour + 60_000 });
  expect(moveEnd(window, range, 'to', 500 * hour)).toEqual({ from: 20 * hour, to: 100 * hour });
});

it('requests details a little beyond the window, rounded to the minute', () => {
  expect(detailSpan({ from: 20 * hour + 1, to: 40 * hour }, range)).toEqual({ from: 15 * hour, to: 45 * hour });
  expect(detailSpan({ from: 0, to: 20 * hour }, range)).toEqual({ from: 0, to: 25 * hour });
});

it('fits into a range that is shorter than a minute', () => {
  const short = { from: 500, to: 30_500 };
  expect(clampToRange({ from: 0, to: 100_000 }, short)).toEqual(short);
  expect(zoom(short, short, 0.1)).toEqual(short);
});

import { describe, expect, it } from 'vitest';
import { rowOffsets, rowsInView, scrollFor } from './virtualRows';

const heights = Array.from({ length: 10_000 }, (_, i) => (i % 101 === 0 ? 44 : 48));
const offsets = rowOffsets(heights, (height) => height);

describe('the rows in view', () => {
  it('are those that overlap the frame, and some overscan', () => {
    expect(
      rowsInView(
        rowOffsets([36, 36, 36, 36, 36, 36], (height) => height),
        36,
        72,
        0,
      ),
    ).toEqual({ from: 1, to: 4 });
    const { from, to } = rowsInView(offsets, 200_000, 600, 8);
    expect(offsets[from + 8]).toBeLessThanOrEqual(200_000);
    expect(offsets[from + 9]).toBeGreaterThan(200_000);
    expect(offsets[to - 8]).toBeGreaterThanOrEqual(200_600);
    expect(to - from).toBeLessThan(40);
  });

  it('end with the list', () => {
    expect(rowsInView(offsets, 0, 600, 8).from).toBe(0);
    expect(rowsInView(offsets, 10_000_000, 600, 8).to).toBe(10_000);
    expect(
      rowsInView(
        rowOffsets([], () => 1),
        0,
        600,
        8,
      ),
    ).toEqual({ from: 0, to: 0 });
  });
});

describe('scrolling to a row', () => {
  const four = rowOffsets([36, 36, 36, 36], (height) => height);

  it.each([
    [0, 0, 72, null],
    [1, 0, 72, null],
    [2, 0, 72, 36],
    [3, 0, 72, 72],
    [0, 40, 72, 0],
    [1, 40, 72, 36],
    [9, 0, 72, null],
  ])('row %i from %i in a frame of %i goes to %s', (row, top, height, expected) => {
    expect(scrollFor(four, row, top, height)).toBe(expected);
  });
});

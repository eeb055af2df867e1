import { describe, expect, it } from 'vitest';
import { meanDirection, shareOn, statistics, total } from './statistics';

const line = (values: readonly number[]) => ({
  times: Float64Array.from(values, (_, index) => index * 10),
  values: Float64Array.from(values),
});
const all = { from: 0, to: 1000 };

describe('lowest, mean and highest', () => {
  it('are those of the span, including its ends', () => {
    expect(statistics(line([5, 1, 4, 9, 2]), { from: 10, to: 30 })).toEqual({
      count: 3,
      low: 1,
      high: 9,
      mean: 14 / 3,
    });
  });

  it('are null without readings', () => {
    expect(statistics(line([5, 1]), { from: 11, to: 1000 })).toBeNull();
    expect(total(line([]), all)).toBeNull();
    expect(meanDirection(line([]), all)).toBeNull();
  });

  it('may be negative', () => {
    expect(statistics(line([-3, -8]), all)).toMatchObject({ low: -8, high: -3, mean: -5.5 });
  });
});

it('sums amounts', () => {
  expect(total(line([0.2, 0, 0.4, 1]), { from: 0, to: 20 })).toBeCloseTo(0.6);
});

describe('the mean of directions', () => {
  it('wraps around the compass', () => {
    expect(meanDirection(line([350, 10]), all)).toBeCloseTo(0);
    expect(meanDirection(line([350, 340]), all)).toBeCloseTo(345);
    expect(meanDirection(line([90, 100]), all)).toBeCloseTo(95);
  });

  it('is null for opposite directions', () => {
    expect(meanDirection(line([0, 180]), all)).toBeNull();
  });
});

describe('the share of time that was on', () => {
  const held = { times: Float64Array.of(0, 100, 300, 400), values: Float64Array.of(0, 1, 0, 0) };

  it('counts time, not readings', () => {
    expect(shareOn(held, [], { from: 0, to: 400 })).toBe(0.5);
    expect(shareOn(held, [], { from: 200, to: 400 })).toBe(0.5);
    expect(shareOn(held, [], { from: 100, to: 300 })).toBe(1);
  });

  it('ignores unknown times', () => {
    const gapped = { times: Float64Array.of(0, 100, 300, 400), values: Float64Array.of(1, 1, 1, 0) };
    expect(shareOn(gapped, [{ from: 100, to: 300 }], { from: 0, to: 400 })).toBe(1);
    expect(shareOn(held, [], { from: 500, to: 600 })).toBeNull();
  });
});

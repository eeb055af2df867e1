import { describe, expect, it } from 'vitest';
import { scaleFor, tickDecimals } from './scale';

describe('an axis', () => {
  it.each([
    [4.8, 19.2, 4, { min: 0, max: 20, step: 5 }],
    [52.1, 92, 4, { min: 50, max: 100, step: 10 }],
    [-3.2, 19.9, 4, { min: -10, max: 20, step: 10 }],
    [2.17, 2.36, 4, { min: 2.15, max: 2.4, step: 0.05 }],
    [896.8, 900.9, 4, { min: 896, max: 902, step: 2 }],
    [0, 0.3, 3, { min: 0, max: 0.3, step: 0.1 }],
  ])('for %d to %d in about %d steps', (low, high, steps, wanted) => {
    expect(scaleFor(low, high, steps)).toEqual(wanted);
  });

  it('contains any two values between its ends, with round ticks', () => {
    for (const [low, high] of [
      [1e-9, 2e-9],
      [-1e7, 3],
      [99.999, 100.001],
      [0.1, 0.7],
    ] as const) {
      const { min, max, step } = scaleFor(low, high, 4);
      expect(min).toBeLessThanOrEqual(low);
      expect(max).toBeGreaterThanOrEqual(high);
      expect(Math.abs(min / step - Math.round(min / step))).toBeLessThan(1e-6);
      expect((max - min) / step).toBeLessThan(8);
    }
  });

  it('centres a flat line', () => {
    for (const value of [0, 12, -7]) {
      const { min, max } = scaleFor(value, value, 4);
      expect(min).toBeLessThan(value);
      expect(max).toBeGreaterThan(value);
    }
  });

  it('writes its ticks with as many decimals as they need', () => {
    expect(tickDecimals({ min: 0, max: 1, step: 0.05 })).toBe(2);
    expect(tickDecimals({ min: 0, max: 1, step: 0.1 })).toBe(1);
    expect(tickDecimals({ min: 0, max: 10, step: 5 })).toBe(0);
  });
});

it('spans at least what the quantity needs, around the values and not below 0 without cause', () => {
  expect(scaleFor(20.1, 20.3, 5, 5)).toEqual({ min: 17, max: 23, step: 1 });
  expect(scaleFor(0.2, 0.4, 5, 5)).toEqual({ min: 0, max: 5, step: 1 });
  expect(scaleFor(-0.2, 0.4, 5, 5)).toEqual({ min: -3, max: 3, step: 1 });
  expect(scaleFor(10, 40, 3, 5)).toEqual(scaleFor(10, 40, 3));
});

import { describe, expect, it } from 'vitest';
import { rampSteps, scaleOf, stepOf } from './ramp';

describe('the scale of a map', () => {
  it('has round bounds around the values', () => {
    expect(scaleOf([12.3, 34.9])?.bounds).toEqual([10, 15, 20, 25, 30, 35]);
    expect(scaleOf([-4.2, 3.1])?.bounds).toEqual([-6, -4, -2, 0, 2, 4]);
    expect(scaleOf([3.38, 4.12])?.bounds).toEqual([3.2, 3.4, 3.6, 3.8, 4, 4.2]);
  });

  it('holds every value within at most five steps', () => {
    for (let i = 0; i < 500; i++) {
      const low = Math.sin(i) * 10 ** (i % 7);
      const high = low + Math.abs(Math.cos(i * 7)) * 10 ** (i % 5);
      const bounds = scaleOf([low, high])?.bounds ?? [];
      const slack = Math.abs(high - low) * 1e-6 + 1e-9;
      expect(bounds.length - 1, `${low} ${high}`).toBeLessThanOrEqual(rampSteps);
      expect(bounds[0], `${low} ${high}`).toBeLessThanOrEqual(low + slack);
      expect(bounds.at(-1), `${low} ${high}`).toBeGreaterThanOrEqual(high - slack);
    }
  });

  it('does not show noise as a difference', () => {
    const scale = scaleOf([20, 20.1], 5);
    expect((scale?.bounds.at(-1) ?? 0) - (scale?.bounds[0] ?? 0)).toBeGreaterThanOrEqual(5);
  });

  it('is none without values', () => {
    expect(scaleOf([])).toBeNull();
    expect(scaleOf([7])?.bounds.length).toBeGreaterThan(1);
  });

  it('gives the lowest values the first colour and the highest the last', () => {
    const scale = { bounds: [10, 15, 20, 25, 30, 35] };
    expect([10, 14.9, 15, 22, 34, 35, 99, -5].map((value) => stepOf(scale, value))).toEqual([0, 0, 1, 2, 4, 4, 4, 0]);
    expect([1, 2].map((value) => stepOf({ bounds: [1, 2, 3] }, value))).toEqual([0, 4]);
    expect(stepOf({ bounds: [1, 2] }, 1)).toBe(2);
  });
});

import { describe, expect, it } from 'vitest';
import { graticuleStep, linesBetween, metresPerPixel, scaleBar, stepDecimals } from './graticule';

describe('the graticule', () => {
  it.each([
    [0.0001, 96, 0.01],
    [0.0002, 100, 0.02],
    [0.02, 96, 2],
    [0.35, 96, 30],
    [10, 96, 30],
    [0.000_000_1, 96, 0.0001],
  ])('with %d degrees per pixel and lines %d pixels apart has steps of %d', (degrees, apart, step) => {
    expect(graticuleStep(degrees, apart)).toBe(step);
  });

  it.each([
    [30, 0],
    [1, 0],
    [0.5, 1],
    [0.2, 1],
    [0.01, 2],
    [0.005, 3],
    [0.0001, 4],
  ])('labels lines of step %d with %d decimals', (step, decimals) => {
    expect(stepDecimals(step)).toBe(decimals);
  });

  it('has lines at multiples of its step, without drift', () => {
    expect(linesBetween(37.845, 37.861, 0.005)).toEqual([37.845, 37.85, 37.855, 37.86]);
    expect(linesBetween(-0.25, 0.2, 0.1)).toEqual([-0.2, -0.1, 0, 0.1, 0.2]);
    expect(linesBetween(0.01, 0.04, 0.05)).toEqual([]);
  });
});

describe('the scale', () => {
  it('computes the size of a pixel', () => {
    // The equator in 256 pixels; at 60 degrees half of it.
    expect(metresPerPixel(0, 0)).toBeCloseTo(156_543.03, 1);
    expect(metresPerPixel(60, 0)).toBeCloseTo(78_271.5, 1);
    expect(metresPerPixel(0, 10)).toBeCloseTo(152.874, 2);
  });

  it.each([
    [1, 110, 100, 100],
    [4.77, 110, 500, 104.82],
    [2.4, 110, 200, 83.33],
    [1000, 110, 100_000, 100],
    [0.03, 110, 2, 66.67],
  ])('with %d m per pixel within %d pixels is %d m long', (metresAPixel, most, metres, pixels) => {
    const bar = scaleBar(metresAPixel, most);
    expect(bar.metres).toBe(metres);
    expect(bar.pixels).toBeCloseTo(pixels, 1);
    expect(bar.pixels).toBeLessThanOrEqual(most);
  });
});

import { describe, expect, it } from 'vitest';
import { middleOf, nearestCopy, shiftsBetween, together } from './copies';

it.each([
  [-179.75, 179.5, 180.25],
  [179.5, -179.75, -180.5],
  [179.5, 541, 539.5],
  [27.34, 114.48, 27.34],
  [-180, 0, 180],
  [181, 0, -179],
])('the copy of %d that is nearest to %d is %d', (longitude, to, nearest) => {
  expect(nearestCopy(longitude, to)).toBe(nearest);
});

it.each([
  [[], 0],
  [[-21.5], -21.5],
  [[27, 29, 28], 28],
  [[179.5, -179.75], 179.875],
  [[-179, 178.5, -177.5], -179.5],
  [[-170, -10, 30, 170], 90],
  [[-70, 60, 180, 150], 175],
])('the middle of %j is %d', (longitudes, middle) => {
  expect(middleOf(longitudes)).toBe(middle);
});

describe('copies that are together', () => {
  it.each([
    [114.48, [179.5, 180.25]],
    [-60, [-180.5, -179.75]],
    [700, [539.5, 540.25]],
  ])('are neighbours, near %d', (near, longitudes) => {
    const points = together(
      [
        [-17, 179.5],
        [-16.5, -179.75],
      ],
      near,
    );
    expect(points).toEqual([
      [-17, longitudes[0]],
      [-16.5, longitudes[1]],
    ]);
  });

  it('are the places themselves where none is across the date line', () => {
    expect(
      together(
        [
          [69.65, 18.95],
          [64.1, -21.9],
        ],
        0,
      ),
    ).toEqual([
      [69.65, 18.95],
      [64.1, -21.9],
    ]);
  });
});

it.each([
  [-20, 180, 100, 170, [0]],
  [-20, 180, 170, 190, [0]],
  [-180, -170, 170, 190, [360]],
  [170, 180, -200, -185, [-360]],
  [20, 30, -400, 400, [-360, 0, 360]],
  [20, 30, 40, 50, []],
])('what lies from %d to %d is seen from %d to %d shifted by %j', (west, east, from, to, shifts) => {
  expect(shiftsBetween(west, east, from, to)).toEqual(shifts);
});

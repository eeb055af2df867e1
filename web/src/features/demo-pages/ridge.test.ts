import { expect, it } from 'vitest';
import { type Ridge, ridgeAt, ridgeGround, ridgeLine, ridgePoints, terrace } from './ridge';

const hill: Ridge = { from: -10, to: 100, level: 50, waves: [{ height: 20, length: 80 }] };

it('has a crest at a quarter of its wave and a trough at three quarters, since y grows downwards', () => {
  expect(ridgeAt(hill, 0)).toBe(50);
  expect(ridgeAt(hill, 20)).toBeCloseTo(30);
  expect(ridgeAt(hill, 60)).toBeCloseTo(70);
});

it('begins a wave at its phase', () => {
  const moved = { ...hill, waves: [{ height: 20, length: 80, phase: 0.25 }] };
  expect(ridgeAt(moved, 0)).toBeCloseTo(30);
});

it('includes both ends exactly', () => {
  const points = ridgePoints(hill);
  expect(points[0]?.x).toBe(-10);
  expect(points.at(-1)?.x).toBe(100);
});

it('is closed at the bottom as ground', () => {
  expect(ridgeGround(hill, 90)).toBe(`${ridgeLine(hill)}V90H-10Z`);
});

it('has terraces that are lower and flatter', () => {
  const below = terrace(hill, 15, 0.5);
  expect(ridgeAt(below, 0)).toBe(65);
  expect(ridgeAt(below, 20)).toBeCloseTo(55);
});

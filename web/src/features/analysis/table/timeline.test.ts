import { expect, it } from 'vitest';
import { lineOfValues } from '@/test/analysisColumns';
import { timelineOf } from './timeline';

const at = (...times: number[]) => lineOfValues('raw', times, times);

it('has every time once, and the values of each line at it', () => {
  const { times, at: indexAt } = timelineOf([at(1, 3, 5), at(2, 3), at()]);
  expect([...times]).toEqual([1, 2, 3, 5]);
  expect([0, 1, 2, 3].map((row) => indexAt(0, row))).toEqual([0, -1, 1, 2]);
  expect([0, 1, 2, 3].map((row) => indexAt(1, row))).toEqual([-1, 0, 1, -1]);
  expect(indexAt(2, 0)).toBe(-1);
});

it('keeps values of a line at the same time apart', () => {
  const { times, at: indexAt } = timelineOf([at(0, 0, 4), at(0, 4, 4)]);
  expect([...times]).toEqual([0, 0, 4, 4]);
  expect([0, 1, 2, 3].map((row) => indexAt(0, row))).toEqual([0, 1, 2, -1]);
  expect([0, 1, 2, 3].map((row) => indexAt(1, row))).toEqual([0, -1, 1, 2]);
});

it('is quick with a year of hours of many properties', () => {
  const hours = Array.from({ length: 8760 }, (_, hour) => hour * 3_600_000);
  const { times, at: indexAt } = timelineOf(Array.from({ length: 36 }, () => at(...hours)));
  expect(times).toHaveLength(8760);
  expect(indexAt(35, 8759)).toBe(8759);
});

it('has nothing of no line', () => {
  expect(timelineOf([]).times).toHaveLength(0);
});

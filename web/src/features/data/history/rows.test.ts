import { expect, it } from 'vitest';
import { joinRows, rowsOf } from './rows';
import { rowsInView } from './virtualRows';

it('keeps a row’s values and leaves missing ones out', () => {
  const rows = rowsOf(
    [
      { collect_time: 1000, t: 3.4, pump: false },
      { collect_time: 2000, t: 0, note: 'open' },
    ],
    ['t', 'pump', 'note', 'unknown'],
  );
  expect([...rows.times]).toEqual([1000, 2000]);
  expect(['t', 'pump', 'note', 'unknown'].map((id) => rows.at(id, 0))).toEqual([3.4, false, undefined, undefined]);
  expect(['t', 'pump', 'note', 'unknown'].map((id) => rows.at(id, 1))).toEqual([0, undefined, 'open', undefined]);
});

it('renders the rows in view and some around them', () => {
  expect(rowsInView(43_200, 36, 36_000, 600)).toEqual({ from: 988, to: 1029 });
  expect(rowsInView(43_200, 36, 0, 600)).toEqual({ from: 0, to: 29 });
  expect(rowsInView(5, 36, 0, 600)).toEqual({ from: 0, to: 5 });
  // Fewer rows arrived than before, and the scroll position is beyond them.
  expect(rowsInView(5, 36, 36_000, 600)).toEqual({ from: 5, to: 5 });
});

it('joins the rows of another device by all times of either, shifted over these', () => {
  const own = rowsOf(
    [
      { collect_time: 100, a: 1 },
      { collect_time: 300, a: 3 },
    ],
    ['a'],
  );
  const other = rowsOf(
    [
      { collect_time: 0, a: 10 },
      { collect_time: 150, a: 15 },
      { collect_time: 200, a: 20 },
    ],
    ['a'],
  );
  const both = joinRows(own, other, 100);
  expect([...both.times]).toEqual([100, 250, 300]);
  expect([0, 1, 2].map((row) => both.at('a', row))).toEqual([1, undefined, 3]);
  expect([0, 1, 2].map((row) => both.other('a', row))).toEqual([10, 15, 20]);
  expect([...joinRows(own, rowsOf([], ['a']), 0).times]).toEqual([100, 300]);
});

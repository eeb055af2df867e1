import { describe, expect, it } from 'vitest';
import { calendarOf, dayByKey } from './calendar';

/** A Saturday. */
const now = new Date(2026, 10, 21, 14, 0).getTime();
const covered = (day: string, frames: number) => ({ day, frames, first: 0, last: 0 });

describe('the days', () => {
  it('end today and form columns of weeks', () => {
    const days = calendarOf([], now, 400, 1);
    expect(days).toHaveLength(400);
    expect(days.at(-1)).toMatchObject({ name: '2026-11-21', row: 5, level: 0, covered: undefined });
    expect(days[0]?.name).toBe('2025-10-18');
    // Each Monday begins a column, and no place is taken twice.
    for (const { time, row } of days) expect(row).toBe((new Date(time).getDay() + 6) % 7);
    expect(new Set(days.map(({ column, row }) => `${column} ${row}`)).size).toBe(400);
  });

  it('begin weeks on Sunday in languages that do so', () => {
    expect(calendarOf([], now, 7, 7).at(-1)?.row).toBe(6);
  });

  it('are counted by the calendar when the clocks change', () => {
    const names = calendarOf([], new Date(2026, 3, 2).getTime(), 10, 1).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names[0]).toBe('2026-03-24');
  });

  it('are shaded by their share of the fullest day', () => {
    const days = calendarOf(
      [covered('2026-11-18', 1), covered('2026-11-19', 720), covered('2026-11-20', 1440)],
      now,
      5,
      1,
    );
    expect(days.map(({ level }) => level)).toEqual([0, 1, 2, 4, 0]);
    expect(days[3]?.covered?.frames).toBe(1440);
  });
});

describe('the keys', () => {
  it.each([
    ['ArrowUp', 99],
    ['ArrowDown', 101],
    ['ArrowLeft', 93],
    ['ArrowRight', 107],
    ['PageUp', 72],
    ['PageDown', 128],
    ['Home', 0],
    ['End', 399],
    ['Enter', undefined],
  ])('%s leads to %s', (key, index) => {
    expect(dayByKey(key, 100, 400)).toBe(index);
  });

  it('stay within the strip', () => {
    expect(dayByKey('ArrowRight', 398, 400)).toBe(399);
    expect(dayByKey('PageUp', 3, 400)).toBe(0);
  });
});

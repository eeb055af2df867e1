import { expect, it } from 'vitest';
import { fieldTime, muteTimes, parseOtherTime } from './muteTimes';

const now = new Date(2026, 10, 21, 22, 30).getTime();
const hour = 3_600_000;

it('mutes for one hour, for eight hours, and until the next morning by the calendar', () => {
  expect(muteTimes(now)).toEqual({
    hour: now + hour,
    eight: now + 8 * hour,
    morning: new Date(2026, 10, 22, 7, 0).getTime(),
  });
});

it('accepts a custom time in the future, within thirty days', () => {
  expect(parseOtherTime(fieldTime(now + hour), now)).toBe(now + hour);
  expect(fieldTime(now)).toBe('2026-11-21T22:30');
  for (const wrong of ['', 'soon', fieldTime(now), fieldTime(now - hour), fieldTime(now + 31 * 24 * hour)]) {
    expect(parseOtherTime(wrong, now)).toBeNull();
  }
});

import { expect, it } from 'vitest';
import { fieldText, muteTimes, otherTime } from './muteTimes';

const now = new Date(2026, 10, 21, 22, 30).getTime();
const hour = 3_600_000;

it('an hour, eight, and the next morning by the calendar', () => {
  expect(muteTimes(now)).toEqual({
    hour: now + hour,
    eight: now + 8 * hour,
    morning: new Date(2026, 10, 22, 7, 0).getTime(),
  });
});

it('a time of one’s own is to come, and within thirty days', () => {
  expect(otherTime(fieldText(now + hour), now)).toBe(now + hour);
  expect(fieldText(now)).toBe('2026-11-21T22:30');
  for (const wrong of ['', 'soon', fieldText(now), fieldText(now - hour), fieldText(now + 31 * 24 * hour)]) {
    expect(otherTime(wrong, now)).toBeNull();
  }
});

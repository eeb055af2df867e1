import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { onSum, onTimesAnswer } from '@/test/analysisColumns';
import { onTimesOf, retimeOnTimes, shareOn } from './onTimes';
import { yearLater } from './span';
import { switchLine } from './switchLine';

const hour = 3_600_000;
const march = Date.UTC(2026, 2, 1);
beforeEach(() => setTenantZone('UTC'));
afterEach(() => setTenantZone(undefined));

const phases = [
  { from: march, state: 'off' as const },
  { from: march + 2 * hour, state: 'on' as const },
  { from: march + 5 * hour, state: 'unknown' as const },
];
const answer = onTimesAnswer({ startTime: march, endTime: march + 6 * hour, phases });

it('ends each phase where the next one begins', () => {
  const { phases: found } = onTimesOf(answer);
  expect(found?.map(({ from, to, state }) => [(from - march) / hour, (to - march) / hour, state])).toEqual([
    [0, 2, 'off'],
    [2, 5, 'on'],
    [5, 6, 'unknown'],
  ]);
});

it('is a line of what it was switched to, or of days with their time on', () => {
  expect([...switchLine(onTimesOf(answer)).mean]).toEqual([0, 1, Number.NaN]);
  const days = [
    { time: march, sum: onSum({ on: 6 * hour, off: 2 * hour, unknown: 16 * hour }) },
    { time: march + 24 * hour, sum: onSum({ unknown: 24 * hour }) },
  ];
  const byDay = switchLine(onTimesOf(onTimesAnswer({ days })));
  expect([byDay.resolution, [...byDay.sum], [...byDay.mean]]).toEqual(['day', [6 * hour, 0], [0.75, Number.NaN]]);
  expect(shareOn(onSum({ on: 1, off: 3, unknown: 96 }))).toBe(0.25);
});

it('moves the year before over this one, without a leap day that this one lacks', () => {
  const leap = Date.UTC(2024, 1, 28);
  const day = 24 * hour;
  const before = onTimesOf(
    onTimesAnswer({
      startTime: leap,
      endTime: leap + 3 * day,
      phases: [
        { from: leap + 6 * hour, state: 'on' },
        { from: leap + day + hour, state: 'off' },
        { from: leap + 2 * day, state: 'on' },
      ],
      longestOn: { from: leap + 6 * hour, to: leap + day + hour },
    }),
  );
  const moved = retimeOnTimes(before, yearLater);
  const year = 366 * day;
  expect(moved.phases?.map(({ from, state }) => [from, state])).toEqual([
    [leap + year + 6 * hour, 'on'],
    [leap + year + day, 'on'],
  ]);
  expect(moved.longestOn?.from).toBe(leap + year + 6 * hour);
});

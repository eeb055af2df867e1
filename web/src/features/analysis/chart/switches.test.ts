import { expect, it } from 'vitest';
import { onSum, onTimesAnswer } from '@/test/analysisColumns';
import { onTimesOf } from '../data/onTimes';
import { onDaysPath, onPath, showsPhases, unknownIn } from './switches';

const day = 86_400_000;
const span = { from: 0, to: 10 * day };
const place = { left: 100, plotWidth: 1000 };
const strip = { top: 20, height: 22 };

/** Days of UTC, of which the switch was on for so many tenths. */
const daysOf = (...tenths: number[]) =>
  tenths.map((on, index) => ({ time: index * day, sum: onSum({ on: (on * day) / 10, off: ((10 - on) * day) / 10 }) }));
/** On at the beginning of each of so many equal parts of the span. */
const often = (count: number) =>
  Array.from({ length: 2 * count }, (_, index) => ({
    from: (index * 10 * day) / (2 * count),
    state: index % 2 === 0 ? ('on' as const) : ('off' as const),
  }));

it('draws each on-time where it was, the shortest a pixel wide', () => {
  const phases = [
    { from: 0, state: 'off' as const },
    { from: day, state: 'on' as const },
    { from: 3 * day, state: 'unknown' as const },
    { from: 5 * day, state: 'on' as const },
    { from: 5 * day + 1000, state: 'off' as const },
  ];
  const onTimes = onTimesOf(onTimesAnswer({ endTime: 10 * day, phases }));
  expect(onPath(onTimes, span, place, strip)).toBe('M200 20h200v22h-200zM600 20h1v22h-1z');
  expect(unknownIn(onTimes, span).map(({ from, to }) => [from / day, to / day])).toEqual([[3, 5]]);
  expect(unknownIn(onTimes, { from: 6 * day, to: 7 * day })).toEqual([]);
});

it('draws hours a day where on-times would run into each other', () => {
  const days = daysOf(0, 5, 10, 0, 0, 0, 0, 0, 0, 0);
  const of = (count: number) => onTimesOf(onTimesAnswer({ endTime: 10 * day, phases: often(count), days }));
  expect(showsPhases(of(250), span, 1000)).toBe(true);
  expect(showsPhases(of(251), span, 1000)).toBe(false);
  expect(showsPhases(of(251), { from: 0, to: day }, 100)).toBe(true);
  const many = onTimesOf(onTimesAnswer({ endTime: 10 * day, days }));
  expect(showsPhases(many, span, 1000)).toBe(false);
  expect(onDaysPath(many, span, place, strip)).toBe('M200 31h99v11h-99zM300 20h99v22h-99z');
});

it('knows nothing of a day that is unknown as a whole', () => {
  const days = [...daysOf(0), { time: day, sum: onSum({ unknown: day }) }];
  expect(unknownIn(onTimesOf(onTimesAnswer({ endTime: 2 * day, days })), span).map(({ from }) => from)).toEqual([day]);
});

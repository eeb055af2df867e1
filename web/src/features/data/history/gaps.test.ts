import { describe, expect, it } from 'vitest';
import { commonGaps, usualInterval } from '@/ui/chart/times';
import { findGaps, isInGap, isolatedReadings, longestPause, spliceGaps, stepLine, withGapBreaks } from './gaps';

const minute = 60_000;
const line = (minutes: readonly number[]) => ({
  times: Float64Array.from(minutes, (at) => at * minute),
  values: Float64Array.from(minutes, (_, index) => index),
});
const span = (from: number, to: number) => ({ from: from * minute, to: to * minute });
const whole = (minutes: readonly number[]) => ({ times: line(minutes).times, bucket: 0 });
const spans = (list: readonly { from: number; to: number }[]) =>
  list.map(({ from, to }) => [from / minute, to / minute]);

describe('the usual interval', () => {
  it('is the median: a gap and a burst do not change it', () => {
    expect(usualInterval(line([0, 1, 2, 3, 3.1, 3.2, 4, 5, 500]).times)).toBe(minute);
    expect(usualInterval(line([7]).times)).toBe(0);
  });
});

describe('a pause', () => {
  it('is a gap beyond three usual intervals, not at three', () => {
    expect(spans(findGaps(whole([0, 1, 2, 3, 6, 7, 8, 11.01, 12]), span(0, 12)))).toEqual([[8, 11.01]]);
  });

  it('counts at both ends of the range', () => {
    expect(spans(findGaps(whole([10, 11, 12]), span(0, 60)))).toEqual([
      [0, 10],
      [12, 60],
    ]);
    expect(findGaps(whole([2, 3, 4]), span(0, 6))).toEqual([]);
  });

  it('is the whole range without any reading', () => {
    expect(spans(findGaps(whole([]), span(5, 9)))).toEqual([[5, 9]]);
  });

  it('is not derived from a single reading', () => {
    expect(findGaps(whole([30]), span(0, 60))).toEqual([]);
  });

  it('is no gap within two buckets of thinned readings', () => {
    const bucket = 20 * minute;
    // The lowest and highest of each bucket: close together, then far apart.
    const kept = Array.from({ length: 50 }, (_, index) => [index * 20 + 1, index * 20 + 3]).flat();
    const thinned = { ...line(kept), bucket };
    expect(longestPause(thinned)).toBe(2 * bucket);
    expect(findGaps(thinned, span(0, 1000))).toEqual([]);
    const cut = { ...line(kept.filter((at) => at < 400 || at > 460)), bucket };
    expect(spans(findGaps(cut, span(0, 1000)))).toEqual([[383, 461]]);
    // With all readings, each pause between the pairs would be a gap.
    expect(findGaps({ ...thinned, bucket: 0 }, span(0, 1000)).length).toBeGreaterThan(40);
  });
});

it('joins the gaps of the coarse and the fine line', () => {
  const coarse = [
    { from: 0, to: 10 },
    { from: 40, to: 60 },
    { from: 80, to: 90 },
  ];
  const fine = [
    { from: 50, to: 58 },
    { from: 62, to: 66 },
  ];
  // The coarse gap extends to the beginning of the fine line; within it, only the fine line's gaps
  // count.
  expect(spliceGaps(coarse, fine, { from: 50, to: 85 })).toEqual([
    { from: 0, to: 10 },
    { from: 40, to: 58 },
    { from: 62, to: 66 },
    { from: 85, to: 90 },
  ]);
});

it('finds the gaps that all lines share', () => {
  const a = [
    { from: 0, to: 10 },
    { from: 20, to: 40 },
  ];
  const b = [
    { from: 5, to: 25 },
    { from: 30, to: 50 },
  ];
  expect(commonGaps([a, b])).toEqual([
    { from: 5, to: 10 },
    { from: 20, to: 25 },
    { from: 30, to: 40 },
  ]);
  expect(commonGaps([a])).toEqual(a);
  expect(commonGaps([])).toEqual([]);
  expect(commonGaps([a, []])).toEqual([]);
});

describe('the line', () => {
  const gaps = [
    { from: 0, to: minute },
    { from: 2 * minute, to: 10 * minute },
  ];

  it('breaks at each gap and nowhere else', () => {
    const points = withGapBreaks(line([1, 2, 10, 11]), gaps);
    const values = [...points].filter((_, index) => index % 2 === 1);
    expect(values).toEqual([0, 1, Number.NaN, 2, 3]);
    const times = [...points].filter((_, index) => index % 2 === 0);
    expect(times).toEqual([1, 2, 6, 10, 11].map((at) => at * minute));
  });

  it('keeps isolated readings between two gaps', () => {
    const alone = [
      { from: 0, to: 5 * minute },
      { from: 5 * minute, to: 9 * minute },
    ];
    expect([...isolatedReadings(line([5, 9, 10]), alone)]).toEqual([5 * minute, 0]);
    expect([...isolatedReadings(line([1, 2, 3]), [])]).toEqual([]);
    expect([...isolatedReadings(line([4]), [])]).toEqual([4 * minute, 0]);
  });

  it('is in a gap only inside of it, not at its ends', () => {
    expect(isInGap(gaps, 5 * minute)).toBe(true);
    expect(isInGap(gaps, 2 * minute)).toBe(false);
    expect(isInGap(gaps, 10 * minute)).toBe(false);
    expect(isInGap([], 5)).toBe(false);
  });
});

describe('steps', () => {
  const changes = { times: Float64Array.of(0, 100, 300), values: Float64Array.of(0, 1, 0) };

  it('hold the last value until the end', () => {
    const { line: held } = stepLine(changes, [], 500);
    expect([...held.times]).toEqual([0, 100, 300, 500]);
    expect([...held.values]).toEqual([0, 1, 0, 0]);
  });

  it('break at a gap and continue with the same value after it', () => {
    const { line: held, gaps } = stepLine(changes, [{ from: 150, to: 200 }], 500);
    expect([...held.times]).toEqual([0, 100, 150, 200, 300, 500]);
    expect([...held.values]).toEqual([0, 1, 1, 1, 0, 0]);
    expect(gaps).toEqual([{ from: 150, to: 200 }]);
  });

  it('end where the last gap begins', () => {
    const { line: held } = stepLine(changes, [{ from: 400, to: 900 }], 400);
    expect([...held.times]).toEqual([0, 100, 300, 400]);
  });
});

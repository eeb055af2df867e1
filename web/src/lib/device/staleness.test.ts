import { describe, expect, it } from 'vitest';
import { addObservedTimes, isStale, noObservedTimes, usualInterval } from './staleness';

const minute = 60_000;

describe('a reading is stale', () => {
  it.each([
    // older than three of its usual intervals
    [3 * minute, undefined, 10 * minute, false],
    [10 * minute + 1, undefined, 10 * minute, true],
    [3 * minute, minute, 10 * minute, false],
    [3 * minute + 1, minute, 10 * minute, true],
    // a rarely read one may be older than the silence limit of its device
    [47 * minute, 20 * minute, 10 * minute, false],
    // one with an interval of a second is not stale after four
    [29_000, 1000, 10 * minute, false],
    [31_000, 1000, 10 * minute, true],
  ])('at %d ms, usually every %s ms, offline after %d ms: %s', (age, usual, offlineAfter, expected) => {
    expect(isStale(1_000_000, offlineAfter, usual, 1_000_000 + age)).toBe(expected);
  });
});

describe('the usual interval', () => {
  it('is the median of the observed ones, once there are enough', () => {
    let observed = addObservedTimes(noObservedTimes, { a: 0 });
    expect(usualInterval(observed, 'a')).toBeUndefined();
    observed = addObservedTimes(observed, { a: 10 });
    expect(usualInterval(observed, 'a')).toBeUndefined();
    observed = addObservedTimes(addObservedTimes(observed, { a: 20 }), { a: 220 });
    expect(usualInterval(observed, 'a')).toBe(10);
    expect(usualInterval(observed, 'b')).toBeUndefined();
  });

  it('is separate for each property', () => {
    let observed = noObservedTimes;
    for (const time of [0, 10, 20, 30])
      observed = addObservedTimes(observed, { fast: time, slow: Math.floor(time / 20) * 20 });
    observed = addObservedTimes(observed, { slow: 40 });
    expect(usualInterval(observed, 'fast')).toBe(10);
    expect(usualInterval(observed, 'slow')).toBe(20);
  });

  it('forgets old observations', () => {
    let observed = noObservedTimes;
    for (let i = 0; i <= 20; i++) observed = addObservedTimes(observed, { a: i * 1000 });
    for (let i = 1; i <= 9; i++) observed = addObservedTimes(observed, { a: 20_000 + i * 5000 });
    expect(usualInterval(observed, 'a')).toBe(5000);
  });

  it('is the same object when nothing is new', () => {
    const observed = addObservedTimes(noObservedTimes, { a: 5 });
    expect(addObservedTimes(observed, { a: 5 })).toBe(observed);
    expect(addObservedTimes(observed, { a: 4 })).toBe(observed);
  });
});

import { describe, expect, it } from 'vitest';
import type { DeviceHint } from '../queries';
import { mergeHints, mergeReadings } from './merge';

const hint = (time: number, change: Partial<DeviceHint> = {}): DeviceHint => ({ kind: 'refused', time, ...change });

describe('readings', () => {
  it('are shown together, the newer value of each', () => {
    const one = { time: 2, values: { airTemperature: 21, wind: 3 } };
    const other = { time: 1, values: { airTemperature: 20, airHumidity: 80 } };
    const both = { time: 2, values: { airTemperature: 21, wind: 3, airHumidity: 80 } };
    expect(mergeReadings(one, other)).toEqual(both);
    expect(mergeReadings(other, one)).toEqual(both);
    expect(mergeReadings(undefined, one)).toBe(one);
    expect(mergeReadings(undefined, undefined)).toBeUndefined();
  });
});

describe('hints', () => {
  it('are the newest five, each once', () => {
    const again = hint(1, { identifier: 'temp' });
    const others = [2, 3, 4, 5].map((time) => hint(time, { identifier: `v${time}` }));
    expect(mergeHints([again, { ...again, time: 9 }, ...others, hint(0)]).map(({ time }) => time)).toEqual([
      9, 5, 4, 3, 2,
    ]);
  });

  it('of another value, reason or address are others', () => {
    const hints = [
      hint(5, { identifier: 'a' }),
      hint(4, { identifier: 'b' }),
      hint(3, { identifier: 'a', reason: 'tooOld' }),
      hint(2, { kind: 'wrongSecret', address: '203.0.113.x' }),
      hint(1, { kind: 'wrongSecret', address: '198.51.100.x' }),
    ];
    expect(mergeHints(hints)).toEqual(hints);
  });
});

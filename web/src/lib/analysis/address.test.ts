import { expect, it } from 'vitest';
import { analysisAddress, rangeAround } from './address';

it('names devices, attributes and the range', () => {
  expect(analysisAddress({ devices: ['WS-1', 'WS-2'], signs: ['t', 'h'], span: { from: 1000.5, to: 2000.5 } })).toEqual(
    {
      devices: 'WS-1,WS-2',
      signs: 't,h',
      from: 1000,
      to: 2001,
    },
  );
});

it('leaves to the page what is not chosen', () => {
  expect(analysisAddress({ devices: ['WS-1'], signs: [] })).toEqual({ devices: 'WS-1' });
});

it.each([
  [0, 'day'],
  [12, 'day'],
  [13, 'week'],
  [24 * 15, 'month'],
  [24 * 40, 'season'],
  [24 * 180, 'year'],
  [24 * 200, 'all'],
])('has a moment %i h ago in its later half: %s', (hours, range) => {
  const now = 1_795_230_000_000;
  expect(rangeAround(now - hours * 3_600_000, now)).toBe(range);
});

it('names a range up to now, and an alarm', () => {
  expect(analysisAddress({ devices: ['WS-1'], range: 'week', alarm: 41 })).toEqual({
    devices: 'WS-1',
    range: 'week',
    alarm: 41,
  });
});

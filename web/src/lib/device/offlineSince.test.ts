import { expect, it } from 'vitest';
import { ageOf } from '@/lib/format/age';
import { offlineSince } from './offlineSince';

const hour = 3_600_000;
const now = Date.parse('2026-11-21T12:00:00Z');

it.each([
  ['the last contact, not when that was found out', { lastContact: now - 11 * hour, offlineTime: now - 10 * hour }, 11],
  [
    'the last contact, where it was found out a little late',
    { lastContact: now - 11 * hour, offlineTime: now - 10 * hour + 9000 },
    11,
  ],
  [
    'the last contact, where a gateway said sooner that it is gone',
    { lastContact: now - 11 * hour, offlineTime: now - 11 * hour },
    11,
  ],
  [
    'the end of its connection, where that lived on without a message',
    { lastContact: now - 11 * hour, offlineTime: now - 3 * hour },
    4,
  ],
  [
    'when it was taken for offline, where nothing else is known',
    { lastContact: undefined, offlineTime: now - 10 * hour },
    10,
  ],
])('a device is offline since %s', (_, device, hours) => {
  const since = offlineSince({ ...device, offlineAfter: hour });
  expect(ageOf(since ?? now, now)).toEqual({ kind: 'hours', count: hours });
});

it('a device that nobody heard of is offline since ever', () => {
  expect(offlineSince({ lastContact: undefined, offlineTime: undefined, offlineAfter: hour })).toBeUndefined();
});

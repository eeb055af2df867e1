import { expect, it } from 'vitest';
import { ageOf } from '@/lib/format/age';
import { offlineSince } from './offlineSince';

const hour = 3_600_000;
const now = Date.parse('2026-11-21T12:00:00Z');

it.each([
  ['the last contact, not when that was found out', { lastContact: now - 11 * hour, offlineTime: now - 10 * hour }, 11],
  [
    'the last contact, if the server noticed it a little late',
    { lastContact: now - 11 * hour, offlineTime: now - 10 * hour + 9000 },
    11,
  ],
  [
    'the last contact, if a gateway reported it sooner',
    { lastContact: now - 11 * hour, offlineTime: now - 11 * hour },
    11,
  ],
  [
    'the end of its connection, if that stayed open without messages',
    { lastContact: now - 11 * hour, offlineTime: now - 3 * hour },
    4,
  ],
  [
    'when the server marked it offline, if nothing else is known',
    { lastContact: undefined, offlineTime: now - 10 * hour },
    10,
  ],
])('a device is offline since %s', (_, device, hours) => {
  const since = offlineSince({ ...device, offlineAfter: hour });
  expect(ageOf(since ?? now, now)).toEqual({ kind: 'hours', count: hours });
});

it('a device that was never heard from has no offline time', () => {
  expect(offlineSince({ lastContact: undefined, offlineTime: undefined, offlineAfter: hour })).toBeUndefined();
});

import { expect, it, vi } from 'vitest';
import { requestHeaders } from './headers';

const zoned = (timeZone: string | undefined) =>
  vi
    .spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions')
    .mockReturnValue({ timeZone } as Intl.ResolvedDateTimeFormatOptions);

it('include the zone of the machine', () => {
  zoned('Europe/Istanbul');
  expect(requestHeaders('t')).toEqual({
    'Accept-Language': 'en-us',
    'Time-Zone': 'Europe/Istanbul',
    'tenant-id': '1',
    Authorization: 'Bearer t',
  });
});

it.each([undefined, '', 'Etc/Unknown'])('omit the zone if the machine reports %s', (zone) => {
  zoned(zone);
  expect(requestHeaders()).toEqual({ 'Accept-Language': 'en-us', 'tenant-id': '1' });
});

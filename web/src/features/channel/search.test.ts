import { expect, it } from 'vitest';
import { channelSearch } from './search';

const emptySearch = { q: undefined, mode: undefined, page: undefined, size: undefined, channel: undefined };

it.each([
  [{}, {}],
  [
    { q: ' night ', mode: 'email' },
    { q: 'night', mode: 'email' },
  ],
  [{ q: 7, mode: 'pigeon' }, { q: '7' }],
  [{ q: '  ' }, {}],
  [{ q: 'x'.repeat(70) }, { q: 'x'.repeat(64) }],
  [
    { page: '3', size: '100' },
    { page: 3, size: 100 },
  ],
  [{ page: 1, size: 10 }, {}],
  [{ page: -2, size: 55 }, {}],
  [{ channel: '12' }, { channel: 12 }],
  [{ channel: 'new' }, { channel: 'new' }],
  [{ channel: 'other' }, {}],
  [{ channel: 0, elsewhere: 1 }, {}],
])('reads the address %o', (given, taken) => {
  expect(channelSearch(given)).toEqual({ ...emptySearch, ...taken });
});

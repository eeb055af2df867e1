import { expect, it } from 'vitest';
import { alarmSearch, maxDevices } from './search';

it.each([
  [{}, {}],
  [
    { q: '  frost ', page: '3', size: 100, rule: 'new' },
    { q: 'frost', page: 3, size: 100, rule: 'new' },
  ],
  [
    { q: 12, rule: '7', devices: 'A,B,A,,C' },
    { q: '12', rule: 7, devices: 'A,B,C' },
  ],
  [{ page: 1, size: 10, rule: 0, devices: '', q: ' ' }, {}],
  [{ page: -2, size: 7, rule: 'old', evil: 'x' }, {}],
])('reads %j as %j', (given, taken) => {
  const search = Object.fromEntries(Object.entries(alarmSearch(given)).filter(([, value]) => value !== undefined));
  expect(search).toEqual(taken);
});

it('keeps at most as many devices as one call accepts', () => {
  const many = Array.from({ length: 500 }, (_, i) => `D-${i}`).join(',');
  expect(alarmSearch({ devices: many }).devices?.split(',')).toHaveLength(maxDevices);
});

import { expect, it } from 'vitest';
import { maxDevices, namesOf, noticesSearch } from './search';

const parsedSearch = (given: Record<string, unknown>) => JSON.parse(JSON.stringify(noticesSearch(given)));

it('contains everything that determines the page', () => {
  const whole = { q: 'frost', devices: 'WS-1,GC-2', status: 0, level: 2, page: 3, size: 100, id: 17, solve: 1 };
  expect(parsedSearch(whole)).toEqual(whole);
  expect(parsedSearch({ ...whole, status: '0', level: '2', page: '3', size: '100', id: '17', solve: '1' })).toEqual(
    whole,
  );
});

it('ignores invalid values', () => {
  expect(
    parsedSearch({ q: '  ', devices: ',,', status: 3, level: -1, page: 1, size: 10, id: 0, solve: 2, other: 'x' }),
  ).toEqual({});
  expect(parsedSearch({ q: 2026, status: 1.5, level: 'high', page: 'x', size: 11, id: 'x' })).toEqual({ q: '2026' });
  expect(parsedSearch({ q: 'x'.repeat(70) }).q).toHaveLength(64);
});

it('contains each device once, and at most as many as one call accepts', () => {
  expect(namesOf('a,b,a')).toEqual(['a', 'b']);
  expect(namesOf(Array.from({ length: maxDevices + 5 }, (_, i) => `D-${i}`).join(','))).toHaveLength(maxDevices);
});

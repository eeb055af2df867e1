import { expect, it } from 'vitest';
import { activityQuery } from './queries';
import { activitySearch, midnight } from './search';

it('reads the parameters that it knows from the address', () => {
  expect(
    activitySearch({
      q: ' Pump ',
      who: 'user:7',
      kind: 'rule',
      from: '2026-11-01',
      to: '2026-11-21',
      page: 2,
      size: 400,
      id: '7',
    }),
  ).toEqual({
    q: 'Pump',
    who: 'user:7',
    kind: 'rule',
    from: '2026-11-01',
    to: '2026-11-21',
    page: 2,
    size: 400,
    id: 7,
  });
  const nothing = {
    q: undefined,
    who: undefined,
    kind: undefined,
    from: undefined,
    to: undefined,
    page: undefined,
    size: undefined,
    id: undefined,
  };
  expect(activitySearch({})).toEqual(nothing);
  expect(
    activitySearch({ q: ' ', who: 'user:0', kind: 'tractor', from: '2026-02-30', to: 'yesterday', page: 1, size: 10 }),
  ).toEqual(nothing);
  expect(activitySearch({ q: 4711 }).q).toBe('4711');
  expect(activitySearch({ who: 'provider' }).who).toBe('provider');
});

it('requests whole days of this machine’s zone', () => {
  const { queryKey } = activityQuery({ from: '2026-11-01', to: '2026-11-21' });
  expect(queryKey[1]).toMatchObject({
    startTime: new Date('2026-11-01T00:00:00').getTime(),
    endTime: new Date('2026-11-22T00:00:00').getTime() - 1,
    pageNo: 1,
    pageSize: 10,
  });
  expect(midnight('2026-12-31', 1)).toBe(new Date('2027-01-01T00:00:00').getTime());
});

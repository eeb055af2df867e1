import { describe, expect, it } from 'vitest';
import { notice } from '@/test/samples';
import { matchesFilter } from './matchesFilter';

describe('a filtered list', () => {
  it.each([
    [{}, true],
    [{ q: 'FROST' }, true],
    [{ q: 'heat' }, false],
    [{ devices: 'GC-2,WS-1' }, true],
    [{ devices: 'GC-2' }, false],
    [{ status: 0 as const, level: 2 as const, page: 4 }, true],
    [{ status: 1 as const }, false],
    [{ level: 0 as const }, false],
  ])('with %j contains the notice: %s', (search, holds) => {
    expect(matchesFilter(notice(), search)).toBe(holds);
  });

  it.each([
    ['IŞIK', 'Işık uyarısı'],
    ['ışık', 'IŞIK UYARISI'],
    ['ışık iz', 'Işık İzleme'],
    ['ISTANBUL', 'İstanbul'],
  ])('of %s contains the notice %s, in a console of any language', (q, title) => {
    expect(matchesFilter(notice({ title }), { q })).toBe(true);
  });
});

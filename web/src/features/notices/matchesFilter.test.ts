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
});

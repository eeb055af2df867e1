import { describe, expect, it } from 'vitest';
import type { LiveNotice } from '@/lib/alarm/types';
import { belongs, toldOf, withTold } from './liveNotices';

const notice = (change: Partial<LiveNotice> = {}): LiveNotice => ({
  id: 1,
  ruleId: 1,
  title: 'Spring frost',
  resolveStatus: 0,
  alarmLevel: 2,
  deviceName: 'WS-1',
  noteName: 'Orchard mast',
  startTime: 1000,
  createTime: 1000,
  ...change,
});

describe('what the stream tells', () => {
  it('is the newest word on each notice', () => {
    const ended = notice({ resolveStatus: 1, endTime: 2000 });
    const { notices, reset } = toldOf([
      { name: 'notice', data: notice() },
      { name: 'notice', data: notice({ id: 2 }) },
      { name: 'notice', data: ended },
      { name: 'message', data: {} },
    ]);
    expect([...notices]).toEqual([
      [1, ended],
      [2, notice({ id: 2 })],
    ]);
    expect(reset).toBe(false);
  });

  it.each([null, 'x', { id: 'x' }, notice({ resolveStatus: 7 as never }), { ...notice(), title: 1 }])(
    'that cannot be read is a reason to ask anew: %j',
    (data) => {
      expect(toldOf([{ name: 'notice', data }])).toEqual({ notices: new Map(), reset: true });
    },
  );
});

it('changes a notice in its place and leaves a page alone that does not hold it', () => {
  const page = { list: [notice({ id: 3 }), notice({ id: 1 })], total: 2 };
  const ended = notice({ resolveStatus: 2 });
  expect(withTold(page, new Map([[1, ended]]))).toEqual({ list: [notice({ id: 3 }), ended], total: 2 });
  expect(withTold(page, new Map([[9, ended]]))).toBe(page);
});

describe('a list', () => {
  it.each([
    [{}, true],
    [{ q: 'FROST' }, true],
    [{ q: 'heat' }, false],
    [{ devices: 'GC-2,WS-1' }, true],
    [{ devices: 'GC-2' }, false],
    [{ status: 0 as const, level: 2 as const, page: 4 }, true],
    [{ status: 1 as const }, false],
    [{ level: 0 as const }, false],
  ])('of %j: %s', (search, holds) => {
    expect(belongs(notice(), search)).toBe(holds);
  });
});

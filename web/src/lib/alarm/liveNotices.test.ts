import { describe, expect, it } from 'vitest';
import { detailOf } from '@/test/samples';
import { applyNotices, applyNoticesToOpen, applyNoticeToDetail, noticesIn } from './liveNotices';
import type { LiveNotice } from './types';

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

describe('live notices', () => {
  it('contain the newest state of each notice', () => {
    const ended = notice({ resolveStatus: 1, endTime: 2000 });
    const { notices, reset } = noticesIn([
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
    'that are unreadable cause a reset: %j',
    (data) => {
      expect(noticesIn([{ name: 'notice', data }])).toEqual({ notices: new Map(), reset: true });
    },
  );
});

it('a live notice changes its row, and no page that does not contain it', () => {
  const page = { list: [notice({ id: 3 }), notice({ id: 1 })], total: 2 };
  const ended = notice({ resolveStatus: 2 });
  expect(applyNotices(page, new Map([[1, ended]]))).toEqual({ list: [notice({ id: 3 }), ended], total: 2 });
  expect(applyNotices(page, new Map([[9, ended]]))).toBe(page);
});

describe('holdsSince and acknowledgement', () => {
  const ack = { user: 'Ada', time: 2000, note: 'On my way', remindAt: 9000 };

  it('are applied to a page; holdsSince stays when a later event lacks it', () => {
    const page = { list: [notice({ holdsSince: 500 })], total: 1 };
    const acknowledged = applyNotices(page, new Map([[1, notice({ ack })]]));
    expect(acknowledged.list).toEqual([notice({ holdsSince: 500, ack })]);
    expect(applyNotices(acknowledged, new Map([[1, notice()]])).list).toEqual([notice({ holdsSince: 500 })]);
    const day = notice({ holdsSince: 400, holdsSinceDay: true });
    const known = applyNotices({ list: [notice()], total: 1 }, new Map([[1, day]]));
    expect(known.list).toEqual([day]);
    expect(applyNotices(known, new Map([[1, notice()]])).list).toEqual([day]);
  });

  it('are applied to the detail, with the other changes', () => {
    const detail = detailOf(notice());
    const liveNotice = notice({ holdsSince: 500, ack, unsteady: true, changes: 3 });
    expect(applyNoticeToDetail(detail, liveNotice)?.alarmNotice).toEqual({
      ...detail.alarmNotice,
      holdsSince: 500,
      ack,
      unsteady: true,
      changes: 3,
    });
    const back = applyNoticeToDetail(
      { ...detail, alarmNotice: { ...detail.alarmNotice, holdsSince: 500, ack } },
      notice(),
    );
    expect(back?.alarmNotice).toEqual({ ...detail.alarmNotice, holdsSince: 500 });
  });

  it('do not apply to an ended notice, whose detail is refetched', () => {
    expect(applyNoticeToDetail(detailOf(notice()), notice({ resolveStatus: 1, endTime: 3000 }))).toBeNull();
  });

  it.each([
    { ...notice(), holdsSince: 'x' },
    { ...notice(), ack: { user: 'Ada' } },
    { ...notice(), ack: 'Ada' },
  ])('cause a reset when unreadable: %j', (data) => {
    expect(noticesIn([{ name: 'notice', data }])).toEqual({ notices: new Map(), reset: true });
  });

  describe('in the list of a device’s open notices', () => {
    const two = { list: [notice({ id: 2 }), notice()], total: 2 };
    const ended = notice({ resolveStatus: 2, endTime: 3000 });

    it('are applied, and ended notices are removed', () => {
      expect(applyNoticesToOpen(two, [notice({ ack })])).toEqual({
        list: [notice({ id: 2 }), notice({ ack })],
        total: 2,
      });
      expect(applyNoticesToOpen(two, [ended])).toEqual({ list: [notice({ id: 2 })], total: 1 });
      expect(applyNoticesToOpen(two, [notice({ id: 9, resolveStatus: 1 })])).toEqual(two);
    });

    it('are left to a refetch when only the server knows the list', () => {
      expect(applyNoticesToOpen(two, [notice({ id: 9 })])).toBeNull();
      expect(applyNoticesToOpen({ ...two, total: 5 }, [ended])).toBeNull();
      expect(applyNoticesToOpen({ ...two, total: 5 }, [notice({ id: 9, resolveStatus: 1 })])).toBeNull();
      expect(applyNoticesToOpen({ ...two, total: 5 }, [notice({ ack })])?.total).toBe(5);
    });
  });
});

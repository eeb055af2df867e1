import type { components } from '@/api/schema.gen';
import type { LiveEvent } from '@/lib/live/useLive';
import type { Ack, AlarmNotice, AlarmNoticePage } from './notices';
import type { LiveNotice } from './types';

type AlarmDetail = components['schemas']['AlarmDetail'];

type Fields<T> = { [Field in keyof T]?: unknown };

function isNotice(value: unknown): value is LiveNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { id, title, resolveStatus, deviceName, holdsSince, ack } = value as Fields<LiveNotice>;
  const status = resolveStatus === 0 || resolveStatus === 1 || resolveStatus === 2;
  return (
    Number.isSafeInteger(id) &&
    typeof title === 'string' &&
    typeof deviceName === 'string' &&
    status &&
    (holdsSince === undefined || Number.isFinite(holdsSince)) &&
    (ack === undefined || isAck(ack))
  );
}

function isAck(value: unknown): value is Ack {
  if (typeof value !== 'object' || value === null) return false;
  const { user, time, note, remindAt } = value as Fields<Ack>;
  return typeof user === 'string' && typeof note === 'string' && Number.isFinite(time) && Number.isFinite(remindAt);
}

/**
 * The newest state of each notice in the live events. `reset` is true when events may have been
 * missed.
 */
export function noticesIn(events: readonly LiveEvent[]): { notices: Map<number, LiveNotice>; reset: boolean } {
  const notices = new Map<number, LiveNotice>();
  let reset = false;
  for (const event of events) {
    if (event.name === 'reset') reset = true;
    if (event.name !== 'notice') continue;
    if (isNotice(event.data)) notices.set(event.data.id, event.data);
    else reset = true;
  }
  return { notices, reset };
}

/**
 * Applies live notices to a page, each in its place; returns the same page when none of its notices
 * changed.
 */
export function applyNotices(page: AlarmNoticePage, liveNotices: ReadonlyMap<number, LiveNotice>): AlarmNoticePage {
  if (!page.list.some(({ id }) => liveNotices.has(id))) return page;
  return { ...page, list: page.list.map((notice) => mergeNotice(notice, liveNotices.get(notice.id))) };
}

/** The server finds `holdsSince` once; a later event without it does not remove it. */
function mergeNotice(before: AlarmNotice, liveNotices: LiveNotice | undefined): AlarmNotice {
  return liveNotices ? { ...liveNotices, ...onsetOf(liveNotices, before) } : before;
}

function onsetOf(live: LiveNotice, before: Pick<AlarmNotice, 'holdsSince' | 'holdsSinceDay' | 'holdsSinceBefore'>) {
  const { holdsSince, holdsSinceDay, holdsSinceBefore } = live.holdsSince === undefined ? before : live;
  return { holdsSince, holdsSinceDay, holdsSinceBefore };
}

/**
 * Applies a live notice to the detail as long as its open or ended state stays the same. Returns
 * null when the notice has ended: only the server knows why, and by whom.
 */
export function applyNoticeToDetail<Detail extends Pick<AlarmDetail, 'alarmNotice'>>(
  detail: Detail,
  liveNotices: LiveNotice,
): Detail | null {
  const { alarmNotice } = detail;
  if (liveNotices.resolveStatus !== alarmNotice.resolveStatus) return null;
  const { ack, unsteady, changes } = liveNotices;
  return { ...detail, alarmNotice: { ...alarmNotice, ...onsetOf(liveNotices, alarmNotice), ack, unsteady, changes } };
}

/**
 * Applies live notices to a device's open notices and removes those that have ended. Returns null
 * when only the server knows the new list: a notice began, or there are more than the page holds.
 */
export function applyNoticesToOpen(page: AlarmNoticePage, liveNotices: readonly LiveNotice[]): AlarmNoticePage | null {
  const known = new Set(page.list.map(({ id }) => id));
  const isComplete = page.total === known.size;
  if (liveNotices.some(({ id, resolveStatus }) => !known.has(id) && (resolveStatus === 0 || !isComplete))) return null;
  const list = applyNotices(page, new Map(liveNotices.map((notice) => [notice.id, notice]))).list.filter(
    ({ resolveStatus }) => resolveStatus === 0,
  );
  const ended = known.size - list.length;
  return ended > 0 && !isComplete ? null : { list, total: page.total - ended };
}

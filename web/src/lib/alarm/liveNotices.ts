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

/** What the stream told of notices, the newest word on each; `reset` when something may have been missed. */
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

/** The page with what was told of its notices, each in its place; the same page when nothing was. */
export function applyNotices(page: AlarmNoticePage, liveNotices: ReadonlyMap<number, LiveNotice>): AlarmNoticePage {
  if (!page.list.some(({ id }) => liveNotices.has(id))) return page;
  return { ...page, list: page.list.map((notice) => mergeNotice(notice, liveNotices.get(notice.id))) };
}

/** Since when it holds is found once, and stays known whatever is told of the notice afterwards. */
function mergeNotice(before: AlarmNotice, liveNotices: LiveNotice | undefined): AlarmNotice {
  return liveNotices ? { ...liveNotices, holdsSince: liveNotices.holdsSince ?? before.holdsSince } : before;
}

/**
 * The detail with what was told of its notice, while that stays as open, or as over, as it was. Null when it has ended: why, and by
 * whom, only the server knows.
 */
export function applyNoticeToDetail(detail: AlarmDetail, liveNotices: LiveNotice): AlarmDetail | null {
  const { alarmNotice } = detail;
  if (liveNotices.resolveStatus !== alarmNotice.resolveStatus) return null;
  const { ack, unsteady, changes, holdsSince = alarmNotice.holdsSince } = liveNotices;
  return { ...detail, alarmNotice: { ...alarmNotice, holdsSince, ack, unsteady, changes } };
}

/**
 * What is open of a device with what was told of its notices: what has ended goes. Null when only the server can tell what the list
 * holds then: one began, or there are more than are shown.
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

import type { components } from '@/api/schema.gen';
import type { LiveEvent } from '@/lib/live/live';
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
export function toldOf(events: readonly LiveEvent[]): { notices: Map<number, LiveNotice>; reset: boolean } {
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
export function withTold(page: AlarmNoticePage, told: ReadonlyMap<number, LiveNotice>): AlarmNoticePage {
  if (!page.list.some(({ id }) => told.has(id))) return page;
  return { ...page, list: page.list.map((notice) => renewed(notice, told.get(notice.id))) };
}

/** Since when it holds is found once, and stays known whatever is told of the notice afterwards. */
function renewed(before: AlarmNotice, told: LiveNotice | undefined): AlarmNotice {
  return told ? { ...told, holdsSince: told.holdsSince ?? before.holdsSince } : before;
}

/**
 * The detail with what was told of its notice, while that stays as open, or as over, as it was. Null when it has ended: why, and by
 * whom, only the server knows.
 */
export function detailWithTold(detail: AlarmDetail, told: LiveNotice): AlarmDetail | null {
  const { alarmNotice } = detail;
  if (told.resolveStatus !== alarmNotice.resolveStatus) return null;
  const { ack, unsteady, changes, holdsSince = alarmNotice.holdsSince } = told;
  return { ...detail, alarmNotice: { ...alarmNotice, holdsSince, ack, unsteady, changes } };
}

/**
 * What is open of a device with what was told of its notices: what has ended goes. Null when only the server can tell what the list
 * holds then: one began, or there are more than are shown.
 */
export function openWithTold(page: AlarmNoticePage, told: readonly LiveNotice[]): AlarmNoticePage | null {
  const known = new Set(page.list.map(({ id }) => id));
  const whole = page.total === known.size;
  if (told.some(({ id, resolveStatus }) => !known.has(id) && (resolveStatus === 0 || !whole))) return null;
  const list = withTold(page, new Map(told.map((notice) => [notice.id, notice]))).list.filter(
    ({ resolveStatus }) => resolveStatus === 0,
  );
  const ended = known.size - list.length;
  return ended > 0 && !whole ? null : { list, total: page.total - ended };
}

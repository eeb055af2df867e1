import type { LiveNotice } from '@/lib/alarm/types';
import { fold } from '@/lib/fold';
import type { LiveEvent } from '@/lib/live/live';
import type { AlarmNoticePage } from './queries';
import { type InformSearch, namesOf } from './search';

function isNotice(value: unknown): value is LiveNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { id, title, resolveStatus, deviceName } = value as Record<string, unknown>;
  const status = resolveStatus === 0 || resolveStatus === 1 || resolveStatus === 2;
  return Number.isSafeInteger(id) && typeof title === 'string' && typeof deviceName === 'string' && status;
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
  return { ...page, list: page.list.map((notice) => told.get(notice.id) ?? notice) };
}

/** Whether the list that is asked for would hold a notice. */
export function belongs(notice: LiveNotice, { q = '', devices, status, level }: InformSearch): boolean {
  const names = namesOf(devices);
  return (
    fold(notice.title).includes(fold(q)) &&
    (names.length === 0 || names.includes(notice.deviceName)) &&
    (status === undefined || status === notice.resolveStatus) &&
    (level === undefined || level === notice.alarmLevel)
  );
}

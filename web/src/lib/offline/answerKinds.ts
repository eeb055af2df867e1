import type { QueryKey } from '@tanstack/react-query';

/**
 * Which answers are stored for use without a network, and how many of each kind: those of the home
 * page, the data centre, the first lists and the opened notices. No history beyond the last day's
 * line and that around an alarm, no pictures, no credentials.
 */
const maxEntries = {
  overview: 1,
  attention: 1,
  groups: 1,
  page: 12,
  device: 20,
  latest: 60,
  tsl: 60,
  model: 40,
  day: 40,
  map: 2,
  notices: 3,
  notice: 20,
  properties: 20,
  chart: 20,
  messages: 1,
  unread: 1,
  user: 1,
  settings: 1,
  tenant: 1,
} as const;

export type AnswerKind = keyof typeof maxEntries;

/** The kind of a query whose answer is stored; null for one that is not. */
export function answerKindOf([area, kind, ...rest]: QueryKey): AnswerKind | null {
  switch (area) {
    case 'overview':
    case 'attention':
    case 'user':
    case 'tenant':
      return area;
    case 'console-settings':
      return 'settings';
    case 'alarm-notices':
      if (kind === 'page') return 'notices';
      return noticeKinds.find((known) => known === kind) ?? null;
    case 'messages':
      if (kind === 'page') return 'messages';
      return kind === 'unread' ? 'unread' : null;
    case 'devices':
      // A section of the map is refetched at each move; only the whole map is stored.
      if (kind === 'map') return rest[0] === null ? 'map' : null;
      return deviceKinds.find((known) => known === kind) ?? null;
    default:
      return null;
  }
}

/** Of an opened notice: itself, the latest values of its device, and its chart. */
const noticeKinds = ['notice', 'properties', 'chart'] as const satisfies readonly AnswerKind[];

const deviceKinds = [
  'groups',
  'page',
  'device',
  'latest',
  'tsl',
  'model',
  'day',
] as const satisfies readonly AnswerKind[];

/** A chart with more points is not stored: an open alarm's is written again every ten seconds. */
const maxChartPoints = 5_000;

/**
 * What is stored of an answer; undefined: nothing. A notice is stored without its deliveries, which
 * name other people's addresses and numbers.
 */
export function storedPart(kind: AnswerKind, data: unknown): unknown {
  if (kind === 'notice') return data ? { ...data, deliveries: undefined } : undefined;
  const isTooLarge = kind === 'chart' && Object.values(data as object).flat().length > maxChartPoints;
  return isTooLarge ? undefined : data;
}

/** Metadata of a stored answer, available without reading it. */
export interface AnswerInfo {
  kind: AnswerKind;
  /** When the answer was current, epoch milliseconds by this machine's clock. */
  updatedAt: number;
}

const maxAgeMs = 7 * 24 * 3_600_000;

export function isTooOld(updatedAt: number, now: number): boolean {
  // A time in the future comes from another clock: the age is unknown.
  return now - updatedAt > maxAgeMs || updatedAt - now > maxAgeMs;
}

/** The entries to remove: those that are too old, and of each kind the oldest beyond its limit. */
export function surplusHashes(entries: Readonly<Record<string, AnswerInfo>>, now: number): string[] {
  const counts = new Map<AnswerKind, number>();
  return Object.entries(entries)
    .sort(([, a], [, b]) => b.updatedAt - a.updatedAt)
    .flatMap(([hash, { kind, updatedAt }]) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return isTooOld(updatedAt, now) || count > (maxEntries[kind] ?? 0) ? [hash] : [];
    });
}

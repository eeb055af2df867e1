import type { QueryKey } from '@tanstack/react-query';

/**
 * What of the answers is kept for a time without a network, and how many of each kind: what stands on the home page, in the data
 * centre and in the first lists. No history beyond the last day's line, no pictures, nothing that opens anything.
 */
const maxEntries = {
  overview: 1,
  groups: 1,
  page: 12,
  device: 20,
  latest: 60,
  tsl: 60,
  model: 40,
  day: 40,
  map: 1,
  notices: 3,
  messages: 1,
  unread: 1,
  user: 1,
  settings: 1,
  tenant: 1,
} as const;

export type AnswerKind = keyof typeof maxEntries;

/** The kind of a query whose answer is kept; null for one that is not. */
export function answerKindOf([area, kind, ...rest]: QueryKey): AnswerKind | null {
  switch (area) {
    case 'overview':
    case 'user':
    case 'tenant':
      return area;
    case 'console-settings':
      return 'settings';
    case 'alarm-notices':
      return kind === 'page' ? 'notices' : null;
    case 'messages':
      if (kind === 'page') return 'messages';
      return kind === 'unread' ? 'unread' : null;
    case 'devices':
      // A part of the map is asked for anew at each move; the whole is what opens.
      if (kind === 'map') return rest[0] === null ? 'map' : null;
      return deviceKinds.find((known) => known === kind) ?? null;
    default:
      return null;
  }
}

const deviceKinds = [
  'groups',
  'page',
  'device',
  'latest',
  'tsl',
  'model',
  'day',
] as const satisfies readonly AnswerKind[];

/** What is known of a kept answer without reading it. */
export interface AnswerInfo {
  kind: AnswerKind;
  /** When the answer was current, epoch milliseconds by this machine's clock. */
  updatedAt: number;
}

const maxAgeMs = 7 * 24 * 3_600_000;

export function isTooOld(updatedAt: number, now: number): boolean {
  // What comes from the future was written by another clock: nobody can tell its age.
  return now - updatedAt > maxAgeMs || updatedAt - now > maxAgeMs;
}

/** Which of the entries go: those that are too old, and of each kind the oldest beyond its number. */
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

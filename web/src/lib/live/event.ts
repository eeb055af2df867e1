import type { components } from '@/api/schema.gen';
import type { StreamEvent } from './eventStreamParser';

export type LiveReading = components['schemas']['LiveReading'];
export type LivePresence = components['schemas']['LivePresence'];
export type LiveChange = components['schemas']['LiveChange'];
/** Something that went wrong as a device tried to report. */
export type LiveHint = components['schemas']['LiveHint'];
/** Whether the server can store readings. */
export type LiveStorage = components['schemas']['LiveStorage'];
/** A kind of things that users and the provider change. */
export type ChangeKind = components['schemas']['LiveChangeOf'];

/** An event for a screen. `reset`: events may have been missed, refetch. */
export type LiveEvent =
  | { name: 'reading'; data: LiveReading }
  | { name: 'presence'; data: LivePresence }
  | { name: 'hint'; data: LiveHint }
  | { name: 'change'; data: LiveChange }
  | { name: 'notice' | 'message' | 'delivery' | 'budget'; data: unknown }
  | { name: 'storage'; data: LiveStorage }
  | { name: 'reset' };

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function isReading(value: Record<string, unknown>): boolean {
  return typeof value.deviceName === 'string' && typeof value.time === 'number' && asRecord(value.values) !== null;
}

function isPresence(value: Record<string, unknown>): boolean {
  const { deviceName, onlineState, time } = value;
  return typeof deviceName === 'string' && typeof time === 'number' && (onlineState === 0 || onlineState === 1);
}

function isHint(value: Record<string, unknown>): boolean {
  const { deviceName, kind, time } = value;
  return typeof deviceName === 'string' && typeof kind === 'string' && typeof time === 'number';
}

function isStorage({ stoppedAt }: Record<string, unknown>): boolean {
  return stoppedAt === undefined || typeof stoppedAt === 'number';
}

/** A newer server may name kinds that this console does not know; the consumers skip them. */
function isChange({ of }: Record<string, unknown>): boolean {
  return Array.isArray(of) && of.every((sort) => typeof sort === 'string');
}

/** The events whose content a screen reads; of the others it takes only that they came. */
const checks: Partial<Record<string, (value: Record<string, unknown>) => boolean>> = {
  reading: isReading,
  presence: isPresence,
  hint: isHint,
  change: isChange,
  storage: isStorage,
};

/**
 * Null for an event of an unknown kind. An unreadable event of a known kind becomes a reset: its
 * content is lost, so the screen must refetch.
 */
export function parseEvent(frame: StreamEvent): LiveEvent | null {
  switch (frame.name) {
    case 'reset':
      return { name: 'reset' };
    case 'reading':
    case 'presence':
    case 'hint':
    case 'notice':
    case 'message':
    case 'delivery':
    case 'budget':
    case 'change':
    case 'storage':
      break;
    default:
      return null;
  }
  let data: unknown;
  try {
    data = JSON.parse(frame.data);
  } catch {
    return { name: 'reset' };
  }
  const isWhole = checks[frame.name];
  if (!isWhole) return { name: frame.name, data } as LiveEvent;
  const value = asRecord(data);
  if (value && isWhole(value)) return { name: frame.name, data } as LiveEvent;
  return { name: 'reset' };
}

/** The kinds of things that the events report as changed. */
export function changedKinds(events: readonly LiveEvent[]): Set<ChangeKind> {
  return new Set(events.flatMap((event) => (event.name === 'change' ? event.data.of : [])));
}

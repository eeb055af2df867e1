import type { components } from '@/api/schema.gen';
import type { StreamEvent } from './eventStreamParser';

export type LiveReading = components['schemas']['LiveReading'];
export type LivePresence = components['schemas']['LivePresence'];
export type LiveChange = components['schemas']['LiveChange'];
/** A sort of things that people and the provider change. */
export type ChangeKind = LiveChange['of'][number];

/** What a screen is told. `reset`: something may have been missed, fetch anew. */
export type LiveEvent =
  | { name: 'reading'; data: LiveReading }
  | { name: 'presence'; data: LivePresence }
  | { name: 'change'; data: LiveChange }
  | { name: 'notice' | 'message' | 'delivery' | 'budget'; data: unknown }
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

/** A newer server may name sorts that this console does not know: they are passed over where they are looked at. */
function isChange({ of }: Record<string, unknown>): boolean {
  return Array.isArray(of) && of.every((sort) => typeof sort === 'string');
}

/**
 * Null for an event of a kind that this console does not know. One of a known kind that cannot be read is a reset: what it said
 * is lost, so the screen must ask.
 */
export function parseEvent(frame: StreamEvent): LiveEvent | null {
  switch (frame.name) {
    case 'reset':
      return { name: 'reset' };
    case 'reading':
    case 'presence':
    case 'notice':
    case 'message':
    case 'delivery':
    case 'budget':
    case 'change':
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
  if (frame.name !== 'reading' && frame.name !== 'presence' && frame.name !== 'change')
    return { name: frame.name, data };
  const value = asRecord(data);
  if (frame.name === 'reading' && value && isReading(value)) return { name: 'reading', data: data as LiveReading };
  if (frame.name === 'presence' && value && isPresence(value)) return { name: 'presence', data: data as LivePresence };
  if (frame.name === 'change' && value && isChange(value)) return { name: 'change', data: data as LiveChange };
  return { name: 'reset' };
}

/** The sorts of things that events say were changed. */
export function changedKinds(events: readonly LiveEvent[]): Set<ChangeKind> {
  return new Set(events.flatMap((event) => (event.name === 'change' ? event.data.of : [])));
}

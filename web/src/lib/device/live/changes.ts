import type { LiveEvent, LivePresence, LiveReading } from '@/lib/live/useLive';

type Value = LiveReading['values'][string];

/** A value with its time, and with its arrival time where that is earlier. */
export interface NewestValue {
  time: number;
  arrival?: number;
  value: Value;
}

/**
 * Whether a value replaces another. The earlier of its time and arrival decides, so a value from a
 * fast clock does not hide later values.
 */
export function replaces(
  value: Pick<NewestValue, 'time' | 'arrival'>,
  known: Pick<NewestValue, 'time' | 'arrival'>,
): boolean {
  if (value.time === known.time) return true;
  const order = value.arrival ?? value.time;
  const before = known.arrival ?? known.time;
  return order > before || (order === before && value.time > known.time);
}

/** A batch of live events, grouped by subject. */
export interface Changes {
  /** The newest value of each property, by device. */
  latest: Map<string, Map<string, NewestValue>>;
  /** Every reading, by device; lines get all of them. */
  readings: Map<string, LiveReading[]>;
  /** The final state of each device. */
  presence: Map<string, LivePresence>;
  /** Every presence change in order; counts include all of them. */
  transitions: LivePresence[];
  /** When the events arrived, by the server's clock. */
  at: number;
}

export function changesOf(events: readonly LiveEvent[], at: number): Changes {
  const changes: Changes = { latest: new Map(), readings: new Map(), presence: new Map(), transitions: [], at };
  for (const event of events) {
    if (event.name === 'reading') addReading(changes, event.data);
    if (event.name === 'presence') {
      changes.transitions.push(event.data);
      changes.presence.set(event.data.deviceName, event.data);
    }
  }
  return changes;
}

function addReading(changes: Changes, reading: LiveReading): void {
  const { deviceName, time, arrival, values } = reading;
  const readings = changes.readings.get(deviceName);
  if (readings) readings.push(reading);
  else changes.readings.set(deviceName, [reading]);

  let latest = changes.latest.get(deviceName);
  if (!latest) {
    latest = new Map();
    changes.latest.set(deviceName, latest);
  }
  for (const [sign, value] of Object.entries(values)) {
    const known = latest.get(sign);
    const next = arrival === undefined ? { time, value } : { time, arrival, value };
    // A late reading may follow a newer one; a reading of the same time replaces the former.
    if (!known || replaces(next, known)) latest.set(sign, next);
  }
}

export function isEmpty(changes: Changes): boolean {
  return changes.readings.size === 0 && changes.transitions.length === 0;
}

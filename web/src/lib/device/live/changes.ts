import type { LiveEvent, LivePresence, LiveReading } from '@/lib/live/useLive';

type Value = LiveReading['values'][string];

/** A value with its time, and with its arrival where that was before. */
export interface NewestValue {
  time: number;
  arrival?: number;
  value: Value;
}

/** Whether a value replaces another: the lesser of time and arrival decides, so one of a clock that is ahead hides none after it. */
export function replaces(
  value: Pick<NewestValue, 'time' | 'arrival'>,
  known: Pick<NewestValue, 'time' | 'arrival'>,
): boolean {
  if (value.time === known.time) return true;
  const order = value.arrival ?? value.time;
  const before = known.arrival ?? known.time;
  return order > before || (order === before && value.time > known.time);
}

/** A batch of live events, sorted by what they are about. */
export interface Changes {
  /** The newest value of each property, by device. */
  latest: Map<string, Map<string, NewestValue>>;
  /** Every reading, by device: lines grow by all of them. */
  readings: Map<string, LiveReading[]>;
  /** Where each device ended up. */
  presence: Map<string, LivePresence>;
  /** Every coming and going in order: counts move by all of them. */
  transitions: LivePresence[];
  /** When they arrived, by the server's clock. */
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
    // A late reading may come after a newer one; the same time again replaces.
    if (!known || replaces(next, known)) latest.set(sign, next);
  }
}

export function isEmpty(changes: Changes): boolean {
  return changes.readings.size === 0 && changes.transitions.length === 0;
}

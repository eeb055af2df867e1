import type { LiveEvent, LivePresence, LiveReading } from '@/lib/live/live';

type Value = LiveReading['values'][string];

/** A batch of live events, sorted by what they are about. */
export interface Changes {
  /** The newest value of each property, by device. */
  latest: Map<string, Map<string, { time: number; value: Value }>>;
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
  const { deviceName, time, values } = reading;
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
    // A late reading may come after a newer one; the same time again replaces.
    if (!known || time >= known.time) latest.set(sign, { time, value });
  }
}

export function isEmpty(changes: Changes): boolean {
  return changes.readings.size === 0 && changes.transitions.length === 0;
}

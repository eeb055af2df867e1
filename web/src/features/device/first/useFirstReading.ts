import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type LiveEvent, useLive } from '@/lib/live/useLive';
import { type DeviceHint, type FirstReading, firstReadingQuery } from '../queries';
import { mergeHints, mergeReadings } from './merge';

/** What the live stream told of one device since it is waited for. */
interface Heard {
  of: string;
  reading?: FirstReading;
  hints: readonly DeviceHint[];
}

/**
 * The first reading of a device, and what went wrong before it came. It is asked for once, and again
 * after a gap in the live stream; between that the stream tells. Undefined: nothing is waited for.
 * What was heard of a device before it was swapped is of another one.
 */
export function useFirstReading(deviceName: string | undefined, swapTime?: number) {
  const of = `${deviceName} ${swapTime}`;
  const client = useQueryClient();
  const query = useQuery({ ...firstReadingQuery(deviceName ?? ''), enabled: deviceName !== undefined });
  const [last, setLast] = useState<Heard>({ of, hints: [] });
  const ofDevice = (heard: Heard): Heard => (heard.of === of ? heard : { of, hints: [] });
  const heard = ofDevice(last);

  const add = (before: Heard, event: LiveEvent): Heard => {
    if (event.name === 'reading' && event.data.deviceName === deviceName) {
      const { time, values } = event.data;
      return { ...before, reading: mergeReadings(before.reading, { time, values }) };
    }
    if (event.name === 'hint' && event.data.deviceName === deviceName) {
      const { deviceName: _, ...hint } = event.data;
      return { ...before, hints: [hint, ...before.hints] };
    }
    return before;
  };
  useLive((events) => {
    if (deviceName === undefined) return;
    if (events.some(({ name }) => name === 'reset')) {
      void client.invalidateQueries({ queryKey: firstReadingQuery(deviceName).queryKey });
    }
    setLast((before) => events.reduce(add, ofDevice(before)));
  });

  return {
    query,
    reading: mergeReadings(query.data?.reading, heard.reading),
    hints: mergeHints([...heard.hints, ...(query.data?.hints ?? [])]),
  };
}

/** What is known of a device that is waited for. */
export type FirstReadingState = ReturnType<typeof useFirstReading>;

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { type LiveEvent, useLive } from '@/lib/live/useLive';
import { coverageQuery, detailKey } from '../queries';
import { dayKey } from './calendar';

/**
 * A device that sends its history adds many days at once; they cause one refetch, after a pause of
 * the first number, at the latest after the second.
 */
const coverageDebounceMs = [500, 3000] as const;

/**
 * Keeps the presence changes and the days with readings current, and refetches everything if events
 * may have been missed.
 */
export function useDetailLive(deviceName: string): void {
  const client = useQueryClient();
  const { queryKey } = coverageQuery(deviceName);
  // Days that have caused a refetch: if the server does not list such a day, it is not fetched over
  // and over.
  const [refetchedDays] = useState(() => new Set<string>());
  // Refetches the coverage of every device shown, since the debouncer outlives a change of device.
  const [coverageRefetch] = useState(
    () =>
      new Debouncer(
        () => void client.invalidateQueries({ queryKey: [...detailKey, 'coverage'] }),
        ...coverageDebounceMs,
      ),
  );
  useEffect(() => () => coverageRefetch.cancel(), [coverageRefetch]);

  /** Notes the day of a reading, and returns whether that day had none so far. */
  const noteNewDay = (event: LiveEvent) => {
    if (event.name !== 'reading' || event.data.deviceName !== deviceName) return false;
    const day = dayKey(event.data.time);
    const key = `${deviceName} ${day}`;
    if (refetchedDays.has(key) || client.getQueryData(queryKey)?.some((covered) => covered.day === day)) return false;
    refetchedDays.add(key);
    return true;
  };

  useLive((events) => {
    if (events.some(({ name }) => name === 'reset')) void client.invalidateQueries({ queryKey: detailKey });
    const presenceChanged = events.some((event) => event.name === 'presence' && event.data.deviceName === deviceName);
    if (presenceChanged) void client.invalidateQueries({ queryKey: [...detailKey, 'presence', deviceName] });
    // filter, not some: every new day must be noted.
    if (events.filter(noteNewDay).length > 0) coverageRefetch.request();
  });
}

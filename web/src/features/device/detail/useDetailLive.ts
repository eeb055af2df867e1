import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { type LiveEvent, useLive } from '@/lib/live/useLive';
import { coverageQuery, detailKey } from '../queries';
import { dayKey } from './calendar';

/** A device that sends its history adds many days at once; they cause one refetch. */
const daysDebounceMs = [500, 3000] as const;

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
  const [days] = useState(
    () =>
      new Debouncer(() => void client.invalidateQueries({ queryKey: [...detailKey, 'coverage'] }), ...daysDebounceMs),
  );
  useEffect(() => () => days.cancel(), [days]);

  /** Whether a reading belongs to a day that had none so far. */
  const isNewDay = (event: LiveEvent) => {
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
    if (events.filter(isNewDay).length > 0) days.request();
  });
}

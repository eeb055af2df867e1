import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/lib/live/live';
import { overviewQuery } from '@/lib/queries';

/** Keeps the menu's number of pending alarms with what the server tells; that of messages is the bell's. */
export function useLiveCounts(): void {
  const client = useQueryClient();
  useLive((events) => {
    if (events.some(({ name }) => name === 'notice' || name === 'reset'))
      void client.invalidateQueries({ queryKey: overviewQuery().queryKey });
  });
}

import { useQueryClient } from '@tanstack/react-query';
import { overviewQuery } from '@/lib/http/queries';
import { useLive } from '@/lib/live/useLive';

/** Keeps the menu's number of pending alarms, and the strip's budgets, with what the server tells; messages are the bell's. */
export function useLiveCounts(): void {
  const client = useQueryClient();
  useLive((events) => {
    if (events.some(({ name }) => name === 'notice' || name === 'budget' || name === 'reset'))
      void client.invalidateQueries({ queryKey: overviewQuery().queryKey });
  });
}

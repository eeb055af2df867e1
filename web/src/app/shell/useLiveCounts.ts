import { useQueryClient } from '@tanstack/react-query';
import { overviewQuery } from '@/lib/http/queries';
import { useLive } from '@/lib/live/useLive';

/**
 * Updates the menu's number of pending alarms, and the banner's budgets, from live events; the bell
 * handles messages.
 */
export function useLiveCounts(): void {
  const client = useQueryClient();
  useLive((events) => {
    if (events.some(({ name }) => name === 'notice' || name === 'budget' || name === 'reset'))
      void client.invalidateQueries({ queryKey: overviewQuery().queryKey });
  });
}

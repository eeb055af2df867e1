import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/lib/live/live';
import { overviewQuery, unreadCountQuery } from '@/lib/queries';

/** Keeps the numbers of bell and menu with what the server tells. */
export function useLiveCounts(): void {
  const client = useQueryClient();
  useLive((events) => {
    const told = (...names: readonly string[]) => events.some(({ name }) => names.includes(name));
    if (told('message', 'reset')) void client.invalidateQueries({ queryKey: unreadCountQuery().queryKey });
    if (told('notice', 'reset')) void client.invalidateQueries({ queryKey: overviewQuery().queryKey });
  });
}

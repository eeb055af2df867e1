import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';
import { mayLackEvents } from '@/lib/live/deliveries';

/**
 * Fetches what a page shows first while its code is still being fetched. Only in a fresh document:
 * later, an answer that came before its page is drawn may lack what happened in between.
 */
export function fetchAhead(client: QueryClient, queries: readonly { queryKey: QueryKey }[]): void {
  if (mayLackEvents(Date.now())) return;
  for (const query of queries) void client.prefetchQuery(query as FetchQueryOptions);
}

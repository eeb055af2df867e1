import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import type { LiveMeta } from '../live/liveMeta';
import { hasNetwork, noteNoAnswer } from '../offline/reachability';
import { type ErrorMeta, showError } from './errorText';
import { ApiError, isNoAnswer } from './http';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: ErrorMeta & LiveMeta;
    mutationMeta: ErrorMeta;
  }
}

/**
 * Only failures that may pass by themselves are retried: no answer, or a server that is busy or
 * starting. Nothing is retried without a network.
 */
function isTransient(error: unknown): boolean {
  return hasNetwork() && (isNoAnswer(error) || (error instanceof ApiError && error.code === 503));
}

type AnyQuery = Query<unknown, unknown, unknown>;

/** The only place that reports failed queries. */
function createQueryCache(): QueryCache {
  /**
   * The cause last reported for each failing query: it is retried again and again, and reported
   * once while it is in use.
   */
  const reportedCauses = new WeakMap<AnyQuery, string>();
  const cache = new QueryCache({
    onError: (error, query) => {
      const silent = isNoAnswer(error);
      if (silent) noteNoAnswer();
      // If the server is silent, the page says so once for all queries that have their last answer;
      // if there is no network, always. A query with its own failure text reports it, because the
      // user opened something by its name and waits.
      if (silent && (query.state.data !== undefined || (!hasNetwork() && !query.meta?.failure))) return;
      const cause = error instanceof ApiError ? `${error.kind} ${error.code}` : 'fault';
      if (reportedCauses.get(query) === cause) return;
      reportedCauses.set(query, cause);
      showError(error, query.meta);
    },
    onSuccess: (_, query) => void reportedCauses.delete(query),
  });
  cache.subscribe(({ type, query }) => {
    if (type === 'observerRemoved' && query.getObserversCount() === 0) reportedCauses.delete(query);
  });
  return cache;
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: createQueryCache(),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // The user's role was changed meanwhile: the console then offers what it allows.
        if (error instanceof ApiError && error.code === 403) void client.invalidateQueries({ queryKey: ['user'] });
        showError(error, mutation.meta);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
        // Whether the machine believes to be online says little on a farm's own network: always
        // try.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

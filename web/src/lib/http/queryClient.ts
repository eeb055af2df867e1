import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { hasNetwork, noteNoAnswer } from '../offline/reachability';
import { type ErrorMeta, showError } from './errorText';
import { ApiError, isNoAnswer } from './http';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: ErrorMeta;
    mutationMeta: ErrorMeta;
  }
}

/** Only what may pass by itself is asked again: no answer, or a server that is busy or starting. Not without a network. */
function isTransient(error: unknown): boolean {
  return hasNetwork() && (isNoAnswer(error) || (error instanceof ApiError && error.code === 503));
}

type AnyQuery = Query<unknown, unknown, unknown>;

/** The one place where what could not be read becomes visible. */
function createQueryCache(): QueryCache {
  /** What was told of each that fails: it is asked for again and again, and is news once for whoever looks at it. */
  const reportedCauses = new WeakMap<AnyQuery, string>();
  const cache = new QueryCache({
    onError: (error, query) => {
      const silent = isNoAnswer(error);
      if (silent) noteNoAnswer();
      // That the server is silent the page says once, whatever it has the last answer to; that there is no network, always. Whoever
      // opened something by its name waits for a word.
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
  return new QueryClient({
    queryCache: createQueryCache(),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => showError(error, mutation.meta),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
        // Whether the machine thinks it is online says little on a farm's own network: always try.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { raiseError, type Telling } from './errorText';
import { ApiError, isSilence } from './http';
import { hasNetwork, unanswered } from './offline/reach';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Telling;
    mutationMeta: Telling;
  }
}

/** Only what may pass by itself is asked again: no answer, or a server that is busy or starting. Not without a network. */
function mayPass(error: unknown): boolean {
  return hasNetwork() && (isSilence(error) || (error instanceof ApiError && error.code === 503));
}

type AnyQuery = Query<unknown, unknown, unknown>;

/** The one place where what could not be read becomes visible. */
function tellingCache(): QueryCache {
  /** What was told of each that fails: it is asked for again and again, and is news once for whoever looks at it. */
  const told = new WeakMap<AnyQuery, string>();
  const cache = new QueryCache({
    onError: (error, query) => {
      const silent = isSilence(error);
      if (silent) unanswered();
      // That the server is silent the page says once, whatever it has the last answer to; that there is no network, always. Whoever
      // opened something by its name waits for a word.
      if (silent && (query.state.data !== undefined || (!hasNetwork() && !query.meta?.failure))) return;
      const cause = error instanceof ApiError ? `${error.kind} ${error.code}` : 'fault';
      if (told.get(query) === cause) return;
      told.set(query, cause);
      raiseError(error, query.meta);
    },
    onSuccess: (_, query) => void told.delete(query),
  });
  cache.subscribe(({ type, query }) => {
    if (type === 'observerRemoved' && query.getObserversCount() === 0) told.delete(query);
  });
  return cache;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: tellingCache(),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => raiseError(error, mutation.meta),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && mayPass(error),
        // Whether the machine thinks it is online says little on a farm's own network: always try.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

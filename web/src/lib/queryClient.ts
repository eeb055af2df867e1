import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { raiseError } from './errorText';
import { ApiError } from './http';

declare module '@tanstack/react-query' {
  interface Register {
    /** `showsErrors`: the screen tells of failures itself, so the app says nothing. */
    queryMeta: { showsErrors?: boolean };
    mutationMeta: { showsErrors?: boolean };
  }
}

/** Only what may pass by itself is asked again: no answer, or a server that is busy or starting. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'network' || error.kind === 'timeout' || error.code === 503);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!query.meta?.showsErrors) raiseError(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (!mutation.meta?.showsErrors) raiseError(error);
      },
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

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import i18next, { type ParseKeys } from 'i18next';
import { raiseError, showFailure } from './errorText';
import { ApiError } from './http';

/** How a failure is told where the way that its code asks for is not the right one. */
interface Telling extends Record<string, unknown> {
  /** The place itself shows its failures, or tells of them: the app says nothing. */
  showsErrors?: boolean;
  /** The feature's own words, as the title of one toast with the server's sentence below. */
  failure?: ParseKeys;
  /** The tone of `failure`: error unless it says warning. */
  tone?: 'error' | 'warning';
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Telling;
    mutationMeta: Telling;
  }
}

/** The one place where the failures of calls become visible. */
function tell(error: unknown, { showsErrors, failure, tone }: Telling = {}): void {
  if (showsErrors) return;
  if (failure) showFailure(i18next.t(failure), error, tone);
  else raiseError(error);
}

/** Only what may pass by itself is asked again: no answer, or a server that is busy or starting. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'network' || error.kind === 'timeout' || error.code === 503);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => tell(error, query.meta) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => tell(error, mutation.meta),
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

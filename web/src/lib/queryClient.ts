import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import i18next, { type ParseKeys } from 'i18next';
import { raiseError, showFailure } from './errorText';
import { ApiError, isSilence } from './http';
import { hasNetwork, unanswered } from './offline/reach';

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

/** That the server is silent the page says once, whatever it asks for and has the last answer to. */
function unread(error: unknown, { meta, state }: Pick<Query<unknown, unknown, unknown>, 'meta' | 'state'>): void {
  if (isSilence(error)) unanswered();
  if (isSilence(error) && (!hasNetwork() || state.data !== undefined)) return;
  tell(error, meta);
}

/** Only what may pass by itself is asked again: no answer, or a server that is busy or starting. Not without a network. */
function mayPass(error: unknown): boolean {
  return hasNetwork() && (isSilence(error) || (error instanceof ApiError && error.code === 503));
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: unread }),
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

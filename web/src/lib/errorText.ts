import i18next from 'i18next';
import { ApiError } from './http';
import { showDialog, toast } from './notices';
import { hasNetwork } from './offline/reach';
import { isUnauthorized, useSession } from './session';

/** The sentence for a failure, in the person's language: the server's own, or the table's where the specification says so. */
export function errorText(error: unknown): string {
  const t = i18next.t;
  if (!(error instanceof ApiError)) return t('error.default');
  switch (error.kind) {
    case 'network':
      return t(hasNetwork() ? 'error.network' : 'offline.none');
    case 'timeout':
      return t('error.timeout');
    case 'status':
      return t('error.status', { status: error.code });
    case 'duplicate':
      return t('request.duplicate');
    case 'business':
      if (error.code === 401) return t('error.401');
      if (error.code === 403) return t('error.403');
      if (error.code === 404) return t('error.404');
      return error.msg || t('error.default');
  }
}

/** Tells the person of a failed call in the way that its code asks for, where the screen has no words of its own. */
export function raiseError(error: unknown): void {
  if (concernsNobody(error)) return;
  const text = errorText(error);
  const way = wayOf(error);
  if (way === 'dialog') showDialog({ title: i18next.t('error.title'), text });
  else toast[way](text);
}

/**
 * Tells of a failure in a feature's own words, with the server's sentence below: one message, in place of raiseError's. For what
 * is not a query or a mutation; those name their words in `meta.failure`.
 */
export function showFailure(title: string, error: unknown, tone: 'error' | 'warning' = 'error'): void {
  if (concernsNobody(error)) return;
  // The first of two equal wishes is under way: that this one was refused is not the feature's failure.
  if (error instanceof ApiError && error.kind === 'duplicate') raiseError(error);
  else toast[tone](title, errorText(error));
}

function wayOf(error: unknown): 'warning' | 'error' | 'dialog' {
  if (!(error instanceof ApiError)) return 'error';
  if (error.kind === 'duplicate') return 'warning';
  if (error.kind !== 'business') return 'error';
  if (error.code === 601) return 'warning';
  return [401, 500, -699].includes(error.code) ? 'error' : 'dialog';
}

function concernsNobody(error: unknown): boolean {
  // Whoever asked has gone away.
  if ((error as Partial<Error> | null)?.name === 'AbortError') return true;
  // What was under way when the person quit ends with the session.
  return isUnauthorized(error) && useSession.getState().ended === 'quit';
}

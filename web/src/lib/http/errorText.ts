import i18next, { type ParseKeys } from 'i18next';
import { showDialog, toast } from '../feedback/feedback';
import { hasNetwork } from '../offline/reachability';
import { isUnauthorized, useSession } from '../session/session';
import { ApiError } from './http';

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
      // Whoever is told to wait is told how long.
      if (error.code === 429 && error.msg) return error.msg;
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

/** How a place has its failures told, where the table alone would not do. */
export interface ErrorMeta extends Record<string, unknown> {
  /** Codes of refusals that stand in the place itself, at a form's field: the app says nothing of these. */
  shows?: readonly number[];
  /** The step that the place takes when a refusal asks for it, by the name that the refusal's data has for it. */
  takes?: string;
  /** The feature's own words, above the server's sentence. */
  failure?: ParseKeys;
  /** The tone of these words, where the specification names one: then they are a toast whatever the code. */
  tone?: 'error' | 'warning';
  /** The place has a note that stands for as long as the failure lasts. It is told beside that, once. */
  banner?: boolean;
}

/**
 * Tells the person of a failed call in the way that its code asks for, the specification's error catalogue. Queries and mutations
 * come here by themselves, with their `meta`; whoever calls without them brings what it catches.
 */
export function showError(error: unknown, { shows, takes, failure, tone }: ErrorMeta = {}): void {
  if (isIgnorable(error)) return;
  if (isRefusal(error) && (shows?.includes(error.code) || (takes !== undefined && asksForStep(error, takes)))) return;
  const text = errorText(error);
  // The first of two equal wishes is under way: that this one was refused is not the feature's failure.
  const words = failure && !(error instanceof ApiError && error.kind === 'duplicate') ? i18next.t(failure) : undefined;
  const presentation = words !== undefined && tone !== undefined ? tone : presentationOf(error);
  if (presentation === 'dialog') showDialog({ title: i18next.t('error.title'), about: words, text });
  else if (words !== undefined) toast[presentation](words, text);
  else toast[presentation](text);
}

/** What stands in a form of its failed wish: the server's words, where the person can mend it. The app tells of anything else. */
export function formErrorText(error: unknown): string | undefined {
  return isRefusal(error) && error.code === 601 ? errorText(error) : undefined;
}

/** Whether a refusal is no failure but asks for something first: 601 whose data say so, as `{captchaRequired: true}` does. */
export function asksForStep(error: unknown, step: string): boolean {
  if (!isRefusal(error) || error.code !== 601) return false;
  return (error.data as Record<string, unknown> | null)?.[step] === true;
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.kind === 'business';
}

function presentationOf(error: unknown): 'warning' | 'error' | 'dialog' {
  if (!(error instanceof ApiError)) return 'error';
  if (error.kind === 'duplicate') return 'warning';
  if (error.code === 429) return 'dialog';
  if (error.kind !== 'business') return 'error';
  if (error.code === 601) return 'warning';
  return [401, 500, -699].includes(error.code) ? 'error' : 'dialog';
}

function isIgnorable(error: unknown): boolean {
  // Whoever asked has gone away.
  if ((error as Partial<Error> | null)?.name === 'AbortError') return true;
  // What was under way when the person quit ends with the session.
  return isUnauthorized(error) && useSession.getState().ended === 'quit';
}

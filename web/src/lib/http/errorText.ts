import i18next, { type ParseKeys } from 'i18next';
import { showDialog, toast } from '../feedback/feedback';
import { onceTextsLoaded } from '../i18n/i18n';
import { hasNetwork } from '../offline/reachability';
import { isUnauthorized, useSession } from '../session/session';
import { ApiError } from './http';

/**
 * The sentence for a failure, in the user's language: the server's own, or the table's where the
 * specification says so.
 */
export function errorText(error: unknown): string {
  const t = i18next.t;
  if (!(error instanceof ApiError)) return t('error.default');
  switch (error.kind) {
    case 'network':
      return t(hasNetwork() ? 'error.network' : 'offline.none');
    case 'timeout':
      return t('error.timeout');
    case 'status':
      // The server's sentence says how long to wait.
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

/**
 * How a query or a mutation reports its failures, where the table alone would not do. A type, since an interface would
 * need an index signature, which lets misspelt names pass.
 */
export type ErrorMeta = {
  /**
   * Codes of refusals that the caller shows itself, at a form's field: the app shows no message for
   * them.
   */
  shows?: readonly number[];
  /**
   * The steps that the caller takes when a refusal asks for one, by their names in the refusal's data.
   */
  takes?: readonly string[];
  /** The feature's own words, shown above the server's sentence. */
  failure?: ParseKeys;
  /**
   * The tone of these words, where the specification names one: the message is then a toast
   * whatever the code.
   */
  tone?: 'error' | 'warning';
  /**
   * The page shows a banner for as long as the failure lasts. The message appears in addition,
   * once.
   */
  banner?: boolean;
};

/**
 * Shows a failed call in the way that its code requires, by the specification's error catalogue.
 * Queries and mutations come here by themselves, with their `meta`; other callers pass the error
 * that they catch.
 */
export function showError(error: unknown, meta: ErrorMeta = {}): void {
  if (isIgnorable(error)) return;
  onceTextsLoaded(() => showText(error, meta));
}

function showText(error: unknown, { shows, takes, failure, tone }: ErrorMeta): void {
  if (isRefusal(error) && (shows?.includes(error.code) || takes?.some((step) => asksForStep(error, step)))) return;
  const text = errorText(error);
  // The first of two identical requests is in flight: the refusal of this one is not the feature's
  // failure.
  const words = failure && !(error instanceof ApiError && error.kind === 'duplicate') ? i18next.t(failure) : undefined;
  const presentation = words !== undefined && tone !== undefined ? tone : presentationOf(error);
  if (presentation === 'dialog') showDialog({ title: i18next.t('error.title'), about: words, text });
  else if (words !== undefined) toast[presentation](words, text);
  else toast[presentation](text);
}

/**
 * The error text inside a form: the server's sentence, where the user can correct the input. The
 * app reports any other failure.
 */
export function formErrorText(error: unknown): string | undefined {
  return isRefusal(error) && error.code === 601 ? errorText(error) : undefined;
}

/**
 * Whether a refusal only asks for a step first: a 601 whose data name it, such as
 * `{captchaRequired: true}`.
 */
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
  // The caller aborted the request.
  if ((error as Partial<Error> | null)?.name === 'AbortError') return true;
  // Calls that were in flight when the user signed out end with the session.
  return isUnauthorized(error) && useSession.getState().ended === 'quit';
}

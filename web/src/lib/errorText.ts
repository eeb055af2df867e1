import i18next from 'i18next';
import { ApiError } from './http';
import { showDialog, toast } from './notices';

/** The sentence for a failure, in the person's language: the server's own, or the table's where the specification says so. */
export function errorText(error: unknown): string {
  const t = i18next.t;
  if (!(error instanceof ApiError)) return t('error.default');
  switch (error.kind) {
    case 'network':
      return t('error.network');
    case 'timeout':
      return t('error.timeout');
    case 'status':
      return t('error.status', { status: error.code });
    case 'business':
      if (error.code === 401) return t('error.401');
      if (error.code === 403) return t('error.403');
      if (error.code === 404) return t('error.404');
      return error.msg || t('error.default');
  }
}

/** Tells the person of a failed call in the way that its code asks for. The one place where calls' errors become visible. */
export function raiseError(error: unknown): void {
  const code = error instanceof ApiError && error.kind === 'business' ? error.code : null;
  // The session has ended: the sign-in page says so.
  if (code === 401) return;
  const text = errorText(error);
  if (code === 601) toast.warning(text);
  else if (code === null || code === 500 || code === -699) toast.error(text);
  else showDialog({ title: i18next.t('error.title'), text });
}

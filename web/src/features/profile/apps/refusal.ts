import type { TFunction } from 'i18next';
import { createErrorText } from '@/lib/http/createErrorText';

/** The server's refusal, and the field that its sentence names, if any. */
export interface Refusal {
  field: 'role' | 'scopes' | 'expiryTime' | 'form';
  text: string;
}

/** The server answers in the request's language and begins with the name of the field. */
export function refusalOf(error: unknown, t: TFunction): Refusal | undefined {
  const text = createErrorText(error);
  if (text === undefined) return undefined;
  for (const field of ['role', 'scopes', 'expiryTime'] as const) {
    const name = t(`app.${field}`);
    const reason = text.startsWith(name) ? /^[:：]\s*(.+)$/.exec(text.slice(name.length))?.[1] : undefined;
    if (reason !== undefined) return { field, text: reason };
  }
  return { field: 'form', text };
}

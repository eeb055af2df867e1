import i18next from 'i18next';
import { ApiError } from './http';

const windowMs = 1000;
/** Comparing what is longer would cost more than it saves. */
const longest = 5 * 1024 * 1024;

const sent = new Map<string, number>();

/** Refuses what was sent word for word to the same path within the last second: a double click is one wish. */
export function refuseDuplicate(method: 'POST' | 'PUT', path: string, payload: unknown): void {
  const key = `${method} ${path} ${JSON.stringify(payload) ?? ''}`;
  if (key.length >= longest) return;
  const now = Date.now();
  for (const [earlier, time] of sent) if (now - time >= windowMs) sent.delete(earlier);
  if (sent.has(key)) throw new ApiError(601, i18next.t('request.duplicate'), 'business');
  sent.set(key, now);
}

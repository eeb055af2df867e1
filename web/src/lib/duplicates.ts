import i18next from 'i18next';
import { ApiError } from './http';

const windowMs = 1000;
/** Bytes. Comparing what is longer would cost more than it saves. */
const longest = 5 * 1024 * 1024;

const sent = new Map<string, number>();

/**
 * Refuses what was sent word for word to the same path within the last second: a double click is one wish. Files count by
 * their size and are told apart by name, kind, size and time.
 */
export function refuseDuplicate(method: 'POST' | 'PUT', path: string, payload: unknown): void {
  let files = 0;
  const content = JSON.stringify(payload, (_, value: unknown) => {
    if (!(value instanceof Blob)) return value;
    files += value.size;
    const { name, lastModified } = value as Partial<File>;
    return { name, lastModified, type: value.type, size: value.size };
  });
  if (files + new Blob([content ?? '']).size >= longest) return;
  const key = `${method} ${path} ${content ?? ''}`;
  const now = Date.now();
  for (const [earlier, time] of sent) if (now - time >= windowMs) sent.delete(earlier);
  if (sent.has(key)) throw new ApiError(601, i18next.t('request.duplicate'), 'duplicate');
  sent.set(key, now);
}

/** As on a page just opened: nothing was sent before. Each test begins so, however soon it follows another. */
export function forgetSent(): void {
  sent.clear();
}

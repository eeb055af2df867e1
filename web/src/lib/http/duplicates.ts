import i18next from 'i18next';
import { ApiError } from './http';

const windowMs = 1000;
/** In bytes. Comparing longer payloads would cost more than it saves. */
const maxComparedBytes = 5 * 1024 * 1024;

const sentAt = new Map<string, number>();

/**
 * Refuses a request identical to one that went to the same path within the last second: a double
 * click is one wish. Files count by their size and are compared by name, type, size and time.
 */
export function refuseDuplicate(method: 'POST' | 'PUT', path: string, payload: unknown): void {
  let fileBytes = 0;
  const content = JSON.stringify(payload, (_, value: unknown) => {
    if (!(value instanceof Blob)) return value;
    fileBytes += value.size;
    const { name, lastModified } = value as Partial<File>;
    return { name, lastModified, type: value.type, size: value.size };
  });
  if (fileBytes + new Blob([content ?? '']).size >= maxComparedBytes) return;
  const key = `${method} ${path} ${content ?? ''}`;
  const now = Date.now();
  for (const [earlier, time] of sentAt) if (now - time >= windowMs) sentAt.delete(earlier);
  if (sentAt.has(key)) throw new ApiError(601, i18next.t('request.duplicate'), 'duplicate');
  sentAt.set(key, now);
}

/** Resets to the state of a page just opened. Each test begins with this. */
export function resetSentRequests(): void {
  sentAt.clear();
}

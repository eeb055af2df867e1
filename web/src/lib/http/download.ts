import { withSession } from './api';
import { type QueryValue, retryOnRateLimit, timeoutMs } from './http';
import { openResponseStream } from './responseStream';

export interface DownloadRequest {
  path: string;
  query?: Record<string, QueryValue>;
  /** Called with the bytes received, and the total where the server knows it. */
  onProgress?: (received: number, total: number | undefined) => void;
  signal?: AbortSignal;
}

/**
 * Fetches a file. Fails as `send` does: a refusal is an envelope in place of the file. The signal
 * aborts the request.
 */
export function download(request: DownloadRequest): Promise<Blob> {
  return withSession((headers) => retryOnRateLimit(() => receive(request, headers), request.signal));
}

async function receive(
  { path, query, onProgress, signal }: DownloadRequest,
  headers: Record<string, string>,
): Promise<Blob> {
  const { response, touch, toError, close } = await openResponseStream(
    { method: 'GET', path, query, headers, signal },
    timeoutMs,
  );
  try {
    const total = Number(response.headers.get('Content-Length')) || undefined;
    const parts = await readChunks(response, (received) => {
      touch();
      onProgress?.(received, total);
    });
    return new Blob(parts, { type: response.headers.get('Content-Type') ?? '' });
  } catch (error) {
    throw toError(error);
  } finally {
    close();
  }
}

async function readChunks(response: Response, onChunk: (received: number) => void): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  let received = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) return parts;
    parts.push(value);
    received += value.length;
    onChunk(received);
  }
}

/**
 * Hands a file to the browser, which asks where to save it or saves it in the user's usual folder.
 */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser holds the file once this task is over.
  setTimeout(() => URL.revokeObjectURL(url));
}

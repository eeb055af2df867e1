import { withSession } from './api';
import { begin } from './coming';
import { inTurn, type QueryValue, timeoutMs } from './http';

export interface Download {
  path: string;
  query?: Record<string, QueryValue>;
  /** Told how many bytes have come, and how many there are where the server knows. */
  onProgress?: (received: number, total: number | undefined) => void;
  signal?: AbortSignal;
}

/** Fetches a file. Fails as `send` does: a refusal comes as an envelope in place of the file. The signal ends the request itself. */
export function download(wish: Download): Promise<Blob> {
  return withSession((headers) => inTurn(() => receive(wish, headers), wish.signal));
}

async function receive({ path, query, onProgress, signal }: Download, headers: Record<string, string>): Promise<Blob> {
  const { response, heard, failure, over } = await begin({ method: 'GET', path, query, headers, signal }, timeoutMs);
  try {
    const total = Number(response.headers.get('Content-Length')) || undefined;
    const parts = await partsOf(response, (received) => {
      heard();
      onProgress?.(received, total);
    });
    return new Blob(parts, { type: response.headers.get('Content-Type') ?? '' });
  } catch (error) {
    throw failure(error);
  } finally {
    over();
  }
}

async function partsOf(response: Response, onPart: (received: number) => void): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  let received = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) return parts;
    parts.push(value);
    received += value.length;
    onPart(received);
  }
}

/** Hands a file to the browser, which asks or puts it where the person keeps such files. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(url));
}

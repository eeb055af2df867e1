import { withSession } from './api';
import { ApiError, address, inTurn, opened, type QueryValue, silenceAfter, timeoutMs } from './http';

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
  const silence = silenceAfter(timeoutMs);
  const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  try {
    const response = await fetch(address(path, query), { headers, signal: stop, credentials: 'omit' });
    silence.broken();
    const type = response.headers.get('Content-Type') ?? '';
    if (!response.ok || type.startsWith('application/json')) {
      opened(response.status, await response.text(), response.headers);
      // An envelope that says all is well is no file.
      throw new ApiError(response.status, '', 'status');
    }
    const total = Number(response.headers.get('Content-Length')) || undefined;
    return new Blob(
      await partsOf(response, (received) => {
        silence.broken();
        onProgress?.(received, total);
      }),
      { type },
    );
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    if (silence.signal.aborted) throw new ApiError(0, '', 'timeout');
    throw new ApiError(0, '', 'network');
  } finally {
    silence.over();
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

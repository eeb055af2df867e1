import { noteAnswer } from '../offline/reachability';
import { recordCallDuration } from '../storage/dataSaver';

/**
 * One request and its envelope: time-out, headers, failures as ApiError. Knows nothing of sessions
 * or screens.
 */

/** A `duplicate` was never sent: see duplicates.ts. */
export type ErrorKind = 'business' | 'network' | 'timeout' | 'status' | 'duplicate';

/**
 * `code` is the envelope's code; for kind `status` the HTTP status, for `duplicate` 601, and 0
 * without an answer. `wait` is the number of milliseconds after which the server wants the call
 * repeated, if it names one.
 */
export class ApiError extends Error {
  readonly code: number;
  readonly msg: string;
  readonly kind: ErrorKind;
  readonly data: unknown;
  readonly retryAfterMs: number | undefined;

  constructor(code: number, msg: string, kind: ErrorKind, data: unknown = null, wait?: number) {
    super(msg || `${kind} ${code}`);
    this.name = 'ApiError';
    this.code = code;
    this.msg = msg;
    this.kind = kind;
    this.data = data;
    this.retryAfterMs = wait;
  }
}

/** Whether there was no answer at all. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'network' || error.kind === 'timeout');
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined;

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, QueryValue>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface HttpResult {
  data: unknown;
  /** The server's clock from the Date header, epoch milliseconds, if present. */
  serverTime: number | undefined;
  /** The position of the live stream before the server read this, if present. */
  position?: string;
}

/** A call fails after this long without the first byte or the next one. */
export const timeoutMs = 10_000;

/** Lists become `a=1,2`; undefined values are omitted. */
export function buildUrl(path: string, query: Record<string, QueryValue> = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const values = Array.isArray(value) ? value : [value];
      return `${encodeURIComponent(name)}=${values.map((item) => encodeURIComponent(String(item))).join(',')}`;
    });
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

interface Envelope {
  code: number;
  data?: unknown;
  msg?: string;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && typeof (value as Envelope).code === 'number';
}

export function send(request: HttpRequest): Promise<HttpResult> {
  const ask = async () => {
    const { status, text, headers } = await fetchText(request);
    return { ...openEnvelope(status, text, headers), position: headers.get('Live-Position') ?? undefined };
  };
  return request.method === 'GET' ? retryOnRateLimit(ask, request.signal) : ask();
}

/** The longest wait, in milliseconds, before an automatic retry. */
export const maxRetryAfterMs = 10_000;

/**
 * Sends a request. On 429 it waits as long as the server asks, if that is not too long, and sends
 * it once more.
 */
export async function retryOnRateLimit<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const wait = error instanceof ApiError && error.code === 429 ? error.retryAfterMs : undefined;
    if (wait === undefined || wait > maxRetryAfterMs) throw error;
    signal?.throwIfAborted();
    await delay(wait, signal);
    return ask();
  }
}

function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** For calls whose answer has its own envelope: returns the answer unchanged. */
export async function sendWithoutEnvelope(request: HttpRequest): Promise<unknown> {
  const { status, text, headers } = await fetchText(request);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ApiError(status, '', 'status');
  }
  // If the request never reached such a call, the answer has the usual envelope.
  if (status < 200 || status > 299 || isEnvelope(parsed)) openEnvelope(status, text, headers);
  return parsed;
}

async function fetchText(request: HttpRequest): Promise<{ status: number; text: string; headers: Headers }> {
  const silence = createIdleTimeout(timeoutMs);
  const begun = performance.now();
  const signal = request.signal ? AbortSignal.any([request.signal, silence.signal]) : silence.signal;
  try {
    const response = await fetch(buildUrl(request.path, request.query), {
      method: request.method,
      headers: {
        ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      signal,
      // The bearer token alone authenticates; no cookies.
      credentials: 'omit',
    });
    silence.broken();
    noteAnswer();
    recordCallDuration(performance.now() - begun);
    const text = await readText(response, silence.broken);
    return { status: response.status, text, headers: response.headers };
  } catch (error) {
    // The caller aborted the request: this is no failure to report.
    if (request.signal?.aborted) throw error;
    if (silence.signal.aborted) {
      recordCallDuration(performance.now() - begun);
      throw new ApiError(0, '', 'timeout');
    }
    throw new ApiError(0, '', 'network');
  } finally {
    silence.over();
  }
}

/** Aborts after `ms` milliseconds without a call of its reset function. */
export function createIdleTimeout(ms: number) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const broken = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), ms);
  };
  broken();
  return { signal: controller.signal, broken, over: () => clearTimeout(timer) };
}

/**
 * A long answer over a slow line may take its time: only a silence in the middle of it is a
 * failure.
 */
async function readText(response: Response, onChunk: () => void): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    onChunk();
    text += decoder.decode(value, { stream: true });
  }
}

/** Unwraps the server's answer from its envelope. */
export function openEnvelope(status: number, text: string, headers: Pick<Headers, 'get'>): HttpResult {
  const wait = parseRetryAfter(headers.get('Retry-After'));
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ApiError(status, '', 'status', null, wait);
  }
  if (status < 200 || status > 299)
    throw new ApiError(status, isEnvelope(parsed) ? (parsed.msg ?? '') : '', 'status', null, wait);
  if (!isEnvelope(parsed)) throw new ApiError(status, '', 'status');
  if (parsed.code !== 200) throw new ApiError(parsed.code, parsed.msg ?? '', 'business', parsed.data ?? null, wait);
  const serverTime = Date.parse(headers.get('Date') ?? '');
  return { data: parsed.data ?? null, serverTime: Number.isNaN(serverTime) ? undefined : serverTime };
}

/** `Retry-After`: whole seconds, or a date. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

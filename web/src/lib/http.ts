/** One request and its envelope: time-out, headers, and what went wrong as an ApiError. Knows nothing of sessions or screens. */

export type ErrorKind = 'business' | 'network' | 'timeout' | 'status';

/** `code` is the envelope's code, for kind `status` the HTTP status, and 0 when nothing was answered. */
export class ApiError extends Error {
  readonly code: number;
  readonly msg: string;
  readonly kind: ErrorKind;
  readonly data: unknown;

  constructor(code: number, msg: string, kind: ErrorKind, data: unknown = null) {
    super(msg || `${kind} ${code}`);
    this.name = 'ApiError';
    this.code = code;
    this.msg = msg;
    this.kind = kind;
    this.data = data;
  }
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

export interface HttpAnswer {
  data: unknown;
  /** The server's clock, epoch milliseconds, when it said so: the Date header. */
  serverTime: number | undefined;
}

export const timeoutMs = 10_000;

/** Lists go as `a=1,2`; absent values are left out. */
export function address(path: string, query: Record<string, QueryValue> = {}): string {
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

export async function send(request: HttpRequest): Promise<HttpAnswer> {
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timer.signal]) : timer.signal;
  try {
    const response = await fetch(address(request.path, request.query), {
      method: request.method,
      headers: {
        ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      signal,
      // The session is the bearer token alone.
      credentials: 'omit',
    });
    return await open(response);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // Whoever asked has gone away: that is no failure to tell anybody of.
    if (request.signal?.aborted) throw error;
    if (timer.signal.aborted) throw new ApiError(0, '', 'timeout');
    throw new ApiError(0, '', 'network');
  } finally {
    clearTimeout(timeout);
  }
}

async function open(response: Response): Promise<HttpAnswer> {
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, '', 'status');
  }
  if (!response.ok) throw new ApiError(response.status, isEnvelope(parsed) ? (parsed.msg ?? '') : '', 'status');
  if (!isEnvelope(parsed)) throw new ApiError(response.status, '', 'status');
  if (parsed.code !== 200) throw new ApiError(parsed.code, parsed.msg ?? '', 'business', parsed.data ?? null);
  const date = Date.parse(response.headers.get('Date') ?? '');
  return { data: parsed.data ?? null, serverTime: Number.isNaN(date) ? undefined : date };
}

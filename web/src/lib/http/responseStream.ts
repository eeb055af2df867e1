import { ApiError, buildUrl, createIdleTimeout, type HttpRequest, openEnvelope } from './http';

/** An answer that is no envelope, on its way: a file, or lines. */
export interface ResponseStream {
  response: Response;
  /** Something of it came: the server is not silent. */
  touch: () => void;
  /** What ended it, as every failure is told. */
  toError: (error: unknown) => unknown;
  /** Nothing more is wanted of it. */
  close: () => void;
}

/** Asks for it. A refusal comes as an envelope in its place, and fails as one. Silent for so many milliseconds, it has failed. */
export async function openResponseStream(request: HttpRequest, silenceMs: number): Promise<ResponseStream> {
  const silence = createIdleTimeout(silenceMs);
  const { method, path, query, body, headers, signal } = request;
  const failure = (error: unknown) => {
    if (error instanceof ApiError || signal?.aborted) return error;
    return new ApiError(0, '', silence.signal.aborted ? 'timeout' : 'network');
  };
  try {
    const response = await fetch(buildUrl(path, query), {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      credentials: 'omit',
    });
    silence.broken();
    const type = response.headers.get('Content-Type') ?? '';
    if (!response.ok || type.startsWith('application/json')) {
      openEnvelope(response.status, await response.text(), response.headers);
      // An envelope that says all is well is not what was asked for.
      throw new ApiError(response.status, '', 'status');
    }
    return { response, touch: silence.broken, toError: failure, close: silence.over };
  } catch (error) {
    silence.over();
    throw failure(error);
  }
}

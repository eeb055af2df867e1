import { ApiError, buildUrl, createIdleTimeout, type HttpRequest, openEnvelope } from './http';

/** A streamed answer without an envelope: a file, or lines. */
export interface ResponseStream {
  response: Response;
  /** Call when bytes arrive: the server is not silent. */
  touch: () => void;
  /** Converts the failure that ended it to the usual errors. */
  toError: (error: unknown) => unknown;
  /** Call when the rest is not needed. */
  close: () => void;
}

/**
 * Sends the request. A refusal is an envelope in place of the stream, and becomes an error. The
 * stream fails after `silenceMs` without a byte.
 */
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
      // A successful envelope is not the requested stream.
      throw new ApiError(response.status, '', 'status');
    }
    return { response, touch: silence.broken, toError: failure, close: silence.over };
  } catch (error) {
    silence.over();
    throw failure(error);
  }
}

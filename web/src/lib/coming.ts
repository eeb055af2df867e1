import { ApiError, address, type HttpRequest, opened, silenceAfter } from './http';

/** An answer that is no envelope, on its way: a file, or lines. */
export interface Coming {
  response: Response;
  /** Something of it came: the server is not silent. */
  heard: () => void;
  /** What ended it, as every failure is told. */
  failure: (error: unknown) => unknown;
  /** Nothing more is wanted of it. */
  over: () => void;
}

/** Asks for it. A refusal comes as an envelope in its place, and fails as one. Silent for so many milliseconds, it has failed. */
export async function begin(request: HttpRequest, silenceMs: number): Promise<Coming> {
  const silence = silenceAfter(silenceMs);
  const { method, path, query, body, headers, signal } = request;
  const failure = (error: unknown) => {
    if (error instanceof ApiError || signal?.aborted) return error;
    return new ApiError(0, '', silence.signal.aborted ? 'timeout' : 'network');
  };
  try {
    const response = await fetch(address(path, query), {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      credentials: 'omit',
    });
    silence.broken();
    const type = response.headers.get('Content-Type') ?? '';
    if (!response.ok || type.startsWith('application/json')) {
      opened(response.status, await response.text(), response.headers);
      // An envelope that says all is well is not what was asked for.
      throw new ApiError(response.status, '', 'status');
    }
    return { response, heard: silence.broken, failure, over: silence.over };
  } catch (error) {
    silence.over();
    throw failure(error);
  }
}

import type { paths } from '@/api/schema.gen';
import { trackCall } from '../live/streamPosition';
import { accessToken, isUnauthorized, retryAfterRenewal } from '../session/session';
import { refuseDuplicate } from './duplicates';
import { requestHeaders } from './headers';
import { ApiError, type HttpRequest, type HttpResult, type QueryValue, send } from './http';

export { ApiError };

/** Few pages send files: the code for it comes with the first. A failure counts as a missing connection. */
const loadUpload = () =>
  import('./upload').catch(() => {
    throw new ApiError(0, '', 'network');
  });

type Method = 'get' | 'post' | 'put' | 'delete';
type PathsWith<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;

type DataOf<O> = O extends { responses: { 200: { content: { 'application/json': { data?: infer D } } } } } ? D : never;
type QueryOf<O> = O extends { parameters: { query: infer Q } }
  ? { query: Q }
  : O extends { parameters: { query?: infer Q } }
    ? { query?: Q }
    : object;
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? { body: B } : object;

interface FormOf<B> {
  requestBody: { content: { 'multipart/form-data': B } };
}
/** The paths that take a form with files. */
type UploadPath = { [P in keyof paths]: Operation<'post', P> extends FormOf<object> ? P : never }[keyof paths];
/** The contract's types do not distinguish a file from a text: a part may hold either. */
type FormPartsOf<O> = O extends FormOf<infer B> ? { [K in keyof B]: string | Blob } : never;
interface UploadOptions<O> {
  parts: FormPartsOf<O>;
  /** Called with the fraction sent, 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

type Options<O> = QueryOf<O> & BodyOf<O> & { signal?: AbortSignal };
/** Options may be omitted where none is required. */
type Args<O> = object extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

interface CallOptions {
  query?: Record<string, QueryValue>;
  body?: unknown;
  signal?: AbortSignal;
}

async function request(method: HttpRequest['method'], path: string, options: CallOptions = {}): Promise<HttpResult> {
  const endCall = trackCall();
  let position = '';
  try {
    const answer = await withSession((headers) => send({ method, path, ...options, headers }));
    position = answer.position ?? '';
    return answer;
  } finally {
    endCall(position);
  }
}

/**
 * Sends a user's change, unless it was just sent. The duplicate check runs outside the session's: a
 * retry after 401 is no duplicate.
 */
function requestOnce(method: 'POST' | 'PUT', path: string, options: CallOptions = {}): Promise<HttpResult> {
  refuseDuplicate(method, path, { query: options.query, body: options.body });
  return request(method, path, options);
}

/** Sends with the session's token. After a 401 it renews the session and sends once more. */
export async function withSession<T>(sendWith: (headers: Record<string, string>) => Promise<T>): Promise<T> {
  const attempt = (token: string | null) => sendWith(requestHeaders(token));
  const token = await accessToken();
  try {
    return await attempt(token);
  } catch (error) {
    if (!token || !isUnauthorized(error)) throw error;
    const answer = await retryAfterRenewal(token, attempt);
    if (!answer) throw error;
    return answer;
  }
}

function requireData<T>(answer: HttpResult): NonNullable<T> {
  // The contract lets some calls return null; those use find.
  if (answer.data === null) throw new ApiError(404, '', 'business');
  return answer.data as NonNullable<T>;
}

/**
 * Typed by the contract: each promise resolves to the envelope's data, and every failure is an
 * ApiError.
 */
export const api = {
  async get<P extends PathsWith<'get'>>(
    path: P,
    ...args: Args<Operation<'get', P>>
  ): Promise<NonNullable<DataOf<Operation<'get', P>>>> {
    return requireData(await request('GET', path, args[0] as CallOptions));
  },
  /** Like get, for calls that may return null. */
  async find<P extends PathsWith<'get'>>(
    path: P,
    ...args: Args<Operation<'get', P>>
  ): Promise<NonNullable<DataOf<Operation<'get', P>>> | null> {
    return (await request('GET', path, args[0] as CallOptions)).data as NonNullable<DataOf<Operation<'get', P>>> | null;
  },
  async post<P extends Exclude<PathsWith<'post'>, UploadPath>>(
    path: P,
    ...args: Args<Operation<'post', P>>
  ): Promise<NonNullable<DataOf<Operation<'post', P>>>> {
    return requireData(await requestOnce('POST', path, args[0] as CallOptions));
  },
  async put<P extends PathsWith<'put'>>(
    path: P,
    ...args: Args<Operation<'put', P>>
  ): Promise<NonNullable<DataOf<Operation<'put', P>>>> {
    return requireData(await requestOnce('PUT', path, args[0] as CallOptions));
  },
  async del<P extends PathsWith<'delete'>>(
    path: P,
    ...args: Args<Operation<'delete', P>>
  ): Promise<NonNullable<DataOf<Operation<'delete', P>>>> {
    return requireData(await request('DELETE', path, args[0] as CallOptions));
  },
  /** Posts a form with files; this may take longer than other calls. */
  async upload<P extends UploadPath>(
    path: P,
    { parts, ...options }: UploadOptions<Operation<'post', P>>,
  ): Promise<NonNullable<DataOf<Operation<'post', P>>>> {
    refuseDuplicate('POST', path, parts);
    return requireData(
      await withSession(async (headers) => (await loadUpload()).sendForm({ path, parts, headers, ...options })),
    );
  },
};

import type { paths } from '@/api/schema.gen';
import { refuseDuplicate } from './duplicates';
import { requestHeaders } from './headers';
import { ApiError, type HttpAnswer, type HttpRequest, type QueryValue, send } from './http';
import { accessToken, afterRenewal, isUnauthorized } from './session';

export { ApiError };

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

type Options<O> = QueryOf<O> & BodyOf<O> & { signal?: AbortSignal };
/** Options may be left out where nothing in them is required. */
type Args<O> = object extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

interface Loose {
  query?: Record<string, QueryValue>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Sends with the session's token. Refused with 401, it renews the session and asks once more. */
async function call(method: HttpRequest['method'], path: string, options: Loose = {}): Promise<HttpAnswer> {
  const attempt = (token: string | null) => send({ method, path, ...options, headers: requestHeaders(token) });
  const token = await accessToken();
  try {
    return await attempt(token);
  } catch (error) {
    if (!token || !isUnauthorized(error)) throw error;
    const answer = await afterRenewal(token, attempt);
    if (!answer) throw error;
    return answer;
  }
}

function present<T>(answer: HttpAnswer): NonNullable<T> {
  // The contract lets some calls answer null; those go through find.
  if (answer.data === null) throw new ApiError(404, '', 'business');
  return answer.data as NonNullable<T>;
}

/** Typed by the contract: each promise is the envelope's data, and every failure an ApiError. */
export const api = {
  async get<P extends PathsWith<'get'>>(
    path: P,
    ...args: Args<Operation<'get', P>>
  ): Promise<NonNullable<DataOf<Operation<'get', P>>>> {
    return present(await call('GET', path, args[0] as Loose));
  },
  /** As get, for calls that may answer that there is nothing. */
  async find<P extends PathsWith<'get'>>(
    path: P,
    ...args: Args<Operation<'get', P>>
  ): Promise<NonNullable<DataOf<Operation<'get', P>>> | null> {
    return (await call('GET', path, args[0] as Loose)).data as NonNullable<DataOf<Operation<'get', P>>> | null;
  },
  async post<P extends PathsWith<'post'>>(
    path: P,
    ...args: Args<Operation<'post', P>>
  ): Promise<NonNullable<DataOf<Operation<'post', P>>>> {
    const options = (args[0] ?? {}) as Loose;
    refuseDuplicate('POST', path, { query: options.query, body: options.body });
    return present(await call('POST', path, options));
  },
};

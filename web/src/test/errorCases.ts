import { useFeedback } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { download } from '@/lib/http/download';
import { requestHeaders } from '@/lib/http/headers';
import { sendWithoutEnvelope } from '@/lib/http/http';
import { type LinesPath, readLines } from '@/lib/http/ndjson';
import { createQueryClient } from '@/lib/http/queryClient';
import type { Call } from './contract';

export const serverSentence = 'The server’s own sentence';

/** The specification's error catalogue: the server's answer and what the user then sees. */
export const errorCases = [
  { answered: 601, way: 'warning', text: serverSentence },
  { answered: 500, way: 'error', text: serverSentence },
  { answered: -699, way: 'error', text: serverSentence },
  { answered: 403, way: 'dialog', text: 'You do not have permission for this' },
  { answered: 404, way: 'dialog', text: 'This resource does not exist' },
  { answered: 777, way: 'dialog', text: serverSentence },
  { answered: 429, way: 'dialog', text: serverSentence },
  { answered: 'nothing', way: 'error', text: 'Cannot connect to the server' },
] as const;

export const envelope = (code: number) => ({ code, data: null, msg: serverSentence });

/**
 * Sends a call as the console does: reads are queries, changes are mutations. Resolves to the
 * rejection, if there is one.
 */
export function sendCall({ method, path, kind }: Call): Promise<unknown> {
  const client = createQueryClient();
  const call = () => {
    if (kind === 'bare') return sendWithoutEnvelope({ method, path, body: {}, headers: requestHeaders() });
    if (kind === 'file') return download({ path });
    if (kind === 'lines') return readLines({ path: path as LinesPath, body: {} }).next();
    if (kind === 'form') return api.upload(path as never, { parts: { avatarFile: new Blob(['picture']) } as never });
    const send = { GET: api.find, POST: api.post, PUT: api.put, DELETE: api.del }[method];
    return (send as (path: string) => Promise<unknown>)(path);
  };
  const result =
    method === 'GET'
      ? client.fetchQuery({ queryKey: [path], queryFn: call, retry: false })
      : client.getMutationCache().build(client, { mutationFn: call }).execute(undefined);
  return result.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** All visible errors, as `[way, title, sentence]`. */
export function shownErrors(): (string | undefined)[][] {
  const { toasts, dialog } = useFeedback.getState();
  return [
    ...toasts.map(({ tone, title, text }) => [tone, title, text]),
    ...(dialog ? [['dialog', dialog.title, dialog.text]] : []),
  ];
}

export const expectedError = ({ way, text }: (typeof errorCases)[number]) =>
  way === 'dialog' ? [way, 'Error', text] : [way, text, undefined];

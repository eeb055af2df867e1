import { api } from '@/lib/api';
import { download } from '@/lib/download';
import { requestHeaders } from '@/lib/headers';
import { sendBare } from '@/lib/http';
import { type LinesPath, lines } from '@/lib/lines';
import { useNotices } from '@/lib/notices';
import { createQueryClient } from '@/lib/queryClient';
import type { Call } from './contract';

export const said = 'The server’s own sentence';

/** The specification's error catalogue: what is answered, and what a person then sees. */
export const catalogue = [
  { answered: 601, way: 'warning', text: said },
  { answered: 500, way: 'error', text: said },
  { answered: -699, way: 'error', text: said },
  { answered: 403, way: 'dialog', text: 'You do not have permission for this' },
  { answered: 404, way: 'dialog', text: 'This resource does not exist' },
  { answered: 777, way: 'dialog', text: said },
  { answered: 429, way: 'dialog', text: said },
  { answered: 'nothing', way: 'error', text: 'Cannot connect to the server' },
] as const;

export const envelope = (code: number) => ({ code, data: null, msg: said });

/** Asks as the console does: what is read is a query, what is changed a mutation. Resolves to what it rejects with, if it does. */
export function ask({ method, path, kind }: Call): Promise<unknown> {
  const client = createQueryClient();
  const call = () => {
    if (kind === 'bare') return sendBare({ method, path, body: {}, headers: requestHeaders() });
    if (kind === 'file') return download({ path });
    if (kind === 'lines') return lines({ path: path as LinesPath, body: {} }).next();
    if (kind === 'form') return api.upload(path as never, { parts: { avatarFile: new Blob(['picture']) } as never });
    const send = { GET: api.find, POST: api.post, PUT: api.put, DELETE: api.del }[method];
    return (send as (path: string) => Promise<unknown>)(path);
  };
  const asked =
    method === 'GET'
      ? client.fetchQuery({ queryKey: [path], queryFn: call, retry: false })
      : client.getMutationCache().build(client, { mutationFn: call }).execute(undefined);
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Everything that is said, as `[way, title, sentence]`. */
export function told(): (string | undefined)[][] {
  const { toasts, dialog } = useNotices.getState();
  return [
    ...toasts.map(({ tone, title, text }) => [tone, title, text]),
    ...(dialog ? [['dialog', dialog.title, dialog.text]] : []),
  ];
}

export const expected = ({ way, text }: (typeof catalogue)[number]) =>
  way === 'dialog' ? [way, 'Error', text] : [way, text, undefined];

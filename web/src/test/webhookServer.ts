import type { Webhook, WebhookDelivery, WebhookInput, WebhookOutcome } from '@/features/profile/webhooks/queries';
import { fakeStreams } from './fakeStreams';
import { profileServer } from './profileServer';
import { ok, onDelete, onGet, onPost, onPut } from './server';

export const webhook = (id: number, change: Partial<Webhook> = {}): Webhook => ({
  id,
  name: `Hook ${id}`,
  url: `https://planner.example/hook/${id}`,
  events: ['opened', 'resolved'],
  alarmLevel: 0,
  enabled: true,
  createTime: new Date('2026-03-12T09:00:00').getTime(),
  ...change,
});

export const webhookDelivery = (id: number, change: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id,
  noticeId: 40 + id,
  title: 'Frost',
  event: 'opened',
  state: 'sent',
  attempts: 1,
  answer: '200 OK',
  createTime: Date.now() - 60_000,
  updateTime: Date.now() - 60_000,
  ...change,
});

/**
 * The state of a test's server; `answers` take precedence, by the call's last path segment. Records
 * the requests.
 */
export interface WebhookServer {
  webhooks: Webhook[];
  deliveries: WebhookDelivery[];
  outcome: WebhookOutcome;
  live: ReturnType<typeof fakeStreams>;
  answers: Map<string, () => Response | Promise<Response> | undefined>;
  asked: { call: string; sent: unknown }[];
}

const path = '/admin-api/client/pc/webhook';

export function webhookServer(change: Partial<WebhookServer> = {}): WebhookServer {
  profileServer();
  const state: WebhookServer = {
    webhooks: [],
    deliveries: [],
    outcome: { ok: true, took: 83, answer: '200 OK' },
    live: fakeStreams(),
    answers: new Map(),
    asked: [],
    ...change,
  };
  onGet('/admin-api/client/pc/live', ({ request }) =>
    state.live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  type On = typeof onGet;
  const on = (method: On, call: string, act: (id: number, body: never) => unknown) =>
    method(`${path}/${call}`, async ({ request }) => {
      const text = await request.text();
      const body = text === '' ? undefined : JSON.parse(text);
      const query = Object.fromEntries(new URL(request.url).searchParams);
      const id = Number(query.id ?? body?.id);
      state.asked.push({ call, sent: body ?? id });
      return (await state.answers.get(call)?.()) ?? ok(act(id, (body ?? query) as never) as never);
    });
  const set = (id: number, change: (webhook: Webhook) => Partial<Webhook>) => {
    state.webhooks = state.webhooks.map((webhook) =>
      webhook.id === id ? { ...webhook, ...change(webhook) } : webhook,
    );
    return true;
  };
  on(onGet, 'page', () => ({ list: state.webhooks, total: state.webhooks.length }));
  on(onGet, 'deliveries', () => state.deliveries);
  on(onPost, 'test', () => state.outcome);
  on(onPost, 'create', (_, input: WebhookInput) => {
    const made = webhook(100 + state.webhooks.length, input);
    state.webhooks = [made, ...state.webhooks];
    return { id: made.id, secret: 'whsec_first' };
  });
  on(onPost, 'new-secret', (id) => {
    set(id, () => ({ oldSecretUntil: new Date('2026-03-13T09:00:00').getTime() }));
    return { id, secret: 'whsec_second' };
  });
  on(onPut, 'update', (id, input: WebhookInput) => set(id, () => input));
  on(onPut, 'enable-or-disable', (id, { enabled }: { enabled?: string }) =>
    set(id, (webhook) => ({ enabled: enabled === undefined ? !webhook.enabled : enabled === 'true', gone: undefined })),
  );
  on(onDelete, 'delete', (id) => {
    state.webhooks = state.webhooks.filter((webhook) => webhook.id !== id);
    return true;
  });
  return state;
}

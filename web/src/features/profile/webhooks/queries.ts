import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type Webhook = Schemas['Webhook'];
export type WebhookInput = Schemas['WebhookFields'];
export type WebhookOutcome = Schemas['WebhookOutcome'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** The most that a farm can have. */
export const maxWebhooks = 20;

const path = '/admin-api/client/pc/webhook';
export const webhooksKey = ['webhooks'] as const;
export const deliveriesKey = ['webhook-deliveries'] as const;

/** All of them: they fit on one page. What others and programs changed meanwhile is there when one comes back to it. */
export const webhooksQuery = () =>
  queryOptions({
    queryKey: webhooksKey,
    queryFn: ({ signal }) => api.get(`${path}/page`, { query: { pageNo: 1, pageSize: 100 }, signal }),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    meta: { banner: true },
  });

/** What one was told last. */
export const deliveriesQuery = (id: number) =>
  queryOptions({
    queryKey: [...deliveriesKey, id],
    queryFn: ({ signal }) => api.get(`${path}/deliveries`, { query: { id }, signal }),
    meta: { banner: true },
  });

export const createWebhook = (body: WebhookInput) => api.post(`${path}/create`, { body });
export const updateWebhook = (id: number, body: WebhookInput) => api.put(`${path}/update`, { body: { id, ...body } });
/** Says what it is to be: switched off twice, or by two people, it is off. */
export const switchWebhook = (id: number, enabled: boolean) =>
  api.put(`${path}/enable-or-disable`, { query: { id, enabled } });
export const deleteWebhook = (id: number) => api.del(`${path}/delete`, { query: { id } });
export const newSecret = (id: number) => api.post(`${path}/new-secret`, { query: { id } });
export const testWebhook = (id: number) => api.post(`${path}/test`, { query: { id } });

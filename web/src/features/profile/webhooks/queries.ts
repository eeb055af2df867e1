import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type Webhook = Schemas['Webhook'];
export type WebhookInput = Schemas['WebhookFields'];
export type WebhookOutcome = Schemas['WebhookOutcome'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** The maximum number of webhooks of a tenant. */
export const maxWebhooks = 20;

const path = '/admin-api/client/pc/webhook';
export const webhooksKey = ['webhooks'] as const;
export const deliveriesKey = ['webhook-deliveries'] as const;

/**
 * All webhooks, which fit on one page. They are refetched whenever the user returns, since other
 * users and programs may have changed them.
 */
export const webhooksQuery = () =>
  queryOptions({
    queryKey: webhooksKey,
    queryFn: ({ signal }) => api.get(`${path}/page`, { query: { pageNo: 1, pageSize: 100 }, signal }),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    meta: { banner: true },
  });

/** The last deliveries to a webhook. */
export const deliveriesQuery = (id: number) =>
  queryOptions({
    queryKey: [...deliveriesKey, id],
    queryFn: ({ signal }) => api.get(`${path}/deliveries`, { query: { id }, signal }),
    meta: { banner: true },
  });

export const createWebhook = (body: WebhookInput) => api.post(`${path}/create`, { body });
export const updateWebhook = (id: number, body: WebhookInput) => api.put(`${path}/update`, { body: { id, ...body } });
/**
 * Sets the state instead of toggling it: if it is switched off twice, or by two users, it is off.
 */
export const switchWebhook = (id: number, enabled: boolean) =>
  api.put(`${path}/enable-or-disable`, { query: { id, enabled } });
export const deleteWebhook = (id: number) => api.del(`${path}/delete`, { query: { id } });
export const newSecret = (id: number) => api.post(`${path}/new-secret`, { query: { id } });
export const testWebhook = (id: number) => api.post(`${path}/test`, { query: { id } });

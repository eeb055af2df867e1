import { isVisibleName } from '@/lib/text/visibleName';
import type { Webhook, WebhookInput } from './queries';

type Event = WebhookInput['events'][number];

/** In the order in which all screens show them. */
export const events: readonly Event[] = ['opened', 'resolved', 'acknowledged'];
export const levels = [0, 1, 2] as const satisfies readonly WebhookInput['alarmLevel'][];

export const emptyWebhook: WebhookInput = {
  name: '',
  url: '',
  events: ['opened', 'resolved'],
  alarmLevel: 0,
  enabled: true,
};

/** The form's values of a webhook; for null, those of a new one. */
export function valuesOf(webhook: Webhook | null): WebhookInput {
  if (!webhook) return emptyWebhook;
  const { name, url, alarmLevel, enabled } = webhook;
  return { name, url, events: webhook.events, alarmLevel, enabled };
}

export type WebhookError =
  | 'common.nameRequired'
  | 'webhook.urlRequired'
  | 'webhook.urlFormat'
  | 'webhook.eventRequired';

/** The problems, in the order of the form. The server decides whether the address may be called. */
export function checkWebhook({ name, url, events: chosen }: WebhookInput) {
  const errors: Partial<Record<keyof WebhookInput, WebhookError>> = {};
  if (!isVisibleName(name)) errors.name = 'common.nameRequired';
  if (url.trim() === '') errors.url = 'webhook.urlRequired';
  else if (!/^https?:\/\/[^\s/]/i.test(url.trim())) errors.url = 'webhook.urlFormat';
  if (chosen.length === 0) errors.events = 'webhook.eventRequired';
  return errors;
}

import type { Delivery } from '../queries';

export type DeliveryState = Delivery['state'];

/**
 * A delivery's state as the screens show it: a message that went only to the server's log was not
 * sent.
 */
export type ShownState = DeliveryState | 'logged';

export function shownState({ state, reason }: Pick<Delivery, 'state' | 'reason'>): ShownState {
  return state === 'skipped' && reason === 'logged' ? 'logged' : state;
}

/** What one recipient was notified of, and with which result. */
export interface NotifiedRecipient {
  key: string;
  recipient: string;
  /** The names of the tenant's people who have this address or number. */
  people: readonly string[];
  channel: string;
  mode: Delivery['mode'];
  /**
   * Failed if anything failed, otherwise waiting if anything waits, otherwise the state of the
   * first delivery.
   */
  state: ShownState;
  /** The delivery that determines the state. */
  main: Delivery;
  /** All deliveries to this recipient: the beginning, the reminders, the end. */
  deliveries: readonly Delivery[];
  /** The number of reminders that arrived. */
  reminders: number;
  /** When the next reminder is sent if the alarm is still open then, epoch milliseconds. */
  planned: number | undefined;
}

/** A reminder that waits only for its time. */
export function isPlanned({ event, state, attempts, reason }: Delivery): boolean {
  return event === 'reminder' && state === 'queued' && attempts === 0 && reason !== 'server';
}

const eventOrder: Record<Delivery['event'], number> = {
  triggered: 0,
  reminder: 1,
  acknowledged: 2,
  unacknowledged: 2,
  resolved: 3,
};
/** Failures, which need action, come first. */
const stateOrder: Record<ShownState, number> = { failed: 0, queued: 1, sent: 2, logged: 2, skipped: 2 };

/**
 * Groups deliveries by recipient. Recipients who were not notified come first; otherwise the order
 * is that of the first deliveries.
 */
export function notifiedRecipients(deliveries: readonly Delivery[]): NotifiedRecipient[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of [...deliveries].sort((a, b) => a.createTime - b.createTime || a.id - b.id)) {
    // Two webhooks may have the same host as recipient, so the channel tells them apart.
    const key = `${delivery.mode} ${delivery.recipient} ${delivery.mode === 'webhook' ? delivery.channel : ''}`;
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  return [...groups]
    .flatMap(([key, group]) => recipientOf(key, group))
    .sort((a, b) => stateOrder[a.state] - stateOrder[b.state]);
}

function recipientOf(key: string, group: Delivery[]): NotifiedRecipient[] {
  const deliveries = group.sort((a, b) => eventOrder[a.event] - eventOrder[b.event]);
  const [first] = deliveries;
  if (!first) return [];
  const main =
    deliveries.findLast(({ state }) => state === 'failed') ??
    deliveries.findLast((delivery) => delivery.state === 'queued' && !isPlanned(delivery)) ??
    first;
  const { recipient, people = [], channel, mode } = first;
  const reminders = deliveries.filter(
    (delivery) => delivery.event === 'reminder' && shownState(delivery) === 'sent',
  ).length;
  const planned = deliveries.findLast(isPlanned)?.nextTime;
  return [{ key, recipient, people, channel, mode, state: shownState(main), main, deliveries, reminders, planned }];
}

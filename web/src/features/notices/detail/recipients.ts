import type { Delivery } from '../queries';

export type DeliveryState = Delivery['state'];

/** How a delivery stands, as people read it: what only the server's log got was not sent. */
export type ShownState = DeliveryState | 'logged';

export function shownState({ state, reason }: Pick<Delivery, 'state' | 'reason'>): ShownState {
  return state === 'sent' && reason === 'logged' ? 'logged' : state;
}

/** What one recipient was told of a notice, and how that went. */
export interface NotifiedRecipient {
  key: string;
  recipient: string;
  channel: string;
  mode: Delivery['mode'];
  /** Failed where anything failed, else waiting where anything waits; else what became of the alarm's beginning. */
  state: ShownState;
  /** The delivery that the state is of. */
  main: Delivery;
  /** Everything that this one was told: the beginning, the reminders, the end. */
  deliveries: readonly Delivery[];
  /** Reminders that arrived. */
  reminders: number;
  /** When the next one goes out if the alarm is still open then, epoch milliseconds. */
  planned: number | undefined;
}

/** A reminder whose time is still to come: it waits for nothing but that. */
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
/** What somebody must mend comes first. */
const stateOrder: Record<ShownState, number> = { failed: 0, queued: 1, sent: 2, logged: 2, skipped: 2 };

/** What is known of deliveries by recipient: those who were not told first, then in the order in which they were thought of. */
export function notifiedRecipients(deliveries: readonly Delivery[]): NotifiedRecipient[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of [...deliveries].sort((a, b) => a.createTime - b.createTime || a.id - b.id)) {
    // Two webhooks may be called at one host.
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
  const { recipient, channel, mode } = first;
  const reminders = deliveries.filter((one) => one.event === 'reminder' && shownState(one) === 'sent').length;
  const planned = deliveries.findLast(isPlanned)?.nextTime;
  return [{ key, recipient, channel, mode, state: shownState(main), main, deliveries, reminders, planned }];
}

import type { Delivery } from '../queries';

/** One line of who was told: what of one channel, one way and one event came to the same end. */
export interface ToldLine {
  key: string;
  state: Delivery['state'];
  event: Delivery['event'];
  mode: Delivery['mode'];
  /** The channel; of what failed, the recipient. */
  name: string;
  /** So many recipients of so many. */
  count: number;
  all: number;
  /** The most attempts that one of them took. */
  attempts: number;
  /** From being written down to being accepted; the longest, in milliseconds. */
  tookMs: number;
  error: string | undefined;
  /** Of the newest, epoch milliseconds. */
  time: number;
}

const order: Record<Delivery['state'], number> = { sent: 0, failed: 1, queued: 2, skipped: 3 };

/**
 * What is known of each recipient as lines to be read: who got it together, and for what failed each recipient alone, since somebody must mend
 * that address. In the order of events, then of the channels.
 */
export function toldLines(deliveries: readonly Delivery[]): ToldLine[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of [...deliveries].sort((a, b) => a.createTime - b.createTime)) {
    const key = JSON.stringify([delivery.event, delivery.channel, delivery.mode]);
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  const ended = ([key]: [string, unknown]) => Number(key.startsWith('["resolved"'));
  return [...groups].sort((a, b) => ended(a) - ended(b)).flatMap(([key, group]) => linesOf(key, group));
}

function linesOf(key: string, group: readonly Delivery[]): ToldLine[] {
  const parts = new Map<string, Delivery[]>();
  for (const delivery of group) {
    // Together only what has the same to say.
    const same = JSON.stringify([
      order[delivery.state],
      delivery.state === 'failed' ? delivery.recipient : '',
      delivery.state === 'sent' ? '' : (delivery.lastError ?? ''),
    ]);
    parts.set(same, [...(parts.get(same) ?? []), delivery]);
  }
  return [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([part, list]) => {
      const [first] = list;
      if (!first) return [];
      const most = (of: (delivery: Delivery) => number) => Math.max(...list.map(of));
      return {
        key: key + part,
        state: first.state,
        event: first.event,
        mode: first.mode,
        name: first.state === 'failed' ? first.recipient : first.channel,
        count: list.length,
        all: group.length,
        attempts: most(({ attempts }) => attempts),
        tookMs: most(({ createTime, updateTime }) => updateTime - createTime),
        error: list.find(({ lastError }) => lastError)?.lastError,
        time: most(({ updateTime }) => updateTime),
      };
    });
}

import { describe, expect, it } from 'vitest';
import { isWaiting } from '@/lib/alarm/notice';
import type { Delivery } from '../queries';
import { notifiedRecipients } from './recipients';

let made = 0;
const delivery = (change: Partial<Delivery> = {}): Delivery => {
  made += 1;
  return {
    id: made,
    channel: 'Night crew',
    recipient: 'a@farm.example',
    mode: 'email',
    event: 'triggered',
    state: 'sent',
    attempts: 1,
    createTime: 1000,
    updateTime: 1800,
    steps: [],
    ...change,
  };
};
const brief = (deliveries: Delivery[]) =>
  notifiedRecipients(deliveries).map(({ recipient, state, deliveries: all }) => `${recipient} ${state} ${all.length}`);

describe('the notified recipients', () => {
  it('are none without deliveries', () => {
    expect(notifiedRecipients([])).toEqual([]);
  });

  it('are one a recipient, first those who were not notified, then those who wait', () => {
    expect(
      brief([
        delivery({ recipient: 'c', state: 'skipped', createTime: 900 }),
        delivery(),
        delivery({ recipient: 'w', state: 'queued' }),
        delivery({ recipient: 'x', state: 'failed' }),
        delivery({ mode: 'phoneMessage', recipient: '+905551112233', state: 'skipped', reason: 'logged' }),
      ]),
    ).toEqual(['x failed 1', 'w queued 1', 'c skipped 1', 'a@farm.example sent 1', '+905551112233 logged 1']);
  });

  it('include two webhooks at one host separately', () => {
    const hook = { mode: 'webhook', recipient: 'planner.example' } as const;
    expect(
      brief([
        delivery({ ...hook, channel: 'Planner' }),
        delivery({ ...hook, channel: 'Pumps', state: 'failed' }),
        delivery({ ...hook, channel: 'Planner', event: 'resolved' }),
      ]),
    ).toEqual(['planner.example failed 1', 'planner.example sent 2']);
  });

  it('have their deliveries in the order of events and count the reminders that arrived', () => {
    const [one] = notifiedRecipients([
      delivery({ event: 'resolved', createTime: 500 }),
      delivery({ event: 'reminder', createTime: 3000 }),
      delivery({ event: 'reminder', createTime: 2000 }),
      delivery({ event: 'reminder', createTime: 4000, state: 'skipped', reason: 'ended' }),
      delivery({ event: 'reminder', createTime: 5000, state: 'skipped', reason: 'logged' }),
      delivery(),
    ]);
    expect(one?.deliveries.map(({ event, createTime }) => [event, createTime])).toEqual([
      ['triggered', 1000],
      ['reminder', 2000],
      ['reminder', 3000],
      ['reminder', 4000],
      ['reminder', 5000],
      ['resolved', 500],
    ]);
    expect(one).toMatchObject({ state: 'sent', reminders: 2 });
  });

  it.each<[string, Partial<Delivery>[], string]>([
    ['the failed delivery, although the others arrived', [{}, { event: 'reminder', state: 'failed' }], 'reminder'],
    ['the waiting delivery', [{}, { event: 'resolved', state: 'queued' }], 'resolved'],
    [
      'a failed delivery rather than a waiting one',
      [{ state: 'failed' }, { event: 'resolved', state: 'queued' }],
      'triggered',
    ],
    [
      'the beginning, while the next reminder is planned',
      [{}, { event: 'reminder', state: 'queued', attempts: 0 }],
      'triggered',
    ],
    [
      'a reminder that cannot be sent',
      [{}, { event: 'reminder', state: 'queued', attempts: 0, reason: 'server' }],
      'reminder',
    ],
    [
      'a reminder that is retried',
      [{}, { event: 'reminder', state: 'queued', attempts: 2, reason: 'retry' }],
      'reminder',
    ],
    ['the beginning if nothing waits', [{}, { event: 'resolved', state: 'skipped' }], 'triggered'],
  ])('shows of one recipient %s', (_, changes, event) => {
    expect(notifiedRecipients(changes.map((change) => delivery(change)))[0]?.main.event).toBe(event);
  });
});

it('waits only while a delivery waits', () => {
  expect(isWaiting([delivery()])).toBe(false);
  expect(isWaiting([delivery(), delivery({ state: 'queued', reason: 'retry', nextTime: 1 })])).toBe(true);
});

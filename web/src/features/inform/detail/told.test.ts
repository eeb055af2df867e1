import { describe, expect, it } from 'vitest';
import type { Delivery } from '../queries';
import { toldLines } from './told';

const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  channel: 'Night crew',
  recipient: 'a@farm.example',
  mode: 'email',
  event: 'triggered',
  state: 'sent',
  attempts: 1,
  createTime: 1000,
  updateTime: 1800,
  ...change,
});
const brief = (deliveries: Delivery[]) =>
  toldLines(deliveries).map(({ name, state, count, all }) => `${name} ${state} ${count}/${all}`);

describe('who was told', () => {
  it('is nobody without deliveries', () => {
    expect(toldLines([])).toEqual([]);
  });

  it('has one line for those who got it together, and one for each who did not', () => {
    const failed = { state: 'failed', lastError: 'no such domain', attempts: 5 } as const;
    expect(
      brief([
        delivery({ recipient: 'x@wrong.example', ...failed }),
        delivery(),
        delivery({ recipient: 'b@farm.example', updateTime: 2400 }),
        delivery({ recipient: 'y@wrong.example', ...failed }),
      ]),
    ).toEqual(['Night crew sent 2/4', 'x@wrong.example failed 1/4', 'y@wrong.example failed 1/4']);
  });

  it('keeps channels, ways, events and reasons apart, the end last', () => {
    expect(
      brief([
        delivery({ event: 'resolved', createTime: 500 }),
        delivery({ mode: 'phoneMessage', recipient: '+905551112233', createTime: 1001 }),
        delivery(),
        delivery({ channel: 'Office', state: 'skipped', lastError: 'outside the period', createTime: 1002 }),
        delivery({ channel: 'Office', state: 'skipped', lastError: 'muted', recipient: 'c', createTime: 1003 }),
        delivery({ channel: 'Office', state: 'queued', recipient: 'd', createTime: 1004 }),
      ]),
    ).toEqual([
      'Night crew sent 1/1',
      'Night crew sent 1/1',
      'Office queued 1/3',
      'Office skipped 1/3',
      'Office skipped 1/3',
      'Night crew sent 1/1',
    ]);
    expect(toldLines([delivery({ event: 'resolved', createTime: 500 }), delivery()]).map(({ event }) => event)).toEqual(
      ['triggered', 'resolved'],
    );
  });

  it('says how long the slowest took, at which attempt, and what stood in the way before', () => {
    const [line] = toldLines([
      delivery({ attempts: 2, lastError: 'timed out', updateTime: 30_000 }),
      delivery({ recipient: 'b@farm.example' }),
    ]);
    expect(line).toMatchObject({ attempts: 2, tookMs: 29_000, error: 'timed out', time: 30_000, count: 2 });
  });
});

import { describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { Turns } from './turns';

const never = new AbortController().signal;
const settle = () => new Promise((done) => setImmediate(done));

describe('turns', () => {
  it('lets so many run at once, the others in the order in which they came', async () => {
    const turns = new Turns(2);
    const gates = [gate(), gate(), gate(), gate()];
    const begun: number[] = [];
    const all = gates.map(({ passed }, i) =>
      turns.take(async () => {
        begun.push(i);
        await passed;
        return i;
      }, never),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('go on after work that failed', async () => {
    const turns = new Turns(1);
    const failing = turns.take(() => Promise.reject(new Error('no')), never);
    const next = turns.take(async () => 'done', never);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.take(async () => 'again', never)).toBe('again');
  });

  it('never begin what was given up, and give its place to the next', async () => {
    const turns = new Turns(1);
    const first = gate();
    const gone = new AbortController();
    const work = vi.fn(async () => 'never');
    const running = turns.take(() => first.passed, never);
    const given = turns.take(work, gone.signal);
    const last = turns.take(async () => 'last', never);
    gone.abort();
    await expect(given).rejects.toBe(gone.signal.reason);
    first.open();
    await running;
    expect(await last).toBe('last');
    await expect(turns.take(work, gone.signal)).rejects.toBe(gone.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });
});

import { describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { Semaphore } from './semaphore';

const neverAborted = new AbortController().signal;
const flushTasks = () => new Promise((done) => setImmediate(done));

describe('turns', () => {
  it('lets so many run at once, the others in the order in which they came', async () => {
    const turns = new Semaphore(2);
    const gates = [gate(), gate(), gate(), gate()];
    const begun: number[] = [];
    const all = gates.map(({ passed }, i) =>
      turns.run(async () => {
        begun.push(i);
        await passed;
        return i;
      }, neverAborted),
    );
    await flushTasks();
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await flushTasks();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('go on after work that failed', async () => {
    const turns = new Semaphore(1);
    const failing = turns.run(() => Promise.reject(new Error('no')), neverAborted);
    const next = turns.run(async () => 'done', neverAborted);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.run(async () => 'again', neverAborted)).toBe('again');
  });

  it('never begin what was given up, and give its place to the next', async () => {
    const turns = new Semaphore(1);
    const first = gate();
    const gone = new AbortController();
    const work = vi.fn(async () => 'never');
    const running = turns.run(() => first.passed, neverAborted);
    const given = turns.run(work, gone.signal);
    const last = turns.run(async () => 'last', neverAborted);
    gone.abort();
    await expect(given).rejects.toBe(gone.signal.reason);
    first.open();
    await running;
    expect(await last).toBe('last');
    await expect(turns.run(work, gone.signal)).rejects.toBe(gone.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });
});

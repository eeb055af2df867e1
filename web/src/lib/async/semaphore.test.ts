import { describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { Semaphore } from './semaphore';

const neverAborted = new AbortController().signal;
const flushTasks = () => new Promise((done) => setImmediate(done));

describe('a semaphore', () => {
  it('limits concurrent jobs and starts the others in order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const gates = [gate(), gate(), gate(), gate()];
    const begun: number[] = [];
    const all = gates.map(({ passed }, i) =>
      semaphore.run(async () => {
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

  it('continues after a failed job', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('no')), neverAborted);
    const next = semaphore.run(async () => 'done', neverAborted);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await semaphore.run(async () => 'again', neverAborted)).toBe('again');
  });

  it('never starts an aborted job, and gives its slot to the next', async () => {
    const semaphore = new Semaphore(1);
    const first = gate();
    const gone = new AbortController();
    const work = vi.fn(async () => 'never');
    const running = semaphore.run(() => first.passed, neverAborted);
    const given = semaphore.run(work, gone.signal);
    const last = semaphore.run(async () => 'last', neverAborted);
    gone.abort();
    await expect(given).rejects.toBe(gone.signal.reason);
    first.open();
    await running;
    expect(await last).toBe('last');
    await expect(semaphore.run(work, gone.signal)).rejects.toBe(gone.signal.reason);
    expect(work).not.toHaveBeenCalled();
  });
});

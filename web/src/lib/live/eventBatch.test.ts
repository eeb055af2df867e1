import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveEvent } from './event';
import { EventBatch } from './eventBatch';

const reading = (time: number): LiveEvent => ({
  name: 'reading',
  data: { deviceName: 'WS-0001', time, values: { a: 1 } },
});
let frames: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const drawFrame = () => {
  for (const draw of frames.splice(0)) draw();
};

describe('a batch', () => {
  it('is delivered once per frame, in order', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    batch.add(reading(1));
    batch.add(reading(2));
    expect(deliver).not.toHaveBeenCalled();
    drawFrame();
    expect(deliver).toHaveBeenCalledExactlyOnceWith([reading(1), reading(2)]);
    vi.advanceTimersByTime(250);
    batch.add(reading(3));
    drawFrame();
    expect(deliver).toHaveBeenLastCalledWith([reading(3)]);
    vi.runAllTimers();
    expect(deliver).toHaveBeenCalledTimes(2);
  });

  it('waits a quarter of a second after the one before', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    batch.add(reading(1));
    drawFrame();
    vi.advanceTimersByTime(100);
    batch.add(reading(2));
    vi.advanceTimersByTime(149);
    batch.add(reading(3));
    drawFrame();
    expect(deliver).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    drawFrame();
    expect(deliver).toHaveBeenCalledTimes(2);
    expect(deliver).toHaveBeenLastCalledWith([reading(2), reading(3)]);
  });

  it('is delivered once a second without frames', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    batch.add(reading(1));
    vi.advanceTimersByTime(999);
    expect(deliver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(deliver).toHaveBeenCalledExactlyOnceWith([reading(1)]);
  });

  it('drops events before a reset, which are refetched', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    batch.add(reading(1));
    batch.add({ name: 'reset' });
    batch.add(reading(2));
    drawFrame();
    expect(deliver).toHaveBeenCalledExactlyOnceWith([{ name: 'reset' }, reading(2)]);
  });

  it('becomes a reset before it becomes too large', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    for (let i = 0; i < 5001; i++) batch.add(reading(i));
    drawFrame();
    expect(deliver).toHaveBeenCalledExactlyOnceWith([{ name: 'reset' }]);
  });

  it('delivers nothing after it was cleared', () => {
    const deliver = vi.fn();
    const batch = new EventBatch(deliver);
    batch.add(reading(1));
    batch.clear();
    vi.runAllTimers();
    expect(deliver).not.toHaveBeenCalled();
  });
});

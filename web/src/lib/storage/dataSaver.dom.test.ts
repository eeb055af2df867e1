import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answerDataSaverOffer,
  recordCallDuration,
  resetConnectionWatch,
  useDataSaverOffer,
  watchConnection,
} from './dataSaver';
import { usePreferences } from './preferences';

const isOffered = () => useDataSaverOffer.getState().weak;

class Line extends EventTarget {
  effectiveType = '4g';
  saveData = false;
}
let line: Line;
let stop = () => {};

beforeEach(() => {
  line = new Line();
  Object.defineProperty(navigator, 'connection', { value: line, configurable: true });
});
afterEach(() => {
  stop();
  Reflect.deleteProperty(navigator, 'connection');
  vi.useRealTimers();
});

describe('the data saver is offered', () => {
  it('if the browser reports a slow connection, now or later', () => {
    stop = watchConnection();
    expect(isOffered()).toBe(false);
    line.effectiveType = '2g';
    line.dispatchEvent(new Event('change'));
    expect(isOffered()).toBe(true);
    resetConnectionWatch();
    stop();
    stop = watchConnection();
    expect(isOffered()).toBe(true);
  });

  it('if the user has told the browser to save data', () => {
    line.saveData = true;
    stop = watchConnection();
    expect(isOffered()).toBe(true);
  });

  it('if three of the last five calls took long', () => {
    for (const ms of [7_000, 100, 8_000, 100, 100, 7_000]) recordCallDuration(ms);
    expect(isOffered()).toBe(false);
    recordCallDuration(9_000);
    expect(isOffered()).toBe(true);
  });

  it('not again for thirty days after a refusal, and never turns itself on', () => {
    vi.useFakeTimers();
    line.saveData = true;
    stop = watchConnection();
    expect(usePreferences.getState().saveData).toBe(false);
    answerDataSaverOffer(false);
    expect(isOffered()).toBe(false);
    line.dispatchEvent(new Event('change'));
    expect(isOffered()).toBe(false);
    expect(usePreferences.getState().saveData).toBe(false);
    vi.advanceTimersByTime(30 * 24 * 3_600_000);
    line.dispatchEvent(new Event('change'));
    expect(isOffered()).toBe(true);
  });

  it('and turned on when the user agrees; it stays on in this browser', () => {
    line.saveData = true;
    stop = watchConnection();
    answerDataSaverOffer(true);
    expect(usePreferences.getState().saveData).toBe(true);
    expect(JSON.parse(localStorage.getItem('tilth.preferences') ?? '').state.saveData).toBe(true);
  });

  it('not if the browser reports nothing about the connection', () => {
    Reflect.deleteProperty(navigator, 'connection');
    stop = watchConnection();
    expect(isOffered()).toBe(false);
  });
});

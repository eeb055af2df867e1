import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usePreferences } from './preferences';
import { answerOffer, followLine, forgetLine, noteCall, useSaverOffer } from './saver';

const weak = () => useSaverOffer.getState().weak;

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
  it('where the browser says that the line is weak, now or later', () => {
    stop = followLine();
    expect(weak()).toBe(false);
    line.effectiveType = '2g';
    line.dispatchEvent(new Event('change'));
    expect(weak()).toBe(true);
    forgetLine();
    stop();
    stop = followLine();
    expect(weak()).toBe(true);
  });

  it('where the person has told the browser to save', () => {
    line.saveData = true;
    stop = followLine();
    expect(weak()).toBe(true);
  });

  it('where three of the last five calls took long', () => {
    for (const ms of [7_000, 100, 8_000, 100, 100, 7_000]) noteCall(ms);
    expect(weak()).toBe(false);
    noteCall(9_000);
    expect(weak()).toBe(true);
  });

  it('not again for thirty days to who said no, and never turns itself on', () => {
    vi.useFakeTimers();
    line.saveData = true;
    stop = followLine();
    expect(usePreferences.getState().saveData).toBe(false);
    answerOffer(false);
    expect(weak()).toBe(false);
    line.dispatchEvent(new Event('change'));
    expect(weak()).toBe(false);
    expect(usePreferences.getState().saveData).toBe(false);
    vi.advanceTimersByTime(30 * 24 * 3_600_000);
    line.dispatchEvent(new Event('change'));
    expect(weak()).toBe(true);
  });

  it('and turned on when the person says so; it stays so in this browser', () => {
    line.saveData = true;
    stop = followLine();
    answerOffer(true);
    expect(usePreferences.getState().saveData).toBe(true);
    expect(JSON.parse(localStorage.getItem('tilth.preferences') ?? '').state.saveData).toBe(true);
  });

  it('not where browsers tell nothing of the line', () => {
    Reflect.deleteProperty(navigator, 'connection');
    stop = followLine();
    expect(weak()).toBe(false);
  });
});

import type { Span } from './range';

/** The share of the range that is shown at first. */
export const initialShare = 0.2;
/** The minimum length of a window: a sensor reports once in ten seconds at most. */
const minWindowMs = 60_000;

export function initialWindow({ from, to }: Span): Span {
  return { from, to: from + (to - from) * initialShare };
}

const minLength = (range: Span) => Math.min(minWindowMs, range.to - range.from);

/** Moves a window into the range and keeps its length as far as the range allows. */
export function clampToRange(window: Span, range: Span): Span {
  const length = Math.min(Math.max(window.to - window.from, minLength(range)), range.to - range.from);
  const from = Math.min(Math.max(window.from, range.from), range.to - length);
  return { from, to: from + length };
}

/** Makes the window `factor` times as long around a time that stays where it is on the screen. */
export function zoom(window: Span, range: Span, factor: number, around = (window.from + window.to) / 2): Span {
  const length = window.to - window.from;
  const longest = range.to - range.from;
  const next = Math.min(Math.max(length * factor, minLength(range)), longest);
  const share = length === 0 ? 0.5 : (around - window.from) / length;
  return clampToRange({ from: around - share * next, to: around + (1 - share) * next }, range);
}

/** Moves the window by a share of its own length, forward if positive. */
export function pan(window: Span, range: Span, share: number): Span {
  const by = (window.to - window.from) * share;
  return clampToRange({ from: window.from + by, to: window.to + by }, range);
}

/**
 * Two fingers: the times under them follow them. `before` and `after` are their positions, 0 to 1
 * of the window at the gesture's beginning.
 */
export function pinch(window: Span, range: Span, before: [number, number], after: [number, number]): Span {
  const length = window.to - window.from;
  const spread = Math.abs(before[1] - before[0]);
  const now = Math.abs(after[1] - after[0]);
  if (spread < 0.01 || now < 0.01) return window;
  const next = Math.min(Math.max((length * spread) / now, minLength(range)), range.to - range.from);
  const heldTime = window.from + (length * (before[0] + before[1])) / 2;
  const from = heldTime - (next * (after[0] + after[1])) / 2;
  return clampToRange({ from, to: from + next }, range);
}

/**
 * A window of the same length that begins a little before a time, so that its reading is not at the
 * edge.
 */
export function windowAt(time: number, window: Span, range: Span): Span {
  const length = window.to - window.from;
  const from = time - 0.02 * length;
  return clampToRange({ from, to: from + length }, range);
}

/** Moves one end, never past the other. */
export function moveEnd(window: Span, range: Span, end: 'from' | 'to', time: number): Span {
  const shortest = minLength(range);
  if (end === 'from') return { from: Math.max(range.from, Math.min(time, window.to - shortest)), to: window.to };
  return { from: window.from, to: Math.min(range.to, Math.max(time, window.from + shortest)) };
}

/**
 * A little more than is in view, so that a short move needs no request; rounded to the minute, so
 * that the cache finds it again.
 */
export function detailSpan(window: Span, range: Span): Span {
  const beside = (window.to - window.from) / 4;
  const minute = 60_000;
  return {
    from: Math.max(range.from, Math.floor((window.from - beside) / minute) * minute),
    to: Math.min(range.to, Math.ceil((window.to + beside) / minute) * minute),
  };
}

export function covers(outer: Span, inner: Span): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

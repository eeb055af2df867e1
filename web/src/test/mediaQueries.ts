import { act } from '@testing-library/react';

let width = 1440;
let reducedMotion = false;
const mediaQueryLists = new Set<{ query: string; listeners: Set<() => void> }>();

function matches(query: string): boolean {
  if (query === '(prefers-reduced-motion: reduce)') return reducedMotion;
  const min = /min-width:\s*(\d+)px/.exec(query)?.[1];
  const max = /max-width:\s*(\d+)px/.exec(query)?.[1];
  if (min === undefined && max === undefined) return false;
  return (min === undefined || width >= Number(min)) && (max === undefined || width <= Number(max));
}

/**
 * jsdom has no media queries: this fake supports widths and reduced motion; every other feature is
 * unset.
 */
window.matchMedia = ((query: string) => {
  const list = { query, listeners: new Set<() => void>() };
  mediaQueryLists.add(list);
  return {
    media: query,
    get matches() {
      return matches(query);
    },
    addEventListener: (_: string, listener: () => void) => list.listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => list.listeners.delete(listener),
    addListener: (listener: () => void) => list.listeners.add(listener),
    removeListener: (listener: () => void) => list.listeners.delete(listener),
  };
}) as unknown as typeof window.matchMedia;

/** Sets the window's width in pixels. */
export function setWidth(pixels: number): void {
  width = pixels;
  notifyListeners();
}

/** Sets whether the user prefers reduced motion. */
export function setReducedMotion(wanted: boolean): void {
  reducedMotion = wanted;
  notifyListeners();
}

function notifyListeners(): void {
  act(() => {
    for (const { listeners } of mediaQueryLists) for (const listener of listeners) listener();
  });
}

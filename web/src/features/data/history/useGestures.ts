import { type RefObject, useEffect, useRef } from 'react';
import type { Span } from './range';
import { pan, pinch, zoom } from './window';

interface Gestures {
  range: Span;
  window: Span;
  /** The left edge and width of the plots within the surface, in pixels. */
  left: number;
  width: number;
  onWindow: (window: Span) => void;
  /** The time under the pointer, null once it has left. */
  onPoint: (time: number | null) => void;
}

/** A resting finger moves by up to this many pixels. */
const minDragPixels = 5;

/** Wheel, drag and pinch on the chart. A vertical swipe scrolls the page. */
export function useGestures(surface: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const now = useRef(gestures);
  now.current = gestures;

  useEffect(() => {
    const element = surface.current;
    if (!element) return;
    const fingers = new Map<number, number>();
    let began: { window: Span; places: number[] } | null = null;
    let moved = false;

    const shareOf = (clientX: number) => {
      const { left, width } = now.current;
      return (clientX - element.getBoundingClientRect().left - left) / width;
    };
    const timeOf = (share: number) => {
      const { window } = now.current;
      return window.from + Math.min(1, Math.max(0, share)) * (window.to - window.from);
    };
    const begin = () => {
      began = fingers.size === 0 ? null : { window: now.current.window, places: [...fingers.values()] };
    };

    const down = (event: PointerEvent) => {
      if (event.button !== 0 || fingers.size === 2) return;
      element.setPointerCapture?.(event.pointerId);
      fingers.set(event.pointerId, shareOf(event.clientX));
      moved = fingers.size > 1;
      begin();
    };
    const move = (event: PointerEvent) => {
      const share = shareOf(event.clientX);
      if (!fingers.has(event.pointerId)) {
        if (event.pointerType === 'mouse') now.current.onPoint(timeOf(share));
        return;
      }
      fingers.set(event.pointerId, share);
      if (!began) return;
      const { range, width, onWindow } = now.current;
      const places = [...fingers.values()];
      const [first = 0, second] = began.places;
      if (second !== undefined && places.length === 2) {
        onWindow(pinch(began.window, range, [first, second], places as [number, number]));
        return;
      }
      const by = (places[0] ?? 0) - first;
      if (!moved && Math.abs(by) * width < minDragPixels) return;
      moved = true;
      now.current.onPoint(null);
      onWindow(pan(began.window, range, -by));
    };
    const up = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId)) return;
      if (!moved) now.current.onPoint(timeOf(shareOf(event.clientX)));
      // The remaining finger continues from where it is.
      begin();
    };
    const cancel = (event: PointerEvent) => {
      fingers.delete(event.pointerId);
      begin();
    };
    const leave = (event: PointerEvent) => {
      if (event.pointerType === 'mouse' && fingers.size === 0) now.current.onPoint(null);
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { window, range, onWindow } = now.current;
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const [x, y] = [event.deltaX * lines, event.deltaY * lines];
      if (event.shiftKey || Math.abs(x) > Math.abs(y)) {
        onWindow(pan(window, range, (event.shiftKey && x === 0 ? y : x) / 600));
        return;
      }
      onWindow(zoom(window, range, Math.exp(Math.max(-300, Math.min(300, y)) / 400), timeOf(shareOf(event.clientX))));
    };

    const listeners: [string, (event: never) => void, AddEventListenerOptions?][] = [
      ['pointerdown', down],
      ['pointermove', move],
      ['pointerup', up],
      ['pointercancel', cancel],
      ['pointerleave', leave],
      // Not passive: the wheel zooms here, and the page must not scroll.
      ['wheel', wheel, { passive: false }],
    ];
    for (const [name, listener, options] of listeners)
      element.addEventListener(name, listener as EventListener, options);
    return () => {
      for (const [name, listener] of listeners) element.removeEventListener(name, listener as EventListener);
    };
  }, [surface]);
}

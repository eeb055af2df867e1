import { type RefObject, useEffect, useRef } from 'react';
import type { Span } from '../data/line';
import { type Geometry, timeAt, xOf } from './geometry';

interface Surface {
  geometry: Geometry;
  span: Span;
  /** The place under the pointer; null once it has left. */
  onPoint: (at: number | null) => void;
  /** The part that is being chosen with a mouse; null: none. */
  onBrush: (brush: Span | null) => void;
  /** A part was chosen. */
  onChoose: (span: Span) => void;
}

/** A mouse that rests moves by up to this many pixels. */
const minDragPx = 6;

/**
 * The pointer on the chart: a mouse points, and chooses a part by dragging; a finger that moves
 * across points. A vertical swipe scrolls the page.
 */
export function useSurface(place: RefObject<HTMLElement | null>, surface: Surface): void {
  const now = useRef(surface);
  now.current = surface;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let began: number | null = null;
    const at = (event: PointerEvent) => {
      const { geometry, span } = now.current;
      return timeAt(event.clientX - element.getBoundingClientRect().left, span, geometry);
    };
    const brushTo = (end: number): Span | null => {
      if (began === null) return null;
      const { span, geometry } = now.current;
      const far = Math.abs(xOf(end, span, geometry) - xOf(began, span, geometry)) >= minDragPx;
      return far ? { from: Math.min(began, end), to: Math.max(began, end) } : null;
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      element.setPointerCapture?.(event.pointerId);
      if (event.pointerType === 'mouse') began = at(event);
      else now.current.onPoint(at(event));
    };
    const move = (event: PointerEvent) => {
      const place = at(event);
      now.current.onPoint(place);
      if (began !== null) now.current.onBrush(brushTo(place));
    };
    const up = (event: PointerEvent) => {
      const chosen = brushTo(at(event));
      began = null;
      now.current.onBrush(null);
      if (chosen) now.current.onChoose(chosen);
    };
    const leave = (event: PointerEvent) => {
      // A finger that was lifted leaves the values in view.
      if (event.pointerType === 'mouse' && began === null) now.current.onPoint(null);
    };
    const cancel = () => {
      began = null;
      now.current.onBrush(null);
    };
    const listeners = {
      pointerdown: down,
      pointermove: move,
      pointerup: up,
      pointerleave: leave,
      pointercancel: cancel,
    };
    const entries = Object.entries(listeners) as [keyof typeof listeners, (event: PointerEvent) => void][];
    for (const [type, listener] of entries) element.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of entries) element.removeEventListener(type, listener);
    };
  }, [place]);
}

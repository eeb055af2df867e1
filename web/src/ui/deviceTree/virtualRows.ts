import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';

/** The offset of each row, and finally the end of the last one. */
export function rowOffsets<T>(rows: readonly T[], heightOf: (row: T) => number): number[] {
  const offsets = [0];
  let end = 0;
  for (const row of rows) {
    end += heightOf(row);
    offsets.push(end);
  }
  return offsets;
}

/**
 * The first row that ends beyond a height: a binary search, because each scroll searches ten
 * thousand rows.
 */
function rowAt(offsets: readonly number[], y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle + 1] ?? Number.POSITIVE_INFINITY) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The rows to render: those in view and some overscan, from `from` up to but without `to`. */
export function rowsInView(
  offsets: readonly number[],
  top: number,
  height: number,
  beside: number,
): { from: number; to: number } {
  const count = offsets.length - 1;
  return {
    from: Math.max(0, rowAt(offsets, top) - beside),
    to: Math.min(count, rowAt(offsets, top + height) + 1 + beside),
  };
}

/** Used before the frame has been measured. */
const assumedHeight = 640;
const overscan = 8;

/** Which rows of a scrolling frame to render. */
export function useVirtualRows(frame: RefObject<HTMLElement | null>, offsets: readonly number[]) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(assumedHeight);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const scrolled = () => setTop(element.scrollTop);
    const resized = () => setHeight(element.clientHeight || assumedHeight);
    // It also tells the first height, once the page has been laid out.
    const observer = new ResizeObserver(resized);
    observer.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [frame]);
  return useMemo(() => rowsInView(offsets, top, height, overscan), [offsets, top, height]);
}

/** How far to scroll so that a row is in view; null when it is. */
export function scrollFor(offsets: readonly number[], row: number, top: number, height: number): number | null {
  const [begins, ends] = [offsets[row], offsets[row + 1]];
  if (begins === undefined || ends === undefined) return null;
  if (begins < top) return begins;
  return ends > top + height ? ends - height : null;
}

import type { RefObject } from 'react';
import { useKeys } from '@/lib/hooks/useKeys';
import type { Axis, Column } from '../data/column';
import type { Span } from '../data/line';
import { stepFrom } from './crosshair';

interface ChartKeys {
  columns: readonly Column[];
  axis: Axis;
  span: Span;
  /** The place of the crosshair; null: none. */
  point: number | null;
  onPoint: (at: number | null) => void;
  onMove: (share: number) => void;
  onZoom: (factor: number, around: number) => void;
}

/** The keys of the chart's surface. */
export function useChartKeys(place: RefObject<HTMLElement | null>, keys: ChartKeys): void {
  useKeys(place, (key, shift) => handle(keys, key, shift));
}

/** Returns whether the key was used. */
function handle({ columns, axis, span, point, onPoint, onMove, onZoom }: ChartKeys, key: string, shift: boolean) {
  const from = point ?? (span.from + span.to) / 2;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      const direction = key === 'ArrowLeft' ? -1 : 1;
      if (shift) onMove(direction / 4);
      else onPoint(stepFrom(columns, axis, from, direction, span));
      return true;
    }
    case 'Home':
      onPoint(stepFrom(columns, axis, span.from - 1, 1, span));
      return true;
    case 'End':
      onPoint(stepFrom(columns, axis, span.to + 1, -1, span));
      return true;
    case 'PageUp':
    case 'PageDown':
      onMove(key === 'PageUp' ? -1 : 1);
      return true;
    case '+':
    case '=':
      onZoom(0.5, from);
      return true;
    case '-':
    case '_':
      onZoom(2, from);
      return true;
    case 'Escape':
      onPoint(null);
      return point !== null;
    default:
      return false;
  }
}

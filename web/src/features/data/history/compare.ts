import { type Span, spanBefore } from './range';

/**
 * What the readings are compared with: the same device's period before, or another device at the
 * same time.
 */
export type Comparison =
  | { with: 'nothing' }
  | { with: 'before' }
  | { with: 'device'; deviceName: string; title: string };

/**
 * The device and range of the compared readings, and by how much they are shifted to lie over
 * these; null for no comparison.
 */
export function comparisonSource(
  comparison: Comparison,
  deviceName: string,
  range: Span,
): { deviceName: string; range: Span; shift: number } | null {
  switch (comparison.with) {
    case 'nothing':
      return null;
    case 'before': {
      const before = spanBefore(range);
      return { deviceName, range: before, shift: range.from - before.from };
    }
    case 'device':
      return { deviceName: comparison.deviceName, range, shift: 0 };
  }
}

import type { Line } from './line';

/**
 * How a property is drawn. `line`: a quantity. `sum`: an amount since the previous reading, as bars
 * of sums. `direction`: compass degrees, as dots, since 359 and 1 are neighbours. `step`: on and
 * off.
 */
export type Kind = 'line' | 'sum' | 'direction' | 'step';

/** What a line is of: one property of one device, of this year or of the one before. */
export interface Column {
  /** Unique on the page. */
  key: string;
  deviceName: string;
  /** What people call the device. */
  device: string;
  sign: string;
  /** The property's name in the page's language. */
  name: string;
  /** The catalogue's unit; it is translated where it is shown. */
  unit: string;
  precision: number | undefined;
  kind: Kind;
  /** A value axis spans at least this much. */
  leastSpan: number;
  /** The number of the device's colour, 0 to 5. */
  color: number;
  /** It is of the year before, moved to lie over this one. */
  compared: boolean;
  line: Line;
}

/** What the lines' times are: moments, or degree days since a date. */
export type Axis = 'time' | 'degreeDays';

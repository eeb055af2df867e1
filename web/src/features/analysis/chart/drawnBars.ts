import type { Column } from '../data/column';
import type { Span } from '../data/line';
import { barPeriod, barsOf } from './bars';
import type { BarsOf } from './crosshair';
import type { Panel } from './panels';

/** The bars of rain above the plots. */
export function rainBars(rain: Column, span: Span, width: number) {
  const period = barPeriod([rain.line], span, width);
  return { period, bars: barsOf(rain.line, 'time', period) };
}

/** What is drawn as bars: the sums in the plots, and the rain above them. */
export function barsIn(panels: readonly Panel[], rain: Column | null, span: Span, width: number): BarsOf {
  const above = rain && rainBars(rain, span, width);
  return (column) => {
    if (column === rain && above) return above;
    const bars = panels.find((panel) => panel.bars?.of.has(column.key))?.bars;
    return bars && { period: bars.period, bars: bars.of.get(column.key) ?? [] };
  };
}

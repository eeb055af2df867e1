import type { Format } from '@/lib/format/format';
import type { Attribute } from './attributes';
import type { Trace } from './model';
import type { Span } from './range';
import { meanDirection, shareOn, statistics, total } from './statistics';

/** The figures of one trace in the window: three of them, or a single one. */
export type Figures =
  | { kind: 'three'; low: string; mean: string; high: string }
  | { kind: 'sum' | 'direction' | 'on'; text: string }
  | { kind: 'none' };

/** With the sensor's precision; without a known precision, five digits. */
export function valueText({ precision }: Pick<Attribute, 'precision'>, value: number, format: Format): string {
  return precision === undefined ? format.number(Number(value.toPrecision(5))) : format.number(value, precision);
}

/** A value as the crosshair shows it. */
export function readingText(attribute: Attribute, value: number | boolean | string, format: Format): string {
  const { kind, unit, precision } = attribute;
  return format.reading({ value: kind === 'step' && typeof value === 'number' ? value === 1 : value, unit, precision });
}

export function figuresOf(trace: Trace, window: Span, format: Format): Figures {
  const { attribute, line } = trace;
  const none: Figures = { kind: 'none' };
  switch (attribute.kind) {
    case 'sum': {
      const sum = total(line, window);
      return sum === null ? none : { kind: 'sum', text: valueText(attribute, sum, format) };
    }
    case 'direction': {
      const mean = meanDirection(line, window);
      return mean === null
        ? none
        : { kind: 'direction', text: withApproximation(trace, window, valueText(attribute, mean, format)) };
    }
    case 'step': {
      const share = shareOn(line, trace.gaps, window);
      return share === null ? none : { kind: 'on', text: format.percent(share) };
    }
    default: {
      const found = statistics(line, window);
      if (!found) return none;
      const say = (value: number) => valueText(attribute, value, format);
      return {
        kind: 'three',
        low: say(found.low),
        mean: withApproximation(trace, window, say(found.mean)),
        high: say(found.high),
      };
    }
  }
}

/** In thinned readings, lowest and highest are exact, but a mean is not. */
function withApproximation(trace: Trace, window: Span, text: string): string {
  return trace.isExact(window) ? text : `≈${text}`;
}

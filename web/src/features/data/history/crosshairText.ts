import type { TFunction } from 'i18next';
import { formatDateTime, formatTime } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import type { Attribute } from './attributes';
import type { Crosshair, Mark } from './crosshair';
import { readingText, valueText } from './figures';

/** The crosshair's time: that of a reading, or an hour. */
export function crosshairTime({ time, hour }: Crosshair, { language }: Format): string {
  return hour ? `${formatDateTime(hour.from, language)}–${formatTime(hour.to)}` : formatDateTime(time, language);
}

/** A value as the crosshair shows it: a mean is followed by the lowest and highest reading. */
export function valueWithSpread(attribute: Attribute, value: number, spread: Mark['spread'], format: Format): string {
  const text = readingText(attribute, value, format);
  if (!spread) return text;
  const [low, high] = spread.map((end) => valueText(attribute, end, format));
  return `${text} (${low} … ${high})`;
}

/** A mark as it is read out. */
export function markText(
  attribute: Attribute,
  { value, spread }: Pick<Mark, 'value' | 'spread'>,
  format: Format,
  t: TFunction,
): string {
  if (value === null) return t('history.noReading');
  const text = readingText(attribute, value, format);
  if (!spread) return text;
  const [low, high] = spread.map((end) => valueText(attribute, end, format));
  return t('history.hourValue', { mean: text, low, high });
}

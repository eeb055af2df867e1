import type { TFunction } from 'i18next';
import { formatDateTime, formatTime } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import { ownDecimals } from '@/lib/format/number';
import type { Attribute } from './attributes';
import type { Crosshair, Mark } from './crosshair';
import { readingText, valueText } from './figures';

/** The crosshair's time: that of a reading, or an hour. */
export function crosshairTime({ time, hour }: Crosshair, { language }: Format): string {
  return hour ? `${formatDateTime(hour.from, language)}–${formatTime(hour.to)}` : formatDateTime(time, language);
}

/** The lowest and highest reading of an hour, which stand beside its mean. */
export function spreadText(attribute: Attribute, spread: readonly number[], format: Format): string {
  return spread.map((end) => valueText(attribute, end, format)).join(' … ');
}

/** The number as it arrived, which stands beside the corrected one. */
export function rawText({ unit, precision }: Attribute, raw: number, format: Format): string {
  return format.reading({ value: raw, unit, precision: ownDecimals(raw, precision) });
}

/** A mark as it is read out. */
export function markText(
  attribute: Attribute,
  { value, raw, spread }: Pick<Mark, 'value' | 'raw' | 'spread'>,
  format: Format,
  t: TFunction,
): string {
  if (value === null) return t('history.noReading');
  const text = readingText(attribute, value, format);
  if (raw !== undefined) return t('calibration.raw.spoken', { value: text, raw: rawText(attribute, raw, format) });
  if (!spread) return text;
  const [low, high] = spread.map((end) => valueText(attribute, end, format));
  return t('history.hourValue', { mean: text, low, high });
}

import type { TFunction } from 'i18next';
import { nameOf } from '@/lib/device/types';
import { formatDateTime, formatDayOfYear } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import type { Drawn } from './data/plan';

const degreeDay = '°C·d';

/** What is shown, in sentences: the range, how values are taken together, and what degree days are of. */
export function captionsOf({ columns, season, span }: Drawn, t: TFunction, format: Format): string[] {
  const resolutions = new Set(columns.map(({ line }) => line.resolution));
  const [resolution] = resolutions;
  const taken = resolution ? t(`analysis.caption.${resolutions.size > 1 ? 'mixed' : resolution}`) : null;
  if (!season) {
    const date = (time: number) => formatDateTime(time, format.language);
    return [t('analysis.alarms.until', { from: date(span.from), to: date(span.to) }), ...(taken ? [taken] : [])];
  }
  const { plan, days } = season;
  const [month = 1, day = 1] = plan.since.split('-').map(Number);
  const of = (value: number) => format.reading({ value, unit: degreeDay, precision: 0 });
  const missing = days[0].missing + days[1].missing;
  return [
    t('analysis.caption.degreeDays', {
      device: nameOf(plan.source.device),
      since: formatDayOfYear(month, day, format.language),
      base: format.reading({ value: plan.base, unit: '°C', precision: undefined }),
      own: of(days[0].total),
      before: of(days[1].total),
    }),
    ...(missing > 0 ? [t('analysis.caption.filled', { count: missing, n: format.number(missing) })] : []),
    ...(taken ? [taken] : []),
  ];
}

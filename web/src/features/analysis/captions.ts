import type { TFunction } from 'i18next';
import { nameOf } from '@/lib/device/types';
import { formatDayOfYear } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import { fullName } from './chart/names';
import type { Column } from './data/column';
import type { Drawn, Plan } from './data/plan';

const degreeDay = '°C·d';

/** What is shown, in sentences: how values are taken together, and what degree days are of. */
export function captionsOf(
  { columns, season }: Pick<Drawn, 'columns' | 'season'>,
  { compared, plan }: { compared: boolean; plan: Pick<Plan, 'leftOut' | 'rawTooLong' | 'undrawn'> },
  t: TFunction,
  format: Format,
): string[] {
  const resolutions = new Set(columns.filter(({ kind }) => kind !== 'step').map(({ line }) => line.resolution));
  const [resolution] = resolutions;
  const taken = resolution ? t(`analysis.caption.${resolutions.size > 1 ? 'mixed' : resolution}`) : null;
  const nothingBefore = compared && columns.length > 0 && !columns.some((column) => column.compared);
  const before = nothingBefore && !season ? t('analysis.caption.nothingBefore') : null;
  const lacking = plan.undrawn.length > 0 ? t('analysis.caption.undrawn', { names: format.list(plan.undrawn) }) : null;
  const tooLong = plan.rawTooLong ? t('analysis.caption.rawTooLong') : null;
  const without = plan.leftOut ? t('analysis.caption.leftOut') : null;
  return [
    ...(season ? degreeDayTexts(season, t, format) : []),
    ...switchTexts(columns, t, format),
    taken,
    before,
    tooLong,
    without,
    lacking,
  ].filter((text) => text !== null);
}

/** For how long switches were on. */
function switchTexts(columns: readonly Column[], t: TFunction, format: Format): string[] {
  const several = new Set(columns.map(({ deviceName }) => deviceName)).size > 1;
  return columns.flatMap((column) => {
    const { total, longestOn } = column.line.onTimes ?? {};
    if (!total) return [];
    const name = several || column.compared ? fullName(column, t) : column.name;
    if (!longestOn) {
      // Of a switch that is not known for a part of the range, nobody can say that it was never on.
      const known = format.hours(total.on + total.off);
      return [t(total.unknown > 0 ? 'analysis.onTimes.neverKnown' : 'analysis.onTimes.never', { name, known })];
    }
    const values = {
      name,
      on: format.hours(total.on),
      starts: t('analysis.onTimes.starts', { count: total.starts, n: format.number(total.starts) }),
      longest: format.hours(longestOn.to - longestOn.from),
    };
    return [t('analysis.onTimes.sum', values)];
  });
}

function degreeDayTexts({ plan, days }: NonNullable<Drawn['season']>, t: TFunction, format: Format): string[] {
  const [month = 1, day = 1] = plan.since.split('-').map(Number);
  const sum = ({ reliable, total }: (typeof days)[number]) =>
    reliable ? format.reading({ value: total, unit: degreeDay, precision: 0 }) : t('analysis.caption.unknown');
  const filled = days.reduce((count, { reliable, missing }) => count + (reliable ? missing : 0), 0);
  const [own, before] = days;
  return [
    t('analysis.caption.degreeDays', {
      device: nameOf(plan.source.device),
      since: formatDayOfYear(month, day, format.language),
      base: format.reading({ value: plan.base, unit: '°C', precision: undefined }),
      own: sum(own),
      before: sum(before),
    }),
    ...(own.reliable && before.reliable ? [] : [t('analysis.caption.unreliable')]),
    ...(filled > 0 ? [t('analysis.caption.filled', { count: filled, n: format.number(filled) })] : []),
  ];
}

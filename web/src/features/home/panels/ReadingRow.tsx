import { useTranslation } from 'react-i18next';
import { ownInterval } from '@/lib/device/derivation';
import type { ReadingEntry } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import { useClock } from '@/lib/format/clock';
import { missing, useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import css from './ReadingRow.module.css';

interface ReadingRowProps {
  entry: ReadingEntry;
  online: boolean;
  offlineAfter: number;
  usual: number | undefined;
}

/** Value, unit, age, always together. */
export function ReadingRow({ entry, online, offlineAfter, usual }: ReadingRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, reading, derivation } = entry;
  const interval = ownInterval(derivation) ?? usual;
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, offlineAfter, interval, now));
  if (!reading) {
    return (
      <li className={css.row}>
        <span className={css.name} title={name}>
          {name}
        </span>
        <span className={css.value}>{missing}</span>
        <span className={css.age} />
      </li>
    );
  }
  const { text, unit } = format.value(reading);
  return (
    <li className={`${css.row} ${stale || !online ? css.old : ''}`}>
      <span className={css.name} title={name}>
        {name}
      </span>
      <span className={css.value} title={typeof reading.value === 'string' ? text : undefined}>
        {text}
        {unit ? (
          <>
            {'\u00a0'}
            <span className={css.unit}>{unit}</span>
          </>
        ) : null}
      </span>
      <span className={css.age}>
        <Age time={reading.time} stale={stale} staleLabel={t('home.readings.stale')} />
      </span>
    </li>
  );
}

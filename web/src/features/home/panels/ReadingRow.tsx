import { useTranslation } from 'react-i18next';
import { formulaInterval } from '@/lib/device/derivation';
import type { ReadingEntry } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { Age } from '@/ui/Age';
import { DerivationNote } from '@/ui/DerivationNote';
import { ReadingText } from '@/ui/ReadingText';
import css from './ReadingRow.module.css';

interface ReadingRowProps {
  entry: ReadingEntry;
  device: Pick<Device, 'deviceName' | 'offlineAfter'>;
  online: boolean;
  usual: number | undefined;
}

/** A reading's value, unit and age, always together. */
export function ReadingRow({ entry, device, online, usual }: ReadingRowProps) {
  const { t } = useTranslation();
  const { name, reading, derivation } = entry;
  const interval = formulaInterval(derivation) ?? usual;
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, device.offlineAfter, interval, now));
  // A text may be cut, a number may not.
  const words = typeof reading?.value === 'string' ? reading.value : undefined;
  return (
    <li className={`${css.row} ${stale || !online ? css.old : ''}`}>
      <span className={css.what}>
        <span className={css.name} title={name}>
          {name}
        </span>
        {derivation ? <DerivationNote derivation={derivation} deviceName={device.deviceName} /> : null}
      </span>
      <span className={css.figures}>
        <span className={`${css.value} ${words === undefined ? '' : css.text}`} title={words}>
          <ReadingText of={reading} beside={name} unit={css.unit} />
        </span>
        <span className={css.age}>
          {reading ? <Age time={reading.time} stale={stale} staleLabel={t('home.readings.stale')} /> : null}
        </span>
      </span>
    </li>
  );
}

import { useTranslation } from 'react-i18next';
import { formulaInterval } from '@/lib/device/derivation';
import type { ReadingEntry } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { CorrectedMark } from '@/ui/CorrectedMark';
import { DerivationNote } from '@/ui/DerivationNote';
import { ElementIcon } from '@/ui/ElementIcon';
import { ReadingText } from '@/ui/ReadingText';
import { SwitchLink } from '@/ui/SwitchLink';
import css from './Card.module.css';
import { TruncatedName } from './TruncatedName';

interface ReadingRowProps {
  entry: ReadingEntry;
  device: Pick<Device, 'deviceName' | 'offlineAfter' | 'onlineState'>;
  /** Address of the element's icon; empty if it has none; undefined if no row has one. */
  icon: string | undefined;
  /** The names of all readings on the card. */
  siblings: readonly string[];
}

/** Longer readings leave their names no room in the narrowest card. */
const lineLength = 24;

/** A reading's value, unit and age, always together. */
export function ReadingRow({ entry, device, icon, siblings }: ReadingRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { sign, name, reading, derivation } = entry;
  const usual = formulaInterval(derivation);
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, device.offlineAfter, usual, now));
  // A text may be cut, a number may not.
  const words = typeof reading?.value === 'string' ? reading.value : undefined;
  const whole = format.reading(reading, name);
  const wordy = words === undefined && whole.length > lineLength;
  return (
    <li
      className={`${css.row} ${stale || device.onlineState === 0 ? css.old : ''} ${device.onlineState === 0 ? css.offline : ''}`}
    >
      <span className={css.pair}>
        <span className={css.label}>
          {icon === undefined ? null : <ElementIcon address={icon} />}
          {typeof reading?.value === 'boolean' ? (
            <SwitchLink deviceName={device.deviceName} sign={sign} name={name}>
              <TruncatedName name={name} siblings={siblings} tall />
            </SwitchLink>
          ) : (
            <TruncatedName name={name} siblings={siblings} tall />
          )}
          {derivation ? <DerivationNote derivation={derivation} deviceName={device.deviceName} /> : null}
          <CorrectedMark of={reading} />
        </span>
        <span
          className={`${css.reading} ${words === undefined ? '' : css.text} ${wordy ? css.wordy : ''}`}
          title={wordy ? whole : words}
        >
          <ReadingText of={reading} beside={name} unit={css.small} />
        </span>
      </span>
      <span className={css.age}>
        {reading ? <Age time={reading.time} stale={stale} staleLabel={t('home.readings.stale')} /> : null}
      </span>
    </li>
  );
}

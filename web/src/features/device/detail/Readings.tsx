import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formulaInterval } from '@/lib/device/derivation';
import { latestQuery, tslQuery } from '@/lib/device/queries';
import { type ReadingEntry, readingList } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useLanguage } from '@/lib/i18n/i18n';
import { safePictureUrl } from '@/lib/tenant/tenant';
import { Age } from '@/ui/Age';
import { AnalysisLink } from '@/ui/AnalysisLink';
import { CorrectedMark } from '@/ui/CorrectedMark';
import { DerivationNote } from '@/ui/DerivationNote';
import { ReadingText } from '@/ui/ReadingText';
import { SwitchLink } from '@/ui/SwitchLink';
import { CalibrateButton } from '../calibration/CalibrateButton';
import { isCalibratable } from '../calibration/properties';
import css from './Readings.module.css';
import { Fetched, Section } from './Section';

interface ReadingsProps {
  device: Device;
  /** Calibrates a property; undefined for those who may not. */
  onCalibrate: ((sign: string) => void) | undefined;
}

/** The latest reading of each property, and the links to its history and its analysis. */
export function Readings({ device, onCalibrate }: ReadingsProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const latest = useQuery({
    ...latestQuery(language, device.deviceName),
    // The table already has most of it.
    placeholderData: () => device.lastData[0],
  });
  const properties = useQuery(tslQuery(language, device.deviceName)).data?.propertie;
  const entries = useMemo(() => {
    const { main, others } = readingList(latest.data ?? {}, properties, device.mainSign);
    return main ? [main, ...others] : others;
  }, [latest.data, properties, device.mainSign]);
  const icons = useMemo(
    () => new Map((properties ?? []).map(({ identifier, yeuUrl }) => [identifier, safePictureUrl(yeuUrl)])),
    [properties],
  );
  const calibratable = useMemo(
    () => new Set(onCalibrate ? properties?.filter(isCalibratable).map(({ identifier }) => identifier) : []),
    [onCalibrate, properties],
  );
  const pictured = [...icons.values()].some(Boolean);
  const read = entries.some(({ reading }) => reading !== undefined);
  return (
    <Section
      title={t('home.readings.title')}
      aside={
        device.type === 2 ? null : (
          <span className={css.links}>
            <a className={css.history} href={`/data?device=${encodeURIComponent(device.deviceName)}&history=1`}>
              <LineChartOutlined aria-hidden="true" /> {t('device.detail.history')}
            </a>
            <AnalysisLink devices={[device.deviceName]} />
          </span>
        )
      }
    >
      <Fetched query={latest} height={120}>
        {read ? (
          <ul className={`${pictured ? css.pictured : ''} ${calibratable.size > 0 ? css.adjustable : ''}`}>
            {entries.map((entry) => (
              <ReadingRow
                key={entry.sign}
                entry={entry}
                device={device}
                icon={icons.get(entry.sign)}
                onCalibrate={calibratable.has(entry.sign) ? onCalibrate : undefined}
              />
            ))}
          </ul>
        ) : latest.isSuccess ? (
          <p className={css.none}>{t('home.readings.noneTitle')}</p>
        ) : null}
      </Fetched>
    </Section>
  );
}

interface ReadingRowProps {
  entry: ReadingEntry;
  device: Device;
  icon: string | undefined;
  onCalibrate: ReadingsProps['onCalibrate'];
}

function ReadingRow({ entry, device, icon, onCalibrate }: ReadingRowProps) {
  const { t } = useTranslation();
  const { sign, name, reading, derivation } = entry;
  const { offlineAfter, onlineState } = device;
  const usual = formulaInterval(derivation);
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, offlineAfter, usual, now));
  return (
    <li className={`${css.row} ${stale || onlineState === 0 ? css.old : ''}`}>
      <span className={css.icon}>{icon ? <img src={icon} alt="" loading="lazy" /> : null}</span>
      <span className={css.what}>
        <span className={css.name} title={name}>
          {typeof reading?.value === 'boolean' ? (
            <SwitchLink deviceName={device.deviceName} sign={sign} name={name}>
              {name}
            </SwitchLink>
          ) : (
            name
          )}
        </span>
        {derivation ? <DerivationNote derivation={derivation} deviceName={device.deviceName} /> : null}
        <CorrectedMark of={reading} />
      </span>
      <span className={css.value} title={typeof reading?.value === 'string' ? reading.value : undefined}>
        <ReadingText of={reading} beside={name} unit={css.unit} />
      </span>
      <span className={css.age}>
        {reading ? <Age time={reading.time} stale={stale} staleLabel={t('home.readings.stale')} /> : null}
      </span>
      {onCalibrate ? <CalibrateButton name={name} onClick={() => onCalibrate(sign)} /> : null}
    </li>
  );
}

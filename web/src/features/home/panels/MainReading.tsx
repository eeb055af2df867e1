import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dayQuery } from '@/lib/device/dayQueries';
import { formulaInterval } from '@/lib/device/derivation';
import type { ReadingEntry } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import type { Device, Series } from '@/lib/device/types';
import { useClock, useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { DerivationNote } from '@/ui/DerivationNote';
import { LoadOnDemand, useLoadOnDemand } from '@/ui/LoadOnDemand';
import { ReadingText } from '@/ui/ReadingText';
import { Sparkline } from '@/ui/Sparkline';
import type { SparkPoint } from '@/ui/sparkPath';
import css from './MainReading.module.css';

interface MainReadingProps {
  device: Device;
  entry: ReadingEntry;
  usual: number | undefined;
}

const dayMs = 24 * 3_600_000;

/** The device's main reading: large, with a chart of its last 24 hours and their lowest value. */
export function MainReading({ device, entry, usual }: MainReadingProps) {
  const { t } = useTranslation();
  const { sign, name, reading, derivation } = entry;
  const interval = formulaInterval(derivation) ?? usual;
  const [showsDay, showDay] = useLoadOnDemand();
  const online = device.onlineState === 1;
  const numeric = typeof reading?.value === 'number';
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, device.offlineAfter, interval, now));
  return (
    <div className={`${css.main} ${stale || !online ? css.old : ''}`}>
      <p className={css.head}>
        <span className={css.name} title={name}>
          {name}
        </span>
        {derivation ? <DerivationNote derivation={derivation} deviceName={device.deviceName} /> : null}
      </p>
      <div className={css.upper}>
        <p className={css.value} title={typeof reading?.value === 'string' ? reading.value : undefined}>
          <ReadingText of={reading} beside={name} unit={css.unit} />
        </p>
        {numeric && showsDay ? <Day device={device} sign={sign} quiet={!online || stale} /> : null}
        {numeric && !showsDay ? (
          <LoadOnDemand icon={<LineChartOutlined />} words={t('saver.day')} onTap={showDay} />
        ) : null}
      </div>
      <div className={css.lower}>
        {stale && reading ? (
          <LastRead time={reading.time} />
        ) : numeric && showsDay ? (
          <Low device={device} entry={entry} />
        ) : (
          <span />
        )}
        {numeric && showsDay ? <span>{t('home.readings.day')}</span> : null}
      </div>
    </div>
  );
}

function LastRead({ time }: { time: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const age = useClock((now) => format.ago(time, now));
  return (
    <span className={css.stale} title={format.absolute(time)}>
      <ClockCircleOutlined aria-hidden="true" /> {t('home.readings.lastRead', { age })}
    </span>
  );
}

function numbers(series: Series | undefined, sign: string): SparkPoint[] {
  return (series?.[sign] ?? []).flatMap(({ time, value }) => (typeof value === 'number' ? [{ time, value }] : []));
}

function Day({ device, sign, quiet }: { device: Device; sign: string; quiet: boolean }) {
  const { data } = useQuery(dayQuery(device.deviceName, sign));
  // One minute is less than a tenth of a pixel of this chart.
  const to = useNow(60_000) + 60_000;
  return (
    <div className={css.line}>
      <Sparkline points={numbers(data, sign)} from={to - dayMs} to={to} quiet={quiet} />
    </div>
  );
}

/** For example "Low 2.1 at 05:40". */
function Low({ device, entry }: { device: Device; entry: ReadingEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data } = useQuery(dayQuery(device.deviceName, entry.sign));
  const points = numbers(data, entry.sign);
  const low = points.reduce<SparkPoint | undefined>(
    (least, point) => (!least || point.value < least.value ? point : least),
    undefined,
  );
  if (!low) return <span />;
  const value = format.number(low.value, entry.reading?.precision);
  return (
    <span title={format.absolute(low.time)}>{t('home.readings.low', { value, time: format.time(low.time) })}</span>
  );
}

import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { dayQuery } from '@/lib/device/dayQueries';
import { formulaInterval } from '@/lib/device/derivation';
import type { ReadingEntry } from '@/lib/device/readingList';
import { isStale } from '@/lib/device/staleness';
import { type Device, nameOf } from '@/lib/device/types';
import { useClock, useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useInView } from '@/lib/hooks/useInView';
import { CorrectedMark } from '@/ui/CorrectedMark';
import { DerivationNote } from '@/ui/DerivationNote';
import { ElementIcon } from '@/ui/ElementIcon';
import { LoadOnDemand, useLoadOnDemand } from '@/ui/LoadOnDemand';
import { ReadingText } from '@/ui/ReadingText';
import { Sparkline } from '@/ui/Sparkline';
import { SwitchLink } from '@/ui/SwitchLink';
import type { SparkPoint } from '@/ui/sparkPath';
import css from './Card.module.css';
import { TruncatedName } from './TruncatedName';

interface MainReadingProps {
  device: Device;
  entry: ReadingEntry;
  icon: string | undefined;
  /** The names of all readings on the card. */
  siblings: readonly string[];
}

const dayMs = 24 * 3_600_000;
/** The minimum that the server accepts, which is about a card's width in pixels. */
const sparklinePoints = 100;
/** Longer texts of value and unit do not fit into the narrowest card in the usual size. */
const wideTextLength = 17;

/** The device's main reading: large, with a chart of its last 24 hours. */
export function MainReading({ device, entry, icon, siblings }: MainReadingProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [showsDay, showDay] = useLoadOnDemand();
  const { sign, name, reading, derivation } = entry;
  const numeric = typeof reading?.value === 'number';
  const usual = formulaInterval(derivation);
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, device.offlineAfter, usual, now));
  const old = stale || device.onlineState === 0;
  const text = format.reading(reading);
  const size = numeric ? text.length > wideTextLength && css.long : reading && css.word;
  return (
    <div className={`${css.main} ${old ? css.old : ''} ${numeric ? '' : css.alone}`}>
      <p className={`${css.value} ${size || ''}`} title={numeric ? undefined : text}>
        <ReadingText of={reading} beside={name} unit={css.unit} />
      </p>
      <p className={css.what}>
        {icon === undefined ? null : <ElementIcon address={icon} />}
        {typeof reading?.value === 'boolean' ? (
          <SwitchLink deviceName={device.deviceName} sign={sign} name={name}>
            <TruncatedName name={name} siblings={siblings} />
          </SwitchLink>
        ) : (
          <TruncatedName name={name} siblings={siblings} />
        )}
        {derivation ? <DerivationNote derivation={derivation} deviceName={device.deviceName} /> : null}
        <CorrectedMark of={reading} />
      </p>
      {numeric && showsDay ? <Day device={device} sign={sign} quiet={old} precision={reading?.precision} /> : null}
      {numeric && !showsDay ? (
        <div className={css.ask}>
          <LoadOnDemand
            icon={<LineChartOutlined />}
            words={t('saver.short')}
            label={t('saver.dayOf', { name: nameOf(device) })}
            onTap={showDay}
          />
        </div>
      ) : null}
    </div>
  );
}

interface DayProps {
  device: Device;
  sign: string;
  quiet: boolean;
  precision: number | undefined;
}

function Day({ device, sign, quiet, precision }: DayProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const frame = useRef<HTMLDivElement>(null);
  // Cached data is shown at once.
  const { data } = useQuery({ ...dayQuery(device.deviceName, sign, sparklinePoints), enabled: useInView(frame, 150) });
  // One minute is less than a tenth of a pixel of this chart.
  const to = useNow(60_000) + 60_000;
  const line = useMemo(
    () =>
      (data?.[sign] ?? []).flatMap(({ time, value }): SparkPoint[] =>
        typeof value === 'number' ? [{ time, value }] : [],
      ),
    [data, sign],
  );
  const values = line.map(({ value }) => value);
  const words =
    values.length === 0
      ? undefined
      : t('data.card.day', {
          low: format.number(Math.min(...values), precision),
          high: format.number(Math.max(...values), precision),
        });
  return (
    <div ref={frame} className={css.line} title={words}>
      <Sparkline points={line} from={to - dayMs} to={to} quiet={quiet} />
      {words ? <span className="visually-hidden">{words}</span> : null}
    </div>
  );
}

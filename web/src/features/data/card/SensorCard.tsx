import DownOutlined from '@ant-design/icons/DownOutlined';
import UpOutlined from '@ant-design/icons/UpOutlined';
import { useQuery } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { modelQuery } from '@/lib/device/queries';
import { type ReadingEntry, readingList } from '@/lib/device/readingList';
import { type Device, nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { Skeleton } from '@/ui/Skeleton';
import css from './Card.module.css';
import { CardFoot } from './CardFoot';
import { CardHead } from './CardHead';
import { MainReading } from './MainReading';
import { ReadingRow } from './ReadingRow';

/** How many rows fit into a card. */
const maxRows = 3;

interface SensorCardProps {
  device: Device;
  /** When the device was current, by this machine's clock; undefined while it is kept current. */
  asOf?: number;
}

/**
 * A device's latest readings: the main one large with a chart of its day, the others in rows, each
 * with its age. All cards have the same height.
 */
export const SensorCard = memo(function SensorCard({ device, asOf }: SensorCardProps) {
  const latest = device.lastData[0];
  const some = latest !== undefined && Object.keys(latest).length > 0;
  return (
    <article className={css.card} aria-label={nameOf(device)}>
      <CardHead device={device} />
      {some ? <Readings device={device} /> : <Nothing />}
      <CardFoot device={device} asOf={asOf} />
    </article>
  );
});

function Readings({ device }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const model = useQuery(modelQuery(language, device));
  const [all, setAll] = useState(false);
  const properties = model.data?.propertie;
  const { main, others } = useMemo(
    () => readingList(device.lastData[0] ?? {}, properties, device.mainSign),
    [device.lastData, properties, device.mainSign],
  );
  // Icons are shown only if the catalogue has some for this device.
  const icons = useMemo(() => {
    const found = new Map(properties?.map(({ identifier, yeuUrl }) => [identifier, yeuUrl]));
    return [...found.values()].some(Boolean) ? found : undefined;
  }, [properties]);

  const names = useMemo(() => (main ? [main, ...others] : others).map(({ name }) => name), [main, others]);

  const row = (entry: ReadingEntry) => (
    <ReadingRow
      key={entry.sign}
      entry={entry}
      device={device}
      icon={icons && (icons.get(entry.sign) ?? '')}
      siblings={names}
    />
  );
  if (all && main) {
    return (
      <>
        <ul
          className={`${css.rows} ${css.list} ${css.whole}`}
          aria-label={t('home.readings.title')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable list must be reachable by keyboard
          tabIndex={0}
        >
          {[main, ...others].map(row)}
        </ul>
        <button type="button" className={`${css.more} ${css.fewer}`} aria-expanded onClick={() => setAll(false)}>
          <UpOutlined aria-hidden="true" />
          {t('data.card.fewer')}
        </button>
      </>
    );
  }
  const left = others.length > maxRows ? others.length - (maxRows - 1) : 0;
  return (
    <>
      {main ? (
        <MainReading device={device} entry={main} icon={icons && (icons.get(main.sign) ?? '')} siblings={names} />
      ) : null}
      <div className={css.rows}>
        {model.isPending ? (
          <Bars />
        ) : (
          <>
            <ul className={css.list} aria-label={t('home.readings.others')}>
              {others.slice(0, left > 0 ? maxRows - 1 : maxRows).map(row)}
            </ul>
            {left > 0 ? (
              <button type="button" className={css.more} aria-expanded={false} onClick={() => setAll(true)}>
                <DownOutlined aria-hidden="true" />
                {t('data.card.more', { count: left, n: format.number(left) })}
              </button>
            ) : null}
          </>
        )}
      </div>
    </>
  );
}

/** Placeholder for the rows while their order is unknown. */
function Bars() {
  return (
    <div className={css.bars}>
      {['86%', '72%', '80%'].map((width) => (
        <Skeleton key={width} height={16} width={width} />
      ))}
    </div>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <div className={css.none}>
      <p className={css.noneTitle}>{t('home.readings.noneTitle')}</p>
      <p className={css.noneText}>{t('home.readings.noneText')}</p>
    </div>
  );
}

/** A card whose device is loading. */
export function CardSkeleton() {
  return (
    <div className={css.card}>
      <div className={css.skeleton}>
        <Skeleton height={20} width="52%" />
        <Skeleton height={36} width="38%" />
        <Skeleton height={14} width="46%" />
        {['90%', '78%', '84%'].map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </div>
  );
}

import DownOutlined from '@ant-design/icons/DownOutlined';
import UpOutlined from '@ant-design/icons/UpOutlined';
import { useQuery } from '@tanstack/react-query';
import { memo, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { modelQuery } from '@/lib/device/queries';
import { type ReadingEntry, readingList } from '@/lib/device/readingList';
import { type Device, nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { Skeleton } from '@/ui/Skeleton';
import { ExpandedCards } from '../grid/expandedCards';
import css from './Card.module.css';
import { CardFoot } from './CardFoot';
import { CardHead } from './CardHead';
import { MainReading } from './MainReading';
import { ReadingRow } from './ReadingRow';

/** How many rows fit into a card. */
const maxRows = 6;
/** The height of a row; Card.module.css has the same. */
const rowHeight = { desktop: 30, phone: 34 };

interface SensorCardProps {
  device: Device;
  /** When the device was current, by this machine's clock; undefined while it is kept current. */
  asOf?: number;
  /** Its position among the sensors of its group. */
  index?: number;
}

/**
 * A device's latest readings: the main one large with a chart of its day, the others in rows, each
 * with its age. All cards have the same height until somebody asks for the readings that do not fit.
 */
export const SensorCard = memo(function SensorCard({ device, asOf, index = 0 }: SensorCardProps) {
  const latest = device.lastData[0];
  const some = latest !== undefined && Object.keys(latest).length > 0;
  return (
    <article className={css.card} aria-label={nameOf(device)}>
      <CardHead device={device} comparable />
      {some ? <Readings device={device} index={index} /> : <Nothing />}
      <CardFoot device={device} asOf={asOf} />
    </article>
  );
});

function Readings({ device, index }: { device: Device; index: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const model = useQuery(modelQuery(language, device));
  const { cards, set } = useContext(ExpandedCards);
  const all = cards.has(device.deviceName);
  const height = useMediaQuery(phoneQuery) ? rowHeight.phone : rowHeight.desktop;
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
  // The button takes a row.
  const left = others.length > maxRows ? others.length - (maxRows - 1) : 0;
  const rows = left === 0 || all ? others : others.slice(0, maxRows - 1);
  const turn = () => set(device.deviceName, all ? undefined : { groupId: device.groupId, index, extra: left * height });
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
              {rows.map(row)}
            </ul>
            {left > 0 ? (
              <button type="button" className={css.more} aria-expanded={all} onClick={turn}>
                {all ? <UpOutlined aria-hidden="true" /> : <DownOutlined aria-hidden="true" />}
                {all ? t('data.card.fewer') : t('data.card.more', { count: left, n: format.number(left) })}
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
      {['86%', '72%', '80%', '76%', '83%'].map((width) => (
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
        {['90%', '78%', '84%', '74%', '88%'].map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </div>
  );
}

import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { isStale } from '@/lib/device/staleness';
import { type Device, nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { AnalysisLink } from '@/ui/AnalysisLink';
import { AsOfTime } from '@/ui/AsOfTime';
import css from './Card.module.css';

interface CardFootProps {
  device: Device;
  /** When the card's content was current; undefined while it is kept current. */
  asOf: number | undefined;
}

/** When the device was last read, or how old all of the card is, and the links to its history and its analysis. */
export function CardFoot({ device, asOf }: CardFootProps) {
  const { t } = useTranslation();
  const newest = Math.max(...Object.values(device.lastData[0] ?? {}).map(({ time }) => time));
  const { deviceName } = device;
  return (
    <footer className={css.foot}>
      {asOf !== undefined ? (
        <AsOfTime time={asOf} />
      ) : Number.isFinite(newest) ? (
        <Read device={device} time={newest} />
      ) : null}
      <Link
        from="/data"
        to="."
        search={(before) => ({ ...before, device: deviceName, history: 1 as const })}
        resetScroll={false}
        className={css.history}
        aria-label={t('data.card.historyOf', { name: nameOf(device) })}
      >
        <LineChartOutlined aria-hidden="true" />
        {t('data.card.history')}
      </Link>
      <AnalysisLink devices={[deviceName]} iconOf={nameOf(device)} />
    </footer>
  );
}

function Read({ device, time }: { device: Device; time: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const age = useClock(useCallback((now: number) => format.ago(time, now), [format, time]));
  const late = useClock((now) => isStale(time, device.offlineAfter, undefined, now));
  const old = late || device.onlineState === 0;
  return (
    <span className={`${css.read} ${late ? css.stale : ''}`} title={format.absolute(time)}>
      <ClockCircleOutlined aria-hidden="true" /> {old ? t('data.card.lastRead', { age }) : t('data.card.read', { age })}
    </span>
  );
}

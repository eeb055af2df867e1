import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { missingValue, useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { Age } from '@/ui/Age';
import { ZoneNote } from '@/ui/ZoneNote';
import { type AlarmDetail, propertiesQuery } from '../queries';
import css from './Facts.module.css';

/** When it began and ended, how long it lasted, and the current values. */
export function Facts({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const { startTime, endTime } = detail.alarmNotice;
  // On a phone, the page above names the zone.
  const isPhone = useMediaQuery(phoneQuery);
  const severalReadings = signsOf(detail).size > 1;
  const hasReading = detail.alarmRules.triggerType === 0 && !detail.alarmDeviceInfoRespDTO.deleted;
  return (
    <>
      <dl className={css.facts}>
        <Fact name={t('inform.start')} hint={t('inform.startHint')}>
          <Moment time={startTime} />
        </Fact>
        <Fact name={t('inform.end')}>{endTime === undefined ? t('inform.open') : <Moment time={endTime} />}</Fact>
        <Fact name={t('inform.duration')} hint={t('inform.durationHint')}>
          <Lasting from={startTime} to={endTime} />
        </Fact>
        {hasReading ? (
          <Fact name={t('inform.now')} wide={severalReadings}>
            <Now detail={detail} />
          </Fact>
        ) : null}
      </dl>
      {isPhone ? null : <ZoneNote />}
    </>
  );
}

interface FactProps {
  name: string;
  /** Small beside the name. */
  hint?: string;
  /** Several values, side by side below the others. */
  wide?: boolean;
  children: ReactNode;
}

function Fact({ name, hint, wide = false, children }: FactProps) {
  const { t } = useTranslation();
  return (
    <div className={`${css.fact} ${wide ? css.wide : ''}`}>
      <dt className={css.name}>
        {name}
        {hint === undefined ? null : (
          <>
            {' '}
            <span className={css.hint}>{t('inform.hinted', { hint })}</span>
          </>
        )}
      </dt>
      <dd className={css.value}>{children}</dd>
    </div>
  );
}

function Moment({ time }: { time: number }) {
  const format = useFormat();
  const text = useClock((now) => format.moment(time, now, 'seconds'));
  return (
    <time dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
      {text}
    </time>
  );
}

/**
 * Counts while the alarm is open. The duration is the difference of the shown times, which are in
 * whole seconds.
 */
function Lasting({ from, to }: { from: number; to: number | undefined }) {
  const format = useFormat();
  return useClock((now) => format.lasting(fullSecond(to ?? now) - fullSecond(from)));
}

const fullSecond = (time: number) => Math.floor(time / 1000) * 1000;

const signsOf = ({ alarmRules }: AlarmDetail) => new Set(alarmRules.conditions.map(({ tslAttribute }) => tslAttribute));

/** The latest value of each of the rule's attributes; with names if there are several. */
function Now({ detail }: { detail: AlarmDetail }) {
  const format = useFormat();
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const { data, isError } = useQuery(propertiesQuery(language, detail.alarmDeviceInfoRespDTO.deviceName));
  const signs = signsOf(detail);
  const known = data?.filter(({ identifier }) => signs.has(identifier)) ?? [];
  if (known.length === 0) return isError || data ? missingValue : '…';
  return known.map(({ identifier, yeuName, value, time, elementUnit, precision }) => (
    <span key={identifier} className={css.reading}>
      {known.length > 1 ? <span className={css.of}>{yeuName}</span> : null}
      {value === undefined || time === undefined ? (
        t('inform.noReading')
      ) : (
        <>
          {format.reading({ value, unit: elementUnit, precision }, known.length > 1 ? yeuName : undefined)}{' '}
          <Age time={time} />
        </>
      )}
    </span>
  ));
}

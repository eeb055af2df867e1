import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { type DeviceEvent, eventsQuery } from '../queries';
import { Fetched, Section } from './Section';
import css from './Swaps.module.css';

/** When the device was swapped, newest first; nothing of one that never was. Corrections have a list of their own. */
export function Swaps({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  const query = useQuery(eventsQuery(deviceName));
  const swaps = query.data?.filter(({ kind }) => kind === 'swap');
  if (!query.isError && !swaps?.length) return null;
  return (
    <Section title={t('device.swaps.title')}>
      <Fetched query={query} height={60}>
        <ol className={css.swaps}>
          {swaps?.map((swap) => (
            <Row key={swap.time} swap={swap} />
          ))}
        </ol>
      </Fetched>
    </Section>
  );
}

function Row({ swap }: { swap: DeviceEvent }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { time, by, note } = swap;
  const serials = useSerials(swap);
  const moment = useClock((now) => format.moment(time, now));
  return (
    <li className={css.swap}>
      <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
        {moment}
      </time>
      <span className={css.what}>
        <span className={css.done}>{t('device.swaps.done')}</span>
        {note ? <span>{note}</span> : null}
        {serials || by ? (
          <span className={css.more}>
            {[serials, by && t('device.swaps.by', { name: by })].filter(Boolean).join(' · ')}
          </span>
        ) : null}
      </span>
    </li>
  );
}

/** The serials of a swap, if there are any. */
function useSerials({ serial, formerSerial: former }: DeviceEvent): string | undefined {
  const { t } = useTranslation();
  if (serial && former) return t('device.swaps.serial', { serial, former });
  if (serial) return t('device.swaps.serialOnly', { serial });
  return former ? t('device.swaps.formerOnly', { former }) : undefined;
}

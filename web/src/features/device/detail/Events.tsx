import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { propertyName } from '@/lib/device/derivation';
import { tslQuery } from '@/lib/device/queries';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { type DeviceEvent, eventsQuery } from '../queries';
import css from './Events.module.css';
import { Fetched, Section } from './Section';

/** When the device was swapped and its readings were corrected, newest first; nothing of one that never was. */
export function Events({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  const query = useQuery(eventsQuery(deviceName));
  if (!query.isError && !query.data?.length) return null;
  return (
    <Section title={t('device.events.title')}>
      <Fetched query={query} height={60}>
        <ol className={css.events}>
          {query.data?.map((event) => (
            <Row key={`${event.time} ${event.kind} ${event.calibrationId}`} event={event} deviceName={deviceName} />
          ))}
        </ol>
      </Fetched>
    </Section>
  );
}

function Row({ event, deviceName }: { event: DeviceEvent; deviceName: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const { time, kind, by, note, yeuSign } = event;
  const tsl = useQuery({ ...tslQuery(language, deviceName), enabled: yeuSign !== undefined }).data;
  const property = tsl?.propertie?.find(({ identifier }) => identifier === yeuSign);
  const serials = useSerials(event);
  const moment = useClock((now) => format.moment(time, now));
  return (
    <li className={css.event}>
      <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
        {moment}
      </time>
      <span className={css.what}>
        <span className={css.kind}>
          {kind === 'swap'
            ? t('device.events.swap')
            : t(`device.events.${kind}`, { property: property ? propertyName(property) : yeuSign })}
        </span>
        {note ? <span>{note}</span> : null}
        {serials || by ? (
          <span className={css.more}>
            {[serials, by && t('device.events.by', { name: by })].filter(Boolean).join(' · ')}
          </span>
        ) : null}
      </span>
    </li>
  );
}

/** The serials of a swap, if there are any. */
function useSerials({ serial, formerSerial: former }: DeviceEvent): string | undefined {
  const { t } = useTranslation();
  if (serial && former) return t('device.events.serial', { serial, former });
  if (serial) return t('device.events.serialOnly', { serial });
  return former ? t('device.events.formerOnly', { former }) : undefined;
}

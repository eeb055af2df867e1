import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/lib/format/clock';
import { startOfDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { coverageQuery, coveredDays } from '../queries';
import css from './Coverage.module.css';
import { calendarOf } from './calendar';
import { DayStrip } from './DayStrip';
import { Fetched, Section } from './Section';

/** The days with readings, so that gaps in the history are visible at a glance. */
export function Coverage({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const query = useQuery(coverageQuery(deviceName));
  // The same number all day, so that the strip is drawn again only at midnight.
  const today = startOfDay(useNow(60_000));
  return (
    <Section
      title={t('device.coverage.title')}
      aside={
        query.data ? (
          <span className={css.summary}>
            {t('device.coverage.summary', {
              n: format.number(query.data.length),
              all: format.number(coveredDays),
            })}
          </span>
        ) : null
      }
    >
      <Fetched query={query} height={122}>
        {query.data ? (
          <DayStrip days={calendarOf(query.data, today, coveredDays, descriptors[language].weekStart)} />
        ) : null}
      </Fetched>
    </Section>
  );
}

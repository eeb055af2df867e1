import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { Age } from '@/ui/Age';
import { type Diagnostics, diagnosticsQuery } from '../queries';
import css from './Intake.module.css';
import { refusalText } from './refusal';
import { Fetched, Section } from './Section';

/** What arrived, what was refused and why, and how much arrived on each day. */
export function Intake({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const query = useQuery(diagnosticsQuery(language, deviceName));
  return (
    <Section title={t('device.refused.title')}>
      <Fetched query={query} height={150}>
        {query.data ? <Counts of={query.data} /> : null}
      </Fetched>
    </Section>
  );
}

function Counts({ of: { received, values, refused, lastRefusal, days } }: { of: Diagnostics }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      <dl className={css.counts}>
        <Count name={t('device.refused.messages')} value={received} />
        <Count name={t('device.refused.values')} value={values} />
        <Count name={t('device.refused.refused')} value={refused} warn={refused > 0} />
      </dl>
      {lastRefusal ? (
        <p className={css.last}>
          <span className={css.key}>{t('device.refused.lastReason')}:</span> {refusalText(lastRefusal, t)}{' '}
          <Age time={lastRefusal.time} form="within" />
        </p>
      ) : (
        <p className={css.last}>{t('device.refused.none')}</p>
      )}
      {days.length === 0 ? (
        <p className={css.last}>{t('device.refused.quiet')}</p>
      ) : (
        <details className={css.days}>
          <summary>{t('device.refused.days')}</summary>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('device.refused.day')}</th>
                <th scope="col">{t('device.refused.messages')}</th>
                <th scope="col">{t('device.refused.values')}</th>
                <th scope="col">{t('device.refused.refused')}</th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map((day) => (
                <tr key={day.day}>
                  <th scope="row">{day.day}</th>
                  <td>{format.number(day.messages)}</td>
                  <td>{format.number(day.values)}</td>
                  <td className={day.refused > 0 ? css.warn : undefined}>{format.number(day.refused)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  );
}

function Count({ name, value, warn = false }: { name: string; value: number; warn?: boolean }) {
  const format = useFormat();
  return (
    <div>
      <dt className={css.key}>{name}</dt>
      <dd className={`${css.value} ${warn ? css.warn : ''}`}>{format.number(value)}</dd>
    </div>
  );
}

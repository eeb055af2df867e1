import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { Note } from '@/ui/Note';
import { diagnosticsQuery } from '../queries';
import css from './RefusedNote.module.css';
import { refusalText } from './refusal';

/**
 * Warns if readings of a device are refused or its clock is wrong, so that no data is lost
 * unnoticed.
 */
export function RefusedNote({ device }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const { data } = useQuery(diagnosticsQuery(language, device.deviceName));
  const last = data?.lastRefusal;
  const age = useClock((now) => (last ? format.ago(last.time, now) : ''));
  if (!data) return null;
  // A deviation below a minute is usual for clocks that people set.
  const ahead = data.clockAhead > 60_000;
  return (
    <>
      {data.refused > 0 && last && last.reason !== 'networkClock' ? ( // nothing was lost to that clock
        <div className={css.note}>
          <Note
            tone="warn"
            title={t('device.refused.note', { count: data.refused, n: format.number(data.refused), age })}
          >
            {refusalText(last, t)} {last.identifier === '' ? null : t('device.refused.kept')}
          </Note>
        </div>
      ) : null}
      {ahead ? (
        <div className={css.note}>
          <Note tone="warn" title={t('device.refused.ahead', { span: format.duration(data.clockAhead) })}>
            {t('device.refused.aheadText')}
          </Note>
        </div>
      ) : null}
    </>
  );
}

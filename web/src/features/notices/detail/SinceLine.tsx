import { useTranslation } from 'react-i18next';
import { conditionParts } from '@/lib/alarm/sentence';
import { sinceOf, sinceParts } from '@/lib/alarm/since';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Sentence } from '@/ui/alarm/Sentence';
import type { AlarmDetail } from '../queries';
import { conditionsOf } from './conditionsOf';
import css from './SinceLine.module.css';

/**
 * Since when the conditions have held or the device has been silent, and when that was noticed.
 * Nothing while it is unknown.
 */
export function SinceLine({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow(60_000);
  const { holdsSince, holdsSinceBefore } = detail.alarmNotice;
  if (holdsSince === undefined) return null;
  const { triggerType } = detail.alarmRules;
  const what = triggerType === 1 ? 'silent' : conditionParts(conditionsOf(detail), 'brief', format.language);
  return (
    <p className={css.since} title={holdsSinceBefore ? undefined : format.absolute(holdsSince)}>
      <Sentence parts={sinceParts(sinceOf(detail.alarmNotice), what, now, format, t)} />
    </p>
  );
}

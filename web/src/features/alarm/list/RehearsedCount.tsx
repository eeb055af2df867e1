import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useInView } from '@/lib/hooks/useInView';
import { Skeleton } from '@/ui/Skeleton';
import { rehearsedQuery } from '../queries';
import css from './LastAlarm.module.css';

const rehearsedMs = 30 * 86_400_000;
/** The server rehearses no rule that is on more. */
const mostDevices = 20;
/** Who scrolls past a rule does not have it rehearsed. */
const pauseMs = 500;

/**
 * How often a rule that has never alarmed would have alarmed in the last 30 days, if it has not run that long. It is
 * asked for when the row is looked at, one rule at a time.
 */
export function RehearsedCount({ rule }: { rule: AlarmRule }) {
  const began = useNow(3_600_000) - (rule.deployTime ?? 0) < rehearsedMs;
  return began && rule.deviceCount > 0 && rule.deviceCount <= mostDevices ? <Count rule={rule} /> : null;
}

function Count({ rule }: { rule: AlarmRule }) {
  const { t } = useTranslation();
  const format = useFormat();
  const place = useRef<HTMLParagraphElement>(null);
  const seen = useInView(place, pauseMs);
  const { data, isError } = useQuery({ ...rehearsedQuery(rule), enabled: seen });
  const count = data?.total;
  if (isError || (data && count === undefined)) return null;
  return (
    <p className={css.words} ref={place}>
      {count === undefined ? (
        <Skeleton height={12} width="70%" />
      ) : (
        t('rule.card.rehearsed', { count, n: format.number(count) })
      )}
    </p>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { sideOf } from '@/lib/alarm/comparator';
import { isNotifiedAt, periodText } from '@/lib/alarm/period';
import { readingsText, windowText } from '@/lib/alarm/sentence';
import type { AlarmRule, Outlook } from '@/lib/alarm/types';
import { nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { userQuery } from '@/lib/http/queries';
import css from './OutlookLine.module.css';
import type { Elements } from './sentenceOf';

interface OutlookLineProps {
  rule: AlarmRule;
  outlook: Outlook | undefined;
  elements: Elements | undefined;
}

/**
 * How close the device is to the limit and about when it reaches it; if the limit is passed, why no
 * alarm has begun. Nothing for a rule that can never alarm.
 */
export function OutlookLine({ rule, outlook, elements }: OutlookLineProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const expected = useClock((now) =>
    outlook?.expected !== undefined && outlook.expected > now ? format.moment(outlook.expected, now) : '',
  );
  if (!outlook || rule.attributesGone || (!outlook.fits && outlook.usualInterval !== undefined)) return null;
  const [condition] = rule.conditions;
  const side = condition && sideOf(condition.subconditions);
  if (outlook.distance === undefined || !condition || !side || rule.deployState !== 1 || rule.openNotice) return null;
  const distance = format.reading({ value: outlook.distance, unit: elements?.[condition.tslAttribute]?.unit ?? '' });
  // A value approaches a limit of "below" from above.
  if (outlook.distance === 0 && outlook.holds) return <Passed rule={rule} outlook={outlook} />;
  const words =
    outlook.distance === 0
      ? t('rule.outlook.on')
      : t(side === 'below' ? 'rule.outlook.above' : 'rule.outlook.below', { distance });
  return (
    <p className={css.line}>
      {withDeviceName(
        outlook,
        expected === '' ? words : t('rule.outlook.expected', { where: words, time: expected }),
        t,
      )}
    </p>
  );
}

/** A statement about one of several devices names the device; a rule's only device is not named. */
function withDeviceName({ deviceName, noteName = '' }: Outlook, statement: string, t: TFunction): string {
  return deviceName === undefined
    ? statement
    : t('rule.outlook.of', { device: nameOf({ deviceName, noteName }), text: statement });
}

/**
 * The limit is passed and no alarm is open: what is still missing, and whether people would be
 * notified now.
 */
function Passed({ rule, outlook }: { rule: AlarmRule; outlook: Outlook }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { language, number } = format;
  const zone = useQuery(userQuery()).data?.timeZone;
  const quiet = useClock((now) => (zone !== undefined && !isNotifiedAt(rule, now, zone) ? 'quiet' : '')) !== '';
  const { hits, waits } = outlook;
  const window = windowText(rule.durations, 'brief', language);
  const readings = readingsText(rule.hitCounts, 'brief', language);
  const why = waits
    ? t('rule.outlook.waits')
    : hits === undefined
      ? t('rule.outlook.at')
      : hits === 0
        ? t('rule.outlook.noHits')
        : t('rule.outlook.hits', { hits: number(hits), readings, window });
  return (
    <p className={css.line}>
      {withDeviceName(outlook, why, t)}
      {quiet ? ` ${t('rule.outlook.quiet', { period: periodText(rule, format) })}` : null}
    </p>
  );
}

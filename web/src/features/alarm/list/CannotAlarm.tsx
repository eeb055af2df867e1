import { useTranslation } from 'react-i18next';
import { windowText } from '@/lib/alarm/sentence';
import type { AlarmRule, Outlook } from '@/lib/alarm/types';
import { useFormat } from '@/lib/format/format';
import { Note } from '@/ui/Note';
import { readingsThatFit } from '../form/readingsThatFit';
import css from './RuleRow.module.css';
import type { Elements } from './sentenceOf';

interface CannotAlarmProps {
  rule: AlarmRule;
  outlook: Outlook | undefined;
  elements: Elements | undefined;
}

/**
 * Says why a rule can never alarm, and what to do about it: its device has lost attributes of its
 * conditions, or reports too rarely for them. Otherwise nothing.
 */
export function CannotAlarm({ rule, outlook, elements }: CannotAlarmProps) {
  const { t } = useTranslation();
  const { number, language } = useFormat();
  const { attributesGone: gone, durations } = rule;
  const usual = outlook?.fits === false ? outlook.usualInterval : undefined;
  let why: string;
  if (gone) {
    const names = gone.map((sign) => elements?.[sign]?.yeuName || sign).join(t('rule.card.attributesBetween'));
    why = t('rule.card.attributeGone', { count: gone.length, names });
  } else if (usual !== undefined) {
    const count = readingsThatFit(durations, usual);
    why = t('rule.outlook.cannot', { count, n: number(count), window: windowText(durations, 'full', language) });
  } else return null;
  return (
    <div className={css.note}>
      <Note tone="warn">{why}</Note>
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { conditionParts, readingsText, ruleParts, type SentenceRule, windowText } from '@/lib/alarm/sentence';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { Sentence } from '@/ui/alarm/Sentence';
import type { AlarmDetail } from '../queries';
import { Block } from './Block';
import css from './blocks.module.css';
import { conditionsOf } from './conditionsOf';

/** The rule in words, as it was when the notice began. */
export function Conditions({ detail }: { detail: AlarmDetail }) {
  const { alarmRules, alarmNotice } = detail;
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const { triggerType, hitCounts, durations } = alarmRules;
  const time = useClock((now) => format.moment(alarmNotice.startTime, now));
  const conditions = conditionsOf(detail);
  const rule: SentenceRule = { triggerType, conditions, hitCounts, durations };
  const parts = triggerType === 1 ? ruleParts(rule, 'brief', language) : conditionParts(conditions, 'brief', language);
  const within =
    triggerType === 1
      ? ''
      : t('inform.within', {
          readings: readingsText(hitCounts, 'brief', language),
          window: windowText(durations, 'brief', language),
        });
  // The labels of the chart's lines as text, for screen readers.
  const clears = conditions.flatMap(({ name, unit, recovery }) => {
    if (typeof recovery !== 'number') return [];
    const words = t('inform.chart.clears', { value: format.reading({ value: recovery, unit }) });
    return conditions.length > 1 ? `${name}: ${words}` : words;
  });
  return (
    <Block title={t('inform.conditions')}>
      <p className={css.text}>
        <Sentence parts={parts} />
      </p>
      <p className={css.small}>{format.sentences([within, t('inform.asWas', { time })])}</p>
      {clears.map((words) => (
        <p key={words} className={css.small}>
          {words}
        </p>
      ))}
    </Block>
  );
}

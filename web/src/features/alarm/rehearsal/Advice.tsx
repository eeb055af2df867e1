import { useTranslation } from 'react-i18next';
import { readingsText, windowText } from '@/lib/alarm/sentence';
import type { RehearsalAdvice } from '@/lib/alarm/types';
import { useFormat } from '@/lib/format/format';
import { titleOf } from '../form/ConditionRow';
import type { RuleFormState } from '../form/useRuleForm';
import { isBlank } from '../form/values';
import css from './Advice.module.css';
import { advisedChange } from './advice';

interface AdviceProps {
  /** The best first. */
  advice: readonly RehearsalAdvice[] | undefined;
  form: RuleFormState;
  /** Something else was typed meanwhile: what is advised is not of that. */
  waiting: boolean;
}

/** Changes of the rule with which there would have been far fewer alarms: a sentence each, and a button that makes the change. */
export function Advice({ advice = [], form, waiting }: AdviceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values, properties, change } = form;
  const comma = format.language === 'tr-tr' || format.language === 'ru-ru';
  const several = values.conditions.filter((each) => !isBlank(each)).length > 1;

  const sentenceOf = (one: RehearsalAdvice) => {
    const counts = { count: one.notices, n: format.number(one.notices), without: format.number(one.without) };
    if (one.kind === 'hits') {
      const readings = readingsText(one.hitCounts ?? 1, 'brief', format.language);
      return t('rule.rehearsal.advice.hits', {
        ...counts,
        readings,
        window: windowText(one.durations ?? 0, 'brief', format.language),
      });
    }
    const property = properties?.get(one.tslAttribute ?? '');
    // As the form and the chart say limits: with no more decimals than it has.
    const value = format.reading({ value: one.recovery ?? 0, unit: property?.elementUnit ?? '' });
    const name = property ? titleOf(property) : (one.tslAttribute ?? '');
    return t(several ? 'rule.rehearsal.advice.recoveryOf' : 'rule.rehearsal.advice.recovery', {
      ...counts,
      value,
      name,
    });
  };
  const offered = advice.flatMap((one) => {
    const part = advisedChange(values, one, comma);
    return part ? [{ kind: one.kind, sentence: sentenceOf(one), part }] : [];
  });
  if (offered.length === 0) return null;
  return (
    <div className={css.advice}>
      <h4 className={css.title}>{t('rule.rehearsal.advice.title')}</h4>
      <ul>
        {offered.map(({ kind, sentence, part }) => (
          <li key={kind} className={css.one}>
            <span className={css.sentence}>{sentence}</span>
            {/* Not disabled by its attribute: the keyboard would be lost to whom has just pressed it. */}
            <button
              type="button"
              className={css.use}
              aria-disabled={waiting}
              aria-label={t('rule.rehearsal.advice.useOf', { advice: sentence })}
              onClick={waiting ? undefined : () => change(part)}
            >
              {t('rule.rehearsal.advice.use')}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

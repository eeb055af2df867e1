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
  /** The best advice first. */
  advice: readonly RehearsalAdvice[] | undefined;
  form: RuleFormState;
  /** The form has changed since, so the advice is not about its current values. */
  waiting: boolean;
}

/**
 * Changes of the rule with which there would have been far fewer alarms: each is a sentence and a
 * button that makes the change.
 */
export function Advice({ advice = [], form, waiting }: AdviceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values, properties, change } = form;
  const several = values.conditions.filter((each) => !isBlank(each)).length > 1;

  const sentenceOf = (suggestion: RehearsalAdvice) => {
    const counts = {
      count: suggestion.notices,
      n: format.number(suggestion.notices),
      without: format.number(suggestion.without),
    };
    if (suggestion.kind === 'hits') {
      const readings = readingsText(suggestion.hitCounts ?? 1, 'brief', format.language);
      return t('rule.rehearsal.advice.hits', {
        ...counts,
        readings,
        window: windowText(suggestion.durations ?? 0, 'brief', format.language),
      });
    }
    const property = properties?.get(suggestion.tslAttribute ?? '');
    // Formatted like the limits in the form and the chart: with no more decimals than the number
    // has.
    const value = format.reading({ value: suggestion.recovery ?? 0, unit: property?.elementUnit ?? '' });
    const name = property ? titleOf(property) : (suggestion.tslAttribute ?? '');
    return t(several ? 'rule.rehearsal.advice.recoveryOf' : 'rule.rehearsal.advice.recovery', {
      ...counts,
      value,
      name,
    });
  };
  /** Which alarms there would still have been with the change, and which not. */
  const effectOf = ({ keepsLonger, kept, keptNights, dropped }: RehearsalAdvice) => {
    const counted = (count: number) => ({
      count,
      n: format.number(count),
      time: windowText(keepsLonger, 'brief', format.language),
    });
    const keeps = keptNights
      ? t('rule.rehearsal.advice.keptNights', counted(keptNights))
      : kept > 0 && dropped > 0
        ? t('rule.rehearsal.advice.kept', counted(kept))
        : null;
    const drops = dropped > 0 ? t('rule.rehearsal.advice.dropped', counted(dropped)) : t('rule.rehearsal.advice.none');
    return format.sentences([keeps, drops]);
  };
  const offered = advice.flatMap((suggestion) => {
    const part = advisedChange(values, suggestion, format.language);
    return part
      ? [{ kind: suggestion.kind, sentence: sentenceOf(suggestion), effect: effectOf(suggestion), part }]
      : [];
  });
  if (offered.length === 0) return null;
  return (
    <div className={css.advice}>
      <h4 className={css.title}>{t('rule.rehearsal.advice.title')}</h4>
      <ul>
        {offered.map(({ kind, sentence, effect, part }) => (
          <li key={kind} className={css.one}>
            <p className={css.change}>
              <span className={css.sentence}>{sentence}</span>
              <span className={css.effect}>{effect}</span>
            </p>
            {/* Not the `disabled` attribute: it would take the focus from the button that was
                just pressed. */}
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

import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/Note';
import { PlainButton } from '@/ui/PlainButton';
import css from './PeriodField.module.css';
import type { PeriodValues } from './presets';
import { interpretPeriod } from './slots';

interface OvernightSuggestionProps {
  /** Minutes of the day. */
  start: number;
  end: number;
  onTake: (part: Partial<PeriodValues>) => void;
}

/** Placeholder for the hours, which are inserted later. */
const hoursMark = '\u0002';

/**
 * Suggests what a period whose start is after its end may mean: half hours of two days. One click
 * takes the suggestion.
 */
export function OvernightSuggestion({ start, end, onTake }: OvernightSuggestionProps) {
  const { t } = useTranslation();
  const suggestion = interpretPeriod(start, end);
  // The live region exists before it has any text, so that screen readers announce the text.
  return (
    <div role="status" className={suggestion ? css.offer : undefined}>
      {suggestion ? (
        <Note
          tone="info"
          action={
            <PlainButton onClick={() => onTake(suggestion.part)}>
              <span>
                <Hours
                  words={t(suggestion.part.complexTime === 1 ? 'rule.form.overnight' : 'rule.form.use', {
                    range: hoursMark,
                  })}
                  hours={suggestion.hours}
                />
              </span>
            </PlainButton>
          }
        >
          {suggestion.kind === 'midnight'
            ? t('rule.form.midnight')
            : suggestion.wider === undefined
              ? t('rule.form.crosses', { range: suggestion.entered })
              : t('rule.form.crossesWider', { range: suggestion.entered, wider: suggestion.wider })}
        </Note>
      ) : null}
    </div>
  );
}

/** A text that contains hours; no range of hours is broken at the end of a line. */
function Hours({ words, hours }: { words: string; hours: string }) {
  const [before = '', after = ''] = words.split(hoursMark);
  return (
    <>
      {before}
      {hours.split(', ').map((range, i) => (
        <Fragment key={range}>
          {i > 0 ? ', ' : null}
          <span className={css.range}>{range}</span>
        </Fragment>
      ))}
      {after}
    </>
  );
}

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
  const meant = interpretPeriod(start, end);
  // The live region exists before it has any text, so that screen readers announce the text.
  return (
    <div role="status" className={meant ? css.offer : undefined}>
      {meant ? (
        <Note
          tone="info"
          action={
            <PlainButton onClick={() => onTake(meant.part)}>
              <span>
                <Hours
                  words={t(meant.part.complexTime === 1 ? 'rule.form.overnight' : 'rule.form.use', {
                    range: hoursMark,
                  })}
                  hours={meant.hours}
                />
              </span>
            </PlainButton>
          }
        >
          {meant.kind === 'midnight'
            ? t('rule.form.midnight')
            : meant.wider === undefined
              ? t('rule.form.crosses', { range: meant.entered })
              : t('rule.form.crossesWider', { range: meant.entered, wider: meant.wider })}
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

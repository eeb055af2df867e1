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

/** Stands where the hours are to stand, until they are put there. */
const hoursMark = '\u0002';

/** A start after its end: what it would be as half hours of two days, said before one click makes it so. */
export function OvernightSuggestion({ start, end, onTake }: OvernightSuggestionProps) {
  const { t } = useTranslation();
  const meant = interpretPeriod(start, end);
  // There before it says anything, so that what it comes to say is read out.
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

/** Words with hours in them, no range of which is broken at the end of a line. */
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

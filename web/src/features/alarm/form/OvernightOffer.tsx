import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/Note';
import { PlainButton } from '@/ui/PlainButton';
import css from './PeriodField.module.css';
import type { PeriodValues } from './presets';
import { meantBy } from './slots';

interface OvernightOfferProps {
  /** Minutes of the day. */
  start: number;
  end: number;
  onTake: (part: Partial<PeriodValues>) => void;
}

/** A start after its end: what it would be as half hours of two days, said before one click makes it so. */
export function OvernightOffer({ start, end, onTake }: OvernightOfferProps) {
  const { t } = useTranslation();
  const meant = meantBy(start, end);
  // There before it says anything, so that what it comes to say is read out.
  return (
    <div role="status" className={meant ? css.offer : undefined}>
      {meant ? (
        <Note
          tone="info"
          action={
            <PlainButton onClick={() => onTake(meant.part)}>
              {t(meant.part.complexTime === 1 ? 'rule.form.overnight' : 'rule.form.use', { range: meant.hours })}
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

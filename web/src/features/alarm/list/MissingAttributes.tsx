import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/Note';
import css from './MissingAttributes.module.css';
import type { Elements } from './sentenceOf';

interface MissingAttributesProps {
  /** Identifiers; not empty. */
  missing: readonly string[];
  elements: Elements | undefined;
}

/**
 * Says why a rule cannot run (its device has lost attributes of its conditions) and what to do
 * about it.
 */
export function MissingAttributes({ missing, elements }: MissingAttributesProps) {
  const { t } = useTranslation();
  const names = missing.map((sign) => elements?.[sign]?.yeuName || sign).join(t('rule.card.attributesBetween'));
  return (
    <div className={css.note}>
      <Note tone="warn">{t('rule.card.attributeGone', { count: missing.length, names })}</Note>
    </div>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './controls.module.css';

/** What a phone shows only on request: the chart comes first there. */
export function More({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  if (!isPhone) return children;
  return (
    <details className={css.more}>
      <summary>{t('analysis.more')}</summary>
      <div className={css.moreContent}>{children}</div>
    </details>
  );
}

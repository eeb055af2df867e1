import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './TreeColumn.module.css';

interface TreeColumnProps {
  /** How many devices the tenant has; undefined until it is known. */
  count: number | undefined;
  /** The top bar is sticky: the column begins below it. */
  below: boolean;
  children: ReactNode;
}

/** The list of devices beside a page, visible while the page scrolls. */
export function TreeColumn({ count, below, children }: TreeColumnProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <section className={`${css.column} ${below ? css.below : ''}`} aria-label={t('home.list.title')}>
      <header className={css.head}>
        <h2 className={css.title}>{t('home.list.title')}</h2>
        {count === undefined ? null : <span className={css.count}>{format.number(count)}</span>}
      </header>
      {children}
    </section>
  );
}

import type { ReactNode } from 'react';
import css from './Panel.module.css';

interface PanelProps {
  title: string;
  /** At the right end of the header, or below a title that needs the line for itself. */
  aside?: ReactNode;
  /** Whether it fills the rest of the column. */
  grow?: boolean;
  children: ReactNode;
}

export function Panel({ title, aside, grow = false, children }: PanelProps) {
  return (
    <section className={`${css.panel} ${grow ? css.grow : ''}`} aria-label={title}>
      <header className={css.head}>
        <h2 className={css.title}>{title}</h2>
        {aside ? <span className={css.aside}>{aside}</span> : null}
      </header>
      {children}
    </section>
  );
}

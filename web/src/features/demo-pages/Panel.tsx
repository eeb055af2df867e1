import { type ReactNode, useId } from 'react';
import css from './Panel.module.css';

interface PanelProps {
  title: string;
  /** At the end of the header. */
  aside?: ReactNode;
  /** The content (a table, a list) extends to the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A titled card of these pages. */
export function Panel({ title, aside, flush = false, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`${css.panel} ${className}`} aria-labelledby={id}>
      <header className={css.head}>
        <h2 id={id} className={css.title}>
          {title}
        </h2>
        {aside}
      </header>
      <div className={flush ? css.flush : css.body}>{children}</div>
    </section>
  );
}

import type { ReactNode } from 'react';
import css from './Empty.module.css';

/** `first`: nothing exists yet. `search`: nothing matches. `good`: empty is the good state. */
export type EmptyKind = 'first' | 'search' | 'good';

interface EmptyProps {
  kind?: EmptyKind;
  /** What is empty. */
  title: string;
  /** Why it is empty. */
  text?: string;
  /** The next step: one button. */
  action?: ReactNode;
  /** The heading's level; 1 where this is the whole page. */
  level?: 1 | 2 | 3;
}

const marks: Record<EmptyKind, ReactNode> = {
  first: (
    <g className={css.mark}>
      <circle cx="48" cy="8" r="4" />
      <path d="M48 12v26" />
    </g>
  ),
  search: (
    <g className={css.quiet}>
      <circle cx="46" cy="15" r="9" />
      <path d="m53 22 7 7" />
    </g>
  ),
  good: <path className={css.mark} d="m38 16 8 8 14-15" />,
};

export function Empty({ kind = 'first', title, text, action, level = 2 }: EmptyProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={css.empty}>
      <svg viewBox="0 0 96 60" width="96" height="60" aria-hidden="true" className={css.picture}>
        <path d="M2 36c14-7 30 4 46 0s30-6 46-1" />
        <path d="M2 46c14-7 30 4 46 0s30-6 46-1" />
        <path d="M2 56c14-7 30 4 46 0s30-6 46-1" />
        {marks[kind]}
      </svg>
      <Heading className={css.title}>{title}</Heading>
      {text ? <p className={css.text}>{text}</p> : null}
      {action ? <div className={css.action}>{action}</div> : null}
    </div>
  );
}

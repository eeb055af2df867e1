import type { ReactNode } from 'react';
import css from './Chip.module.css';

export type ChipTone = 'ok' | 'off' | 'info' | 'warn' | 'clay' | 'red' | 'tag';

interface ChipProps {
  tone: ChipTone;
  /** Every state has an icon and a word: colour only confirms. */
  icon?: ReactNode;
  /** A ring instead of a fill. */
  outlined?: boolean;
  title?: string;
  children: ReactNode;
}

export function Chip({ tone, icon, outlined = false, title, children }: ChipProps) {
  return (
    <span className={`${css.chip} ${css[tone]} ${outlined ? css.outlined : ''}`} title={title}>
      {icon ? (
        <span className={css.icon} aria-hidden="true">
          {icon}
        </span>
      ) : null}
      {children}
    </span>
  );
}

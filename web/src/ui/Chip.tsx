import type { ReactNode } from 'react';
import css from './Chip.module.css';

export type ChipTone = 'ok' | 'off' | 'info' | 'warn' | 'clay' | 'alarm' | 'level' | 'tag';

interface ChipProps {
  tone: ChipTone;
  /** Of an alarm, for the tone `level`. */
  level?: 0 | 1 | 2;
  /** Every state has an icon and a word: colour only confirms. */
  icon?: ReactNode;
  /** A ring instead of a fill. */
  outlined?: boolean;
  title?: string;
  children: ReactNode;
}

export function Chip({ tone, level, icon, outlined = false, title, children }: ChipProps) {
  return (
    <span className={`${css.chip} ${css[tone]} ${outlined ? css.outlined : ''}`} data-level={level} title={title}>
      {icon ? (
        <span className={css.icon} aria-hidden="true">
          {icon}
        </span>
      ) : null}
      {children}
    </span>
  );
}

import type { ReactNode } from 'react';
import css from './AllRow.module.css';
import { TickMark } from './TickMark';

interface AllRowProps {
  ticked: boolean;
  onTick: () => void;
  children: ReactNode;
}

/** The row above a tree with ticks that ticks everything at once. */
export function AllRow({ ticked, onTick, children }: AllRowProps) {
  return (
    <button type="button" className={css.all} aria-pressed={ticked} onClick={onTick}>
      <TickMark ticked={ticked} />
      {children}
    </button>
  );
}

import type { ReactNode } from 'react';
import css from './Block.module.css';

/** A titled part of the detail. */
export function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={css.block}>
      <h3 className={css.title}>{title}</h3>
      {children}
    </div>
  );
}

import type { ReactNode } from 'react';
import { usePreferences } from '@/lib/storage/preferences';
import css from './Panes.module.css';

interface PanesProps {
  /** `list`: a list and what is chosen of it. `card`: a narrow card and what belongs to it. */
  shape: 'list' | 'card';
  first: ReactNode;
  second?: ReactNode;
}

/**
 * Two parts of a page, side by side where `panesQuery` holds, otherwise one below the other. What
 * is chosen of a long list stays in sight.
 */
export function Panes({ shape, first, second }: PanesProps) {
  const fixedNavbar = usePreferences((state) => state.fixedNavbar);
  return (
    <div className={`${css.panes} ${second ? css[shape] : ''} ${fixedNavbar ? css.below : ''}`}>
      <div className={css.pane}>{first}</div>
      {second ? <div className={`${css.pane} ${css.second}`}>{second}</div> : null}
    </div>
  );
}

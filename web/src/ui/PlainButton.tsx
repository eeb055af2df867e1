import type { ReactNode } from 'react';
import css from './PlainButton.module.css';

interface PlainButtonProps {
  /** Without it the button sends the form that it stands in. */
  onClick?: () => void;
  children: ReactNode;
}

/** A way on that is not the page's main one. */
export function PlainButton({ onClick, children }: PlainButtonProps) {
  return (
    <button type={onClick ? 'button' : 'submit'} className={css.button} onClick={onClick}>
      {children}
    </button>
  );
}

import type { ReactNode } from 'react';
import css from './PlainButton.module.css';

interface PlainButtonProps {
  /** Without it the button submits its form. */
  onClick?: () => void;
  children: ReactNode;
}

/** A secondary button. */
export function PlainButton({ onClick, children }: PlainButtonProps) {
  return (
    <button type={onClick ? 'button' : 'submit'} className={css.button} onClick={onClick}>
      {children}
    </button>
  );
}

import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import css from './IconButton.module.css';

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label'> {
  /** What the button does, spoken and on hover. */
  label: string;
  icon: ReactNode;
  ref?: Ref<HTMLButtonElement>;
  /** How many wait; nothing is shown for 0. */
  count?: number;
}

export function IconButton({ label, icon, count = 0, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} className={`${css.button} ${className}`} aria-label={label} title={label}>
      {icon}
      <CountBadge count={count} />
    </button>
  );
}

/** The number at the corner of an icon; its meaning is in the label of what it sits on. */
export function CountBadge({ count }: { count: number }) {
  if (count <= 0) return null;
  return (
    <span className={css.badge} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}

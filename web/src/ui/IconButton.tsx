import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import css from './IconButton.module.css';

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label'> {
  /** The button's action, for screen readers and on hover. */
  label: string;
  icon: ReactNode;
  ref?: Ref<HTMLButtonElement>;
  /** The number in the badge; 0 shows none. */
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

/** The number at the corner of an icon; the label of the element around it contains its meaning. */
export function CountBadge({ count }: { count: number }) {
  if (count <= 0) return null;
  return (
    <span className={css.badge} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}

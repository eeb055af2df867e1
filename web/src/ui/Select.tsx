import DownOutlined from '@ant-design/icons/DownOutlined';
import type { SelectHTMLAttributes } from 'react';
import css from './Select.module.css';

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  /** Of the frame, which decides how wide it is. */
  className?: string;
}

/** A list to choose one from, framed as a field. The browser's own: it searches by typing, and a phone shows it as its own. */
export function Select({ className = '', children, ...rest }: SelectProps) {
  return (
    <span className={`${css.box} ${className}`}>
      <select {...rest} className={css.select}>
        {children}
      </select>
      <DownOutlined className={css.chevron} aria-hidden="true" />
    </span>
  );
}

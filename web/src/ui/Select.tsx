import DownOutlined from '@ant-design/icons/DownOutlined';
import type { SelectHTMLAttributes } from 'react';
import css from './Select.module.css';

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  /** The frame's class, which sets the width. */
  className?: string;
}

/**
 * A single-choice list with a field's frame. A native select: it searches by typing, and a phone
 * shows its own picker.
 */
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

import { type ReactNode, useId } from 'react';
import css from './SegmentedControl.module.css';

interface SegmentedControlProps<T extends string | undefined> {
  /** What is chosen; for screen readers. */
  label: string;
  value: T;
  options: readonly { value: T; words: string; icon?: ReactNode }[];
  onChange: (value: T) => void;
  className?: string;
}

/** A few choices side by side, of which one is taken at once: radio buttons as a segmented control. */
export function SegmentedControl<T extends string | undefined>({
  label,
  value,
  options,
  onChange,
  className = '',
}: SegmentedControlProps<T>) {
  const name = useId();
  return (
    <fieldset className={`${css.track} ${className}`}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.words} className={css.choice}>
          <input
            type="radio"
            className={css.input}
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span className={css.words}>
            {option.icon}
            {option.words}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

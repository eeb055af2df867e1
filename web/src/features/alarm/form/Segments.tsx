import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type ReactNode, useId } from 'react';
import css from './Segments.module.css';

interface SegmentsProps<T> {
  label: string;
  /** The label already stands beside the control; here it is only for screen readers. */
  bare?: boolean;
  small?: boolean;
  required?: boolean;
  value: T | null;
  options: readonly { value: T; label: string; icon?: ReactNode; level?: 0 | 1 | 2 }[];
  onChange: (value: T) => void;
  /** Explains the choice; an error takes its place. */
  hint?: string;
  error?: string;
}

/**
 * A few choices side by side, of which one is taken: radio buttons that look like a segmented
 * control.
 */
export function Segments<T extends number>(props: SegmentsProps<T>) {
  const { label, bare = false, small = false, required = false, value, options, onChange, hint, error } = props;
  const id = useId();
  return (
    <div
      className={bare ? undefined : css.field}
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-required={required || undefined}
      aria-invalid={error ? true : undefined}
      aria-describedby={error || hint ? `${id}-told` : undefined}
    >
      <div className={bare ? 'visually-hidden' : css.label} id={`${id}-label`}>
        {label}
        {required ? (
          <span className={css.star} aria-hidden="true">
            *
          </span>
        ) : null}
      </div>
      <div className={`${css.track} ${small ? css.small : ''} ${error ? css.wrong : ''}`}>
        {options.map((option) => (
          <label key={option.value} className={css.choice}>
            <input
              type="radio"
              className={css.input}
              name={id}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <span className={`${css.words} ${option.level === undefined ? '' : css.level}`} data-level={option.level}>
              {option.icon ? <span aria-hidden="true">{option.icon}</span> : null}
              {option.label}
            </span>
          </label>
        ))}
      </div>
      {error ? (
        <p className={css.error} id={`${id}-told`}>
          <ExclamationCircleOutlined aria-hidden="true" /> {error}
        </p>
      ) : hint ? (
        <p className={css.hint} id={`${id}-told`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import css from './Field.module.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  ref?: Ref<HTMLInputElement>;
  label: string;
  icon: ReactNode;
  /** The error of the field's value, announced with the field. */
  error?: string;
  /** A button at the end of the field. */
  after?: ReactNode;
}

/**
 * A labelled field of the sign-in page. It does without antd, so that it appears at once on a slow
 * connection.
 */
export function Field({ ref, label, icon, error, after, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      <div className={css.box} data-wrong={error !== undefined}>
        <span className={css.icon} aria-hidden="true">
          {icon}
        </span>
        <input
          {...input}
          ref={ref}
          id={id}
          className={css.input}
          aria-required="true"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
        />
        {after}
      </div>
      {error === undefined ? null : (
        <p className={css.error} id={`${id}-error`}>
          <ExclamationCircleOutlined aria-hidden="true" />
          {error}
        </p>
      )}
    </div>
  );
}

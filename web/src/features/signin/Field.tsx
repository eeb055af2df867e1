import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import css from './Field.module.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  ref?: Ref<HTMLInputElement>;
  label: string;
  icon: ReactNode;
  /** The error of the field's value, announced with the field. */
  error?: string;
  /** Replaced by the error. */
  hint?: string;
  /** It may stay empty. */
  optional?: boolean;
  /** A button at the end of the field. */
  after?: ReactNode;
  /** Always below the field and its texts. */
  below?: ReactNode;
}

/**
 * A labelled field of the sign-in page and of the page of an invitation. It does without antd, so that it appears at once on a slow
 * connection.
 */
export function Field({ ref, label, icon, error, hint, optional = false, after, below, ...input }: FieldProps) {
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
          aria-required={!optional}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined && hint === undefined ? undefined : `${id}-told`}
        />
        {after}
      </div>
      {error !== undefined ? (
        <p className={css.error} id={`${id}-told`}>
          <ExclamationCircleOutlined aria-hidden="true" />
          {error}
        </p>
      ) : hint !== undefined ? (
        <p className={css.hint} id={`${id}-told`}>
          {hint}
        </p>
      ) : null}
      {below}
    </div>
  );
}

import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type ReactNode, useId } from 'react';
import css from './Field.module.css';

/** Connects a control to its label and its descriptions. */
export interface ControlLabels {
  id: string;
  'aria-required'?: true;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
  status?: 'error';
}

interface FieldProps {
  label: string;
  required?: boolean;
  /** The error text; replaces the hint. */
  error?: string;
  hint?: ReactNode;
  /** Beside the control: a button. */
  after?: ReactNode;
  /** Always below the control and its texts. */
  below?: ReactNode;
  children: (labels: ControlLabels) => ReactNode;
}

export function Field({ label, required = false, error, hint, after, below, children }: FieldProps) {
  const id = useId();
  const wrong = error !== undefined;
  const hasDescription = wrong || hint !== undefined;
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
        {required ? (
          <span className={css.star} aria-hidden="true">
            *
          </span>
        ) : null}
      </label>
      <div className={css.row}>
        <div className={css.control}>
          {children({
            id,
            ...(required ? { 'aria-required': true } : {}),
            ...(wrong ? { 'aria-invalid': true, status: 'error' } : {}),
            ...(hasDescription ? { 'aria-describedby': `${id}-told` } : {}),
          })}
        </div>
        {after}
      </div>
      {hasDescription ? (
        <p className={wrong ? css.error : css.hint} id={`${id}-told`}>
          {wrong ? <ExclamationCircleOutlined aria-hidden="true" /> : null}
          <span>{error ?? hint}</span>
        </p>
      ) : null}
      {below}
    </div>
  );
}

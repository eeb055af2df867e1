import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type ReactNode, useId } from 'react';
import css from './Field.module.css';

/** What ties a control to its label and to what is said about it. */
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
  /** What is wrong; stands in place of the hint. */
  error?: string;
  hint?: ReactNode;
  /** Stands beside the control: a button. */
  after?: ReactNode;
  /** Stands below, whatever is said about the control. */
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

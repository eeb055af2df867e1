import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import css from './StatusChoice.module.css';

interface StatusChoiceProps {
  value: 1 | 2 | null;
  onChange: (value: 1 | 2) => void;
  inputRef: (element: { focus: () => void } | null) => void;
  error: string | undefined;
}

/** Usable or forbidden, each with an explanation. */
export function StatusChoice({ value, onChange, inputRef, error }: StatusChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={error ? `${id}-error` : undefined}
      aria-invalid={error ? true : undefined}
      aria-required="true"
    >
      <div className={css.label} id={`${id}-label`}>
        {t('scene.state')}
        <span className={css.star} aria-hidden="true">
          *
        </span>
      </div>
      {([1, 2] as const).map((status) => (
        <label key={status} className={css.choice}>
          <input
            ref={status === 1 ? inputRef : undefined}
            type="radio"
            name={id}
            checked={value === status}
            onChange={() => onChange(status)}
          />
          {status === 1 ? <CheckCircleOutlined aria-hidden="true" /> : <StopOutlined aria-hidden="true" />}
          <span className={css.words}>
            <span className={css.word}>{t(`scene.status.${status}`)}</span>
            <span className={css.what}>{t(`scene.statusText.${status}`)}</span>
          </span>
        </label>
      ))}
      {error ? (
        <p className={css.error} id={`${id}-error`}>
          <ExclamationCircleOutlined aria-hidden="true" /> {error}
        </p>
      ) : null}
    </div>
  );
}

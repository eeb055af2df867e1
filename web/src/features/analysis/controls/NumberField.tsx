import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './controls.module.css';

interface NumberFieldProps {
  label: string;
  value: number | undefined;
  low: number;
  high: number;
  /** Why a number within the limits cannot be taken either; undefined: it can. */
  reasonAgainst?: (value: number) => string | undefined;
  onChange: (value: number | undefined) => void;
}

/** A number that takes effect on Enter and when the field is left. One that cannot be taken stays, with the reason. */
export function NumberField({ label, value, low, high, reasonAgainst, onChange }: NumberFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const reasonOf = (wanted: number) =>
    wanted >= low && wanted <= high
      ? reasonAgainst?.(wanted)
      : t('analysis.fromTo', { name: label, low: format.number(low), high: format.number(high) });
  const take = () => {
    if (typed === undefined) return;
    const wanted = typed === '' ? undefined : Number(typed);
    const reason = wanted === undefined ? undefined : reasonOf(wanted);
    setError(reason);
    if (reason !== undefined) return;
    setTyped(undefined);
    onChange(wanted);
  };
  return (
    <>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={css.number}
        type="number"
        inputMode="decimal"
        step="any"
        min={low}
        max={high}
        value={typed ?? value ?? ''}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => {
          setTyped(event.target.value);
          setError(undefined);
        }}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take();
        }}
      />
      {error === undefined ? null : (
        <span id={`${id}-error`} role="alert" className={css.error}>
          {error}
        </span>
      )}
    </>
  );
}

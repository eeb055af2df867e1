import { useTranslation } from 'react-i18next';
import type { TslProperty } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { Select } from '@/ui/Select';
import css from './ValueInput.module.css';

interface InputProps {
  className?: string;
  value: string;
  onChange: (value: string) => void;
  'aria-label': string;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}

/**
 * The value of a condition in the form that its attribute needs: a number with its unit, on or off,
 * or a text.
 */
export function ValueInput({ property, onChange, ...rest }: InputProps & { property: TslProperty | undefined }) {
  const { t } = useTranslation();
  if (property?.dataType === 'boolean') {
    return (
      <Select {...rest} onChange={({ target }) => onChange(target.value)}>
        <option value="true">{t('format.on')}</option>
        <option value="false">{t('format.off')}</option>
      </Select>
    );
  }
  if (property?.dataType === 'text') return <Framed {...rest} onChange={onChange} maxLength={200} />;
  return (
    <NumberInput {...rest} onChange={onChange} unit={property?.elementUnit ?? ''} disabled={property === undefined} />
  );
}

/** A number with a decimal dot or comma; its unit stands inside the frame. */
export function NumberInput({ unit, ...rest }: InputProps & { unit: string; disabled?: boolean }) {
  const format = useFormat();
  return <Framed {...rest} unit={format.unit(unit)} inputMode="decimal" />;
}

interface FramedProps extends InputProps {
  unit?: string;
  inputMode?: 'decimal';
  maxLength?: number;
  disabled?: boolean;
}

function Framed({ className = '', unit, onChange, ...rest }: FramedProps) {
  const { t } = useTranslation();
  return (
    <span className={`${css.frame} ${rest['aria-invalid'] ? css.wrong : ''} ${className}`}>
      <input
        {...rest}
        type="text"
        className={css.input}
        autoComplete="off"
        placeholder={t('rule.form.valuePlaceholder')}
        onChange={({ target }) => onChange(target.value)}
      />
      {unit ? <span className={css.unit}>{unit}</span> : null}
    </span>
  );
}

import { Input, type InputRef } from 'antd';
import { useTranslation } from 'react-i18next';
import { Field } from '../form/Field';
import type { FieldState } from '../form/useForm';

export type CodeError = 'factor.codeRequired';

interface CodeInputProps {
  value: string;
  onChange: (value: string) => void;
  field: FieldState<CodeError>;
  /** The server's refusal of the code. */
  refusal?: string;
  /** A recovery code is taken, too. */
  recovery?: boolean;
  autoFocus?: boolean;
}

/** The code of an authenticator app. Blanks, as some apps copy them, do no harm. */
export function CodeInput({ value, onChange, field, refusal, recovery = false, autoFocus = false }: CodeInputProps) {
  const { t } = useTranslation();
  return (
    <Field
      label={t(recovery ? 'factor.anyCode' : 'factor.code')}
      required
      error={field.error ? t(field.error) : refusal}
      hint={t(recovery ? 'factor.anyCodeHint' : 'factor.codeHint')}
    >
      {(labels) => (
        <Input
          {...labels}
          ref={field.ref as (input: InputRef | null) => void}
          autoFocus={autoFocus}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          onBlur={field.onBlur}
          // A recovery code has letters, too.
          inputMode={recovery ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={64}
        />
      )}
    </Field>
  );
}

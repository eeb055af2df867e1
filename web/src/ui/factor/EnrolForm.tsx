import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { useForm } from '../form/useForm';
import { type CodeError, CodeInput } from './CodeInput';
import { KeyToScan } from './KeyToScan';

interface EnrolFormProps {
  /** For a button outside of the form. */
  id?: string;
  enrolment: components['schemas']['Enrolment'];
  busy: boolean;
  /** The server's refusal of the code. */
  refusal?: string;
  onCode: (code: string) => void;
  /** The code was changed: what the server said of it no longer holds. */
  onChange: () => void;
  /** The button, unless it is outside. */
  children?: ReactNode;
}

/** A new key, and the first code of it, which shows that the app has the key. */
export function EnrolForm({ id, enrolment, busy, refusal, onCode, onChange, children }: EnrolFormProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const form = useForm<{ code: string }, CodeError>({
    values: { code },
    check: (typed) => (typed.code.trim() === '' ? { code: 'factor.codeRequired' } : {}),
    busy,
    onSubmit: (wanted) => onCode(wanted.code),
  });
  return (
    <form id={id} onSubmit={form.submit} noValidate aria-label={t('factor.setUp')}>
      <KeyToScan {...enrolment} />
      <CodeInput
        value={code}
        onChange={(typed) => {
          setCode(typed);
          onChange();
        }}
        field={form.field('code')}
        refusal={refusal}
        autoFocus
      />
      {children}
    </form>
  );
}

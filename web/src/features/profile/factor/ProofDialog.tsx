import { useMutation } from '@tanstack/react-query';
import { Button, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { Dialog } from '@/ui/Dialog';
import { type CodeError, CodeInput } from '@/ui/factor/CodeInput';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { type Errors, type FieldState, useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { PasswordInput } from '../form/PasswordInput';
import { type FactorAction, type Outcome, type Proof, proven } from './calls';
import css from './SecondFactor.module.css';

interface ProofDialogProps {
  /** Null closes the dialog. */
  action: FactorAction | null;
  userName: string;
  onClose: () => void;
  onDone: (action: FactorAction, outcome: Outcome) => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

type Problem = CodeError | 'signin.passwordRequired';

const empty: Proof = { password: '', code: '' };
const asksPassword = (action: FactorAction) => action !== 'newCodes';
const asksCode = (action: FactorAction) => action !== 'turnOn';

function check(action: FactorAction, { password, code }: Proof): Errors<Proof, Problem> {
  return {
    ...(asksPassword(action) && password === '' ? { password: 'signin.passwordRequired' as const } : {}),
    ...(asksCode(action) && code.trim() === '' ? { code: 'factor.codeRequired' as const } : {}),
  };
}

/** Asks for the password, a code or both before the second factor is changed. */
export function ProofDialog({ action, userName, onClose, onDone, onClosed }: ProofDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  // Keeps the texts while it closes.
  const [shown, setShown] = useState<FactorAction>('turnOn');
  if (action !== null && action !== shown) setShown(action);
  const [values, setValues] = useState(empty);

  const refusalOf = (error: unknown) => fieldRefusal(formErrorText(error), { password: t('signin.password') });
  const prove = useMutation({
    mutationFn: ({ of, proof }: { of: FactorAction; proof: Proof }) => proven(of, proof),
    // Keys and codes are kept in a single place only.
    gcTime: 0,
    meta: { shows: [601], failure: 'factor.fail' },
    onSuccess: (outcome, { of }) => onDone(of, outcome),
    onError: (error): void => form.focus(refusalOf(error)?.field === 'password' ? 'password' : 'code'),
  });
  const form = useForm<Proof, Problem>({
    values,
    check: (typed) => check(shown, typed),
    busy: prove.isPending,
    onSubmit: (proof) => prove.mutate({ of: shown, proof }),
  });
  const refusal = refusalOf(prove.error);
  const change = (part: Partial<Proof>) => {
    setValues((before) => ({ ...before, ...part }));
    if (prove.isError) prove.reset();
  };
  const password = form.field('password');

  return (
    <Dialog
      open={action !== null}
      title={t(`factor.title.${shown}`)}
      onClose={onClose}
      width={440}
      onClosed={() => {
        setValues(empty);
        form.forget();
        prove.reset();
        onClosed();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={prove.isPending} danger={shown === 'turnOff'}>
            {t(`factor.verb.${shown}`)}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        <p className={css.why}>{t(`factor.why.${shown}`)}</p>
        {!asksCode(shown) && refusal?.field === 'form' ? (
          <div className={css.note}>
            <Note tone="wrong">{refusal.text}</Note>
          </div>
        ) : null}
        {asksPassword(shown) ? (
          <>
            {/* For password managers: the user name of the password. */}
            <input hidden readOnly autoComplete="username" value={userName} />
            <Field
              label={t('signin.password')}
              required
              error={password.error ? t(password.error) : refusal?.field === 'password' ? refusal.text : undefined}
            >
              {(labels) => (
                <PasswordInput
                  {...labels}
                  ref={password.ref as (input: InputRef | null) => void}
                  autoFocus
                  autoComplete="current-password"
                  value={values.password}
                  onChange={({ target }) => change({ password: target.value })}
                  onBlur={password.onBlur}
                />
              )}
            </Field>
          </>
        ) : null}
        {asksCode(shown) ? (
          <CodeInput
            value={values.code}
            onChange={(code) => change({ code })}
            field={form.field('code') as FieldState<CodeError>}
            refusal={refusal?.field === 'form' ? refusal.text : undefined}
            recovery
            autoFocus={!asksPassword(shown)}
          />
        ) : null}
      </form>
    </Dialog>
  );
}

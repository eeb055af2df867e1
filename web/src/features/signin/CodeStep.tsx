import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import SafetyCertificateOutlined from '@ant-design/icons/SafetyCertificateOutlined';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clearToasts } from '@/lib/feedback/feedback';
import { asksForStep, formErrorText } from '@/lib/http/errorText';
import { useOffline } from '@/lib/offline/reachability';
import { signInWithCode } from '@/lib/session/secondFactor';
import button from '@/ui/form/submit.module.css';
import css from './CodeStep.module.css';
import { Field } from './Field';
import { ticketOver } from './secondStep';

interface CodeStepProps {
  ticket: string;
  onDone: () => void;
  /** The ticket is over: back to the password, with why. */
  onOver: (why: string) => void;
  onBack: () => void;
}

/** After the password: the code of the app, or a recovery code. */
export function CodeStep({ ticket, onDone, onOver, onBack }: CodeStepProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const [checked, setChecked] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const missing = code.trim() === '';

  useEffect(() => field.current?.focus(), []);

  const enter = useMutation({
    mutationFn: (typed: string) => signInWithCode({ ticket, code: typed }),
    meta: { shows: [601], failure: 'signin.fail', tone: 'warning' },
    onMutate: clearToasts,
    onSuccess: onDone,
    onError: (error) => {
      const refusal = formErrorText(error);
      if (refusal !== undefined && asksForStep(error, ticketOver)) return onOver(refusal);
      field.current?.focus();
      field.current?.select();
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (enter.isPending || offline) return;
    setChecked(true);
    if (missing) field.current?.focus();
    else enter.mutate(code);
  };
  const change = (typed: string) => {
    setCode(typed);
    if (enter.isError) enter.reset();
  };
  const switchKind = () => {
    setIsRecovery(!isRecovery);
    setChecked(false);
    change('');
    field.current?.focus();
  };

  return (
    <form onSubmit={submit} noValidate aria-label={t('signin.code.title')}>
      <p className={css.what}>{t(isRecovery ? 'signin.code.recoveryWhat' : 'signin.code.what')}</p>
      <Field
        ref={field}
        label={t(isRecovery ? 'signin.code.recovery' : 'signin.code.label')}
        icon={<SafetyCertificateOutlined />}
        error={checked && missing ? t('signin.code.required') : formErrorText(enter.error)}
        name="code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        autoCapitalize={isRecovery ? 'characters' : 'none'}
        spellCheck={false}
        maxLength={64}
        value={code}
        onChange={({ target }) => change(target.value)}
      />
      <button type="submit" className={button.submit} aria-disabled={enter.isPending || offline}>
        {enter.isPending ? (
          <>
            <LoadingOutlined aria-hidden="true" />
            {t('signin.busy')}
          </>
        ) : (
          t(offline ? 'offline.needs' : 'signin.submit')
        )}
      </button>
      <div className={css.ways}>
        <button type="button" className={css.way} onClick={switchKind}>
          {t(isRecovery ? 'signin.code.useApp' : 'signin.code.useRecovery')}
        </button>
        <button type="button" className={css.way} onClick={onBack}>
          {t('signin.code.back')}
        </button>
      </div>
    </form>
  );
}

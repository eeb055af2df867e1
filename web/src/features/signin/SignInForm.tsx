import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import UserOutlined from '@ant-design/icons/UserOutlined';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { useOffline } from '@/lib/offline/reachability';
import button from '@/ui/form/submit.module.css';
import { lazyComponent } from '@/ui/lazyComponent';
import { loadCaptchaPanel } from './captcha/load';
import { Field } from './Field';
import { loadCodeStep, loadEnrolStep } from './loadSteps';
import { PasswordField } from './PasswordField';
import css from './SignInForm.module.css';
import { rememberTermsRead } from './termsRead';
import { useSignIn } from './useSignIn';

interface SignInFormProps {
  /** Called when the form is complete and sign-in begins. */
  onSubmit: () => void;
  /** Other ways to sign in, below the form until the captcha takes that place. */
  others: ReactNode;
}

const CodeStep = lazyComponent(loadCodeStep, 'CodeStep');
const EnrolStep = lazyComponent(loadEnrolStep, 'EnrolStep');
const CaptchaPanel = lazyComponent(loadCaptchaPanel, 'CaptchaPanel');

export function SignInForm({ onSubmit, others }: SignInFormProps) {
  const { t } = useTranslation();
  const [userName, setUserName] = useState('');
  const [password, setPassword] = useState('');
  const [rememberMe, setRememberMe] = useState(true);
  const [checked, setChecked] = useState(false);
  const userNameRef = useRef<HTMLInputElement>(null);
  const passwordRef = useRef<HTMLInputElement>(null);
  const submitRef = useRef<HTMLButtonElement>(null);
  const sliderRef = useRef<HTMLDivElement>(null);
  const toPassword = () => {
    passwordRef.current?.focus();
    passwordRef.current?.select();
  };
  const { prepare, begin, enter, busy, asking, captchaOptional, closeCaptcha, second, leaveSecond } =
    useSignIn(toPassword);

  const offline = useOffline();
  const noUserName = userName.trim() === '';
  const noPassword = password === '';

  /** The credentials to send. If a field is empty, null, and the field takes the focus. */
  const complete = () => {
    setChecked(true);
    if (noUserName) userNameRef.current?.focus();
    else if (noPassword) passwordRef.current?.focus();
    else return { userName: userName.trim(), password, rememberMe };
    return null;
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const credentials = busy || offline ? null : complete();
    if (!credentials) return;
    // The captcha is open already, so Enter in a field leads to it.
    if (asking) return sliderRef.current?.focus();
    onSubmit();
    begin(credentials);
  };

  const finish = (how: { captchaVerification: string } | { unseen: true }) => {
    // The user may have changed the fields meanwhile: their current values are sent.
    const credentials = complete();
    if (!credentials) return closeCaptcha();
    submitRef.current?.focus();
    enter({ ...credentials, ...how });
  };

  const close = () => {
    closeCaptcha();
    submitRef.current?.focus();
  };

  const back = (why?: string) => {
    flushSync(leaveSecond);
    toPassword();
    if (why !== undefined) toast.warning(t('signin.fail'), why);
  };

  if (second) {
    const Step = second.step === 'code' ? CodeStep : EnrolStep;
    return (
      <Step
        ticket={second.ticket}
        onDone={() => rememberTermsRead(userName.trim())}
        onOver={back}
        onBack={() => back()}
      />
    );
  }
  return (
    <>
      <form onSubmit={submit} onInput={prepare} onPointerDown={prepare} noValidate>
        <Field
          ref={userNameRef}
          label={t('signin.userName')}
          icon={<UserOutlined />}
          error={checked && noUserName ? t('signin.userNameRequired') : undefined}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          autoFocus
          value={userName}
          onChange={(event) => setUserName(event.target.value)}
        />
        <PasswordField
          ref={passwordRef}
          label={t('signin.password')}
          error={checked && noPassword ? t('signin.passwordRequired') : undefined}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div className={css.remember}>
          <label className={css.switch}>
            <input
              type="checkbox"
              // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox reports its own state
              role="switch"
              checked={rememberMe}
              onChange={(event) => setRememberMe(event.target.checked)}
            />
            {t('signin.remember')}
          </label>
          <span className={css.hint}>{t('signin.rememberHint')}</span>
        </div>
        <button
          ref={submitRef}
          type="submit"
          className={button.submit}
          aria-disabled={busy || offline}
          aria-haspopup="dialog"
          aria-expanded={asking}
        >
          {busy ? (
            <>
              <LoadingOutlined aria-hidden="true" />
              {t('signin.busy')}
            </>
          ) : (
            t(offline ? 'offline.needs' : 'signin.submit')
          )}
        </button>
      </form>
      {asking ? (
        <CaptchaPanel
          slider={sliderRef}
          onVerified={(captchaVerification) => finish({ captchaVerification })}
          onClose={close}
          onUnseen={captchaOptional ? () => finish({ unseen: true }) : undefined}
        />
      ) : (
        others
      )}
    </>
  );
}

import IdcardOutlined from '@ant-design/icons/IdcardOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import UserOutlined from '@ant-design/icons/UserOutlined';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clearToasts } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { consoleSettingsQuery } from '@/lib/http/queries';
import { useOffline } from '@/lib/offline/reachability';
import { acceptInvitation } from '@/lib/session/signIn';
import button from '@/ui/form/submit.module.css';
import { type Errors, useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { defaultMinimum, isShort, type MinimumText, minimumText } from '@/ui/password/minimum';
import { StrengthMeter } from '@/ui/password/StrengthMeter';
import { prepareStrength } from '@/ui/password/useStrength';
import { Field } from '../Field';
import { PasswordField } from '../PasswordField';
import css from './InvitationPage.module.css';
import type { Offer } from './queries';

interface AcceptFormProps {
  token: string;
  offer: Offer;
  onSubmit: () => void;
  onAccepted: () => void;
}

interface Values {
  userName: string;
  nickname: string;
  password: string;
}

type Problem = 'signin.userNameRequired' | 'signin.passwordRequired' | MinimumText;

function check({ userName, password }: Values, minimum: number): Errors<Values, Problem> {
  const errors: Errors<Values, Problem> = {};
  if (userName.trim() === '') errors.userName = 'signin.userNameRequired';
  if (password === '') errors.password = 'signin.passwordRequired';
  else if (isShort(password, minimum)) errors.password = minimumText(minimum);
  return errors;
}

/** Chooses a user name and a password. What is typed stays when the server refuses it. */
export function AcceptForm({ token, offer, onSubmit, onAccepted }: AcceptFormProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  const [values, setValues] = useState<Values>({ userName: '', nickname: offer.nickname, password: '' });
  // Until the settings are fetched, or if that fails, the server decides.
  const minimum = useQuery(consoleSettingsQuery()).data?.passwordMin ?? defaultMinimum;

  const refusalOf = (error: unknown) =>
    fieldRefusal(formErrorText(error), {
      userName: t('signin.userName'),
      nickname: t('profile.nickname'),
      password: t('signin.password'),
    });
  const accept = useMutation({
    mutationFn: ({ userName, nickname, password }: Values) =>
      acceptInvitation({
        token,
        userName: userName.trim(),
        password,
        nickname: nickname.trim() || undefined,
      }),
    // The password is kept in the form alone.
    gcTime: 0,
    meta: { shows: [601], failure: 'invitation.fail' },
    onMutate: clearToasts,
    onSuccess: onAccepted,
    onError: (error) => {
      const named = refusalOf(error)?.field;
      if (named !== undefined && named !== 'form') form.focus(named);
    },
  });
  const form = useForm<Values, Problem>({
    values,
    check: (typed) => check(typed, minimum),
    busy: accept.isPending || offline,
    onSubmit: (wanted) => {
      onSubmit();
      accept.mutate(wanted);
    },
  });
  const refusal = refusalOf(accept.error);
  const field = (name: keyof Values) => {
    const { error, ref, onBlur } = form.field(name);
    return {
      ref,
      onBlur,
      error: error ? t(error, { least: minimum }) : refusal?.field === name ? refusal.text : undefined,
      value: values[name],
      onChange: ({ target }: { target: { value: string } }) => {
        setValues((before) => ({ ...before, [name]: target.value }));
        // What the server said of a field no longer holds once the field is changed.
        if (refusal?.field === name) accept.reset();
      },
    };
  };

  return (
    <form onSubmit={form.submit} noValidate aria-label={t('invitation.title')}>
      {refusal?.field === 'form' ? (
        <div className={css.note}>
          <Note tone="wrong" title={t('invitation.fail')}>
            {refusal.text}
          </Note>
        </div>
      ) : null}
      <Field
        {...field('userName')}
        label={t('signin.userName')}
        icon={<UserOutlined />}
        hint={t('invitation.userNameHint')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
      />
      <Field
        {...field('nickname')}
        label={t('profile.nickname')}
        icon={<IdcardOutlined />}
        hint={t('invitation.nicknameHint')}
        optional
        name="nickname"
        autoComplete="name"
        maxLength={64}
      />
      <PasswordField
        {...field('password')}
        label={t('signin.password')}
        hint={t(minimumText(minimum), { least: minimum })}
        name="password"
        autoComplete="new-password"
        onFocus={prepareStrength}
        below={
          <StrengthMeter
            password={values.password}
            minimum={minimum}
            person={{
              userName: values.userName,
              nickname: values.nickname,
              email: offer.email,
              mobile: '',
              tenantName: offer.tenantName,
            }}
          />
        }
      />
      <button type="submit" className={button.submit} aria-disabled={accept.isPending || offline}>
        {accept.isPending ? (
          <>
            <LoadingOutlined aria-hidden="true" />
            {t('signin.busy')}
          </>
        ) : (
          t(offline ? 'offline.needs' : 'invitation.submit')
        )}
      </button>
    </form>
  );
}

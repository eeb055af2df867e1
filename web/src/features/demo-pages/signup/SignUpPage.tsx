import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import button from '@/ui/form/submit.module.css';
import { PageTitle } from '@/ui/PageTitle';
import { DemoBanner } from '../DemoBanner';
import { Furrows } from '../Furrows';
import css from './SignUpPage.module.css';

/** A demo page: a form that sends nothing and says so. */
export function SignUpPage() {
  const { t } = useTranslation();
  const [pressed, setPressed] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
  };
  return (
    <div className={css.page}>
      <DemoBanner />
      <div className={css.card}>
        <div className={css.head}>
          <Furrows className={css.lines} />
          <div className={css.title}>
            <PageTitle title={t('demo.signup.title')} />
          </div>
        </div>
        <form className={css.form} onSubmit={submit} noValidate>
          <Field label={t('demo.signup.name')} autoComplete="name" />
          <Field label={t('demo.signup.email')} type="email" autoComplete="email" />
          <Field label={t('signin.password')} type="password" autoComplete="new-password" />
          <label className={css.terms}>
            <input type="checkbox" />
            {t('demo.signup.terms')}
          </label>
          <button type="submit" className={button.submit}>
            {t('demo.signup.submit')}
          </button>
          <p role="status" className={css.said}>
            {pressed ? t('demo.signup.said') : null}
          </p>
        </form>
        <p className={css.foot}>
          {t('demo.signup.have')} <Link to="/signin">{t('signin.title')}</Link>
        </p>
      </div>
    </div>
  );
}

interface FieldProps {
  label: string;
  type?: 'text' | 'email' | 'password';
  autoComplete: string;
}

function Field({ label, type = 'text', autoComplete }: FieldProps) {
  const id = useId();
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type={type} autoComplete={autoComplete} spellCheck={false} />
    </div>
  );
}

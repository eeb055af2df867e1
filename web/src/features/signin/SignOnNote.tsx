import LockOutlined from '@ant-design/icons/LockOutlined';
import { useTranslation } from 'react-i18next';
import css from './EndedNote.module.css';

/** Says why the farm's own sign-in did not sign the user in, and what to do. */
export function SignOnNote({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div className={`${css.note} ${css.wrong}`} role="alert">
      <LockOutlined className={css.icon} aria-hidden="true" />
      <div>
        <p className={css.title}>{t('signin.notSignedIn')}</p>
        <p className={css.text}>{text}</p>
      </div>
    </div>
  );
}

import LockOutlined from '@ant-design/icons/LockOutlined';
import { useTranslation } from 'react-i18next';
import css from './EndedNote.module.css';

/** Says why the user has to sign in again. */
export function EndedNote() {
  const { t } = useTranslation();
  return (
    <div className={css.note} role="status">
      <LockOutlined className={css.icon} aria-hidden="true" />
      <div>
        <p className={css.title}>{t('signin.signedOut')}</p>
        <p className={css.text}>{t('signin.signedOutText')}</p>
      </div>
    </div>
  );
}

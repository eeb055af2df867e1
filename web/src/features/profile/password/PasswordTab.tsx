import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { consoleSettingsQuery } from '@/lib/http/queries';
import { Note } from '@/ui/Note';
import { defaultMinimum } from '@/ui/password/minimum';
import { SecondFactor } from '../factor/SecondFactor';
import css from '../form/form.module.css';
import { PasswordFields } from './PasswordFields';

interface PasswordTabProps {
  user: components['schemas']['User'];
  onPhone: () => void;
}

/** How the user signs in: the password, and the second factor. */
export function PasswordTab(props: PasswordTabProps) {
  return (
    <>
      <Password {...props} />
      <SecondFactor user={props.user} />
    </>
  );
}

/**
 * A new password requires a code to the user's own mobile. If no code can be sent, it says why.
 */
function Password({ user, onPhone }: PasswordTabProps) {
  const { t } = useTranslation();
  // Until the settings are fetched, or if that fails, the server decides.
  const settings = useQuery(consoleSettingsQuery()).data;
  if (settings?.sms === false) {
    return (
      <div className={css.form}>
        <Note tone="warn" title={t('channel.smsOff')}>
          {t('password.smsOffText')}
        </Note>
      </div>
    );
  }
  if (user.mobile === '') {
    return (
      <div className={css.form}>
        <Note
          tone="warn"
          title={t('password.bindFirst')}
          action={
            <Button type="primary" onClick={onPhone}>
              {t('phone.bind')}
            </Button>
          }
        >
          {t('password.bindFirstText')}
        </Note>
      </div>
    );
  }
  return <PasswordFields user={user} minimum={settings?.passwordMin ?? defaultMinimum} />;
}

import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { consoleSettingsQuery } from '@/lib/http/queries';
import { Note } from '@/ui/Note';
import css from '../form/form.module.css';
import { PasswordFields } from './PasswordFields';
import { defaultMinimum } from './rules';

interface PasswordTabProps {
  user: components['schemas']['User'];
  onPhone: () => void;
}

/** A new password takes a code to one's own mobile; who cannot have one is told what stands in the way. */
export function PasswordTab({ user, onPhone }: PasswordTabProps) {
  const { t } = useTranslation();
  // Until they are there, or where they do not come, the server says what holds.
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

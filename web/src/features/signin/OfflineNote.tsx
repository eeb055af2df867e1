import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import css from './EndedNote.module.css';

/** Says why signing in is not possible just now. */
export function OfflineNote() {
  const { t } = useTranslation();
  return (
    <div className={css.note} role="status">
      <DisconnectOutlined className={css.icon} aria-hidden="true" />
      <div>
        <p className={css.title}>{t('offline.none')}</p>
        <p className={css.text}>{t('offline.signin')}</p>
      </div>
    </div>
  );
}

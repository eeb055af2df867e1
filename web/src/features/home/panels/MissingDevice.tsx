import StopOutlined from '@ant-design/icons/StopOutlined';
import { useTranslation } from 'react-i18next';
import css from './MissingDevice.module.css';
import { Panel } from './Panel';

/** Shown if the address names a device that the tenant does not have. */
export function MissingDevice({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  return (
    <Panel title={deviceName} grow>
      <div className={css.note} role="status">
        <StopOutlined className={css.icon} aria-hidden="true" />
        <div>
          <p className={css.title}>{t('home.missing.title')}</p>
          <p className={css.text}>{t('home.missing.text')}</p>
        </div>
      </div>
    </Panel>
  );
}

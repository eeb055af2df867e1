import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { nameOf } from '@/lib/device/types';
import type { AlarmDetail } from '../queries';
import { Block } from './Block';
import css from './blocks.module.css';

/** The notice's device, and whether it is online now. */
export function DeviceBlock({ device }: { device: AlarmDetail['alarmDeviceInfoRespDTO'] }) {
  const { t } = useTranslation();
  const { deviceName, productName, onlineState, deleted } = device;
  const online = onlineState === 1;
  return (
    <Block title={t('inform.device')}>
      <p className={css.line}>
        {deleted ? (
          <b className={css.name}>{nameOf(device)}</b>
        ) : (
          <>
            <Link to="/device" search={{ device: deviceName }} className={css.name}>
              {nameOf(device)}
            </Link>
            <span className={`${css.state} ${online ? css.online : ''}`}>
              {online ? <CheckCircleFilled aria-hidden="true" /> : <DisconnectOutlined aria-hidden="true" />}
              {t(online ? 'home.state.online' : 'home.state.offline')}
            </span>
          </>
        )}
      </p>
      <p className={css.small}>{[deviceName, productName].filter(Boolean).join(' · ')}</p>
      {deleted ? <p className={css.small}>{t('inform.gone')}</p> : null}
    </Block>
  );
}

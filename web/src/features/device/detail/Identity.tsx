import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { missingValue, useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { OfflineDuration } from '@/ui/OfflineDuration';
import css from './Identity.module.css';

/** The device's names, model, scene and state. */
export function Identity({ device }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { latitude, longitude, lastContact, createTime } = device;
  const placed = latitude !== undefined && longitude !== undefined;
  const added = useClock((now) => format.moment(createTime, now));
  return (
    <dl className={css.facts}>
      <Fact name={t('home.device.name')}>{device.deviceName}</Fact>
      <Fact name={t('device.detail.serial')}>{device.serial || missingValue}</Fact>
      <Fact name={t('home.device.model')}>
        {device.productName}
        {device.product !== device.productName && <span className={css.code}>{device.product}</span>}
      </Fact>
      <Fact name={t('home.device.scene')}>{device.groupId === 0 ? t('home.defaultGroup') : device.groupName}</Fact>
      <Fact name={t('home.device.position')}>
        {placed ? (
          format.position(latitude, longitude)
        ) : (
          <span className={css.muted}>{t('home.device.noPosition')}</span>
        )}
      </Fact>
      <Fact name={t('home.device.state')}>
        <Since device={device} />
      </Fact>
      {device.openAlarms === undefined ? null : (
        <Fact name={t('device.detail.alarms')}>
          <Link to="/inform" search={{ devices: device.deviceName, status: 0 }}>
            {t('device.detail.pending', { count: device.openAlarms, n: format.number(device.openAlarms) })}
          </Link>
        </Fact>
      )}
      <Fact name={t('home.device.contact')}>
        {lastContact === undefined ? missingValue : <Age time={lastContact} form="within" />}
      </Fact>
      <Fact name={t('device.detail.added')}>
        <span title={format.absolute(createTime)}>{added}</span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt className={css.key}>{name}</dt>
      <dd className={css.value}>{children}</dd>
    </div>
  );
}

/** Since when it has been online or offline. */
function Since({ device }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { onlineState, onlineTime } = device;
  const moment = useClock((now) => (onlineTime === undefined ? '' : format.moment(onlineTime, now)));
  if (onlineState === 0) return <OfflineDuration device={device} />;
  if (onlineTime === undefined) return <>{t('home.state.online')}</>;
  return <span title={format.absolute(onlineTime)}>{t('home.device.onlineSince', { moment })}</span>;
}

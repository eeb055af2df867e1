import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { offlineSince } from '@/lib/device/offlineSince';
import { type Device, nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { missingValue, useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { AsOfTime } from '@/ui/AsOfTime';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { StateChips } from '@/ui/StateChips';
import css from './DevicePanel.module.css';
import { OpenAlarms } from './OpenAlarms';
import { Panel } from './Panel';

interface DevicePanelProps {
  device: Device | undefined;
  /** When the list that contains the device was current, by this machine's clock. */
  asOf?: number;
}

/** The selected device: its names, scene, state and open alarms. Undefined while it is loading. */
export const DevicePanel = memo(function DevicePanel({ device, asOf }: DevicePanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!device) return <DevicePanelSkeleton />;
  const { latitude, longitude, lastContact } = device;
  const placed = latitude !== undefined && longitude !== undefined;
  return (
    <Panel title={nameOf(device)} aside={<StateChips device={device} />}>
      <dl className={css.facts}>
        <Fact name={t('home.device.model')} cut>
          {device.productName}
        </Fact>
        <Fact name={t('home.device.name')} cut>
          {device.deviceName}
        </Fact>
        <Fact name={t('home.device.scene')} cut>
          {device.groupName || t('home.device.noScene')}
        </Fact>
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
        <Fact name={t('home.device.contact')}>
          {lastContact === undefined ? missingValue : <Age time={lastContact} form="within" />}
        </Fact>
      </dl>
      <p className={css.asOf}>
        <AsOfTime time={asOf} />
      </p>
      {device.alarmLevel === undefined ? null : <OpenAlarms key={device.deviceName} deviceName={device.deviceName} />}
    </Panel>
  );
});

/** Names may be cut, everything else is shown in full. */
function Fact({ name, cut = false, children }: { name: string; cut?: boolean; children: ReactNode }) {
  return (
    <>
      <dt className={css.key} title={name}>
        {name}
      </dt>
      <dd
        className={`${css.fact} ${cut ? '' : css.whole}`}
        title={cut && typeof children === 'string' ? children : undefined}
      >
        {children}
      </dd>
    </>
  );
}

/** Since when it has been online or offline. */
function Since({ device }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  const online = device.onlineState === 1;
  const since = online ? device.onlineTime : offlineSince(device);
  const moment = useClock((now) => (since === undefined ? '' : format.moment(since, now)));
  const words = online ? t('home.state.online') : t('home.state.offline');
  if (since === undefined) {
    return device.lastContact === undefined ? t('home.offline.never') : words;
  }
  return (
    <span title={format.absolute(since)}>
      {online ? t('home.device.onlineSince', { moment }) : t('home.device.offlineSince', { moment })}
    </span>
  );
}

function DevicePanelSkeleton() {
  return (
    <Panel title={'\u00a0'}>
      <Loading>
        <div className={css.skeleton}>
          {['52%', '64%', '58%', '82%', '60%', '40%'].map((width) => (
            <Skeleton key={width} height={16} width={width} />
          ))}
        </div>
      </Loading>
    </Panel>
  );
}

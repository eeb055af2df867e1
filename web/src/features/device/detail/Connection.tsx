import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { useMay } from '@/lib/session/useMay';
import { FirstReading } from '../first/FirstReading';
import { HintList } from '../first/HintList';
import { useFirstReading } from '../first/useFirstReading';
import { connectionQuery } from '../queries';
import css from './Connection.module.css';
import { ConnectionHelp } from './ConnectionHelp';
import { NewSecret } from './NewSecret';
import { Fetched, Section } from './Section';

/**
 * The addresses through which the device reports, as command lines to copy, and the button for a
 * new secret.
 */
export function Connection({ device }: { device: Device }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const mayRenew = useMay('operator');
  const query = useQuery(connectionQuery(device.deviceName));
  // Decided once, so that the first reading stays in sight when it has come. Cameras send none.
  const [waits] = useState(device.type !== 2 && device.lastData.length === 0);
  return (
    <Section
      title={t('device.connect.title')}
      aside={
        mayRenew ? (
          <Button size="small" onClick={() => setConfirming(true)}>
            {t('device.secret.new')}
          </Button>
        ) : undefined
      }
    >
      {waits && mayRenew && query.data?.gateway === false ? (
        <Awaited device={device} onNewSecret={() => setConfirming(true)} />
      ) : null}
      {!waits && mayRenew && device.type !== 2 ? (
        <Troubles device={device} onNewSecret={() => setConfirming(true)} />
      ) : null}
      <Fetched query={query} height={260}>
        {query.data ? <ConnectionHelp lastData={device.lastData} addresses={query.data} /> : null}
      </Fetched>
      <NewSecret device={device} open={confirming} onClose={() => setConfirming(false)} />
    </Section>
  );
}

interface AwaitedProps {
  device: Device;
  onNewSecret: () => void;
}

/** The first reading of a device that has never reported. */
function Awaited({ device: { deviceName, productName }, onNewSecret }: AwaitedProps) {
  const first = useFirstReading(deviceName);
  return <FirstReading first={first} device={{ deviceName, model: productName }} onNewSecret={onNewSecret} />;
}

/** What keeps a device that has reported before from reporting, as far as its attempts tell. */
function Troubles({ device: { deviceName, productName }, onNewSecret }: AwaitedProps) {
  const { reading, hints } = useFirstReading(deviceName);
  const shown = hints.filter(
    ({ kind, time }) => kind === 'wrongPath' || (kind === 'wrongProtocol' && time > (reading?.time ?? 0)),
  );
  const device = { deviceName, model: productName };
  return shown.length > 0 ? (
    <div className={css.troubles}>
      <HintList hints={shown} device={device} properties={[]} onNewSecret={onNewSecret} />
    </div>
  ) : null;
}

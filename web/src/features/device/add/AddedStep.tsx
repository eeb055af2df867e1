import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceQuery } from '@/lib/device/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { CopyBox } from '@/ui/CopyBox';
import { ConnectionHelp } from '../detail/ConnectionHelp';
import { NewSecret } from '../detail/NewSecret';
import { Fetched } from '../detail/Section';
import { FirstReading } from '../first/FirstReading';
import type { FirstReadingState } from '../first/useFirstReading';
import { connectionQuery } from '../queries';
import css from './AddDialog.module.css';
import { type AddedDevice, keepAdded } from './added';

interface AddedStepProps {
  added: AddedDevice;
  first: FirstReadingState;
  /** There is another secret to store. */
  onNewSecret: () => void;
}

function readyText({ secret, swapTime }: AddedDevice) {
  if (swapTime !== undefined) return 'device.swap.ready';
  return secret === null ? 'device.added.knows' : 'device.added.ready';
}

/** What the device needs to report, shown once, and whether it does. */
export function AddedStep({ added, first, onNewSecret }: AddedStepProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const { deviceName, noteName, secret } = added;
  const device = useQuery(deviceQuery(language, deviceName)).data;
  const connection = useQuery(connectionQuery(deviceName));
  const [asking, setAsking] = useState(false);
  // The button that had the focus is gone with the form.
  const start = useRef<HTMLParagraphElement>(null);
  useEffect(() => start.current?.focus(), []);
  return (
    <>
      <p className={css.ready} ref={start} tabIndex={-1}>
        {t(readyText(added), { name: noteName })}
      </p>
      {secret === null ? null : (
        <>
          <CopyBox label={t('device.connect.user')} text={deviceName} copy={t('device.added.copyName')} />
          <CopyBox label={t('device.secret.secret')} text={secret} copy={t('device.secret.copy')} main />
        </>
      )}
      <FirstReading
        first={first}
        device={{ deviceName, model: device?.productName ?? '' }}
        onNewSecret={() => setAsking(true)}
        follows
      />
      <details className={css.how} open={secret !== null}>
        <summary>{t('device.added.how')}</summary>
        <Fetched query={connection} height={260}>
          {connection.data ? (
            <ConnectionHelp lastData={[]} addresses={connection.data} secret={secret ?? undefined} />
          ) : null}
        </Fetched>
      </details>
      <NewSecret
        device={added}
        open={asking}
        onClose={() => setAsking(false)}
        onMade={(made) => {
          keepAdded({ ...added, secret: made });
          onNewSecret();
          void client.invalidateQueries({ queryKey: connectionQuery(deviceName).queryKey });
        }}
      />
    </>
  );
}

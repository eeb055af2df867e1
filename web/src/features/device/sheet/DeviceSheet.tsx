import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { knownDevices } from '@/lib/device/live/applyToCache';
import { deviceQuery } from '@/lib/device/queries';
import type { Device } from '@/lib/device/types';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { useMay } from '@/lib/session/useMay';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Sheet } from '@/ui/Sheet';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { DetailSheet } from '../detail/DetailSheet';
import { EditSheet } from '../edit/EditSheet';

interface DeviceSheetProps {
  deviceName: string;
  edit: boolean;
  /** The device, if the table has it. */
  listed: Device | undefined;
  beside: boolean;
  onOpen: (deviceName: string, edit: boolean) => void;
  onClose: () => void;
}

/** A device's sheet: its details or its form. */
export function DeviceSheet({ deviceName, edit, listed, beside, onOpen, onClose }: DeviceSheetProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mayEdit = useMay('operator');
  const language = useLanguage((state) => state.language);
  // The name of the device whose details opened the form: closing the form leads back to them,
  // otherwise to the table.
  const [cameFrom, setCameFrom] = useState<string | null>(null);
  const query = useQuery({
    ...deviceQuery(language, deviceName),
    enabled: !listed,
    placeholderData: () => knownDevices(client).get(deviceName),
  });
  const device = listed ?? query.data;

  if (!device) {
    return (
      <Sheet title={deviceName} beside={beside} onClose={onClose}>
        {device === null ? (
          <Empty title={t('home.missing.title')} text={t('home.missing.text')} level={3} />
        ) : query.isError ? (
          <ErrorNote
            title={t('device.detail.loadFail')}
            text={errorText(query.error)}
            onRetry={() => void query.refetch()}
            busy={query.isFetching}
          />
        ) : (
          <Loading>
            <Skeleton height={220} />
          </Loading>
        )}
      </Sheet>
    );
  }
  if (edit && mayEdit) {
    const back = cameFrom === deviceName ? () => onOpen(deviceName, false) : onClose;
    return <EditSheet key={deviceName} device={device} beside={beside} onClose={back} />;
  }
  return (
    <DetailSheet
      key={deviceName}
      device={device}
      beside={beside}
      onClose={onClose}
      onEdit={() => {
        setCameFrom(deviceName);
        onOpen(deviceName, true);
      }}
    />
  );
}

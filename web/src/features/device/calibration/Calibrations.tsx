import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tslQuery } from '@/lib/device/queries';
import type { Device } from '@/lib/device/types';
import { toast } from '@/lib/feedback/feedback';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Fetched, Section } from '../detail/Section';
import { CalibrationEntry } from './CalibrationEntry';
import css from './Calibrations.module.css';
import { isCalibratable } from './properties';
import { type Calibration, calibrationsQuery, refetchReadings } from './queries';

interface CalibrationsProps {
  device: Device;
  /** Opens the dialog with a property; undefined for those who may not calibrate. */
  onCalibrate: ((sign: string) => void) | undefined;
}

/** The calibrations of a device, the newest first; nothing for a device that measures no numbers. */
export function Calibrations({ device, onCalibrate }: CalibrationsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const properties = useQuery(tslQuery(language, device.deviceName)).data?.propertie?.filter(isCalibratable) ?? [];
  const list = useInfiniteQuery(calibrationsQuery(language, device.deviceName));
  const entries = list.data?.pages.flatMap((page) => page.list) ?? [];
  const [target, setTarget] = useState<Calibration | null>(null);
  const undo = useMutation({
    mutationFn: ({ id }: Calibration) => api.put('/admin-api/client/pc/device/calibration/undo', { body: { id } }),
    meta: { shows: [601], failure: 'calibration.undo.fail' },
    onSuccess: () => {
      toast.success(t('calibration.undo.done'));
      setTarget(null);
    },
    // Also after a failure: if the answer was lost, it may be undone.
    onSettled: () => refetchReadings(client),
  });
  const first = properties.find(({ identifier }) => identifier === device.mainSign) ?? properties[0];
  if (!first && entries.length === 0) return null;
  return (
    <Section
      title={t('calibration.title')}
      aside={
        onCalibrate && first ? (
          <Button size="small" onClick={() => onCalibrate(first.identifier)}>
            {t('calibration.calibrate')}
          </Button>
        ) : null
      }
    >
      <Fetched query={list} height={60}>
        {list.isSuccess && entries.length === 0 ? <p className={css.none}>{t('calibration.empty')}</p> : null}
        <ol className={css.entries}>
          {entries.map((entry) => (
            <CalibrationEntry key={entry.id} entry={entry} onUndo={onCalibrate ? () => setTarget(entry) : undefined} />
          ))}
        </ol>
        {list.hasNextPage ? (
          <Button size="small" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('device.presence.more')}
          </Button>
        ) : null}
      </Fetched>
      <ConfirmDialog
        target={target}
        textFor={({ name, fromTime }) => ({
          question: t('calibration.undo.ask', { name }),
          consequence: t('calibration.undo.text', { since: formatDateTime(fromTime, format.language) }),
          verb: t('calibration.undo.verb'),
          danger: false,
        })}
        mutation={undo}
        refusal={formErrorText(undo.error)}
        onClose={() => setTarget(null)}
        onClosed={() => undo.reset()}
      />
    </Section>
  );
}

import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { offlineSince } from '@/lib/device/offlineSince';
import type { Device } from '@/lib/device/types';
import { ageOf } from '@/lib/format/age';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';

/** Offline 3 h; offline since yesterday; never heard from. */
export function OfflineDuration({ device }: { device: Pick<Device, 'offlineTime' | 'lastContact' | 'offlineAfter'> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const since = offlineSince(device);
  const words = useClock(
    useCallback(
      (now: number) => {
        if (since === undefined) return t('home.offline.never');
        const age = ageOf(since, now);
        if (age.kind === 'yesterday') return t('home.offline.yesterday');
        if (age.kind === 'date') return t('home.offline.date', { date: format.age(since, now) });
        return age.kind === 'now' ? t('home.state.offline') : t('home.offline.span', { span: format.age(since, now) });
      },
      [since, format, t],
    ),
  );
  return <span title={since === undefined ? undefined : format.absolute(since)}>{words}</span>;
}

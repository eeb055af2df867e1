import { useTranslation } from 'react-i18next';
import type { Overview } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';

/** The sentence beside the title: how many devices report, and whether anything needs attention. */
export function useSummary(overview: Overview | undefined): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  if (!overview) return undefined;
  const { deviceCount, onlineCount, pendingAlarmCount } = overview;
  if (deviceCount === 0) return t('home.empty.title');
  const report = t('home.summary.report', {
    online: format.number(onlineCount),
    all: format.number(deviceCount),
    count: deviceCount,
  });
  const alarms = t('home.summary.alarms', { count: pendingAlarmCount, n: format.number(pendingAlarmCount) });
  return t('home.summary.both', { report, alarms });
}

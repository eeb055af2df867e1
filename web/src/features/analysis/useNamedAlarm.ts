import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { historyOf, noticeQuery } from '@/lib/alarm/notice';
import { analysisAddress } from '@/lib/analysis/address';
import { now } from '@/lib/format/clock';
import { useLanguage } from '@/lib/i18n/i18n';
import type { Rule } from './chart/limits';
import type { AnalysisSearch } from './search';

/**
 * The alarm that the address names. An address with nothing else is completed: the device, what the alarm asks of it
 * and a range up to now that has its beginning.
 */
export function useNamedAlarm(
  { alarm, devices, signs }: AnalysisSearch,
  change: (next: Partial<AnalysisSearch>, options: { replace: boolean }) => void,
) {
  const language = useLanguage((state) => state.language);
  const {
    data: detail,
    isLoading,
    error,
    refetch,
  } = useQuery({
    ...noticeQuery(language, alarm ?? 0),
    enabled: alarm !== undefined,
  });
  const alone = devices === undefined && signs === undefined;
  useEffect(() => {
    if (detail && alone) change(analysisAddress(historyOf(detail, now())), { replace: true });
  }, [detail, alone, change]);
  const rule = useMemo<Rule | undefined>(() => {
    if (!detail) return undefined;
    const { alarmNotice, alarmRules, alarmDeviceInfoRespDTO } = detail;
    return {
      alarmName: alarmNotice.title,
      alarmLevel: alarmNotice.alarmLevel,
      conditions: alarmRules.conditions,
      targets: { devices: [alarmDeviceInfoRespDTO.deviceName], groups: [], products: [] },
    };
  }, [detail]);
  return { rule, opens: alone && (isLoading || Boolean(detail)), error: alone ? error : null, refetch };
}

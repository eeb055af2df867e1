import { historyOf } from '@/lib/alarm/notice';
import { useNow } from '@/lib/format/clock';
import { AnalysisLink } from '@/ui/AnalysisLink';
import type { AlarmDetail } from '../queries';
import css from './NoticeDetail.module.css';

const hourMs = 3_600_000;

/** Leads from the chart of a notice to the history of what it is about; a device that is gone has none. */
export function AnalysisOfNotice({ detail }: { detail: AlarmDetail }) {
  const now = useNow(hourMs);
  if (detail.alarmDeviceInfoRespDTO.deleted) return null;
  return (
    <div className={css.analysis}>
      <AnalysisLink {...historyOf(detail, now)} />
    </div>
  );
}

import { useNow } from '@/lib/format/clock';
import { AnalysisLink } from '@/ui/AnalysisLink';
import { questionOf, spanOf } from '../chart/readings';
import type { AlarmDetail } from '../queries';
import css from './NoticeDetail.module.css';

/** An open alarm's range ends now, to the minute. */
const stepMs = 60_000;

/** Leads from the chart of a notice to the analysis of the same readings; a device that is gone has none. */
export function AnalysisOfNotice({ detail }: { detail: AlarmDetail }) {
  const now = useNow(stepMs);
  if (detail.alarmDeviceInfoRespDTO.deleted) return null;
  const question = questionOf(detail);
  const { from, to } = spanOf(question, now);
  return (
    <div className={css.analysis}>
      <AnalysisLink devices={[question.deviceName]} signs={question.signs} span={{ from, to: Math.min(to, now) }} />
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNow } from '@/lib/format/clock';
import { AnalysisLink } from '@/ui/AnalysisLink';
import { chartQuery, questionOf, spanOf } from '../chart/readings';
import type { AlarmDetail } from '../queries';
import css from './NoticeDetail.module.css';

/** An open alarm's range ends with this minute, so that the readings that began the alarm are in it. */
const stepMs = 60_000;
/** What led to a short alarm, or to a device's silence, is seen only in a longer range. */
const leastMs = 24 * 3_600_000;

/** Leads from the chart of a notice to the analysis of the same readings; a device that is gone has none. */
export function AnalysisOfNotice({ detail }: { detail: AlarmDetail }) {
  const end = useNow(stepMs) + stepMs;
  const { deleted } = detail.alarmDeviceInfoRespDTO;
  const question = questionOf(detail);
  // The chart asks the same, so this causes no request of its own.
  const { data: series = {} } = useQuery({ ...chartQuery(question), enabled: !deleted });
  if (deleted) return null;
  const span = spanOf(question, series, end);
  const to = Math.min(span.to, end);
  const from = Math.min(span.from, to - leastMs);
  return (
    <div className={css.analysis}>
      <AnalysisLink devices={[question.deviceName]} signs={question.signs} span={{ from, to }} />
    </div>
  );
}

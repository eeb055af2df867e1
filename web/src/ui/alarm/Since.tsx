import { useTranslation } from 'react-i18next';
import { type Since as Known, sinceText } from '@/lib/alarm/since';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';

interface SinceProps {
  known: Known;
  className?: string;
}

/** Since when a notice's conditions hold, and when the server noticed it, in the form for cards. */
export function Since({ known, className }: SinceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { holdsSince, startTime, resolveStatus } = known;
  const words = useClock((now) => sinceText({ holdsSince, startTime, resolveStatus }, now, format, t));
  return (
    <time className={className} dateTime={new Date(holdsSince).toISOString()} title={format.absolute(holdsSince)}>
      {words}
    </time>
  );
}

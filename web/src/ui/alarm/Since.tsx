import { useTranslation } from 'react-i18next';
import { type KnownSince, sinceOf, sinceText } from '@/lib/alarm/since';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import css from './Since.module.css';

interface SinceProps {
  known: KnownSince;
  className?: string;
}

/** Separates since when from when it was noticed. */
const mark = '\ue002';

/** Since when a notice's conditions hold, and small when the server noticed it, in the form for cards. */
export function Since({ known, className }: SinceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const since = sinceOf(known);
  const words = useClock((now) => sinceText(since, now, format, t, mark));
  const [text, noticed] = words.split(mark);
  const content = (
    <>
      {text}
      {noticed === undefined ? null : <span className={css.noticed}>{noticed}</span>}
    </>
  );
  if (since.holdsSinceBefore) return <span className={className}>{content}</span>;
  const { holdsSince } = since;
  return (
    <time className={className} dateTime={new Date(holdsSince).toISOString()} title={format.absolute(holdsSince)}>
      {content}
    </time>
  );
}

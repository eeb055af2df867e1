import type { TFunction } from 'i18next';
import { nextMidnight, startOfDay } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import type { AlarmNotice } from './notices';
import type { SentencePart } from './sentence';

/**
 * When a notice's conditions began to hold or its device fell silent, and when the server noticed
 * it.
 */
export type Since = Pick<AlarmNotice, 'startTime' | 'holdsSinceDay' | 'holdsSinceBefore'> & {
  holdsSince: number;
  resolveStatus: AlarmNotice['resolveStatus'];
};

const dayMs = 24 * 3_600_000;
const yearMs = 365 * dayMs;
/** Placeholders for the conditions and the time until they are filled in. */
const conditionsMark = '\ue000';
const momentMark = '\ue001';

export type KnownSince = Partial<Since> & Pick<Since, 'startTime'>;

/** Since when a notice holds; while that is not known, since it was noticed. */
export function sinceOf(known: KnownSince): Since {
  const { startTime, holdsSince = startTime, holdsSinceDay, holdsSinceBefore, resolveStatus = 0 } = known;
  return { startTime, holdsSince, holdsSinceDay, holdsSinceBefore, resolveStatus };
}

const isToday = (time: number, now: number) => time >= startOfDay(now) && time < nextMidnight(now);

/** "noticed …" to follow "since …"; empty where the reader sees the same minute in both. */
function noticedText({ holdsSince, startTime }: Since, now: number, format: Format, t: TFunction): string {
  if (format.moment(holdsSince, now) === format.moment(startTime, now)) return '';
  return isToday(startTime, now)
    ? t('inform.since.noticed', { time: format.time(startTime) })
    : t('inform.since.noticedOn', { time: format.moment(startTime, now) });
}

const withNoticed = (since: string, noticed: string, t: TFunction) =>
  noticed === '' ? since : t('inform.since.both', { since, noticed });

/** "since …" around a time. */
function fromText({ holdsSince, resolveStatus, holdsSinceDay }: Since, time: string, now: number, t: TFunction) {
  const clock = isToday(holdsSince, now) && !holdsSinceDay;
  if (resolveStatus !== 0) return t(clock ? 'inform.since.clockOver' : 'inform.since.momentOver', { time });
  return t(clock ? 'inform.since.clock' : 'inform.since.moment', { time });
}

/** "for more than 30 days": all that is known where the search did not reach the beginning. */
function spanText({ holdsSince, startTime }: Since, format: Format, t: TFunction): string {
  const span = startTime - holdsSince;
  if (span >= yearMs) return t('inform.since.year');
  const count = Math.floor(span / dayMs);
  return t('inform.since.days', { count, n: format.number(count) });
}

/**
 * For a card: since 22:10, noticed 23:31. For anything older than a day the day alone: since Oct
 * 30. `mark` is put before when it was noticed.
 */
export function sinceText(since: Since, now: number, format: Format, t: TFunction, mark = ''): string {
  const { holdsSince, holdsSinceDay, holdsSinceBefore } = since;
  const old = holdsSinceDay || now - holdsSince >= dayMs;
  const time = old ? format.day(holdsSince, now) : format.moment(holdsSince, now);
  const text = holdsSinceBefore ? spanText(since, format, t) : fromText(since, time, now, t);
  const noticed = noticedText(since, now, format, t);
  return withNoticed(format.capital(text), noticed && `${mark}${noticed}`, t);
}

/**
 * For the detail, with the condition: Soil moisture below 18% since Oct 30, 14:05, noticed 23:31;
 * for a silent device: silent since.
 */
export function sinceParts(
  since: Since,
  what: readonly SentencePart[] | 'silent',
  now: number,
  format: Format,
  t: TFunction,
): SentencePart[] {
  const { holdsSince, holdsSinceDay, holdsSinceBefore, resolveStatus } = since;
  const moment = holdsSinceDay ? format.day(holdsSince, now) : format.moment(holdsSince, now);
  const time = holdsSinceBefore ? spanText(since, format, t) : moment;
  const from = fromText(since, momentMark, now, t);
  const words =
    what === 'silent'
      ? t(`inform.since.silent.${resolveStatus === 0 ? 'open' : 'over'}`, { from })
      : holdsSinceBefore
        ? t('inform.since.readingsFor', { conditions: conditionsMark, span: momentMark })
        : t('inform.since.readings', { conditions: conditionsMark, from });
  const text = withNoticed(format.capital(words), noticedText(since, now, format, t), t);
  const first = text.startsWith(momentMark) ? format.capital(time) : time;
  return text.split(/([\ue000\ue001])/).flatMap((piece): SentencePart[] => {
    if (piece === conditionsMark && what !== 'silent') return [...what];
    if (piece === momentMark) return [{ text: first, strong: true }];
    return piece === '' ? [] : [{ text: piece, strong: false }];
  });
}

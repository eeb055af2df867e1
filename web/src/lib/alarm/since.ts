import type { TFunction } from 'i18next';
import { startOfDay } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import type { AlarmNotice } from './notices';
import type { SentencePart } from './sentence';

/**
 * When a notice's conditions began to hold or its device fell silent, and when the server noticed
 * it.
 */
export type Since = Pick<AlarmNotice, 'startTime' | 'resolveStatus'> & { holdsSince: number };

const dayMs = 24 * 3_600_000;
/** Placeholders for the conditions and the time until they are filled in. */
const [conditionsMark, momentMark] = ['\ue000', '\ue001'];

/** "noticed …" to follow "since …"; empty where the reader sees the same minute in both. */
function noticedText({ holdsSince, startTime }: Since, now: number, format: Format, t: TFunction): string {
  if (format.moment(holdsSince, now) === format.moment(startTime, now)) return '';
  return startTime >= startOfDay(now) && startTime < startOfDay(now) + dayMs
    ? t('inform.since.noticed', { time: format.time(startTime) })
    : t('inform.since.noticedOn', { time: format.moment(startTime, now) });
}

const withNoticed = (since: string, noticed: string, t: TFunction) =>
  noticed === '' ? since : t('inform.since.both', { since, noticed });

function sinceOnlyText({ holdsSince, resolveStatus }: Since, now: number, format: Format, t: TFunction): string {
  const old = now - holdsSince >= dayMs;
  const day = format.day(holdsSince, now);
  if (resolveStatus !== 0) return t('inform.since.over', { time: old ? day : format.moment(holdsSince, now) });
  return old ? t('inform.since.openDay', { day }) : t('inform.since.open', { time: format.moment(holdsSince, now) });
}

/**
 * For a card: since 22:10, noticed 23:31. For anything older than a day the day alone: since Oct
 * 30.
 */
export function sinceText(since: Since, now: number, format: Format, t: TFunction): string {
  return withNoticed(sinceOnlyText(since, now, format, t), noticedText(since, now, format, t), t);
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
  const state = since.resolveStatus === 0 ? 'open' : 'over';
  const words =
    what === 'silent'
      ? t(`inform.since.silent.${state}`, { time: momentMark })
      : t(`inform.since.readings.${state}`, { conditions: conditionsMark, time: momentMark });
  const text = withNoticed(words, noticedText(since, now, format, t), t);
  return text.split(/([\ue000\ue001])/).flatMap((piece): SentencePart[] => {
    if (piece === conditionsMark && what !== 'silent') return [...what];
    if (piece === momentMark) return [{ text: format.moment(since.holdsSince, now), strong: true }];
    return piece === '' ? [] : [{ text: piece, strong: false }];
  });
}

import type { TFunction } from 'i18next';
import { startOfDay } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import type { AlarmNotice } from './notices';
import type { SentencePart } from './sentence';

/** What is known of when a notice's conditions began to hold, or its device fell silent, and when that was noticed. */
export type Since = Pick<AlarmNotice, 'startTime' | 'resolveStatus'> & { holdsSince: number };

const dayMs = 24 * 3_600_000;
/** Stand where the conditions and the time are to stand, until they are put there. */
const [conditionsMark, momentMark] = ['\ue000', '\ue001'];

/** When it was noticed, after since when it holds; empty where both are the same minute to whoever reads. */
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

/** As a card says it: since 22:10, noticed 23:31. Of what is older than a day the day alone: since Oct 30. */
export function sinceText(since: Since, now: number, format: Format, t: TFunction): string {
  return withNoticed(sinceOnlyText(since, now, format, t), noticedText(since, now, format, t), t);
}

/** As the detail says it, with what holds: Soil moisture below 18% since Oct 30, 14:05, noticed 23:31; of a device: silent since. */
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

import type { TFunction } from 'i18next';
import type { Format } from '@/lib/format/format';
import type { Delivery } from '../queries';

/** What a delivery waits for, or why it was not made, in words; empty where there is nothing to say. */
export function reasonText({ reason, mode }: Pick<Delivery, 'reason' | 'mode'>, t: TFunction): string {
  switch (reason) {
    case undefined:
      return '';
    case 'server':
    case 'refused':
    case 'off':
      return t(`inform.told.reason.${reason}.${mode}`);
    default:
      return t(`inform.told.reason.${reason}`);
  }
}

/** How the time that belongs to a reason is said: until when it waits, or when it goes out; else when it is tried next. */
const aheadWords: { [reason: string]: 'until' | 'at' } = {
  period: 'until',
  muted: 'until',
  digest: 'at',
  budget: 'at',
};

/** How it stands with a delivery: after how long it was taken, what it waits for and until when, or why it was not made. */
export function deliveryStatusText(delivery: Delivery, now: number, format: Format, t: TFunction): string {
  const { state, attempts, createTime, updateTime, lastError, nextTime } = delivery;
  const reason = reasonText(delivery, t);
  if (state === 'sent' && delivery.reason === 'logged') return reason;
  if (state === 'sent') {
    if (attempts > 1) {
      return lastError
        ? t('inform.told.before', { n: format.number(attempts), error: lastError })
        : t('inform.told.attempt', { n: format.number(attempts) });
    }
    const tookMs = Math.max(0, updateTime - createTime);
    // A wait for the period is no slowness of the far end.
    if (tookMs >= 60_000) return t('inform.told.taken');
    return t('inform.told.accepted', { span: format.took(tookMs) });
  }
  if (state === 'queued') {
    const words = reason || t('inform.told.soon');
    if (nextTime === undefined || nextTime <= now) return words;
    const time = format.moment(nextTime, now);
    return t(`inform.told.${aheadWords[delivery.reason ?? ''] ?? 'next'}`, { reason: words, time });
  }
  const words = reason || t('inform.told.noReason');
  if (!lastError) return words;
  const answerText = t('inform.told.answered', { reason: words, error: lastError });
  return attempts > 1
    ? t('inform.told.tried', { count: attempts, n: format.number(attempts), error: answerText })
    : answerText;
}

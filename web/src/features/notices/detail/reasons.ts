import type { TFunction } from 'i18next';
import { kindNamed } from '@/lib/channel/kinds';
import type { Format } from '@/lib/format/format';
import type { Delivery } from '../queries';

/** What a delivery waits for, or why it was not sent; empty if there is no reason. */
export function reasonText({ reason, cause, mode }: Pick<Delivery, 'reason' | 'cause' | 'mode'>, t: TFunction): string {
  const kind = kindNamed(mode);
  if (cause) return t(`inform.told.cause.${cause}`, { kind: kind ? t(`channel.modes.${kind}`) : mode });
  switch (reason) {
    case undefined:
      return '';
    case 'server':
    case 'refused':
    case 'off':
      return t(`inform.told.reason.${reason}.${reasonWords(mode)}`);
    default:
      return t(`inform.told.reason.${reason}`);
  }
}

/** Kinds without words of their own share some. */
function reasonWords(mode: string) {
  const own = ['email', 'phoneMessage', 'webhook'] as const;
  return own.find((one) => one === mode) ?? 'other';
}

/**
 * How the time of a reason is worded: until when the delivery waits, or when it is sent; for all
 * other reasons, when the next attempt is.
 */
const aheadWords: { [reason: string]: 'until' | 'at' } = {
  period: 'until',
  muted: 'until',
  digest: 'at',
  budget: 'at',
};

/**
 * A delivery's state: after how long it was accepted, what it waits for and until when, or why it
 * was not sent.
 */
export function deliveryStatusText(delivery: Delivery, now: number, format: Format, t: TFunction): string {
  const { state, attempts, createTime, updateTime, lastError, nextTime } = delivery;
  const reason = reasonText(delivery, t);
  if (state === 'sent') {
    if (attempts > 1) {
      return lastError
        ? t('inform.told.before', { n: format.number(attempts), error: lastError })
        : t('inform.told.attempt', { n: format.number(attempts) });
    }
    const tookMs = Math.max(0, updateTime - createTime);
    // So long a time includes a wait, for example for the period, and says nothing about the
    // recipient's server.
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

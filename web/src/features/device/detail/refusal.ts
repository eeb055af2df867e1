import type { TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';

/** Which value was refused and why, as a sentence; the identifier is empty for a whole message. */
export function refusalSentence(identifier: string, text: string, t: TFunction): string {
  const reason = text.replace(/[.。]$/, '');
  return identifier === '' ? t('device.refused.whole', { reason }) : t('device.refused.reason', { identifier, reason });
}

/** The sentence of a refusal. The server's reason is in the user's language. */
export function refusalText({ identifier, text }: components['schemas']['Refusal'], t: TFunction): string {
  return refusalSentence(identifier, text, t);
}

import type { TFunction } from 'i18next';
import { maxConditions } from '@/lib/alarm/types';
import { ApiError } from '@/lib/http/api';
import { errorText } from '@/lib/http/errorText';
import type { RuleField } from './rules';

/** The server's error text, and the field that it is about, as far as the text reveals it. */
export interface Refusal {
  field: RuleField | 'form';
  text: string;
}

const sentences = [
  ['alarmName', 'rule.nameRequired'],
  ['targets', 'rule.deviceRequired'],
  ['dataSource', 'rule.sourceRequired'],
  ['trigger', 'rule.triggerRequired'],
  ['level', 'rule.levelRequired'],
  ['conditions', 'rule.conditionsRequired'],
  ['period', 'rule.timeOrder'],
  ['period', 'rule.timeNone'],
  ['manualRelease', 'rule.releaseRequired'],
] as const;

/**
 * The server answers in the language of the request and with the same sentences as the form. Its
 * other texts name the condition that they are about.
 */
export function refusalOf(error: unknown, channels: readonly number[], t: TFunction): Refusal | null {
  if (!(error instanceof ApiError) || error.kind !== 'business' || error.code !== 601) return null;
  const text = errorText(error);
  const found = sentences.find(([, key]) => t(key) === text);
  if (found) return { field: found[0], text };
  if (channels.some((id) => text === t('rule.channelMissing', { id }))) return { field: 'channels', text };
  const about = Array.from({ length: maxConditions }, (_, i) => t('rule.form.nth', { n: i + 1 }));
  return { field: about.some((word) => /^[:：]/.test(rest(text, word))) ? 'conditions' : 'form', text };
}

function rest(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : '';
}

import type { TFunction } from 'i18next';
import { maxConditions } from '@/lib/alarm/types';
import { ApiError } from '@/lib/http/api';
import { errorText } from '@/lib/http/errorText';
import type { RuleField } from './rules';

/** What the server said is wrong, and with which field, as far as its sentence tells. */
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

/** The server answers in the language of the request, with the very sentences that the form has. Others name their condition. */
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

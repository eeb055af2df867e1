import type { components } from '@/api/schema.gen';
import type { SentenceRule } from '@/lib/alarm/sentence';
import type { AlarmRule } from '@/lib/alarm/types';

export type Elements = Record<string, components['schemas']['Element']>;

/** A rule with the names of its attributes; one that nothing names keeps its identifier. */
export function sentenceOf(rule: AlarmRule, elements: Elements): SentenceRule {
  const { triggerType, hitCounts, durations } = rule;
  const conditions = rule.conditions.map(({ tslAttribute, ...condition }) => ({
    ...condition,
    name: elements[tslAttribute]?.yeuName || tslAttribute,
    unit: elements[tslAttribute]?.unit ?? '',
  }));
  return { triggerType, conditions, hitCounts, durations };
}

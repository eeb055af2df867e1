import type { components } from '@/api/schema.gen';
import type { SentenceRule } from '@/lib/alarm/sentence';
import type { AlarmRule } from '@/lib/alarm/types';

export type Elements = Record<string, components['schemas']['Element']>;

/** A rule with its attributes as people call them; until the catalogue came, by their identifiers. */
export function sentenceOf(rule: AlarmRule, elements: Elements | undefined): SentenceRule {
  const { triggerType, hitCounts, durations } = rule;
  const conditions = rule.conditions.map(({ tslAttribute, ...condition }) => ({
    ...condition,
    name: elements?.[tslAttribute]?.yeuName || tslAttribute,
    unit: elements?.[tslAttribute]?.unit ?? '',
  }));
  return { triggerType, conditions, hitCounts, durations };
}

import { namesMany } from '@/lib/alarm/targets';
import type { RuleFormState } from '../form/useRuleForm';
import { judgedBody } from '../form/values';
import { enoughOf } from './enough';
import { useRehearsalOfAll } from './useRehearsalOfAll';

/** What the parts of a form show of its rule's rehearsal on all its devices. They share one question. */
export function useAllRehearsed(form: RuleFormState) {
  const { values, properties } = form;
  const { enough, wanting } = enoughOf(form);
  const many = namesMany(values.targets);
  const rehearsal = useRehearsalOfAll(many && enough ? judgedBody(values, properties ?? new Map()) : null);
  const shown = rehearsal.asked && enough ? rehearsal.data : undefined;
  const rows = shown?.rows ?? [];
  return {
    many,
    enough,
    wanting,
    rehearsal,
    rows,
    all: shown?.all,
    of: rows[0]?.of ?? 0,
    total: rows.reduce((sum, row) => sum + row.total, 0),
    /** All have come, and what they come to. */
    finished: shown?.all !== undefined,
  };
}

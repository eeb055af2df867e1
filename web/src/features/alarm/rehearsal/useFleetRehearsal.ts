import { mayCoverMany } from '@/lib/alarm/targets';
import type { RuleFormState } from '../form/useRuleForm';
import { rehearsalBody } from '../form/values';
import { rehearsalReadiness } from './readiness';
import { useFleetRehearsalQuery } from './useFleetRehearsalQuery';

/**
 * What the parts of a form show of the rehearsal on all devices of its rule. They share one query.
 */
export function useFleetRehearsal(form: RuleFormState) {
  const { values, properties } = form;
  const { enough, hintKey } = rehearsalReadiness(form);
  const many = mayCoverMany(values.targets);
  const rehearsal = useFleetRehearsalQuery(many && enough ? rehearsalBody(values, properties ?? new Map()) : null);
  const shown = rehearsal.isEnabled && enough ? rehearsal.data : undefined;
  const rows = shown?.rows ?? [];
  return {
    many,
    enough,
    hintKey,
    rehearsal,
    rows,
    all: shown?.all,
    of: rows[0]?.of ?? 0,
    total: rows.reduce((sum, row) => sum + row.total, 0),
    /** All lines and the totals have arrived. */
    finished: shown?.all !== undefined,
  };
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { lazyComponent } from '@/ui/lazyComponent';
import { ruleQuery } from './queries';
import { useAlarmSearch } from './useAlarmSearch';

const RuleForm = lazyComponent(() => import('./form/RuleForm'), 'RuleForm');

/** The form, over the page, of a new rule or of the rule that the address names. */
export function RuleFormHost() {
  const { t } = useTranslation();
  const { search, close } = useAlarmSearch();
  const { rule: ruleParam } = search;
  const id = typeof ruleParam === 'number' ? ruleParam : 0;
  const { data, error } = useQuery({
    ...ruleQuery(id),
    enabled: id > 0,
    meta: { failure: 'rule.form.loadFailed' },
  });

  // The rule was deleted since the address was made, belongs to another tenant, or could not be
  // fetched.
  const isMissing = id > 0 && data === null;
  const failed = id > 0 && error !== null && data === undefined;
  useEffect(() => {
    if (isMissing) toast.warning(t('rule.form.gone'));
    if (isMissing || failed) close();
  }, [isMissing, failed, close, t]);

  // The form keeps the rule as it was when the form opened, so that later changes do not overwrite
  // what the user types. Each opening mounts a new form.
  const [opened, setOpened] = useState<{ rule: AlarmRule | null; of: number | 'new'; turn: number }>();
  const [last, setLast] = useState<typeof ruleParam>();
  if (last !== ruleParam) {
    setLast(ruleParam);
    if (ruleParam !== undefined) setOpened(undefined);
  }
  const opening = (opened?.turn ?? 0) + 1;
  if (ruleParam === 'new' && opened?.of !== 'new') setOpened({ rule: null, of: 'new', turn: opening });
  if (id > 0 && data?.id === id && opened?.of !== id) setOpened({ rule: data, of: id, turn: opening });
  return opened ? (
    <RuleForm
      key={`${opened.of} ${opened.turn}`}
      rule={opened.rule}
      open={ruleParam !== undefined && opened.of === ruleParam}
      onClose={close}
      onClosed={() => setOpened(undefined)}
    />
  ) : null;
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/notices';
import { later } from '@/ui/later';
import { ruleQuery } from './queries';
import { useAlarmSearch } from './useAlarmSearch';

const RuleForm = later(() => import('./form/RuleForm'), 'RuleForm');

/** The form of the rule that the address names, or of a new one, over the page. */
export function FormPlace() {
  const { t } = useTranslation();
  const { search, close } = useAlarmSearch();
  const { rule: wanted } = search;
  const id = typeof wanted === 'number' ? wanted : 0;
  const { data, error } = useQuery({
    ...ruleQuery(id),
    enabled: id > 0,
    meta: { failure: 'rule.form.loadFailed' },
  });

  // The address is older than the rule's end, or from another farm; or nobody answers.
  const gone = id > 0 && data === null;
  const failed = id > 0 && error !== null && data === undefined;
  useEffect(() => {
    if (gone) toast.warning(t('rule.form.gone'));
    if (gone || failed) close();
  }, [gone, failed, close, t]);

  // As it was when the form opened: what comes later must not change what somebody is typing. Each opening is a form of its own.
  const [opened, setOpened] = useState<{ rule: AlarmRule | null; of: number | 'new'; turn: number }>();
  const [last, setLast] = useState<typeof wanted>();
  if (last !== wanted) {
    setLast(wanted);
    if (wanted !== undefined) setOpened(undefined);
  }
  const turn = (opened?.turn ?? 0) + 1;
  if (wanted === 'new' && opened?.of !== 'new') setOpened({ rule: null, of: 'new', turn });
  if (id > 0 && data?.id === id && opened?.of !== id) setOpened({ rule: data, of: id, turn });
  return opened ? (
    <RuleForm
      key={`${opened.of} ${opened.turn}`}
      rule={opened.rule}
      open={wanted !== undefined && opened.of === wanted}
      onClose={close}
      onClosed={() => setOpened(undefined)}
    />
  ) : null;
}

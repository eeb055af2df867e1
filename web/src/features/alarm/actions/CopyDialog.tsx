import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { useFirstFocus } from '@/lib/hooks/useFirstFocus';
import { api } from '@/lib/http/api';
import { createErrorText } from '@/lib/http/createErrorText';
import { Dialog } from '@/ui/Dialog';
import { DevicePicker } from '@/ui/deviceTree/DevicePicker';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import { refetchRules } from '../queries';
import { maxDevices } from '../search';
import css from './CopyDialog.module.css';
import type { ActionProps } from './DeleteDialog';
import { useLastValue } from './useLastValue';

/** Copies a rule to other devices: to all of them or, if one does not fit, to none. */
export function CopyDialog({ rule, onClose }: ActionProps) {
  const { t } = useTranslation();
  const shown = useLastValue(rule);
  return (
    <Dialog open={rule !== null} title={t('rule.copy.title')} onClose={onClose} width={520}>
      {shown ? <Choice key={shown.id} rule={shown} onClose={onClose} /> : null}
    </Dialog>
  );
}

function Choice({ rule, onClose }: { rule: AlarmRule; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const copy = useMutation({
    mutationFn: (executionIds: string[]) =>
      api.post('/admin-api/client/pc/alarm-rules/copy', { body: { id: rule.id, executionIds } }),
    // The error that names the unfit device is shown beside the devices.
    meta: { shows: [601], failure: 'rule.copy.fail' },
    onSuccess: ({ length: count }) => {
      toast.success(t('rule.copy.done', { count, n: format.number(count) }));
      onClose();
    },
    // Also after a failure: without an answer, the rule may have been copied nevertheless.
    onSettled: () => void refetchRules(client),
  });
  const toggle = (name: string) => {
    copy.reset();
    if (chosen.has(name)) setChosen(new Set([...chosen].filter((other) => other !== name)));
    else if (chosen.size < maxDevices) setChosen(new Set([...chosen, name]));
    else toast.warning(t('rule.filter.most', { most: maxDevices }));
  };
  const body = useFirstFocus<HTMLDivElement>('input');
  const failure = createErrorText(copy.error);
  const count = chosen.size;
  return (
    <div className={css.body} ref={body}>
      <p className={css.text}>{t('rule.copy.text', { name: rule.alarmName })}</p>
      <div className={css.devices}>
        <DevicePicker
          chosen={chosen}
          onToggle={({ deviceName }) => toggle(deviceName)}
          takesRule={rule.id}
          none={{ title: t('rule.copy.nobody'), text: t('rule.copy.nobodyText') }}
        />
      </div>
      {failure ? (
        <Note tone="wrong" title={t('rule.copy.fail')}>
          {failure}
        </Note>
      ) : null}
      <div className={css.buttons}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <SendButton
          htmlType="button"
          disabled={count === 0}
          loading={copy.isPending}
          onClick={() => copy.mutate([...chosen])}
        >
          {count === 0 ? t('rule.copy.none') : t('rule.copy.submit', { count, n: format.number(count) })}
        </SendButton>
      </div>
    </div>
  );
}

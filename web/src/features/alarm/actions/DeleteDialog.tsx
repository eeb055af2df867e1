import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { Dialog } from '@/ui/Dialog';
import { refetchRules } from '../queries';
import { useLastValue } from './useLastValue';

export interface ActionProps {
  /** The rule to act on; null closes the dialog. */
  rule: AlarmRule | null;
  onClose: () => void;
}

/** Asks for confirmation and says what becomes of the notices. Cancel is the first button. */
export function DeleteDialog({ rule, onClose }: ActionProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const shown = useLastValue(rule);
  const remove = useMutation({
    mutationFn: ({ id }: AlarmRule) => api.del('/admin-api/client/pc/alarm-rules/delete', { query: { id } }),
    meta: { failure: 'common.deleteFail' },
    onSuccess: () => {
      toast.success(t('rule.deleteOk'));
      void refetchRules(client);
      onClose();
    },
  });
  const cancel = () => {
    if (!remove.isPending) onClose();
  };
  return (
    <Dialog
      open={rule !== null}
      title={t('common.deleteConfirm', { name: shown?.alarmName ?? '' })}
      onClose={cancel}
      width={440}
      footer={
        <>
          <Button onClick={cancel} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button danger loading={remove.isPending} onClick={() => shown && remove.mutate(shown)}>
            {t('common.delete')}
          </Button>
        </>
      }
    >
      <p>{t('rule.deleteText')}</p>
    </Dialog>
  );
}

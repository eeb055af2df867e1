import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { refetchNotices } from '@/lib/alarm/notices';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';

const maxRemarkLength = 500;

/** Ends an open notice manually. `fault` says what is wrong with the remark, which is optional. */
export function useSolve(id: number, remark: string, onSuccess?: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const text = remark.trim();
  const fault = [...text].length > maxRemarkLength ? t('inform.solve.tooLong', { most: maxRemarkLength }) : undefined;
  const solve = useMutation({
    mutationFn: () => api.put('/admin-api/client/pc/alarm-notice/resolve', { body: { id, remark: text || undefined } }),
    meta: { shows: [601] },
    onSuccess: () => {
      toast.success(t('inform.solve.done'));
      onSuccess?.();
    },
    // After a refusal too: the notice may have ended meanwhile, and the page then shows it.
    onSettled: () => void refetchNotices(client),
  });
  const submit = () => {
    if (!solve.isPending && !fault) solve.mutate();
  };
  return { solve, fault, submit };
}

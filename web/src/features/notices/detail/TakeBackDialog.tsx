import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { refetchNotices } from '@/lib/alarm/notices';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { ConfirmDialog } from '@/ui/ConfirmDialog';

/** The notice whose acknowledgement is to be taken back, once confirmed. */
export interface AckTarget {
  id: number;
  name: string;
}

interface TakeBackDialogProps {
  target: AckTarget | null;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/** Asks for confirmation before an acknowledgement is taken back. */
export function TakeBackDialog({ target, onClose, onClosed }: TakeBackDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: ({ id }: AckTarget) => api.put('/admin-api/client/pc/alarm-notice/unacknowledge', { body: { id } }),
    meta: { failure: 'inform.ack.takeBackFail' },
    onSuccess: () => {
      toast.success(t('inform.ack.tookBack'));
      onClose();
    },
    // After a refusal, the notice has ended or the acknowledgement was taken back already; the page
    // then shows it.
    onError: (error) => {
      if (formErrorText(error) !== undefined) onClose();
    },
    onSettled: () => void refetchNotices(client),
  });
  const wordsOf = ({ name }: AckTarget) => ({
    question: t('inform.ack.takeBackTitle'),
    consequence: t('inform.ack.takeBackText', { name }),
    verb: t('inform.ack.takeBack'),
    danger: false,
  });
  return <ConfirmDialog target={target} textFor={wordsOf} mutation={act} onClose={onClose} onClosed={onClosed} />;
}

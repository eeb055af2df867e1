import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/api';
import { formText } from '@/lib/errorText';
import { toast } from '@/lib/notices';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { refetchNotices } from '../queries';

/** Whose acknowledgement is to be taken back, once confirmed. */
export interface Asked {
  id: number;
  name: string;
}

interface TakeBackDialogProps {
  asked: Asked | null;
  onClose: () => void;
  /** After it has gone from the screen. */
  onGone: () => void;
}

/** Asks before "I am on it" is taken back. */
export function TakeBackDialog({ asked, onClose, onGone }: TakeBackDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: ({ id }: Asked) => api.put('/admin-api/client/pc/alarm-notice/unacknowledge', { body: { id } }),
    meta: { failure: 'inform.ack.takeBackFail' },
    onSuccess: () => {
      toast.success(t('inform.ack.tookBack'));
      onClose();
    },
    // Refused, it is over or was taken back already: the page then says so.
    onError: (error) => {
      if (formText(error) !== undefined) onClose();
    },
    onSettled: () => void refetchNotices(client),
  });
  const wordsOf = ({ name }: Asked) => ({
    question: t('inform.ack.takeBackTitle'),
    consequence: t('inform.ack.takeBackText', { name }),
    verb: t('inform.ack.takeBack'),
    danger: false,
  });
  return <ConfirmDialog asked={asked} wordsOf={wordsOf} act={act} onClose={onClose} onGone={onGone} />;
}

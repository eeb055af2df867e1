import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Channel, refetchChannels } from '@/lib/channel/queries';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { Dialog } from '@/ui/Dialog';
import { useChannelText } from '../channelText';
import css from './DeleteDialog.module.css';

interface DeleteDialogProps {
  /** The channel to delete; null closes the dialog. */
  channel: Channel | null;
  onClose: () => void;
  /** Called when the channel no longer exists. */
  onDeleted: (id: number) => void;
}

/**
 * Asks for confirmation. Cancel is the first button. A channel that rules use cannot be deleted;
 * the dialog names the rules.
 */
export function DeleteDialog({ channel, onClose, onDeleted }: DeleteDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { usedBy } = useChannelText();
  // The dialog keeps its texts while it closes.
  const [shown, setShown] = useState(channel);
  if (channel && channel !== shown) setShown(channel);

  const remove = useMutation({
    mutationFn: ({ id }: Channel) => api.del('/admin-api/client/pc/notice-channel/delete', { query: { id } }),
    meta: { failure: 'common.deleteFail', tone: 'error' },
    onSuccess: async (_, { id }) => {
      toast.success(t('channel.deleteOk'));
      onDeleted(id);
      onClose();
      await refetchChannels(client);
    },
    // A rule has begun to use the channel or the channel is gone, so the list is outdated.
    onError: () => void refetchChannels(client),
  });
  const cancel = () => {
    if (!remove.isPending) onClose();
  };
  const used = shown !== null && shown.ruleCount > 0;
  return (
    <Dialog
      open={channel !== null}
      title={t(used ? 'channel.usedTitle' : 'common.deleteConfirm', { name: shown?.noticeName ?? '' })}
      onClose={cancel}
      width={440}
      footer={
        used ? (
          <Button onClick={cancel} autoFocus>
            {t('common.close')}
          </Button>
        ) : (
          <>
            <Button onClick={cancel} autoFocus>
              {t('common.cancel')}
            </Button>
            <Button danger loading={remove.isPending} onClick={() => shown && remove.mutate(shown)}>
              {t('channel.delete')}
            </Button>
          </>
        )
      }
    >
      <p className={css.text}>
        {used && shown ? `${usedBy(shown)} ${t('channel.usedText')}` : t('channel.deleteText')}
      </p>
    </Dialog>
  );
}

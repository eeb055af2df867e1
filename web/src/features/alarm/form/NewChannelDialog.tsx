import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ChannelForm } from '@/ui/channel/form/ChannelForm';
import { useChannelForm } from '@/ui/channel/form/useChannelForm';
import { Dialog } from '@/ui/Dialog';
import { SendButton } from '@/ui/form/SendButton';

interface NewChannelDialogProps {
  open: boolean;
  /** With the id of the channel that was made. */
  onMade: (id: number) => void;
  onClose: () => void;
  /** After it has gone from the screen. */
  onClosed: () => void;
}

/**
 * Makes a channel above the rule that is being written. What was typed and not saved is a draft, which is offered the next time, here
 * as on the page of channels: closing loses nothing, and asks nothing.
 */
export function NewChannelDialog({ open, onMade, onClose, onClosed }: NewChannelDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const form = useChannelForm(null, onMade);
  const { isPending } = form.save;
  // While it is being saved nobody could tell what became of it.
  const close = () => {
    if (!isPending) onClose();
  };
  return (
    <Dialog
      open={open}
      title={t('channel.new')}
      onClose={close}
      onClosed={onClosed}
      firm={isPending}
      width={520}
      footer={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={isPending}>
            {t('common.save')}
          </SendButton>
        </>
      }
    >
      <ChannelForm id={id} form={form} />
    </Dialog>
  );
}

import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ChannelForm } from '@/ui/channel/form/ChannelForm';
import { useChannelForm } from '@/ui/channel/form/useChannelForm';
import { Dialog } from '@/ui/Dialog';
import { SendButton } from '@/ui/form/SendButton';

interface NewChannelDialogProps {
  open: boolean;
  /** Called with the id of the new channel. */
  onMade: (id: number) => void;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/**
 * Creates a channel in a dialog above the rule's form. Unsaved input is kept as a draft, which this
 * dialog and the channel page offer the next time. Closing therefore loses nothing and needs no
 * confirmation.
 */
export function NewChannelDialog({ open, onMade, onClose, onClosed }: NewChannelDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const form = useChannelForm(null, onMade);
  const { isPending } = form.save;
  // While the channel is being saved the dialog stays open, since its result could not be shown
  // otherwise.
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

import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import { Button } from 'antd';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '@/lib/channel/queries';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { ChannelForm } from '@/ui/channel/form/ChannelForm';
import { useChannelForm } from '@/ui/channel/form/useChannelForm';
import { DiscardDialog } from '@/ui/DiscardDialog';
import { SendButton } from '@/ui/form/SendButton';
import { Sheet } from '@/ui/Sheet';
import { useChannelText } from '../channelText';
import type { ChannelSearch } from '../search';
import { TestPanel } from '../test/TestPanel';
import { type ChannelTests, isRunning } from '../test/useTests';
import css from './ChannelSheet.module.css';

interface ChannelSheetProps {
  /** The channel as it was when the form opened; null for a new one. */
  channel: Channel | null;
  beside: boolean;
  tests: ChannelTests;
  /** The channel has just been deleted, so the form discards unsaved input. */
  isDeleted: boolean;
  onClose: () => void;
  onDelete: (channel: Channel) => void;
}

/** Adds or changes a channel. A test goes to the saved recipients. */
export function ChannelSheet({ channel, beside, tests, isDeleted, onClose, onDelete }: ChannelSheetProps) {
  const { t } = useTranslation();
  const id = useId();
  const isPhone = useMediaQuery(phoneQuery);
  const { usedBy } = useChannelText();
  const form = useChannelForm(channel, onClose);
  const { save, dirty, giveUp } = form;
  useEffect(() => {
    if (isDeleted) giveUp();
  }, [isDeleted, giveUp]);
  const test = channel ? tests.tests.get(channel.id) : undefined;
  const testButton = channel ? (
    <Button
      type={isPhone ? 'default' : 'text'}
      icon={<SendOutlined aria-hidden="true" />}
      loading={isRunning(test)}
      disabled={dirty}
      title={dirty ? t('channel.test.saveFirst') : undefined}
      onClick={() => void tests.send(channel)}
    >
      {t('channel.test.send')}
    </Button>
  ) : null;

  return (
    <Sheet
      title={channel ? t('channel.form.edit', { name: channel.noticeName }) : t('channel.new')}
      beside={beside}
      onClose={onClose}
      footer={
        <>
          {isPhone ? null : <span className={css.test}>{testButton}</span>}
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={save.isPending}>
            {t('common.save')}
          </SendButton>
        </>
      }
    >
      <ChannelForm id={id} form={form} />
      {channel ? (
        <>
          <p className={css.used}>{usedBy(channel)}</p>
          {test ? <TestPanel name={channel.noticeName} test={test} onClose={() => tests.close(channel.id)} /> : null}
          <div className={css.more}>
            {isPhone ? testButton : null}
            <Button
              type="text"
              danger
              icon={<DeleteOutlined aria-hidden="true" />}
              className={css.delete}
              onClick={() => onDelete(channel)}
            >
              {t('channel.delete')}
            </Button>
          </div>
        </>
      ) : null}
      <DiscardDialog
        when={dirty}
        saved={form.saved}
        isSameForm={({ pathname, search }) =>
          pathname === '/notification' && (search as ChannelSearch).channel === (channel?.id ?? 'new')
        }
      />
    </Sheet>
  );
}

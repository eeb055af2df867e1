import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import EditOutlined from '@ant-design/icons/EditOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Channel } from '@/lib/channel/queries';
import { IconButton } from '@/ui/IconButton';
import { type ChannelTest, isRunning } from '../test/useTests';
import { addressOf, onPlainClick } from './links';
import css from './RowActions.module.css';

interface RowActionsProps {
  channel: Channel;
  test: ChannelTest | undefined;
  onTest: (channel: Channel) => void;
  onOpen: (id: number) => void;
  onDelete: (channel: Channel) => void;
}

/** Test, Edit and Delete; for screen readers each is named with its channel. */
export function RowActions({ channel, test, onTest, onOpen, onDelete }: RowActionsProps) {
  const { t } = useTranslation();
  const { id, noticeName: name } = channel;
  return (
    <span className={css.actions}>
      <Button
        type="text"
        size="small"
        className={css.act}
        icon={<SendOutlined aria-hidden="true" />}
        loading={isRunning(test)}
        aria-label={`${t('channel.test.do')}: ${name}`}
        title={t('channel.test.do')}
        onClick={() => onTest(channel)}
      >
        <span className={css.word}>{t('channel.test.do')}</span>
      </Button>
      <a
        className={css.edit}
        href={addressOf(id)}
        aria-label={`${t('device.edit')}: ${name}`}
        title={t('device.edit')}
        onClick={onPlainClick(() => onOpen(id))}
      >
        <EditOutlined aria-hidden="true" />
        <span className={css.word}>{t('device.edit')}</span>
      </a>
      <IconButton
        className={css.delete}
        label={`${t('common.delete')}: ${name}`}
        icon={<DeleteOutlined aria-hidden="true" />}
        onClick={() => onDelete(channel)}
      />
    </span>
  );
}

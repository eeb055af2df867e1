import BellOutlined from '@ant-design/icons/BellOutlined';
import CheckOutlined from '@ant-design/icons/CheckOutlined';
import ExceptionOutlined from '@ant-design/icons/ExceptionOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import { Link } from '@tanstack/react-router';
import { memo, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import { AckTag } from '@/ui/alarm/tags';
import { Chip } from '@/ui/Chip';
import { MessageMark } from '@/ui/message/MessageMark';
import { MessageTime } from '@/ui/message/MessageTime';
import { MarkButton } from './MarkButton';
import css from './MessageRow.module.css';

export interface RowActions {
  onToggle: (id: number, open: boolean) => void;
  onRead: (ids: readonly number[]) => void;
  /** Called when the user follows the link to the alarm. */
  onFollowed: (id: number) => void;
}

interface MessageRowProps extends RowActions {
  message: Message;
  open: boolean;
}

/**
 * A message: its title, first line and acknowledgement; opened, its full text and the link to the
 * alarm.
 */
export const MessageRow = memo(function MessageRow({ message, open, onToggle, onRead, onFollowed }: MessageRowProps) {
  const { t } = useTranslation();
  const body = useId();
  const head = useRef<HTMLButtonElement>(null);
  const { id, readStatus, createTime, noticeId, ack } = message;
  const { title, rest } = splitMessage(message);
  return (
    <div className={`${css.row} ${readStatus ? '' : css.unread} ${open ? css.opened : ''}`} data-message={id}>
      <MessageMark message={message} />
      <div className={css.words}>
        <button
          ref={head}
          type="button"
          className={css.title}
          aria-expanded={open}
          aria-controls={body}
          onClick={() => onToggle(id, !open)}
        >
          {title}
        </button>
        <div className={css.body} id={body}>
          {(open ? rest : rest.slice(0, 1)).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
            <p key={index}>{line}</p>
          ))}
        </div>
        {ack ? (
          <p className={css.ack}>
            <AckTag user={ack.user} />
          </p>
        ) : null}
      </div>
      <div className={css.side}>
        <MessageTime time={createTime} />
        {readStatus ? null : (
          <Chip tone="ok" icon={<BellOutlined />}>
            {t('message.unread')}
          </Chip>
        )}
      </div>
      {readStatus ? (
        <span className={css.marked} />
      ) : (
        <MarkButton label={t('message.markOne', { title })} ids={[id]} onRead={onRead} head={head} />
      )}
      <RightOutlined className={css.arrow} rotate={open ? 90 : 0} aria-hidden="true" />
      {open && (readStatus || noticeId !== undefined) ? (
        <div className={css.actions}>
          {noticeId === undefined ? null : (
            <Link
              to="/inform"
              search={{ id: noticeId }}
              className={css.alarm}
              onClick={() => readStatus || onFollowed(id)}
            >
              <ExceptionOutlined aria-hidden="true" />
              {t('message.openAlarm')}
            </Link>
          )}
          {readStatus ? (
            <span className={css.read}>
              <CheckOutlined aria-hidden="true" />
              {t('message.read')}
            </span>
          ) : null}
        </div>
      ) : null}
    </div>
  );
});

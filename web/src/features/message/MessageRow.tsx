import BellOutlined from '@ant-design/icons/BellOutlined';
import CheckOutlined from '@ant-design/icons/CheckOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import { memo, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import { AckTag } from '@/ui/alarm/tags';
import { Chip } from '@/ui/Chip';
import { IconButton } from '@/ui/IconButton';
import { MessageMark } from '@/ui/message/MessageMark';
import { MessageTime } from '@/ui/message/MessageTime';
import { MarkButton } from './MarkButton';
import css from './MessageRow.module.css';
import { OpenAlarm } from './OpenAlarm';
import { RowTitle } from './RowTitle';

export interface RowActions {
  onToggle: (id: number, open: boolean) => void;
  onRead: (ids: readonly number[]) => void;
  /** Called when the user follows the link to the alarm. */
  onFollowed: (id: number) => void;
}

interface MessageRowProps extends RowActions {
  message: Message;
  /** Whether the chosen message stands beside the list; otherwise messages unfold in it. */
  beside: boolean;
  chosen: boolean;
  open: boolean;
}

/**
 * A message: its title, first line and acknowledgement; unfolded, its full text and the link to the
 * alarm.
 */
export const MessageRow = memo(function MessageRow({
  message,
  beside,
  chosen,
  open: unfolded,
  onToggle,
  onRead,
  onFollowed,
}: MessageRowProps) {
  const { t } = useTranslation();
  const body = useId();
  const head = useRef<HTMLElement>(null);
  const { id, readStatus, createTime, noticeId, ack } = message;
  const { title, rest } = splitMessage(message);
  const open = unfolded && !beside;
  const looks = [css.row, readStatus ? '' : css.unread, open ? css.opened : '', beside && chosen ? css.chosen : ''];
  const followed = () => readStatus || onFollowed(id);
  const toggle = () => onToggle(id, !open);
  return (
    <div className={looks.join(' ')} data-message={id}>
      <MessageMark message={message} />
      <div className={css.words}>
        <RowTitle ref={head} {...{ message, beside, chosen, open, body }} onToggle={toggle} onFollowed={followed} />
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
      {noticeId === undefined ? (
        <RightOutlined className={css.arrow} rotate={open ? 90 : 0} aria-hidden="true" />
      ) : beside ? (
        <OpenAlarm noticeId={noticeId} iconOf={title} onFollowed={followed} />
      ) : (
        <IconButton
          className={css.fold}
          label={t('message.whole', { title })}
          icon={<DownOutlined rotate={open ? 180 : 0} aria-hidden="true" />}
          aria-expanded={open}
          aria-controls={body}
          onClick={toggle}
        />
      )}
      {open && (readStatus || noticeId !== undefined) ? (
        <div className={css.actions}>
          {noticeId === undefined ? null : <OpenAlarm noticeId={noticeId} onFollowed={followed} />}
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

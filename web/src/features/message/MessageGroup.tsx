import BellOutlined from '@ant-design/icons/BellOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { Message } from '@/lib/message/queries';
import { AckTag } from '@/ui/alarm/tags';
import { Chip } from '@/ui/Chip';
import { MessageMark } from '@/ui/message/MessageMark';
import { MessageTime } from '@/ui/message/MessageTime';
import { representativeOf, titleOf } from './groups';
import { MarkButton } from './MarkButton';
import css from './MessageGroup.module.css';
import { MessageRow, type RowActions } from './MessageRow';
import row from './MessageRow.module.css';

interface MessageGroupProps extends RowActions {
  /** Consecutive messages of one rule, newest first. */
  messages: readonly Message[];
  open: boolean;
  onFold: (messages: readonly Message[], open: boolean) => void;
  isOpen: (id: number) => boolean;
  beside: boolean;
  /** The message that stands beside the list. */
  chosen: number | undefined;
}

/**
 * Many consecutive messages of one rule: how many, from when to when, and each of them. It can be
 * folded into its head.
 */
export function MessageGroup({ messages, open, onFold, isOpen, beside, chosen, ...actions }: MessageGroupProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const list = useId();
  const head = useRef<HTMLButtonElement>(null);
  const representative = representativeOf(messages);
  const newest = messages[0];
  const oldest = messages.at(-1);
  const span = useClock((now) =>
    newest && oldest
      ? t('message.span', { from: format.moment(oldest.createTime, now), to: format.moment(newest.createTime, now) })
      : '',
  );
  // Any of the messages may have the acknowledgement: one of the rule's alarms may still be open,
  // although another one ended later.
  const ack = messages.find((message) => message.ack)?.ack;
  const unread = messages.filter(({ readStatus }) => !readStatus).map(({ id }) => id);
  if (!representative || !newest) return null;
  // Folded, the group stands for its chosen message.
  const marked = beside && !open && messages.some(({ id }) => id === chosen);
  return (
    <>
      <div className={`${row.row} ${unread.length === 0 ? '' : row.unread} ${marked ? row.chosen : ''}`}>
        <MessageMark message={representative} />
        <div className={row.words}>
          <button
            ref={head}
            type="button"
            className={row.title}
            aria-expanded={open}
            aria-controls={list}
            onClick={() => onFold(messages, !open)}
            data-title=""
          >
            {titleOf(messages)}
          </button>
          <p className={row.body}>
            {t('message.group', { count: messages.length, n: format.number(messages.length), span })}
          </p>
          {ack ? (
            <p className={row.ack}>
              <AckTag user={ack.user} />
            </p>
          ) : null}
        </div>
        <div className={row.side}>
          <MessageTime time={newest.createTime} />
          {unread.length === 0 ? null : (
            <Chip tone="ok" icon={<BellOutlined />}>
              {t('message.summary', { n: format.number(unread.length) })}
            </Chip>
          )}
        </div>
        {unread.length === 0 ? (
          <span className={row.marked} />
        ) : (
          <MarkButton
            label={t('message.markGroup', { title: titleOf(messages) })}
            ids={unread}
            onRead={actions.onRead}
            head={head}
          />
        )}
        <RightOutlined className={row.arrow} rotate={open ? 90 : 0} aria-hidden="true" />
      </div>
      <div id={list} hidden={!open} className={css.inside}>
        {open ? (
          <ul className={css.list} aria-label={titleOf(messages)}>
            {messages.map((message) => (
              <li key={message.id}>
                <MessageRow
                  message={message}
                  beside={beside}
                  chosen={message.id === chosen}
                  open={isOpen(message.id)}
                  {...actions}
                />
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </>
  );
}

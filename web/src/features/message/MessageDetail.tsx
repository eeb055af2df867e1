import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import { AckTag } from '@/ui/alarm/tags';
import { MessageMark } from '@/ui/message/MessageMark';
import { PlainButton } from '@/ui/PlainButton';
import { Skeleton } from '@/ui/Skeleton';
import css from './MessageDetail.module.css';
import { OpenAlarm } from './OpenAlarm';

interface MessageDetailProps {
  message: Message;
  onRead: (ids: readonly number[]) => void;
  onFollowed: (id: number) => void;
}

/** The chosen message: all of its text, and what can be done with it. */
export function MessageDetail({ message, onRead, onFollowed }: MessageDetailProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const heading = useId();
  const head = useRef<HTMLHeadingElement>(null);
  const { id, readStatus, createTime, noticeId, ack } = message;
  const { title, rest } = splitMessage(message);
  return (
    <section className={css.card} aria-labelledby={heading}>
      <div className={css.head}>
        <MessageMark message={message} />
        <div className={css.words}>
          <h2 ref={head} id={heading} className={css.title} tabIndex={-1}>
            {title}
          </h2>
          <time className={css.time} dateTime={new Date(createTime).toISOString()}>
            {format.absolute(createTime)}
          </time>
        </div>
      </div>
      <div className={css.body}>
        {rest.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
          <p key={index}>{line}</p>
        ))}
        {ack ? (
          <p className={css.ack}>
            <AckTag user={ack.user} />
          </p>
        ) : null}
      </div>
      <div className={css.actions}>
        {noticeId === undefined ? null : (
          <OpenAlarm noticeId={noticeId} onFollowed={() => readStatus || onFollowed(id)} />
        )}
        {readStatus ? (
          <span className={css.read}>
            <CheckOutlined aria-hidden="true" />
            {t('message.read')}
          </span>
        ) : (
          <PlainButton
            onClick={() => {
              // The button disappears.
              head.current?.focus();
              onRead([id]);
            }}
          >
            <CheckOutlined aria-hidden="true" />
            {t('message.mark')}
          </PlainButton>
        )}
      </div>
    </section>
  );
}

/** The list beside it says that it loads. */
export function DetailSkeleton() {
  return (
    <div className={`${css.card} ${css.skeleton}`}>
      <Skeleton height={22} width="56%" />
      <Skeleton height={16} width="82%" />
      <Skeleton height={16} width="64%" />
    </div>
  );
}

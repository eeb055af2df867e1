import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { unreadCountQuery } from '@/lib/http/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { recentQuery } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import { useMarkRead } from '@/lib/message/useMarkRead';
import { AckTag } from '@/ui/alarm/tags';
import { ErrorNote } from '@/ui/ErrorNote';
import { MessageMark } from '@/ui/message/MessageMark';
import { MessageTime } from '@/ui/message/MessageTime';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './BellList.module.css';

interface BellListProps {
  onClose: () => void;
  /** Called when all are marked as read: the button for it disappears, and the focus with it. */
  onAllRead?: () => void;
}

/** The newest messages, each a link to it on the message page, and a link to all. */
export function BellList({ onClose, onAllRead }: BellListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const query = useQuery(recentQuery(language));
  const unread = useQuery(unreadCountQuery()).data ?? 0;
  const { markFollowed, markAllRead, markingAll } = useMarkRead();
  const list = query.data?.list;

  return (
    <>
      <div className={css.head}>
        <b className={css.count}>
          {unread > 0 ? t('message.summary', { n: format.number(unread) }) : t('shell.noUnread')}
        </b>
        {unread > 0 ? (
          <button
            type="button"
            className={css.all}
            disabled={markingAll}
            onClick={() => {
              onAllRead?.();
              markAllRead();
            }}
          >
            {t('message.markAll')}
          </button>
        ) : null}
      </div>
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote title={errorText(query.error)} onRetry={() => void query.refetch()} busy={query.isFetching} />
        </div>
      ) : null}
      {list?.length === 0 ? <p className={css.none}>{t('message.empty')}</p> : null}
      {list && list.length > 0 ? (
        <ul className={css.list}>
          {list.map((message) => (
            <li key={message.id}>
              <Link
                to="/message"
                search={{ id: message.id }}
                className={`${css.item} ${message.readStatus ? '' : css.unread}`}
                activeProps={{}}
                data-item=""
                onClick={() => {
                  if (!message.readStatus) markFollowed(message.id);
                  onClose();
                }}
              >
                <MessageMark message={message} />
                <span className={css.words}>
                  <span className={css.title}>{splitMessage(message).title}</span>
                  {message.ack ? (
                    <span className={css.ack}>
                      <AckTag user={message.ack.user} />
                    </span>
                  ) : null}
                </span>
                {message.readStatus ? null : <span className="visually-hidden">{t('message.unread')}</span>}
                <MessageTime time={message.createTime} />
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      {list || query.isError ? null : (
        <Loading>
          {['62%', '48%', '70%', '55%', '66%'].map((width) => (
            <div key={width} className={css.item}>
              <Skeleton height={24} width={24} radius={12} />
              <Skeleton height={14} width={width} />
            </div>
          ))}
        </Loading>
      )}
      <Link to="/message" className={css.foot} activeProps={{}} data-item="" onClick={onClose}>
        {t('message.toAll')}
      </Link>
    </>
  );
}

import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { panesQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { unreadCountQuery } from '@/lib/http/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { messagesQuery } from '@/lib/message/queries';
import { useMarkRead } from '@/lib/message/useMarkRead';
import { Empty } from '@/ui/Empty';
import { NotFetched } from '@/ui/NotFetched';
import { PageError } from '@/ui/PageError';
import { Pager } from '@/ui/Pager';
import { PageTitle } from '@/ui/PageTitle';
import { Panes } from '@/ui/Panes';
import { DetailSkeleton, MessageDetail } from './MessageDetail';
import { ListSkeleton, MessageList } from './MessageList';
import css from './MessagePage.module.css';
import type { MessageSearch } from './search';

/**
 * All messages of the last year, and which of them the user has not read. On a wide screen the
 * chosen one stands beside the list, at first the newest.
 */
export function MessagePage() {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const { page = 1, size = pageSizes[0], id } = useSearch({ from: '/signed-in/shell/message' });
  const navigate = useNavigate({ from: '/message' });
  const query = useQuery(messagesQuery(language, page, size));
  const unread = useQuery(unreadCountQuery()).data;
  const { markRead, markFollowed, markAllRead, markingAll } = useMarkRead();
  const { data, isPlaceholderData } = query;

  const change = useCallback(
    (part: MessageSearch) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  const beside = useMediaQuery(panesQuery);

  // The first message of a page is chosen until the user chooses, also when new ones arrive.
  const [first, setFirst] = useState<{ page: string; id: number }>();
  const place = `${page} ${size}`;
  const top = isPlaceholderData ? undefined : data?.list[0];
  if (top && first?.page !== place) setFirst({ page: place, id: top.id });
  const find = (wanted: number | undefined) => data?.list.find((message) => message.id === wanted);
  const chosen = beside ? (find(id) ?? find(first?.id) ?? data?.list[0]) : undefined;

  const closed = useCallback((closing: number) => closing === id && change({ id: undefined }), [id, change]);

  // The last page has become empty: show the page that is now the last.
  const last = data && !isPlaceholderData ? lastPage(data.total, size) : page;
  useEffect(() => {
    if (page > last) change({ page: last === 1 ? undefined : last });
  }, [page, last, change]);

  return (
    <>
      <PageTitle
        title={t('nav.message')}
        summary={
          unread === undefined
            ? undefined
            : unread === 0
              ? t('shell.noUnread')
              : t('message.summary', { n: format.number(unread) })
        }
      />
      <PageError queries={[query]} />
      <Panes
        shape="list"
        first={
          <section className={css.panel} aria-labelledby="messages">
            <div className={css.head}>
              <h2 id="messages" className={css.heading}>
                {t('message.all')}
              </h2>
              {/* Not the `disabled` attribute: it would take the focus from the button that was
                  just pressed. */}
              <button
                type="button"
                className={css.all}
                aria-disabled={!unread || markingAll}
                onClick={() => {
                  if (unread && !markingAll) markAllRead();
                }}
              >
                <CheckOutlined aria-hidden="true" />
                {t('message.markAll')}
              </button>
            </div>
            {data?.total === 0 ? (
              <div className={css.empty}>
                <Empty kind="good" title={t('common.empty')} text={t('message.empty')} level={3} />
              </div>
            ) : data ? (
              <MessageList
                messages={data.list}
                waiting={isPlaceholderData}
                named={id}
                beside={beside}
                chosen={chosen?.id}
                onClosed={closed}
                onRead={markRead}
                onFollowed={markFollowed}
              />
            ) : query.isError ? (
              <NotFetched title={t('message.failed')} />
            ) : (
              <ListSkeleton />
            )}
            {data && data.total > 0 ? (
              <Pager
                total={data.total}
                pageNo={Math.min(page, lastPage(data.total, size))}
                pageSize={size}
                onChange={(no, next) =>
                  change({
                    page: no === 1 ? undefined : no,
                    size: next === pageSizes[0] ? undefined : next,
                    id: undefined,
                  })
                }
              />
            ) : null}
          </section>
        }
        second={
          chosen ? (
            <MessageDetail key={chosen.id} message={chosen} onRead={markRead} onFollowed={markFollowed} />
          ) : beside && !data && !query.isError ? (
            <DetailSkeleton />
          ) : undefined
        }
      />
    </>
  );
}

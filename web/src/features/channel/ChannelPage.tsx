import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { type CSSProperties, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelKind } from '@/lib/channel/kinds';
import { type Channel, channelPageQuery } from '@/lib/channel/queries';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { useMay } from '@/lib/session/useMay';
import { usePreferences } from '@/lib/storage/preferences';
import { Empty } from '@/ui/Empty';
import { NotFetched } from '@/ui/NotFetched';
import { PageError } from '@/ui/PageError';
import { Pager } from '@/ui/Pager';
import { PageTitle } from '@/ui/PageTitle';
import { ChannelFormHost } from './ChannelFormHost';
import css from './ChannelPage.module.css';
import { ChannelCards } from './list/ChannelCards';
import { ChannelTable } from './list/ChannelTable';
import { QueryBar } from './list/QueryBar';
import { DeleteDialog } from './remove/DeleteDialog';
import { useTests } from './test/useTests';
import { UnavailableKindsNote } from './UnavailableKindsNote';
import { useChannelSearch } from './useChannelSearch';

/** From this width on, a form fits beside the table. */
const wideQuery = '(min-width: 1200px)';

/** Who is notified of alarms, and how: all channels, to test, change and delete. */
export function ChannelPage() {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const isWide = useMediaQuery(wideQuery);
  const fixedNavbar = usePreferences((state) => state.fixedNavbar);
  const { search, change, open, close } = useChannelSearch();
  const { q, mode, page: pageNo = 1, size: pageSize = pageSizes[0], channel } = search;
  const query = useQuery(channelPageQuery({ noticeName: q, noticeMode: mode, pageNo, pageSize }));
  const tests = useTests();
  const mayChange = useMay('operator');
  const [deletedId, setDeletedId] = useState<number>();
  const [deleteTarget, setDeleteTarget] = useState<Channel | null>(null);
  const { data, isPlaceholderData, refetch } = query;
  // The form is for those who may change a channel.
  const opened = mayChange ? channel : undefined;

  // The last page has become empty: show the page that is now the last.
  const last = data && !isPlaceholderData ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (pageNo > last) change({ page: last === 1 ? undefined : last });
  }, [pageNo, last, change]);

  // Runs after the form's own effect, which discards the unsaved input of a deleted channel.
  useEffect(() => {
    if (deletedId !== undefined && opened === deletedId) close();
  }, [deletedId, opened, close]);

  const onOpen = useCallback((id: number) => open(id), [open]);
  const onQuery = (part: { q?: string; mode?: ChannelKind }) => {
    if (part.q === q && part.mode === mode && pageNo === 1) void refetch();
    else change(part);
  };
  const filtered = q !== undefined || mode !== undefined;
  const empty = data?.total === 0 && !isPlaceholderData;
  const beside = isWide && opened !== undefined;
  const add = mayChange ? (
    <Button icon={<PlusOutlined aria-hidden="true" />} onClick={() => open('new')}>
      {t('channel.new')}
    </Button>
  ) : undefined;
  return (
    <>
      <PageTitle title={t('nav.channel')} summary={t('channel.summary')} />
      <PageError queries={[query]} />
      <div
        className={`${css.page} ${beside ? css.withSheet : ''}`}
        style={{ '--bar': fixedNavbar ? '56px' : '0px' } as CSSProperties}
      >
        <section className={css.card} aria-label={t('channel.list')}>
          <QueryBar search={search} onQuery={onQuery} onNew={() => open('new')} />
          <UnavailableKindsNote />
          <div className={isPlaceholderData ? css.waiting : ''} aria-busy={query.isFetching}>
            {empty ? (
              <Empty
                kind={filtered ? 'search' : 'first'}
                title={t(filtered ? 'channel.empty.noneTitle' : 'channel.empty.title')}
                text={t(filtered ? 'channel.empty.noneText' : 'channel.empty.text')}
                action={
                  filtered ? (
                    <Button onClick={() => change({ q: undefined, mode: undefined })}>
                      {t('channel.empty.clear')}
                    </Button>
                  ) : (
                    add
                  )
                }
              />
            ) : query.isError && !data ? (
              <NotFetched title={t('channel.failed')} />
            ) : isPhone ? (
              <ChannelCards channels={data?.list} onOpen={onOpen} />
            ) : (
              <ChannelTable
                channels={data?.list}
                selected={opened === 'new' ? undefined : opened}
                brief={beside}
                tests={tests}
                onOpen={onOpen}
                onDelete={setDeleteTarget}
              />
            )}
          </div>
          {data && !empty ? (
            <Pager
              total={data.total}
              pageNo={Math.min(pageNo, last)}
              pageSize={pageSize}
              onChange={(page, size) => change({ page: page === 1 ? undefined : page, size })}
            />
          ) : null}
        </section>
        {opened === undefined ? null : (
          <ChannelFormHost
            wanted={opened}
            beside={beside}
            tests={tests}
            isDeleted={opened === deletedId}
            onClose={close}
            onDelete={setDeleteTarget}
          />
        )}
      </div>
      <DeleteDialog
        channel={deleteTarget}
        onClose={() => setDeleteTarget(null)}
        onDeleted={(id) => {
          tests.close(id);
          setDeletedId(id);
        }}
      />
    </>
  );
}

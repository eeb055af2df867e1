import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from 'antd';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { panesQuery, phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { useLanguage } from '@/lib/i18n/i18n';
import { Empty } from '@/ui/Empty';
import { NotFetched } from '@/ui/NotFetched';
import { PageError } from '@/ui/PageError';
import { Pager } from '@/ui/Pager';
import { PageTitle } from '@/ui/PageTitle';
import { Panes } from '@/ui/Panes';
import css from './ActivityPage.module.css';
import { EntryDetail } from './EntryDetail';
import { EntryList } from './EntryList';
import { attributesOf, textContext } from './entryText';
import { FilterBar } from './FilterBar';
import { activityQuery, namesQuery } from './queries';
import { useActivitySearch } from './useActivitySearch';

/** The server counts at most this many entries of a list. */
const maxCounted = 100_000;

/**
 * The audit log of the tenant, newest entry first. On a wide screen the chosen entry stands beside
 * the list, at first the newest.
 */
export function ActivityPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const isPhone = useMediaQuery(phoneQuery);
  const navigate = useNavigate();
  const { search, change } = useActivitySearch();
  const { page: pageNo = 1, size: pageSize = pageSizes[0], id, ...filter } = search;
  const beside = useMediaQuery(panesQuery);
  const query = useQuery(activityQuery(search));
  const { data, isPlaceholderData } = query;
  const names = useQuery(namesQuery(language, attributesOf(data?.list ?? []))).data;
  const context = useMemo(() => textContext(language, names), [language, names]);

  // The last page has become empty: show the page that is now the last.
  const last = data && !isPlaceholderData ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (pageNo > last) change({ page: last === 1 ? undefined : last, id });
  }, [pageNo, last, id, change]);

  const filtered = Object.values(filter).some((value) => value !== undefined);
  const empty = data?.total === 0 && !isPlaceholderData;
  const chosen = data?.list.find((entry) => entry.id === id) ?? data?.list[0];
  return (
    <>
      <PageTitle
        title={t('activity.title')}
        summary={<Link to="/profile">{t('activity.back')}</Link>}
        back={isPhone ? { label: t('activity.back'), onClick: () => void navigate({ to: '/profile' }) } : undefined}
      />
      <PageError queries={[query]} />
      <div className={css.filters}>
        <FilterBar
          search={search}
          people={data?.people ?? []}
          context={context}
          onChange={change}
          onAgain={() => void query.refetch()}
        />
      </div>
      <Panes
        shape="list"
        first={
          <section className={css.card} aria-label={t('activity.list')}>
            <div className={isPlaceholderData ? css.waiting : ''} aria-busy={query.isFetching}>
              {empty ? (
                <Empty
                  kind={filtered ? 'search' : 'first'}
                  title={t(filtered ? 'activity.noneTitle' : 'activity.emptyTitle')}
                  text={t(filtered ? 'activity.noneText' : 'activity.emptyText')}
                  action={
                    filtered ? (
                      <Button
                        onClick={() =>
                          change({ q: undefined, who: undefined, kind: undefined, from: undefined, to: undefined })
                        }
                      >
                        {t('activity.clear')}
                      </Button>
                    ) : undefined
                  }
                />
              ) : query.isError && !data ? (
                <NotFetched title={t('activity.failed')} />
              ) : (
                <EntryList entries={data?.list} context={context} beside={beside} chosen={beside ? chosen?.id : id} />
              )}
            </div>
            {data && !empty ? (
              <>
                <Pager
                  total={data.total}
                  pageNo={Math.min(pageNo, last)}
                  pageSize={pageSize}
                  onChange={(page, size) => change({ page: page === 1 ? undefined : page, size })}
                />
                {data.total >= maxCounted ? (
                  <p className={css.more}>{t('activity.counted', { n: format.number(maxCounted) })}</p>
                ) : null}
              </>
            ) : null}
          </section>
        }
        second={beside && chosen && !empty ? <EntryDetail entry={chosen} context={context} /> : undefined}
      />
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { overviewQuery } from '@/lib/http/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { useMayAsk } from '@/lib/session/useMay';
import { usePreferences } from '@/lib/storage/preferences';
import { NotFetched } from '@/ui/NotFetched';
import { PageError } from '@/ui/PageError';
import { Pager } from '@/ui/Pager';
import { PageTitle } from '@/ui/PageTitle';
import { AddHost } from './add/AddHost';
import { waysOf } from './add/ways';
import css from './DevicePage.module.css';
import { SecretOnce } from './detail/SecretOnce';
import { offerQuery, tableQuery } from './queries';
import { Scenes } from './scenes/Scenes';
import { DeviceSheet } from './sheet/DeviceSheet';
import { Cards } from './table/Cards';
import { DeviceTable } from './table/DeviceTable';
import { NoRows } from './table/NoRows';
import { Toolbar } from './table/Toolbar';
import { useDeviceSearch } from './useDeviceSearch';
import { useSummary } from './useSummary';

/** From this width on, the scenes or a sheet fit beside the table. */
const wideQuery = '(min-width: 1200px)';
const maxSkeletons = 20;

/** All devices in a table, the scenes that group them, and a sheet for each device. */
export function DevicePage() {
  const { t } = useTranslation();
  useDeviceLive();
  const isPhone = useMediaQuery(phoneQuery);
  const isWide = useMediaQuery(wideQuery);
  const fixedNavbar = usePreferences((state) => state.fixedNavbar);
  const language = useLanguage((state) => state.language);
  const { search, change, open, close, add, sortBy } = useDeviceSearch();
  const { page: pageNo = 1, size: pageSize = pageSizes[0], device: opened, edit = false } = search;
  const overview = useQuery({ ...overviewQuery() });
  const table = useQuery(tableQuery(language, search));
  const mayAdd = useMayAsk('owner');
  const offers = useQuery({ ...offerQuery(language), enabled: mayAdd });
  const offer = mayAdd ? offers.data : undefined;
  const { data } = table;
  const summary = useSummary(overview.data);

  // The last page has become empty: show the page that is now the last.
  const last = data && !table.isPlaceholderData ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (pageNo > last) change({ page: last === 1 ? undefined : last });
  }, [pageNo, last, change]);

  const onScene = useCallback((scene: number | undefined) => change({ scene }), [change]);
  const onOpen = useCallback((name: string, edit: boolean) => open(name, edit), [open]);
  const clear = () => change({ q: undefined, product: undefined, state: undefined });

  const beside = isWide && opened !== undefined;
  const expected = Math.min(pageSize, maxSkeletons);
  const empty = data?.total === 0;
  const [way] = offer ? waysOf(offer) : [];
  const onAdd = way && (() => add(way));
  const layout = beside ? css.withSheet : isWide ? css.withScenes : '';
  return (
    <>
      <PageTitle title={t('nav.device')} summary={summary} />
      <PageError queries={mayAdd ? [table, offers] : [table]} />
      <div className={`${css.page} ${layout}`} style={{ '--bar': fixedNavbar ? '56px' : '0px' } as CSSProperties}>
        {beside ? null : <Scenes beside={isWide} chosen={search.scene} onChoose={onScene} />}
        <section className={css.card} aria-label={t('home.list.title')}>
          <Toolbar search={search} onChange={change} onAdd={onAdd} />
          <div className={`${css.rows} ${table.isPlaceholderData ? css.waiting : ''}`} aria-busy={table.isFetching}>
            {empty ? (
              <NoRows search={search} onClear={clear} onAll={() => onScene(undefined)} onAdd={onAdd} />
            ) : table.isError && !data ? (
              <NotFetched title={t('home.list.failed')} />
            ) : isPhone ? (
              <Cards devices={data?.list} expected={expected} onOpen={onOpen} />
            ) : (
              <DeviceTable
                devices={data?.list}
                expected={expected}
                selected={opened}
                opensForm={edit}
                sort={search.sort}
                descending={search.descending === true}
                onSort={sortBy}
                onOpen={onOpen}
              />
            )}
          </div>
          {data && !empty ? (
            <div className={css.pager}>
              <Pager
                total={data.total}
                pageNo={Math.min(pageNo, last)}
                pageSize={pageSize}
                onChange={(page, size) => change({ page: page === 1 ? undefined : page, size })}
              />
            </div>
          ) : null}
        </section>
        {opened === undefined ? null : (
          <DeviceSheet
            deviceName={opened}
            edit={edit}
            listed={data?.list.find(({ deviceName }) => deviceName === opened)}
            beside={beside}
            onOpen={onOpen}
            onClose={close}
          />
        )}
      </div>
      <SecretOnce />
      <AddHost search={search} offer={offer} onAdd={add} onOpenDevice={open} />
    </>
  );
}

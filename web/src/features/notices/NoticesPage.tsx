import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { overviewQuery } from '@/lib/http/queries';
import { usePreferences } from '@/lib/storage/preferences';
import { DeviceColumn } from '@/ui/deviceFilter/DeviceColumn';
import { lazyComponent } from '@/ui/lazyComponent';
import { PageError } from '@/ui/PageError';
import { PageTitle } from '@/ui/PageTitle';
import { NoticeDetail } from './detail/NoticeDetail';
import { ListPanel } from './list/ListPanel';
import css from './NoticesPage.module.css';
import { noticesQuery } from './queries';
import { maxDevices, namesOf } from './search';
import { useNoticesLive } from './useNoticesLive';
import { useNoticesSearch } from './useNoticesSearch';

const DeviceDrawer = lazyComponent(() => import('@/ui/deviceFilter/DeviceDrawer'), 'DeviceDrawer');

/** Up to this width, list and detail leave no room for a column of devices. */
const noticesDrawerQuery = '(max-width: 1279px)';

/** All recorded notices: the list, the detail of one of them, and the devices to filter by. */
export function NoticesPage() {
  const { t } = useTranslation();
  const format = useFormat();
  useDeviceLive();
  const isPhone = useMediaQuery(phoneQuery);
  const drawn = useMediaQuery(noticesDrawerQuery);
  const fixedNavbar = usePreferences((state) => state.fixedNavbar);
  const { search, change, open } = useNoticesSearch();
  const { devices, page = 1, size = pageSizes[0], id } = search;
  const query = useQuery(noticesQuery(search));
  const overview = useQuery(overviewQuery()).data;
  const place = useRef<HTMLUListElement>(null);
  const [drawer, setDrawer] = useState<boolean>();
  const { data, isPlaceholderData } = query;

  const atTop = useCallback(
    () => (isPhone ? !place.current || window.scrollY < 8 : (place.current?.scrollTop ?? 0) < 8),
    [isPhone],
  );
  const { waiting, seen } = useNoticesLive(search, atTop);

  // The last page has become empty: show the page that is now the last.
  const last = data && !isPlaceholderData ? lastPage(data.total, size) : page;
  useEffect(() => {
    if (page > last) change({ page: last === 1 ? undefined : last, id });
  }, [page, last, id, change]);

  // The first notice of a list opens automatically and stays open when new ones arrive.
  const list = JSON.stringify(noticesQuery(search).queryKey);
  const [first, setFirst] = useState<{ list: string; id: number }>();
  const top = isPlaceholderData ? undefined : data?.list[0];
  if (top && first?.list !== list) setFirst({ list, id: top.id });
  const chosen = id ?? (isPhone || first?.list !== list || data?.total === 0 ? undefined : first.id);

  const names = useMemo(() => new Set(namesOf(devices)), [devices]);
  const choose = useCallback(
    (given: Iterable<string>) => {
      const all = [...given];
      if (all.length > maxDevices) toast.warning(t('rule.filter.most', { most: maxDevices }));
      else change({ devices: all.join(',') || undefined });
    },
    [change, t],
  );
  const toggle = (name: string) =>
    choose(names.has(name) ? [...names].filter((chosen) => chosen !== name) : [...names, name]);
  const picker = { chosen: names, onToggle: toggle, onAll: () => choose([]) };
  const showAll = () => change({ q: undefined, devices: undefined, status: undefined, level: undefined });
  const walk = useCallback((to: number) => open(to, false), [open]);
  const detail = isPhone && id !== undefined;
  // If there is nothing to open, the empty list takes the full width.
  const nothing = data?.total === 0 && id === undefined;
  return (
    <>
      <PageTitle
        title={t('nav.inform')}
        summary={
          overview &&
          t('inform.summary', {
            today: format.number(overview.todayAlarmCount),
            pending: format.number(overview.pendingAlarmCount),
          })
        }
        back={detail ? { label: t('inform.back'), onClick: () => open(undefined, false) } : undefined}
      />
      {detail ? null : <PageError queries={[query]} />}
      <div className={css.columns}>
        {detail ? null : (
          <div className={`${css.list} ${fixedNavbar ? css.below : ''} ${nothing ? css.across : ''}`}>
            <ListPanel
              query={query}
              search={search}
              change={change}
              chosen={chosen}
              onWalk={isPhone ? undefined : walk}
              devices={names}
              onDevices={choose}
              onPick={drawn ? () => setDrawer(true) : undefined}
              waiting={waiting}
              onSeen={seen}
              place={place}
            />
          </div>
        )}
        {(isPhone && !detail) || nothing ? null : <NoticeDetail id={chosen} onAll={showAll} />}
        {drawn ? null : <DeviceColumn {...picker} count={overview?.deviceCount} below={fixedNavbar} />}
      </div>
      {drawn && drawer !== undefined ? (
        <DeviceDrawer {...picker} open={drawer} showAll={t('inform.showAll')} onClose={() => setDrawer(false)} />
      ) : null}
    </>
  );
}

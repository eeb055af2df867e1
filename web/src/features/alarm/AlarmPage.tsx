import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { noSideColumnQuery, phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { overviewQuery } from '@/lib/http/queries';
import { useMay } from '@/lib/session/useMay';
import { usePreferences } from '@/lib/storage/preferences';
import { DeviceChips } from '@/ui/deviceFilter/DeviceChips';
import { DeviceColumn } from '@/ui/deviceFilter/DeviceColumn';
import { Empty } from '@/ui/Empty';
import { IconButton } from '@/ui/IconButton';
import { lazyComponent } from '@/ui/lazyComponent';
import { NotFetched } from '@/ui/NotFetched';
import { PageError } from '@/ui/PageError';
import { Pager } from '@/ui/Pager';
import { PageTitle } from '@/ui/PageTitle';
import { SearchBox } from '@/ui/SearchBox';
import css from './AlarmPage.module.css';
import { RuleList } from './list/RuleList';
import { useRuleFacts } from './list/useRuleFacts';
import { rulesQuery } from './queries';
import { RuleFormHost } from './RuleFormHost';
import { maxDevices, namesOf } from './search';
import { useAlarmLive } from './useAlarmLive';
import { useAlarmSearch } from './useAlarmSearch';

const DeviceDrawer = lazyComponent(() => import('@/ui/deviceFilter/DeviceDrawer'), 'DeviceDrawer');

/** All alarm rules, or those of the chosen devices, each read as a sentence. */
export function AlarmPage() {
  const { t } = useTranslation();
  const format = useFormat();
  useDeviceLive();
  useAlarmLive();
  const isPhone = useMediaQuery(phoneQuery);
  const drawn = useMediaQuery(noSideColumnQuery);
  const fixedNavbar = usePreferences((state) => state.fixedNavbar);
  const { search, change, open } = useAlarmSearch();
  const { q = '', devices, page: pageNo = 1, size: pageSize = pageSizes[0] } = search;
  const rules = useQuery(rulesQuery(search));
  const overview = useQuery(overviewQuery());
  const [drawer, setDrawer] = useState<boolean>();
  const { data } = rules;
  const facts = useRuleFacts(data?.list);
  const mayAdd = useMay('operator');

  // The last page has become empty: show the page that is now the last.
  const last = data && !rules.isPlaceholderData ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (pageNo > last) change({ page: last === 1 ? undefined : last });
  }, [pageNo, last, change]);

  const chosen = useMemo(() => new Set(namesOf(devices)), [devices]);
  const choose = useCallback(
    (names: Iterable<string>) => {
      const list = [...names];
      if (list.length > maxDevices) toast.warning(t('rule.filter.most', { most: maxDevices }));
      else change({ devices: list.join(',') || undefined });
    },
    [change, t],
  );
  const toggle = useCallback(
    (name: string) => choose(chosen.has(name) ? [...chosen].filter((other) => other !== name) : [...chosen, name]),
    [choose, chosen],
  );
  const onSearch = useCallback((text: string) => change({ q: text || undefined }), [change]);
  const clear = () => change({ q: undefined, devices: undefined });

  const filtered = q !== '' || chosen.size > 0;
  const summary =
    data &&
    t('rule.summary', { count: data.total, n: format.number(data.total), running: format.number(data.running) });
  const picker = { chosen, onToggle: toggle, onAll: () => choose([]) };
  return (
    <>
      <PageTitle title={t('nav.alarm')} summary={summary} />
      <PageError queries={[rules]} />
      <div className={css.columns}>
        <section className={css.main} aria-label={t('rule.list')}>
          <div className={css.card}>
            <div className={css.bar}>
              <SearchBox text={q} onSearch={onSearch} label={t('rule.search')} placeholder={t('rule.name')} />
              {drawn ? (
                <IconButton
                  className={css.devices}
                  label={t('rule.filter.devices')}
                  aria-haspopup="dialog"
                  icon={<DeploymentUnitOutlined aria-hidden="true" />}
                  count={chosen.size}
                  onClick={() => setDrawer(true)}
                />
              ) : null}
              {isPhone ? null : <DeviceChips chosen={chosen} onChange={choose} />}
              {mayAdd ? (
                <Button
                  type="primary"
                  icon={<PlusOutlined aria-hidden="true" />}
                  className={css.new}
                  onClick={() => open('new')}
                >
                  {t('rule.new')}
                </Button>
              ) : null}
            </div>
            {isPhone && chosen.size > 0 ? (
              <div className={css.chips}>
                <DeviceChips chosen={chosen} onChange={choose} />
              </div>
            ) : null}
            {data?.total === 0 ? (
              <Empty
                kind={filtered ? 'search' : 'first'}
                title={t(filtered ? 'rule.empty.noneTitle' : 'rule.empty.title')}
                text={t(filtered ? 'rule.empty.noneText' : 'rule.empty.text')}
                action={
                  filtered ? (
                    <Button onClick={clear}>{t('rule.empty.clear')}</Button>
                  ) : mayAdd ? (
                    <Button icon={<PlusOutlined aria-hidden="true" />} onClick={() => open('new')}>
                      {t('rule.new')}
                    </Button>
                  ) : undefined
                }
              />
            ) : rules.isError && !data ? (
              <NotFetched title={t('rule.failed')} />
            ) : (
              <RuleList rules={facts.ready ? data?.list : undefined} facts={facts} waiting={rules.isPlaceholderData} />
            )}
            {data && data.total > 0 && facts.ready ? (
              <div className={css.pager}>
                <Pager
                  total={data.total}
                  pageNo={Math.min(pageNo, last)}
                  pageSize={pageSize}
                  onChange={(page, size) => change({ page: page === 1 ? undefined : page, size })}
                />
              </div>
            ) : null}
          </div>
        </section>
        {drawn ? null : <DeviceColumn {...picker} count={overview.data?.deviceCount} below={fixedNavbar} />}
      </div>
      {drawn && drawer !== undefined ? (
        <DeviceDrawer {...picker} open={drawer} showAll={t('rule.empty.clear')} onClose={() => setDrawer(false)} />
      ) : null}
      <RuleFormHost />
    </>
  );
}

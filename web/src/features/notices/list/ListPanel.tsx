import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import FilterOutlined from '@ant-design/icons/FilterOutlined';
import UpOutlined from '@ant-design/icons/UpOutlined';
import type { UseQueryResult } from '@tanstack/react-query';
import { Button } from 'antd';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmNoticePage } from '@/lib/alarm/notices';
import { useFormat } from '@/lib/format/format';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { DeviceChips } from '@/ui/deviceFilter/DeviceChips';
import { Empty } from '@/ui/Empty';
import { IconButton } from '@/ui/IconButton';
import { NotFetched } from '@/ui/NotFetched';
import { Pager } from '@/ui/Pager';
import type { NoticesSearch } from '../search';
import { Filters } from './Filters';
import css from './ListPanel.module.css';
import { NoticeList } from './NoticeList';
import { TitleSearch } from './TitleSearch';

interface ListPanelProps {
  query: UseQueryResult<AlarmNoticePage>;
  search: NoticesSearch;
  change: (part: Partial<NoticesSearch>) => void;
  chosen: number | undefined;
  onWalk?: (id: number) => void;
  devices: ReadonlySet<string>;
  onDevices: (names: Iterable<string>) => void;
  /** Opens the choice of devices if they have no column of their own. */
  onPick?: () => void;
  /** The number of new notices that the list does not show yet. */
  waiting: number;
  onSeen: () => void;
  place: RefObject<HTMLUListElement | null>;
}

/** Search, filters, the notices of a page, and the pager. */
export function ListPanel(props: ListPanelProps) {
  const { query, search, change, chosen, onWalk, devices, onDevices, onPick, waiting, onSeen, place } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const { q = '', status, level, page = 1, size = pageSizes[0] } = search;
  const narrowed = Number(status !== undefined) + Number(level !== undefined);
  const [open, setOpen] = useState(narrowed > 0);
  const { data } = query;
  const filtered = q !== '' || narrowed > 0 || devices.size > 0;
  const toTop = () => {
    if (place.current) place.current.scrollTop = 0;
    if (onWalk === undefined) window.scrollTo({ top: 0 });
    if (page > 1) change({});
    onSeen();
  };
  return (
    <section className={css.panel} aria-label={t('inform.list')}>
      <div className={css.head}>
        <TitleSearch text={q} onSearch={(text) => (text === q ? onSeen() : change({ q: text || undefined }))} />
        {onPick ? (
          <IconButton
            className={css.tool}
            label={t('rule.filter.devices')}
            aria-haspopup="dialog"
            icon={<DeploymentUnitOutlined aria-hidden="true" />}
            count={devices.size}
            onClick={onPick}
          />
        ) : null}
        <IconButton
          className={css.tool}
          label={t('inform.filters')}
          aria-expanded={open}
          icon={<FilterOutlined aria-hidden="true" />}
          count={narrowed}
          onClick={() => setOpen(!open)}
        />
      </div>
      {open ? (
        <div className={css.more}>
          <Filters search={search} onChange={change} />
        </div>
      ) : null}
      {devices.size > 0 ? (
        <div className={css.more}>
          <DeviceChips chosen={devices} onChange={onDevices} />
        </div>
      ) : null}
      <div className={css.news} role="status">
        {waiting > 0 ? (
          <button type="button" className={css.bar} onClick={toTop}>
            <UpOutlined aria-hidden="true" />
            {t('inform.new', { count: waiting, n: format.number(waiting) })}
          </button>
        ) : null}
      </div>
      {data?.total === 0 ? (
        <Empty
          kind={filtered ? 'search' : 'good'}
          title={t('common.empty')}
          text={t(filtered ? 'inform.noMatch' : 'inform.empty')}
          action={
            filtered ? (
              <Button onClick={() => change({ q: undefined, devices: undefined, status: undefined, level: undefined })}>
                {t('inform.showAll')}
              </Button>
            ) : undefined
          }
        />
      ) : query.isError && !data ? (
        <NotFetched title={t('inform.failed')} />
      ) : (
        <NoticeList
          notices={data?.list}
          chosen={chosen}
          waiting={query.isPlaceholderData}
          onWalk={onWalk}
          place={place}
        />
      )}
      {data && data.total > 0 ? (
        <div className={css.pager}>
          <Pager
            compact
            total={data.total}
            pageNo={Math.min(page, lastPage(data.total, size))}
            pageSize={size}
            onChange={(no, next) => change({ page: no === 1 ? undefined : no, size: next })}
          />
        </div>
      ) : null}
    </section>
  );
}

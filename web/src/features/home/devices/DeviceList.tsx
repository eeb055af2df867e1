import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device, Group } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useFormat } from '@/lib/format/format';
import { DeviceTree } from '@/ui/deviceTree/DeviceTree';
import { groupRows, opensByItself } from '@/ui/deviceTree/rows';
import { useMore } from '@/ui/deviceTree/useMore';
import { type Search, useSearch } from '@/ui/deviceTree/useSearch';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { IconButton } from '@/ui/IconButton';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './DeviceList.module.css';
import { SearchField } from './SearchField';

interface DeviceListProps {
  /** Undefined until they came. */
  groups: Group[] | undefined;
  /** They could not be had; the page says why. */
  failed: boolean;
  selected: string | undefined;
  /** The selected device, when it is known. */
  device: Device | undefined;
  onSelect: (deviceName: string) => void;
}

/** Every device in its group, and the search through all of them. */
export function DeviceList({ groups, failed, selected, device, onSelect }: DeviceListProps) {
  const { t } = useTranslation();
  const [searching, setSearching] = useState(false);
  const [typed, setTyped] = useState('');
  const search = useSearch(searching ? typed : '');

  const stopSearching = () => {
    setSearching(false);
    setTyped('');
  };

  return (
    <section className={css.card} aria-label={t('home.list.title')}>
      <header className={css.head}>
        {searching ? (
          <SearchField value={typed} onChange={setTyped} onClose={stopSearching} />
        ) : (
          <>
            <h2 className={css.title}>{t('home.list.title')}</h2>
            <IconButton
              className={css.search}
              label={t('home.list.search')}
              icon={<SearchOutlined />}
              onClick={() => setSearching(true)}
            />
          </>
        )}
      </header>
      {search.text === '' ? (
        <Groups groups={groups} failed={failed} selected={selected} device={device} onSelect={onSelect} />
      ) : (
        <Found search={search} selected={selected} onSelect={onSelect} onClear={stopSearching} />
      )}
    </section>
  );
}

const noGroups: Group[] = [];

function Groups({ groups = noGroups, failed, selected, device, onSelect }: DeviceListProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Readonly<Record<number, boolean>>>({});
  const { more, load } = useMore(groups);
  const isOpen = useCallback((group: Group) => chosen[group.id] ?? opensByItself(group, groups), [chosen, groups]);
  const rows = useMemo(() => groupRows(groups, isOpen, more, device), [groups, isOpen, more, device]);

  // What is selected elsewhere shows itself: its group opens. Closing it again is the person's choice.
  const home = device?.deviceName === selected ? device?.groupId : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each selection, also within one group
  useEffect(() => {
    if (home !== undefined) setChosen((before) => ({ ...before, [home]: true }));
  }, [selected, home]);

  if (groups === noGroups) return failed ? <p className={css.failed}>{t('home.list.failed')}</p> : <ListSkeleton />;
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) {
    return <Empty title={t('home.empty.title')} text={t('home.empty.text')} />;
  }
  const toggle = (id: number) => {
    const group = groups.find((entry) => entry.id === id);
    if (group) setChosen((before) => ({ ...before, [id]: !isOpen(group) }));
  };
  return (
    <DeviceTree
      label={t('home.list.title')}
      rows={rows}
      selected={selected}
      onSelect={onSelect}
      onToggle={toggle}
      onMore={(source) => {
        if (source !== 'search') load(source);
      }}
    />
  );
}

interface FoundProps {
  search: Search;
  selected: string | undefined;
  onSelect: (deviceName: string) => void;
  onClear: () => void;
}

function Found({ search, selected, onSelect, onClear }: FoundProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { text, total, rows, error } = search;
  if (error) {
    return (
      <div className={css.note}>
        <ErrorNote title={errorText(error)} onRetry={search.retry} />
      </div>
    );
  }
  if (total === undefined) return <ListSkeleton />;
  return (
    <>
      <p className="visually-hidden" role="status">
        {t('home.search.found', { count: total, n: format.number(total) })}
      </p>
      {total === 0 ? (
        <Empty
          kind="search"
          title={t('home.search.noneTitle', { text })}
          text={t('home.search.noneText')}
          action={
            <button type="button" className={css.clear} onClick={onClear}>
              {t('home.search.clear')}
            </button>
          }
        />
      ) : (
        <DeviceTree
          label={t('home.search.results', { text })}
          rows={rows}
          selected={selected}
          onSelect={onSelect}
          onToggle={() => undefined}
          onMore={search.more}
        />
      )}
    </>
  );
}

function ListSkeleton() {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  return (
    <Loading>
      <div className={css.skeleton}>
        {rows.map((row) => (
          <Skeleton key={row} height={16} width={row % 5 === 0 ? '45%' : '88%'} />
        ))}
      </div>
    </Loading>
  );
}

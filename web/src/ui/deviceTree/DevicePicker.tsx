import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { groupsQuery } from '@/lib/device/queries';
import type { Device, Group } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n';
import { Empty } from '../Empty';
import { ErrorNote } from '../ErrorNote';
import { SearchBox } from '../SearchBox';
import { Loading, Skeleton } from '../Skeleton';
import css from './DevicePicker.module.css';
import { DeviceTree, type Ticks } from './DeviceTree';
import { groupRows, opensByItself, type Row } from './rows';
import { useMore } from './useMore';
import { type Search, useSearch } from './useSearch';

interface DevicePickerProps {
  /** The names of the ticked devices. */
  chosen: ReadonlySet<string>;
  onToggle: (device: Device) => void;
}

/** Devices to tick one by one: a hundred of each group, more on demand, and what the server finds by name or serial. */
export function DevicePicker({ chosen, onToggle }: DevicePickerProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const groups = useQuery({ ...groupsQuery(language), placeholderData: keepPreviousData });
  const [text, setText] = useState('');
  const search = useSearch(text);
  const ask = useCallback((next: string) => setText(next), []);
  const ticks = (onGroup: (id: number) => void): Ticks => ({
    of: (row) => (row.kind === 'device' ? chosen.has(row.device.deviceName) : undefined),
    toggle: (row) => (row.kind === 'device' ? onToggle(row.device) : onGroup(row.group.id)),
  });

  return (
    <div className={css.picker}>
      <div className={css.search}>
        <SearchBox
          text={text}
          onSearch={ask}
          label={t('home.list.search')}
          placeholder={t('home.search.placeholder')}
        />
      </div>
      {search.active ? (
        <Found search={search} ticks={ticks(() => undefined)} />
      ) : groups.data ? (
        <Groups groups={groups.data} ticks={ticks} />
      ) : groups.isError ? (
        <div className={css.note}>
          <ErrorNote title={errorText(groups.error)} onRetry={() => void groups.refetch()} />
        </div>
      ) : (
        <TreeSkeleton />
      )}
    </div>
  );
}

function Groups({ groups, ticks }: { groups: Group[]; ticks: (onGroup: (id: number) => void) => Ticks }) {
  const { t } = useTranslation();
  const [turned, setTurned] = useState<Readonly<Record<number, boolean>>>({});
  const { more, load } = useMore(groups);
  const rows = useMemo(() => {
    const isOpen = (group: Group) => turned[group.id] ?? opensByItself(group, groups);
    return groupRows(groups, isOpen, more, undefined);
  }, [groups, turned, more]);

  if (!groups.some(({ deviceCount }) => deviceCount > 0)) {
    return <Empty level={3} title={t('home.empty.title')} text={t('home.empty.text')} />;
  }
  const toggle = (id: number) => {
    const head = rows.find(
      (row): row is Extract<Row, { kind: 'group' }> => row.kind === 'group' && row.group.id === id,
    );
    if (head) setTurned((before) => ({ ...before, [id]: !head.open }));
  };
  return (
    <DeviceTree
      label={t('home.list.title')}
      rows={rows}
      ticks={ticks(toggle)}
      onToggle={toggle}
      onMore={(source) => {
        if (source !== 'search') load(source);
      }}
    />
  );
}

function Found({ search, ticks }: { search: Search; ticks: Ticks }) {
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
  if (total === undefined) return <TreeSkeleton />;
  return (
    <>
      <p className="visually-hidden" role="status">
        {t('home.search.found', { count: total, n: format.number(total) })}
      </p>
      {total === 0 ? (
        <Empty kind="search" level={3} title={t('home.search.noneTitle', { text })} text={t('home.search.noneText')} />
      ) : (
        <DeviceTree
          label={t('home.search.results', { text })}
          rows={rows}
          ticks={ticks}
          onToggle={() => undefined}
          onMore={search.more}
        />
      )}
    </>
  );
}

function TreeSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        {['58%', '84%', '76%', '88%', '62%', '80%', '72%', '86%'].map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </Loading>
  );
}

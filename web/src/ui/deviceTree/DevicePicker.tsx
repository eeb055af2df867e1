import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { groupsQuery } from '@/lib/device/queries';
import type { Device, Group } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useLanguage } from '@/lib/i18n';
import { Empty } from '../Empty';
import { ErrorNote } from '../ErrorNote';
import { SearchBox } from '../SearchBox';
import css from './DevicePicker.module.css';
import { DeviceTree, type Ticks } from './DeviceTree';
import { FoundTree } from './FoundTree';
import { TreeSkeleton } from './TreeSkeleton';
import { useGroupRows } from './useGroupRows';
import { useSearch } from './useSearch';

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
  const ticks: Ticks = {
    of: (row) => (row.kind === 'device' ? chosen.has(row.device.deviceName) : undefined),
    toggle: (row) => {
      if (row.kind === 'device') onToggle(row.device);
    },
  };

  return (
    <div className={css.picker}>
      <div className={css.search}>
        <SearchBox
          text={text}
          onSearch={setText}
          label={t('home.list.search')}
          placeholder={t('home.search.placeholder')}
        />
      </div>
      {search.active ? (
        <FoundTree search={search} ticks={ticks} />
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

function Groups({ groups, ticks }: { groups: Group[]; ticks: Ticks }) {
  const { t } = useTranslation();
  const tree = useGroupRows(groups);
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) {
    return <Empty level={3} title={t('home.empty.title')} text={t('home.empty.text')} />;
  }
  return <DeviceTree {...tree} label={t('home.list.title')} ticks={ticks} />;
}

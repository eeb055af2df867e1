import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { groupsQuery } from '@/lib/device/queries';
import type { Device, Group } from '@/lib/device/types';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { Empty } from '../Empty';
import { ErrorNote } from '../ErrorNote';
import { SearchBox } from '../SearchBox';
import css from './DevicePicker.module.css';
import { DeviceTree, type Ticks } from './DeviceTree';
import { SearchResultTree } from './SearchResultTree';
import { TreeSkeleton } from './TreeSkeleton';
import { useDeviceSearchRows } from './useDeviceSearchRows';
import { useGroupRows } from './useGroupRows';

interface DevicePickerProps {
  /** The names of the ticked devices. */
  chosen: ReadonlySet<string>;
  onToggle: (device: Device) => void;
  /** An alarm rule's id: offers only devices to which the rule can be copied. */
  takesRule?: number;
  /** The row that ticks all devices, below the search. */
  all?: ReactNode;
  /** The text if there is no device to tick. */
  none?: { title: string; text: string };
}

/**
 * A device tree with ticks: a hundred devices of each group, more on demand, and those that the
 * server finds by name or serial.
 */
export function DevicePicker({ chosen, onToggle, takesRule, all, none }: DevicePickerProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const groups = useQuery({ ...groupsQuery(language, takesRule), placeholderData: keepPreviousData });
  const [text, setText] = useState('');
  const search = useDeviceSearchRows(text, undefined, takesRule);
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
      {all}
      {search.active ? (
        <SearchResultTree search={search} ticks={ticks} />
      ) : groups.data ? (
        <Groups groups={groups.data} ticks={ticks} takesRule={takesRule} none={none} />
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

interface GroupsProps extends Pick<DevicePickerProps, 'takesRule' | 'none'> {
  groups: Group[];
  ticks: Ticks;
}

function Groups({ groups, ticks, takesRule, none }: GroupsProps) {
  const { t } = useTranslation();
  // For a rule, a scene without devices that can be ticked is left out; without a rule it stays, to
  // show that the scene exists.
  const offered = useMemo(
    () => (takesRule === undefined ? groups : groups.filter(({ deviceCount }) => deviceCount > 0)),
    [groups, takesRule],
  );
  const tree = useGroupRows(offered, undefined, undefined, takesRule);
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) {
    return <Empty level={3} title={none?.title ?? t('home.empty.title')} text={none?.text ?? t('home.empty.text')} />;
  }
  return <DeviceTree {...tree} label={t('home.list.title')} ticks={ticks} />;
}

import { useTranslation } from 'react-i18next';
import type { Device, Group } from '@/lib/device/types';
import { AllRow } from '@/ui/deviceTree/AllRow';
import { DeviceTree, type Ticks } from '@/ui/deviceTree/DeviceTree';
import { SearchResultTree } from '@/ui/deviceTree/SearchResultTree';
import { TreeSkeleton } from '@/ui/deviceTree/TreeSkeleton';
import { useDeviceSearchRows } from '@/ui/deviceTree/useDeviceSearchRows';
import { useGroupRows } from '@/ui/deviceTree/useGroupRows';
import { NotFetched } from '@/ui/NotFetched';
import { SearchField } from '@/ui/SearchField';
import {
  type Choice,
  emptyChoice,
  type GroupOf,
  groupTick,
  isEverything,
  isTicked,
  toggleDevice,
  toggleGroup,
} from '../choice';
import { onlineStateOf } from '../grid/sections';
import type { OnlineFilter } from '../useChoice';
import css from './Picker.module.css';
import { StateFilter } from './StateFilter';

export interface PickerProps {
  /** Undefined until they are fetched. */
  groups: Group[] | undefined;
  /** The groups could not be fetched; the page says why. */
  failed: boolean;
  choice: Choice;
  /** The devices that the choice names, as far as they are known. */
  named: ReadonlyMap<string, Device>;
  state: OnlineFilter;
  /** The text in the search field, which also narrows the cards. */
  typed: string;
  onType: (text: string) => void;
  onChoose: (choice: Choice) => void;
  onFilter: (state: OnlineFilter) => void;
}

/**
 * All devices in their groups, to tick: single devices, whole groups, or all. With a search and a
 * filter by state.
 */
export function Picker({ groups, failed, choice, named, state, typed, onType, onChoose, onFilter }: PickerProps) {
  const { t } = useTranslation();
  const search = useDeviceSearchRows(typed, onlineStateOf(state));

  const groupOf: GroupOf = (deviceName) => named.get(deviceName)?.groupId;
  const ticks: Ticks = {
    of: (row) => (row.kind === 'group' ? groupTick(choice, row.group.id, groupOf) : isTicked(choice, row.device)),
    toggle: (row) =>
      onChoose(row.kind === 'group' ? toggleGroup(choice, row.group.id, groupOf) : toggleDevice(choice, row.device)),
  };
  const all = isEverything(choice);
  const clear = () => {
    onType('');
    onFilter(undefined);
  };

  return (
    <>
      <search className={css.search}>
        <SearchField
          value={typed}
          onChange={onType}
          label={t('home.list.search')}
          placeholder={t('home.search.placeholder')}
        />
      </search>
      <StateFilter value={state} onChange={onFilter} />
      <AllRow ticked={all} onTick={() => onChoose(emptyChoice)}>
        {t('data.picker.all')}
      </AllRow>
      {search.active ? (
        <SearchResultTree search={search} ticks={ticks} clear={{ words: t('data.picker.clear'), onClear: clear }} />
      ) : (
        <Groups groups={groups} failed={failed} ticks={ticks} />
      )}
    </>
  );
}

const noGroups: Group[] = [];

function Groups({ groups = noGroups, failed, ticks }: { groups: Group[] | undefined; failed: boolean; ticks: Ticks }) {
  const { t } = useTranslation();
  const tree = useGroupRows(groups);
  if (groups === noGroups) return failed ? <NotFetched title={t('home.list.failed')} /> : <TreeSkeleton />;
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) return null;
  return <DeviceTree {...tree} label={t('home.list.title')} ticks={ticks} />;
}

import CloseCircleFilled from '@ant-design/icons/CloseCircleFilled';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device, Group } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useFormat } from '@/lib/format/format';
import { DeviceTree, type Ticks } from '@/ui/deviceTree/DeviceTree';
import { groupRows, opensByItself, type Row } from '@/ui/deviceTree/rows';
import { TickMark } from '@/ui/deviceTree/TickMark';
import { useMore } from '@/ui/deviceTree/useMore';
import { type Search, useSearch } from '@/ui/deviceTree/useSearch';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import {
  type Choice,
  everything,
  type GroupOf,
  groupTick,
  isEverything,
  isTicked,
  toggleDevice,
  toggleGroup,
} from '../choice';
import { stateNumber } from '../grid/sections';
import type { OnlineFilter } from '../useChoice';
import css from './Picker.module.css';
import { StateFilter } from './StateFilter';

export interface PickerProps {
  /** Undefined until they came. */
  groups: Group[] | undefined;
  /** They could not be had; the page says why. */
  failed: boolean;
  choice: Choice;
  /** The devices that the choice names, as far as they are known. */
  named: ReadonlyMap<string, Device>;
  state: OnlineFilter;
  onChoose: (choice: Choice) => void;
  onFilter: (state: OnlineFilter) => void;
}

/** Every device in its group, to tick: alone, by whole groups, or all. With a search and a filter by state. */
export function Picker({ groups, failed, choice, named, state, onChoose, onFilter }: PickerProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const search = useSearch(typed, stateNumber(state));

  const groupOf: GroupOf = (deviceName) => named.get(deviceName)?.groupId;
  const ticks: Ticks = {
    of: (row) => (row.kind === 'group' ? groupTick(choice, row.group.id, groupOf) : isTicked(choice, row.device)),
    toggle: (row) =>
      onChoose(row.kind === 'group' ? toggleGroup(choice, row.group.id, groupOf) : toggleDevice(choice, row.device)),
  };
  const all = isEverything(choice);
  const clear = () => {
    setTyped('');
    onFilter(undefined);
  };

  return (
    <>
      <search className={css.search}>
        <SearchOutlined className={css.glass} aria-hidden="true" />
        <input
          className={css.input}
          type="text"
          inputMode="search"
          enterKeyHint="search"
          autoComplete="off"
          maxLength={64}
          aria-label={t('home.list.search')}
          placeholder={t('home.search.placeholder')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || typed === '') return;
            // The drawer around it stays open.
            event.stopPropagation();
            setTyped('');
          }}
        />
        {typed ? (
          <button
            type="button"
            className={css.erase}
            aria-label={t('home.search.clear')}
            title={t('home.search.clear')}
            onClick={() => setTyped('')}
          >
            <CloseCircleFilled />
          </button>
        ) : null}
      </search>
      <StateFilter value={state} onChange={onFilter} />
      <button type="button" className={css.all} aria-pressed={all} onClick={() => onChoose(everything)}>
        <TickMark ticked={all} />
        {t('data.picker.all')}
      </button>
      {search.active ? (
        <Found search={search} ticks={ticks} onClear={clear} />
      ) : (
        <Groups groups={groups} failed={failed} ticks={ticks} />
      )}
    </>
  );
}

const noGroups: Group[] = [];

function Groups({ groups = noGroups, failed, ticks }: { groups: Group[] | undefined; failed: boolean; ticks: Ticks }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Readonly<Record<number, boolean>>>({});
  const { more, load } = useMore(groups);
  const rows = useMemo(() => {
    const isOpen = (group: Group) => chosen[group.id] ?? opensByItself(group, groups);
    return groupRows(groups, isOpen, more, undefined);
  }, [groups, chosen, more]);

  if (groups === noGroups) return failed ? <p className={css.failed}>{t('home.list.failed')}</p> : <TreeSkeleton />;
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) return null;
  const toggle = (id: number) => {
    const row = rows.find(
      (each): each is Extract<Row, { kind: 'group' }> => each.kind === 'group' && each.group.id === id,
    );
    if (row) setChosen((before) => ({ ...before, [id]: !row.open }));
  };
  return (
    <DeviceTree
      label={t('home.list.title')}
      rows={rows}
      ticks={ticks}
      onToggle={toggle}
      onMore={(source) => {
        if (source !== 'search') load(source);
      }}
    />
  );
}

function Found({ search, ticks, onClear }: { search: Search; ticks: Ticks; onClear: () => void }) {
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
        <Empty
          kind="search"
          level={3}
          title={text === '' ? t('data.picker.none') : t('home.search.noneTitle', { text })}
          text={text === '' ? undefined : t('home.search.noneText')}
          action={
            <button type="button" className={css.clear} onClick={onClear}>
              {t('data.picker.clear')}
            </button>
          }
        />
      ) : (
        <DeviceTree
          label={text === '' ? t('home.list.title') : t('home.search.results', { text })}
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
